//! Credentials in texts that are about to be stored.

use std::collections::BTreeMap;

use secret_scan::{Level, Scanner};

/// Says which credentials `new` would add to what the file holds, or nothing when there are none.
///
/// What is there already does not count: otherwise a model could not even take one of two out.
pub(super) fn added(old: &[u8], new: &str) -> Option<String> {
    let scan = |text: &[u8]| -> Vec<(&'static str, &'static str, u64)> {
        Scanner::standard()
            .scan(text)
            .iter()
            .filter(|finding| finding.level() == Level::Secret)
            .map(|finding| (finding.rule(), finding.label(), finding.line()))
            .collect()
    };
    let found = scan(new.as_bytes());
    if found.is_empty() {
        return None;
    }
    let mut before: BTreeMap<&str, usize> = BTreeMap::new();
    for (rule, ..) in scan(old) {
        *before.entry(rule).or_default() += 1;
    }
    let mut after: BTreeMap<&str, usize> = BTreeMap::new();
    for (rule, ..) in &found {
        *after.entry(rule).or_default() += 1;
    }
    let is_more = |rule: &str| after.get(rule) > before.get(rule);
    let (_, label, line) = found.iter().find(|(rule, ..)| is_more(rule))?;
    Some(format!(
        "it would store a credential ({label} in line {line}). Leave the value out and say where it is kept \
         instead"
    ))
}
