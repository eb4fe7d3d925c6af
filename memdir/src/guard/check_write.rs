//! The answer to a host that is about to write a file by its own means.

use std::path::{Path, PathBuf};

use pathguard::{PathKey, PathKeyRef};

use super::secrets::{SecretFinding, blocks, secrets_in};
use crate::limits::{INDEX_MAX_BYTES, MEMORY_MAX_BYTES, TEAM_MEMORY_MAX_BYTES};
use crate::settings::{Layer, Mode};
use crate::store::{Permission, Scope, Store, Writer, is_index, is_markdown, permission};

/// Links outside the memory folder that are followed by hand to learn where a write would land.
const MAX_LINKS: usize = 8;

/// Whether a write may go ahead, and why not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteCheck {
    /// What to do.
    pub decision: WriteDecision,
    /// The file, relative to the memory folder, when it lies in it and its name is allowed.
    pub path: Option<PathKey>,
    /// What to tell the one who writes; empty when there is nothing to tell.
    pub reason: String,
    /// Credentials that were found.
    pub secrets: Vec<SecretFinding>,
}

/// What to do with a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WriteDecision {
    /// It does not touch the memory folder; this crate has no say.
    Outside,
    /// Let it go ahead.
    Allow,
    /// Let it go ahead and pass the reason on.
    Warn,
    /// Refuse it, and offer the text to [`Store::propose_file`]: the mode is `ask`.
    Propose,
    /// Refuse it with the reason.
    Block,
}

/// Where a path leads.
enum Place {
    Outside,
    State,
    Inside(PathKey),
    Refused(String),
}

impl Store {
    /// Checks a write that somebody is about to do by other means than this store: path, mode,
    /// size, credentials.
    ///
    /// `path` is absolute; links are followed to where the write would land. Fails closed: when the
    /// check itself cannot be done for a path in the memory folder, the answer is
    /// [`WriteDecision::Block`]. Our state folder is nobody's to write.
    pub fn check_write(&self, path: &Path, text: &[u8], writer: Writer) -> WriteCheck {
        let _span = tracing::debug_span!("memdir.check_write").entered();
        let check = match self.place_of(path) {
            Place::Outside => verdict(WriteDecision::Outside, None, ""),
            Place::State => verdict(
                WriteDecision::Block,
                None,
                "the state folder holds the history and is written by the store only",
            ),
            Place::Refused(reason) => verdict(WriteDecision::Block, None, &reason),
            Place::Inside(key) => self.check_inside(key, text, writer),
        };
        tracing::debug!(decision = ?check.decision, "memdir.checked_write");
        check
    }

    fn check_inside(&self, key: PathKey, text: &[u8], writer: Writer) -> WriteCheck {
        let scope = Scope::of(key.as_ref());
        let modes = self.options().modes();
        if modes.get(Layer::Persistent) == Mode::Off && scope == Scope::Private {
            return verdict(WriteDecision::Allow, Some(key), "");
        }
        if let Some(reason) = shape_problem(key.as_ref(), scope, text.len() as u64) {
            return verdict(WriteDecision::Block, Some(key), &reason);
        }
        let secrets = secrets_in(text, scope);
        let found = secrets
            .iter()
            .map(|secret| format!("{} in line {}", secret.label, secret.line))
            .collect::<Vec<_>>()
            .join(", ");
        if !secrets.is_empty() && blocks(scope, writer, self.options().private_secrets()) {
            let reason = format!("a credential would be stored: {found}; leave it out");
            return WriteCheck {
                secrets,
                ..verdict(WriteDecision::Block, Some(key), &reason)
            };
        }
        let decision = match permission(modes, scope.layer(), writer) {
            Permission::Nothing => {
                let mode = modes.get(scope.layer());
                let reason = format!("the memory is in mode {mode}: nothing is written");
                return verdict(WriteDecision::Block, Some(key), &reason);
            }
            Permission::Propose => {
                let reason = "the memory is in mode ask: a person decides what is kept";
                return WriteCheck {
                    secrets,
                    ..verdict(WriteDecision::Propose, Some(key), reason)
                };
            }
            Permission::Write if secrets.is_empty() => WriteDecision::Allow,
            Permission::Write => WriteDecision::Warn,
        };
        let reason = match decision {
            WriteDecision::Warn => format!("a credential is about to be stored: {found}"),
            _ => String::new(),
        };
        WriteCheck {
            secrets,
            ..verdict(decision, Some(key), &reason)
        }
    }

    /// Where a write to `path` would land.
    fn place_of(&self, path: &Path) -> Place {
        let memory = real(self.dir());
        let state = self.state_dir().map(|state| real(&state));
        let mut path = path.to_path_buf();
        for _ in 0..MAX_LINKS {
            let resolved = match pathguard::realpath_deepest_existing(&path) {
                Ok(resolved) => resolved,
                Err(error) => {
                    // Inside, a path that cannot be resolved is refused. Outside, a link to
                    // nothing may still lead in here: writing through it makes the file.
                    let by_name = pathguard::lexically_normal(&path);
                    let touches = [memory.as_path(), self.dir()]
                        .iter()
                        .any(|dir| by_name.starts_with(dir) || path.starts_with(dir));
                    let target = std::fs::read_link(&path).ok();
                    match target {
                        _ if touches => return Place::Refused(error.to_string()),
                        Some(target) => {
                            let folder = path.parent().unwrap_or(Path::new("/"));
                            path = folder.join(target);
                            continue;
                        }
                        None => return Place::Outside,
                    }
                }
            };
            if state
                .as_ref()
                .is_some_and(|state| resolved.starts_with(state))
            {
                return Place::State;
            }
            return match resolved.strip_prefix(&memory) {
                Err(_) => Place::Outside,
                Ok(below) => key_of(below),
            };
        }
        Place::Refused("too many links".to_owned())
    }
}

fn key_of(below: &Path) -> Place {
    let names: Option<Vec<&str>> = below
        .components()
        .map(|component| component.as_os_str().to_str())
        .collect();
    let Some(names) = names else {
        return Place::Refused("the name is not Unicode".to_owned());
    };
    match PathKey::parse(&names.join("/")) {
        Ok(key) => Place::Inside(key),
        Err(error) => Place::Refused(error.to_string()),
    }
}

fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

fn shape_problem(key: PathKeyRef<'_>, scope: Scope, bytes: u64) -> Option<String> {
    if scope == Scope::Team && !is_markdown(key) {
        return Some("only Markdown files are shared with the team".to_owned());
    }
    let limit = match scope {
        _ if is_index(key) => INDEX_MAX_BYTES,
        Scope::Private => MEMORY_MAX_BYTES,
        Scope::Team => TEAM_MEMORY_MAX_BYTES,
    };
    (bytes > limit).then(|| format!("larger than {limit} bytes; shorten or split it"))
}

fn verdict(decision: WriteDecision, path: Option<PathKey>, reason: &str) -> WriteCheck {
    WriteCheck {
        decision,
        path,
        reason: reason.to_owned(),
        secrets: Vec::new(),
    }
}
