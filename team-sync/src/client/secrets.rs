//! The gate that keeps credentials on this machine, and those of others off it.

use secret_scan::{Level, Ruleset, Scanner};

use super::folder::{Gate, Verdict};

/// Findings that are named in one reason; a file with more is no better for it.
const MOST_NAMED: usize = 3;

/// Blocks every text in which the extended rules of `secret-scan` find a credential.
///
/// The reason names rule and line, never the value. What only looks random (advisory findings) may travel:
/// blocking it would keep hashes and identifiers from the team.
///
/// ```
/// use team_sync::client::{Gate, SecretGate, Verdict};
///
/// // A made-up token, assembled at run time.
/// let slack = secret_scan::rules().iter().find(|rule| rule.id() == "slack-token");
/// let token = slack.expect("a standard rule").examples().remove(0);
/// let Verdict::Blocked(why) = SecretGate::new().look(&format!("# Bots\nuse {token}\n")) else { panic!() };
/// assert!(why.contains("slack-token in line 2") && !why.contains(&token));
/// ```
#[derive(Debug)]
pub struct SecretGate(Scanner);

impl SecretGate {
    /// The gate with the extended rules. Building them takes a moment: make one and share it.
    pub fn new() -> Self {
        Self(Scanner::new(&Ruleset::extended()))
    }

    /// The gate with a scanner of one's own, for example one with values that may stay.
    pub fn with_scanner(scanner: Scanner) -> Self {
        Self(scanner)
    }
}

impl Default for SecretGate {
    fn default() -> Self {
        Self::new()
    }
}

impl Gate for SecretGate {
    fn look(&self, text: &str) -> Verdict {
        let findings = self.0.scan(text.as_bytes());
        let secrets: Vec<_> = findings
            .iter()
            .filter(|finding| finding.level() == Level::Secret)
            .collect();
        if secrets.is_empty() {
            return Verdict::Free;
        }
        let named: Vec<String> = secrets
            .iter()
            .take(MOST_NAMED)
            .map(|finding| format!("{} in line {}", finding.rule(), finding.line()))
            .collect();
        let more = match secrets.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Verdict::Blocked(format!(
            "it holds a credential: {}{more}; take it out, and replace the credential where it was valid",
            named.join(", ")
        ))
    }
}
