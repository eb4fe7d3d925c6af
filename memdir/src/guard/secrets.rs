//! Credentials in texts that are about to be stored.

use std::sync::OnceLock;

use pathguard::PathKey;
use secret_scan::{Level, Ruleset, Scanner};

use crate::error::Error;
use crate::settings::SecretAction;
use crate::store::{Origin, Scope, Store, Writer};

/// A credential that was found: which rule, and where. Never the value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SecretFinding {
    /// The id of the rule.
    pub rule: &'static str,
    /// What was found, for people.
    pub label: &'static str,
    /// The line, counted from 1.
    pub line: u64,
}

/// Credentials in `text`. Team files are searched with the extended rules.
pub(crate) fn secrets_in(text: &[u8], scope: Scope) -> Vec<SecretFinding> {
    scanner(scope)
        .scan(text)
        .iter()
        .filter(|finding| finding.level() == Level::Secret)
        .map(|finding| SecretFinding {
            rule: finding.rule(),
            label: finding.label(),
            line: finding.line(),
        })
        .collect()
}

fn scanner(scope: Scope) -> &'static Scanner {
    static EXTENDED: OnceLock<Scanner> = OnceLock::new();
    match scope {
        Scope::Private => Scanner::standard(),
        Scope::Team => EXTENDED.get_or_init(|| Scanner::new(&Ruleset::extended())),
    }
}

/// Whether a credential stops the write.
pub(crate) fn blocks(scope: Scope, writer: Writer, private: SecretAction) -> bool {
    let works_unseen = matches!(writer, Writer::Background | Writer::Sync);
    scope == Scope::Team || works_unseen || private == SecretAction::Block
}

impl Store {
    /// Checks size and credentials of a text that is about to be stored at `key`. Returns the
    /// credentials that only warn.
    pub(crate) fn guard_text(
        &self,
        key: &PathKey,
        text: &[u8],
        origin: &Origin,
    ) -> Result<Vec<SecretFinding>, Error> {
        let scope = Scope::of(key.as_ref());
        let limit = match scope {
            Scope::Private => crate::limits::MEMORY_MAX_BYTES,
            Scope::Team => crate::limits::TEAM_MEMORY_MAX_BYTES,
        };
        if text.len() as u64 > limit {
            return Err(Error::too_large(format!("larger than {limit} bytes"))
                .with_path(key.as_str())
                .with_remedy("shorten or split it"));
        }
        self.guard_secrets(key, text, origin)
    }

    /// As [`Store::guard_text`] for a text that was in the folder before and may be over the limit.
    pub(crate) fn guard_secrets(
        &self,
        key: &PathKey,
        text: &[u8],
        origin: &Origin,
    ) -> Result<Vec<SecretFinding>, Error> {
        let scope = Scope::of(key.as_ref());
        let secrets = secrets_in(text, scope);
        let private = self.options().private_secrets();
        if !secrets.is_empty() && blocks(scope, origin.writer(), private) {
            tracing::warn!(
                path = key.as_str(),
                rule = secrets[0].rule,
                "memdir.secret.blocked"
            );
            return Err(Error::secret(key.as_str(), secrets));
        }
        Ok(secrets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn team_files_and_unseen_writers_always_block() {
        use SecretAction::{Block, Warn};
        let table = [
            (Scope::Private, Writer::Person, Warn, false),
            (Scope::Private, Writer::Host, Warn, false),
            (Scope::Private, Writer::Person, Block, true),
            (Scope::Private, Writer::Background, Warn, true),
            (Scope::Private, Writer::Sync, Warn, true),
            (Scope::Team, Writer::Person, Warn, true),
            (Scope::Team, Writer::Host, Warn, true),
        ];
        for (scope, writer, private, expected) in table {
            assert_eq!(
                blocks(scope, writer, private),
                expected,
                "{scope:?} {writer:?}"
            );
        }
    }
}
