//! Keeps of what was said in a session that which still holds at its end.

use std::collections::HashSet;

use crate::proposal::Proposal;

/// Proposals kept of one call; the oldest go first.
pub(super) const PROPOSALS_MAX: usize = 64;

/// Words that say nothing about the subject.
const EMPTY: &[&str] = &[
    "always", "never", "please", "from", "now", "on", "the", "a", "an", "to", "in", "of", "for",
    "and", "or", "not", "don't", "do", "you", "i", "we", "it", "is", "are", "be", "with", "that",
    "this", "prefer", "use", "using", "actually", "instead", "stop", "my", "our", "any", "all",
    "every", "when", "should", "want", "like", "more", "again", "just", "rather", "than", "over",
    "no", "only", "ever", "future", "going", "forward", "write", "over", "by", "at",
];

/// Adds a proposal; one about the same thing that was said before gives way to it.
pub(super) fn add(proposals: &mut Vec<Proposal>, new: Proposal, amends: bool) {
    let words = subject(&new.body);
    proposals.retain(|old| {
        let same_type = old.memory_type == new.memory_type;
        let earlier = subject(&old.body);
        let shared = words.intersection(&earlier).count();
        let smaller = words.len().min(earlier.len());
        let is_same = smaller > 0 && shared * 10 >= smaller * 7 && !is_parallel(&words, &earlier);
        let is_amended = amends && shared * 3 >= smaller.max(1);
        !(old.name == new.name || same_type && (is_same || is_amended))
    });
    proposals.push(new);
    if proposals.len() > PROPOSALS_MAX {
        proposals.remove(0);
    }
}

/// Whether each of two rules names something that the other does not: they are two, however alike they sound.
/// Another number in the same place is a correction.
fn is_parallel(one: &HashSet<String>, other: &HashSet<String>) -> bool {
    let is_named = |word: &String| !word.contains(|sign: char| sign.is_ascii_digit());
    one.difference(other).any(is_named) && other.difference(one).any(is_named)
}

/// What a rule is about: its words without those that every rule has; pairs of characters where a script
/// has no blanks.
fn subject(body: &str) -> HashSet<String> {
    let rule = body.lines().next().unwrap_or_default().to_lowercase();
    let mut words = HashSet::new();
    for word in rule.split(|sign: char| !(sign.is_alphanumeric() || sign == '\'')) {
        if word.is_empty() || EMPTY.contains(&word) {
            continue;
        }
        let signs: Vec<char> = word.chars().collect();
        if signs.iter().any(|sign| *sign > '\u{2E80}') {
            words.extend(signs.windows(2).map(|pair| pair.iter().collect::<String>()));
        } else {
            words.insert(word.trim_end_matches('s').to_owned());
        }
    }
    words
}
