//! Filling request bodies.

use std::collections::BTreeMap;

use crate::limits::TARGET_BODY_BYTES;

/// What a server takes, as far as it has said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BodyLimits {
    /// Bodies with several entries are filled up to this many bytes of JSON.
    pub body_bytes: usize,
}

impl Default for BodyLimits {
    fn default() -> Self {
        Self {
            body_bytes: TARGET_BODY_BYTES,
        }
    }
}

impl BodyLimits {
    /// What a server said in a 413 answer; never more than the protocol's own figure.
    #[must_use]
    pub fn with_body_bytes(mut self, bytes: usize) -> Self {
        self.body_bytes = bytes.min(TARGET_BODY_BYTES);
        self
    }
}

/// Parts entries into bodies, in the order of the keys, each as full as it gets.
///
/// Sizes are those of the serialised JSON with room for the other fields. An entry that is larger than the
/// limit goes alone.
///
/// ```
/// use std::collections::BTreeMap;
/// use team_sync::{BodyLimits, fill_bodies};
///
/// let entries = BTreeMap::from([("a.md", "x".repeat(300)), ("b.md", "y".repeat(300)), ("c.md", "z".into())]);
/// let limits = BodyLimits::default().with_body_bytes(900);
/// let bodies: Vec<Vec<&str>> = fill_bodies(&entries, |text| text.as_str(), &limits);
/// assert_eq!(bodies, [vec!["a.md"], vec!["b.md", "c.md"]]);
/// ```
pub fn fill_bodies<K, T>(
    entries: &BTreeMap<K, T>,
    text: impl Fn(&T) -> &str,
    limits: &BodyLimits,
) -> Vec<Vec<K>>
where
    K: AsRef<str> + Clone + Ord,
{
    let mut bodies: Vec<Vec<K>> = Vec::new();
    let mut used = 0;
    for (key, value) in entries {
        let cost = entry_cost(key.as_ref(), text(value));
        match bodies.last_mut() {
            Some(body) if used + cost <= limits.body_bytes => {
                used += cost;
                body.push(key.clone());
            }
            _ => {
                used = ENVELOPE_BYTES + cost;
                bodies.push(vec![key.clone()]);
            }
        }
    }
    bodies
}

/// The braces, the operation id, the version, author and client of a body.
const ENVELOPE_BYTES: usize = 400;

/// `"key":"text",` in `entries` and `"key":"sha256:<64>",` in `bases`.
fn entry_cost(key: &str, text: &str) -> usize {
    let name = json_bytes(key);
    name + json_bytes(text) + 2 + name + 75
}

/// The length of a JSON string with its quotes.
fn json_bytes(text: &str) -> usize {
    let extra: usize = text
        .bytes()
        .map(|byte| match byte {
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 1,
            0..=0x1f => 5,
            _ => 0,
        })
        .sum();
    text.len() + extra + 2
}
