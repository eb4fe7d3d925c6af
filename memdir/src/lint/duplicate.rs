//! Memories that say nearly the same, by the similarity of their sets of words.

use std::collections::HashMap;

use super::{Code, Findings, MemoryFile, Severity};
use crate::memory::Memory;

/// Two memories are near-duplicates when they share this part of their words (of all words that
/// occur in one of them), in per cent.
const SIMILAR_PERCENT: usize = 80;

/// Shorter memories are not compared: two one-liners share most words by chance.
const MIN_WORDS: usize = 8;

/// The words of one memory that are looked at, at most.
const MAX_WORDS: usize = 2_000;

/// How many earlier memories one is compared with word by word, at most. They come in the order
/// of their rarest shared word.
const MAX_CANDIDATES: usize = 64;

/// How many earlier memories are looked at before that, at most: in a folder of many that share their
/// rarest words and differ in size, the rest goes unseen.
const MAX_LOOK_UPS: usize = 4_096;

/// Two memories that share most of their words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct NearDuplicate {
    /// The place of the later one in the list.
    pub at: usize,
    /// The place of the earlier one.
    pub of: usize,
    /// The words that both have, in per cent of the words of either.
    pub percent: usize,
}

/// For each memory the most similar earlier one of the list, if they share at least 80 % of their words.
///
/// Words of scripts with blanks and pairs of characters of scripts without are compared, in descriptions
/// and bodies; memories of fewer than eight words are left out. Takes time near linear in the size of the
/// list, and the same list always gives the same pairs.
pub fn near_duplicates(memories: &[&Memory]) -> Vec<NearDuplicate> {
    let sets: Vec<Vec<u32>> = memories.iter().map(|memory| words(memory)).collect();
    let pairs = similar(&sets).into_iter();
    pairs
        .map(|(at, of, percent)| NearDuplicate { at, of, percent })
        .collect()
}

pub(super) fn check(memories: &[MemoryFile<'_>], findings: &mut Findings) {
    let sets: Vec<Vec<u32>> = memories.iter().map(|file| words(&file.memory)).collect();
    for (at, other, percent) in similar(&sets) {
        let message = format!(
            "{} says nearly the same ({percent} % of the words)",
            memories[other].file.path
        );
        let finding = findings.add(Code::NearDuplicate, memories[at].file.path, 1, message);
        if memories[at].is_note() {
            finding.severity(Severity::Info);
        }
    }
}

/// For each set the most similar earlier one, if one is similar enough.
///
/// Two sets that share most of their words share one of their rarest ones: with words ordered by
/// rarity, it is enough to look up the first few of each set (prefix filtering). That keeps the
/// work near the number of memories instead of its square.
fn similar(sets: &[Vec<u32>]) -> Vec<(usize, usize, usize)> {
    let mut frequency: HashMap<u32, u32> = HashMap::new();
    for word in sets.iter().flatten() {
        *frequency.entry(*word).or_default() += 1;
    }
    let mut holders: HashMap<u32, Vec<usize>> = HashMap::new();
    let mut found = Vec::new();
    for (at, set) in sets.iter().enumerate() {
        if set.len() < MIN_WORDS {
            continue;
        }
        let mut by_rarity = set.clone();
        by_rarity.sort_unstable_by_key(|word| (frequency[word], *word));
        let shared_at_least = (set.len() * SIMILAR_PERCENT).div_ceil(100);
        let prefix = &by_rarity[..=set.len() - shared_at_least];
        let near_size = |other: usize| {
            sets[other].len() * 100 >= set.len() * SIMILAR_PERCENT
                && set.len() * 100 >= sets[other].len() * SIMILAR_PERCENT
        };
        let mut candidates = Vec::new();
        let holding = prefix.iter().filter_map(|word| holders.get(word)).flatten();
        for &other in holding.take(MAX_LOOK_UPS) {
            if near_size(other) && !candidates.contains(&other) {
                candidates.push(other);
            }
            if candidates.len() == MAX_CANDIDATES {
                break;
            }
        }
        let best = candidates
            .into_iter()
            .map(|other| (share(set, &sets[other]), other))
            .max_by_key(|best| (best.0, std::cmp::Reverse(best.1)));
        if let Some((percent, other)) = best.filter(|best| best.0 >= SIMILAR_PERCENT) {
            found.push((at, other, percent));
        }
        for word in prefix {
            holders.entry(*word).or_default().push(at);
        }
    }
    found
}

/// The part of the words of both that both have, in per cent. Both sets are sorted.
fn share(left: &[u32], right: &[u32]) -> usize {
    let (mut at, mut to, mut shared) = (0, 0, 0);
    while at < left.len() && to < right.len() {
        match left[at].cmp(&right[to]) {
            std::cmp::Ordering::Less => at += 1,
            std::cmp::Ordering::Greater => to += 1,
            std::cmp::Ordering::Equal => {
                shared += 1;
                at += 1;
                to += 1;
            }
        }
    }
    shared * 100 / (left.len() + right.len() - shared).max(1)
}

/// The set of words of a memory, as sorted hashes: words of scripts with blanks, and pairs of
/// characters of scripts without.
fn words(memory: &Memory) -> Vec<u32> {
    let mut out = Vec::new();
    for text in [memory.description(), memory.body()] {
        let mut word = HASH_START;
        let mut length = 0;
        let mut previous = None;
        for character in text.chars().flat_map(char::to_lowercase).chain([' ']) {
            if out.len() >= MAX_WORDS {
                break;
            }
            let is_ideograph = matches!(u32::from(character), 0x2E80..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF);
            if character.is_alphanumeric() && !is_ideograph {
                word = mix(word, character);
                length += 1;
                previous = None;
                continue;
            }
            if length > 1 {
                out.push(word);
            }
            (word, length) = (HASH_START, 0);
            if let Some(previous) = previous.filter(|_| is_ideograph) {
                out.push(mix(mix(HASH_START, previous), character));
            }
            previous = is_ideograph.then_some(character);
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// FNV-1a over code points: small, stable between runs, and good enough for sets of words.
const HASH_START: u32 = 0x811C_9DC5;

fn mix(hash: u32, character: char) -> u32 {
    (hash ^ u32::from(character)).wrapping_mul(0x0100_0193)
}
