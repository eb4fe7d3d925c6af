//! Of two notes about the same thing the newer one goes first.

use super::{Corpus, Slot, met};

/// Notes this far apart may be two states of the same thing; closer ones stand side by side.
const MIN_APART_S: i64 = 14 * 24 * 60 * 60;

/// A word is rare when at most this share of the files has it.
const RARE_SHARE: f64 = 0.1;

/// A note far worse than the other is not about the same thing.
const MIN_SHARE_OF_SCORE: f64 = 0.5;

/// One candidate in its order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dated {
    pub(crate) file: u32,
    pub(crate) score: f64,
    pub(crate) time_s: i64,
    /// A `project` or `reference` note: what it says changes with time.
    pub(crate) ages: bool,
}

/// Moves newer notes before older ones that meet the same rare words, and returns the new order.
pub(crate) fn newer_first(corpus: &Corpus<'_>, slots: &[Slot], mut order: Vec<Dated>) -> Vec<Dated> {
    let rare_from = corpus.rarity((f64::from(corpus.live()) * RARE_SHARE) as usize + 1);
    let rare = |file: u32| -> Vec<usize> {
        let met = met(corpus, slots, file);
        let rare = met.iter().enumerate().filter_map(|(slot, how)| {
            how.filter(|(_, rarity)| *rarity >= rare_from).map(|_| slot)
        });
        rare.collect()
    };
    let subjects: Vec<(u32, Vec<usize>)> =
        order.iter().filter(|d| d.ages).map(|d| (d.file, rare(d.file))).collect();
    let subject = |file: u32| subjects.iter().find(|(f, _)| *f == file).map(|(_, s)| s);
    for at in 1..order.len() {
        let newer = order[at];
        let Some(own) = subject(newer.file).filter(|own| !own.is_empty()) else {
            continue;
        };
        let older = order[..at].iter().position(|older| {
            newer.time_s - older.time_s >= MIN_APART_S
                && newer.score >= MIN_SHARE_OF_SCORE * older.score
                && subject(older.file) == Some(own)
        });
        if let Some(older) = older {
            order[older..=at].rotate_right(1);
        }
    }
    order
}
