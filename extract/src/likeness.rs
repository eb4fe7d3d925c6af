//! Whether one of two memories that share most of their words says something that the other does not.
//!
//! Rules sound alike: "Never commit generated client code" and "Never commit generated lock files" share most words
//! and are two. So are a rule and its correction, which differ in one number.

use std::collections::HashSet;

use memdir::Memory;

use crate::text::words;

/// Words that do not change what a rule is about: how it is put, and what joins its parts.
const MANNER: &[&str] = &[
    "a", "all", "also", "always", "an", "and", "any", "are", "as", "at", "be", "by", "every",
    "for", "from", "have", "i", "in", "is", "it", "its", "just", "make", "must", "of", "on", "our",
    "please", "remember", "should", "so", "sure", "that", "the", "their", "these", "they", "this",
    "those", "to", "us", "we", "when", "with", "you", "your", "了", "也", "的", "请",
];

/// Words that turn a rule round. `Don't` is the two words `don` and `t`.
const NEGATIONS: &[&str] = &[
    "avoid", "aren", "can", "cannot", "didn", "doesn", "don", "dont", "isn", "kein", "keine",
    "keinen", "never", "nicht", "nie", "no", "not", "shouldn", "stop", "t", "without", "won", "不",
    "别", "勿", "沒", "没", "莫",
];

/// Whether `new` says something that `known` does not: another subject, another number, or the opposite.
pub(crate) fn says_more(new: &Memory, known: &Memory) -> bool {
    let (new, known) = (word_set(new), word_set(known));
    let is_negated = |words: &HashSet<String>| NEGATIONS.iter().any(|word| words.contains(*word));
    let is_empty =
        |word: &&String| MANNER.contains(&word.as_str()) || NEGATIONS.contains(&word.as_str());
    is_negated(&new) != is_negated(&known)
        || new
            .difference(&known)
            .filter(|word| !is_empty(word))
            .any(|word| !is_inflected(word, &known))
}

fn word_set(memory: &Memory) -> HashSet<String> {
    let texts = [memory.description(), memory.body()];
    texts
        .into_iter()
        .flat_map(words)
        .map(str::to_lowercase)
        .collect()
}

/// Whether a word stands there with another ending: `test` and `tests`, `merged` and `merge`.
fn is_inflected(word: &str, known: &HashSet<String>) -> bool {
    const STEM: usize = 4;
    const ENDING: usize = 3;
    let is_word = |word: &str| word.chars().all(char::is_alphabetic);
    let of = |other: &String| {
        let shared = word
            .bytes()
            .zip(other.bytes())
            .take_while(|(a, b)| a == b)
            .count();
        shared >= STEM && word.len().max(other.len()) - shared <= ENDING && is_word(other)
    };
    is_word(word) && known.iter().any(of)
}

#[cfg(test)]
mod tests {
    use memdir::MemoryType;

    use super::*;

    #[test]
    fn another_subject_number_or_sense_is_something_else() {
        for (new, known, expected) in [
            (
                "Run all the tests with nextest.",
                "Always run the test with nextest!",
                false,
            ),
            (
                "Please never commit generated files.",
                "Don't commit generated files.",
                false,
            ),
            (
                "Never commit generated client code.",
                "Never commit generated lock files.",
                true,
            ),
            (
                "Deploys go out before 14:00 UTC.",
                "Deploys go out before 12:00 UTC.",
                true,
            ),
            ("Push on Fridays.", "Do not push on Fridays.", true),
            ("Do not push on Fridays.", "Push on Fridays.", true),
            (
                "Mention the change in the notes of release 13.",
                "Mention the change in the notes of release 12.",
                true,
            ),
            (
                "Squash before merging.",
                "Squash before you merge, the history is read.",
                false,
            ),
            ("用 pnpm 装依赖", "请用 pnpm 装依赖", false),
            ("不用 pnpm 装依赖", "用 pnpm 装依赖", true),
            ("用 yarn 装依赖", "用 pnpm 装依赖", true),
        ] {
            let memory = |body: &str| Memory::new(MemoryType::Feedback, "n", "d", body);
            assert_eq!(
                says_more(&memory(new), &memory(known)),
                expected,
                "{new} / {known}"
            );
        }
    }
}
