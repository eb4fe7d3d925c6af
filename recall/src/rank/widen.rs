//! Second chances for words that no file has: another spelling, another division, a shared stem.

use super::query::Word;
use super::{Alternative, Corpus, How, Slot};
use crate::text::common::{self, Kind};
use crate::text::lexicon::Lexicon;
use crate::text::spelling;
use crate::text::term::Stems;

/// At most so many spellings are tried for one word.
const MAX_SPELLINGS: usize = 3;

/// Shares of the score for a word that was repaired or divided.
const REPAIRED_WEIGHT: f64 = 0.85;
/// Two slips apart is another word as often as the same one: Poland, plan.
const REPAIRED_TWICE_WEIGHT: f64 = 0.5;
const JOINED_WEIGHT: f64 = 0.9;

/// The share for the first half of a word whose second half is one of these.
const HEAD_WEIGHT: f64 = 0.7;
const TAILS: &[&str] = &[
    "base", "box", "case", "file", "flow", "line", "page", "side", "time",
];

/// At most so many words of one query are repaired: a pasted text is full of unknown words.
const MAX_REPAIRS: usize = 16;

/// The shortest halves into which a word is divided.
const MIN_HALF: usize = 3;

/// Adds spellings and divisions to the slots that nothing in the corpus meets.
pub(super) fn widen(slots: &mut [Slot], words: &[Word], corpus: &Corpus<'_>) {
    let mut stems = Stems::new();
    join_neighbours(slots, words, corpus, &mut stems);
    let mut repairs = 0;
    for word in words {
        let Some(slot) = word.slot.map(|at| &mut slots[at]) else {
            continue;
        };
        let met = slot.alternatives.iter().any(|a| corpus.count(&a.terms) > 0);
        if met || !is_repairable(&word.text, &stems) || repairs == MAX_REPAIRS {
            continue;
        }
        repairs += 1;
        if !divide(slot, &word.text, corpus, &mut stems) {
            repair(slot, &word.text, corpus, &mut stems);
        }
    }
}

/// A word is repaired when it may be a slip: not when it is an ordinary word of the language.
fn is_repairable(word: &str, stems: &Stems) -> bool {
    word.len() >= spelling::MIN_CHARS
        && word.bytes().all(|b| b.is_ascii_lowercase())
        && common::kind(&stems.stem(word)) == Kind::Subject
        && !Lexicon::builtin().knows(&stems.stem(word))
}

/// `time zone` also asks for `timezone`.
fn join_neighbours(slots: &mut [Slot], words: &[Word], corpus: &Corpus<'_>, stems: &mut Stems) {
    for pair in words.windows(2) {
        let (Some(first), Some(second)) = (pair[0].slot, pair[1].slot) else {
            continue;
        };
        let joined = format!("{}{}", pair[0].text, pair[1].text);
        let Some(term) = stems.term(&joined) else {
            continue;
        };
        if corpus.count(&[term]) == 0 {
            continue;
        }
        for at in [first, second] {
            slots[at].alternatives.push(Alternative {
                terms: vec![term],
                how: How::Joined,
                weight: 0.5,
                shared_by: 1,
                shown: joined.clone(),
            });
        }
    }
}

/// `timezone` also asks for `time zone`.
fn divide(slot: &mut Slot, word: &str, corpus: &Corpus<'_>, stems: &mut Stems) -> bool {
    for at in MIN_HALF..word.len().saturating_sub(MIN_HALF - 1) {
        let (left, right) = word.split_at(at);
        let (Some(first), Some(second)) = (stems.term(left), stems.term(right)) else {
            continue;
        };
        if corpus.count(&[first, second]) > 0 {
            slot.alternatives.push(Alternative {
                terms: vec![first, second],
                how: How::Joined,
                weight: JOINED_WEIGHT,
                shared_by: 1,
                shown: format!("{left} {right}"),
            });
            return true;
        }
    }
    // `dockerfile` also asks for `docker`: what is behind it is a word that says little by itself.
    let tail = TAILS.iter().find_map(|tail| word.strip_suffix(tail));
    let Some(term) = tail
        .filter(|head| head.len() > MIN_HALF)
        .and_then(|head| stems.term(head))
    else {
        return false;
    };
    let known = corpus.count(&[term]) > 0;
    if known {
        slot.alternatives.push(Alternative {
            terms: vec![term],
            how: How::Joined,
            weight: HEAD_WEIGHT,
            shared_by: 1,
            shown: tail.unwrap_or_default().to_owned(),
        });
    }
    known
}

fn repair(slot: &mut Slot, word: &str, corpus: &Corpus<'_>, stems: &mut Stems) {
    for (slips, near) in corpus.near_words(word, MAX_SPELLINGS) {
        if let Some(term) = stems.term(near)
            && corpus.count(&[term]) > 0
        {
            slot.alternatives.push(Alternative {
                terms: vec![term],
                how: How::Repaired,
                weight: if slips < 2 {
                    REPAIRED_WEIGHT
                } else {
                    REPAIRED_TWICE_WEIGHT
                },
                shared_by: 1,
                shown: near.to_owned(),
            });
        }
    }
}
