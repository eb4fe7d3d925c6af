//! Ordinary English words: one of them is never a slip for something that a memory happens to hold.

use std::collections::HashSet;
use std::sync::OnceLock;

const WORDS: &str = include_str!("data/common.txt");

/// Returns whether a lower-case word belongs to everyday English.
pub(crate) fn is_common_word(word: &str) -> bool {
    static COMMON: OnceLock<HashSet<&'static str>> = OnceLock::new();
    COMMON
        .get_or_init(|| WORDS.split_whitespace().collect())
        .contains(word)
}
