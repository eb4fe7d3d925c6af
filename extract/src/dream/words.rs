//! Texts as pairs of neighbouring words: what tells whether a content is still there.

use std::collections::HashSet;

use memdir::Memory;

use super::limits::MAX_WORD_PAIRS;
use crate::text::words;

/// The pairs of neighbouring words of some texts. Single words would be found in any long text by chance.
#[derive(Clone, Debug, Default)]
pub(super) struct WordPairs {
    pairs: HashSet<u64>,
}

impl WordPairs {
    /// The pairs of a memory's description and body. Its title is left out: a merge keeps one of two.
    pub(super) fn of(memory: &Memory) -> Self {
        let mut pairs = Self::default();
        pairs.add(memory.description());
        pairs.add(memory.body());
        pairs
    }

    /// Adds everything a memory says, its title too.
    pub(super) fn add_memory(&mut self, memory: &Memory) {
        self.add(memory.name());
        self.add(memory.description());
        self.add(memory.body());
    }

    fn add(&mut self, text: &str) {
        let mut previous = None;
        let mut count = 0;
        for word in words(text) {
            let hash = hash_of(word);
            if let Some(previous) = previous {
                if self.pairs.len() == MAX_WORD_PAIRS {
                    return;
                }
                self.pairs.insert(mix(mix(HASH_START, previous), hash));
            }
            previous = Some(hash);
            count += 1;
        }
        // A text of one word is its own pair, or it would count for nothing.
        if let (1, Some(only)) = (count, previous) {
            self.pairs.insert(mix(only, 0));
        }
    }

    /// How much of these pairs the other texts have, in per mille; all of it when there are none.
    pub(super) fn kept_in(&self, others: &Self) -> u64 {
        if self.pairs.is_empty() {
            return 1_000;
        }
        let shared = self.pairs.intersection(&others.pairs).count() as u64;
        shared * 1_000 / self.pairs.len() as u64
    }
}

fn hash_of(word: &str) -> u64 {
    let lower = word.chars().flat_map(char::to_lowercase);
    lower.fold(HASH_START, |hash, character| {
        mix(hash, u64::from(u32::from(character)))
    })
}

/// FNV-1a: small, and the same on every machine and in every run.
const HASH_START: u64 = 0xCBF2_9CE4_8422_2325;

fn mix(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(0x0100_0000_01B3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_counted_in_pairs_of_words() {
        let of = |text: &str| {
            let mut pairs = WordPairs::default();
            pairs.add(text);
            pairs
        };
        let text = of("the build runs at night");
        assert_eq!(
            text.kept_in(&of("We know: the build runs at night!")),
            1_000
        );
        assert_eq!(text.kept_in(&of("night at runs build the")), 0);
        assert_eq!(text.kept_in(&of("the build runs by day")), 500);
        assert_eq!(of("").kept_in(&of("")), 1_000);
        assert_eq!(of("Go").kept_in(&of("")), 0);
    }
}
