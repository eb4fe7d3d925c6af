//! No write may bring a credential into a file.

use std::collections::HashSet;

use secret_scan::{Finding, Level};

use super::{Change, Verdict};
use crate::secrets::scanner;

/// Denies a change that adds a credential; one that the file already held is not held against an edit
/// elsewhere in it.
pub(super) fn decide(change: &Change<'_>) -> Verdict {
    let after = scanner().scan(change.after.as_bytes());
    let mut found = after
        .iter()
        .filter(|finding| finding.level() == Level::Secret)
        .peekable();
    if found.peek().is_none() {
        return Verdict::Allow;
    }
    let before = change.before.unwrap_or_default();
    let known = scanner().scan(before.as_bytes());
    let known: HashSet<&[u8]> = known.iter().map(|finding| value(before, finding)).collect();
    match found.find(|finding| !known.contains(value(change.after, finding))) {
        None => Verdict::Allow,
        Some(finding) => Verdict::deny(format!(
            "line {} would hold what looks like a credential ({}); write the text without it",
            finding.line(),
            finding.label()
        )),
    }
}

fn value<'t>(text: &'t str, finding: &Finding) -> &'t [u8] {
    text.as_bytes().get(finding.range()).unwrap_or_default()
}
