//! Of two notes about the same thing the newer one goes first.

use std::collections::BTreeSet;

use memdir::MemoryType;

use super::Corpus;
use super::score::{Ranking, Scored};
use crate::text::term::{Stems, Term};
use crate::text::{normalise, pieces};

/// Notes compared with each other, from the best one on.
const MAX_COMPARED: usize = 20;

/// Notes this far apart may be two states of the same thing; closer ones stand side by side.
const MIN_APART_S: i64 = 14 * 24 * 60 * 60;

/// A word is rare when at most one in so many files has it.
const RARE_PART: usize = 10;

/// A note far worse than the other is not about the same thing.
const MIN_SHARE_OF_SCORE: f64 = 0.5;

/// Titles that share this much of their words name the same thing.
const SAME_TITLE: f64 = 0.5;

/// A note and the newer one of the same title and subject that makes it history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Replaced {
    pub(crate) older: u32,
    pub(crate) newer: u32,
}

/// What a candidate is about; only notes that change with time have one.
struct Subject {
    /// The rare words of the query that it has, one bit each.
    rare: u64,
    title: BTreeSet<Term>,
    time_s: i64,
    score: f64,
    file: u32,
}

/// Moves newer notes before older ones about the same thing, and says which are history.
pub(crate) fn newer_first(corpus: &Corpus<'_>, ranking: &mut Ranking) -> Vec<Replaced> {
    let rare_from = corpus.rarity(corpus.live() as usize / RARE_PART + 1);
    let rare_words = ranking
        .rarities
        .iter()
        .enumerate()
        .filter(|(_, rarity)| **rarity >= rare_from);
    let rare_words = rare_words.fold(0_u64, |bits, (bit, _)| bits | 1 << bit);
    let compared = ranking.scored.len().min(MAX_COMPARED);
    let order = &mut ranking.scored[..compared];
    let mut stems = Stems::new();
    let subjects: Vec<Subject> = order
        .iter()
        .filter_map(|one| subject(corpus, one, rare_words, &mut stems))
        .collect();
    let of = |one: &Scored| subjects.iter().find(|subject| subject.file == one.file);
    let replaces = |newer: &Scored, older: &Scored| of(newer)?.replaces(of(older)?);
    for at in 1..order.len() {
        if let Some(older) = (0..at).find(|older| replaces(&order[at], &order[*older]).is_some()) {
            order[older..=at].rotate_right(1);
        }
    }
    let mut history = Vec::new();
    for (at, older) in order.iter().enumerate() {
        let newer = order[..at]
            .iter()
            .find(|newer| replaces(newer, older) == Some(SameTitle(true)));
        history.extend(newer.map(|newer| Replaced {
            older: older.file,
            newer: newer.file,
        }));
    }
    history
}

/// Whether two notes about the same subject also have the same title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SameTitle(bool);

impl Subject {
    /// Returns whether this note is a newer state of what the other is about.
    fn replaces(&self, older: &Self) -> Option<SameTitle> {
        let apart = self.time_s.saturating_sub(older.time_s) >= MIN_APART_S;
        let near = self.score >= MIN_SHARE_OF_SCORE * older.score;
        if !apart || !near || self.rare & older.rare == 0 {
            return None;
        }
        let same_title = overlap(&self.title, &older.title) >= SAME_TITLE;
        (same_title || self.rare == older.rare).then_some(SameTitle(same_title))
    }
}

fn subject(corpus: &Corpus<'_>, one: &Scored, rare: u64, stems: &mut Stems) -> Option<Subject> {
    let (index, number) = corpus.place(one.file);
    let info = index.info(number)?;
    let ages = matches!(
        MemoryType::parse(&info.type_text)?,
        MemoryType::Project | MemoryType::Reference
    );
    let mut title = BTreeSet::new();
    pieces(&normalise(&info.name), &mut |piece| {
        title.extend(stems.of(piece));
    });
    ages.then(|| Subject {
        rare: one.surely_met & rare,
        title,
        time_s: corpus.time_s(one.file),
        score: one.score,
        file: one.file,
    })
}

/// Returns the share of the smaller set that is in the other.
fn overlap(a: &BTreeSet<Term>, b: &BTreeSet<Term>) -> f64 {
    let smaller = a.len().min(b.len()).max(1);
    a.intersection(b).count() as f64 / smaller as f64
}
