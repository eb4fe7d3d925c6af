//! Credentials in texts and names that are about to be stored.

use std::collections::HashMap;

use secret_scan::{Finding, Level, Scanner};

/// Says which credential `new` would add to what the file holds, or nothing when there is none.
///
/// What is there already does not count: otherwise a model could not even take one of two out. Another value
/// of the same kind does count, and so does the same value a second time.
pub(super) fn added(old: &[u8], new: &str) -> Option<String> {
    let found = credentials(new.as_bytes());
    if found.is_empty() {
        return None;
    }
    let mut left: HashMap<(&'static str, &[u8]), usize> = HashMap::new();
    for one in credentials(old) {
        *left.entry((one.rule(), &old[one.range()])).or_default() += 1;
    }
    let one = found.iter().find(|one| {
        match left.get_mut(&(one.rule(), &new.as_bytes()[one.range()])) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        }
    })?;
    Some(format!(
        "it would store a credential ({} in line {}). Leave the value out and say where it is kept instead",
        one.label(),
        one.line()
    ))
}

/// Says which credential a name holds: names are listed, logged and shared with less care than texts.
pub(super) fn in_name(name: &str) -> Option<String> {
    let found = credentials(name.as_bytes());
    let one = found.first()?;
    Some(format!(
        "Error: The name holds a credential ({}). Choose another name and say in the text where it is kept",
        one.label()
    ))
}

fn credentials(text: &[u8]) -> Vec<Finding> {
    let mut found = Scanner::standard().scan(text);
    found.retain(|one| one.level() == Level::Secret);
    found
}
