//! Of two notes about the same thing the newer one goes first.

use std::collections::BTreeSet;

use super::{Corpus, Slot, met};
use crate::text::term::{Stems, Term};
use crate::text::{normalise, pieces};

/// Notes this far apart may be two states of the same thing; closer ones stand side by side.
const MIN_APART_S: i64 = 14 * 24 * 60 * 60;

/// A word is rare when at most this share of the files has it.
const RARE_SHARE: f64 = 0.1;

/// A note far worse than the other is not about the same thing.
const MIN_SHARE_OF_SCORE: f64 = 0.5;

/// Titles that share this much of their words name the same thing.
const SAME_TITLE: f64 = 0.5;

/// One candidate in its order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dated {
    pub(crate) file: u32,
    pub(crate) score: f64,
    pub(crate) time_s: i64,
    /// A `project` or `reference` note: what it says changes with time.
    pub(crate) ages: bool,
}

/// A candidate after the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) file: u32,
    /// The newer note in the list that has the same title and subject: this one is history.
    pub(crate) replaced_by: Option<u32>,
}

/// What a candidate is about: the rare words of the query that it has, and its title.
struct Subject {
    rare: BTreeSet<usize>,
    title: BTreeSet<Term>,
}

/// Moves newer notes before older ones about the same thing, and says which are history.
pub(crate) fn newer_first(
    corpus: &Corpus<'_>,
    slots: &[Slot],
    mut order: Vec<Dated>,
) -> Vec<Placed> {
    let rare_from = corpus.rarity((f64::from(corpus.live()) * RARE_SHARE) as usize + 1);
    let mut stems = Stems::new();
    let mut subjects: Vec<(u32, Subject)> = Vec::new();
    for dated in order.iter().filter(|dated| dated.ages) {
        let met = met(corpus, slots, dated.file).into_iter().enumerate();
        let rare = met.filter_map(|(slot, how)| how.filter(|(_, r)| *r >= rare_from).map(|_| slot));
        let subject = Subject {
            rare: rare.collect(),
            title: title(corpus, dated.file, &mut stems),
        };
        subjects.push((dated.file, subject));
    }
    let subject = |file: u32| subjects.iter().find(|(f, _)| *f == file).map(|(_, s)| s);
    let replaces = |newer: &Dated, older: &Dated| -> Option<bool> {
        let (new, old) = (subject(newer.file)?, subject(older.file)?);
        let apart = newer.time_s - older.time_s >= MIN_APART_S;
        let near = newer.score >= MIN_SHARE_OF_SCORE * older.score;
        if !apart || !near || new.rare.is_disjoint(&old.rare) {
            return None;
        }
        let same_title = overlap(&new.title, &old.title) >= SAME_TITLE;
        (same_title || new.rare == old.rare).then_some(same_title)
    };
    for at in 1..order.len() {
        let newer = order[at];
        if let Some(older) = (0..at).find(|older| replaces(&newer, &order[*older]).is_some()) {
            order[older..=at].rotate_right(1);
        }
    }
    let placed = order.iter().enumerate().map(|(at, older)| Placed {
        file: older.file,
        replaced_by: order[..at]
            .iter()
            .find(|newer| replaces(newer, older) == Some(true))
            .map(|newer| newer.file),
    });
    placed.collect()
}

fn title(corpus: &Corpus<'_>, file: u32, stems: &mut Stems) -> BTreeSet<Term> {
    let (index, number) = corpus.place(file);
    let mut terms = BTreeSet::new();
    if let Some(info) = index.info(number) {
        pieces(&normalise(&info.name), &mut |piece| {
            terms.extend(stems.of(piece))
        });
    }
    terms
}

/// Returns the share of the smaller set that is in the other.
fn overlap(a: &BTreeSet<Term>, b: &BTreeSet<Term>) -> f64 {
    let smaller = a.len().min(b.len()).max(1);
    a.intersection(b).count() as f64 / smaller as f64
}
