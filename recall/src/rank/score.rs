//! The score of each file: BM25 over weighted fields, coordination, recency.

use super::corpus::Hit;
use super::{Alternative, Corpus, How, Slot};

/// BM25: how soon repetitions stop counting, and how much long files are held back.
const K1: f64 = 1.2;
const B: f64 = 0.6;

/// A word in the name or file name counts this often, in the description this often.
const NAME_WEIGHT: f64 = 3.0;
const DESCRIPTION_WEIGHT: f64 = 2.0;

/// How much a file gains that answers the whole query.
const COORDINATION: f64 = 0.3;

/// More words than this in one query are not looked at: the rarest ones are kept.
pub(crate) const MAX_SLOTS: usize = 64;

/// One file that meets at least one word.
#[derive(Debug, Clone)]
pub(crate) struct Scored {
    pub(crate) file: u32,
    /// BM25 alone: what the gate measures.
    pub(crate) evidence: f64,
    /// Evidence with coordination: what the order is made of, before recency.
    pub(crate) score: f64,
    /// Share of the query's weight that the file meets, 0 to 1.
    pub(crate) coverage: f64,
    /// The same for words met in name, file name or description.
    pub(crate) head_coverage: f64,
    /// An identifier of the query was met whole.
    pub(crate) identifier: bool,
    /// Words of the query that were met; single characters do not count.
    pub(crate) words: u32,
}

/// A slot with what the corpus says about it.
struct Weighed<'a> {
    slot: &'a Slot,
    /// Rarity of the word, or of what stands for it.
    rarity: f64,
    importance: f64,
    /// An identifier that many files have is no evidence for one of them.
    strong_from: f64,
    /// Its own bit, and those of the slots of which it is a part.
    bit: u64,
    part_of: u64,
}

/// Scores every file that meets a word, in no particular order.
pub(crate) fn score(corpus: &Corpus<'_>, slots: &[Slot]) -> Vec<Scored> {
    let most_rare = corpus.rarity(1);
    let mut weighed: Vec<Weighed<'_>> = slots
        .iter()
        .map(|slot| weigh(corpus, slot, most_rare))
        .collect();
    keep_weightiest(&mut weighed);
    number(&mut weighed, slots);
    let total: f64 = weighed.iter().map(|slot| slot.importance).sum();
    let mut sums = Sums::new(corpus.numbers());
    for weighed in &weighed {
        add_slot(corpus, weighed, &mut sums);
    }
    let share = |covered: f64| (covered / total.max(f64::MIN_POSITIVE)).min(1.0);
    let scored = sums.files.iter().map(|sum| Scored {
        file: sum.file,
        evidence: sum.evidence,
        score: sum.evidence * (1.0 + COORDINATION * share(sum.covered)),
        coverage: share(sum.covered),
        head_coverage: share(sum.head_covered),
        identifier: sum.identifier,
        words: sum.words,
    });
    scored.collect()
}

/// Returns, for each slot, the alternative by which a file meets it, and how rare that is.
pub(crate) fn met(corpus: &Corpus<'_>, slots: &[Slot], file: u32) -> Vec<Option<(usize, f64)>> {
    let of_slot = |slot: &Slot| {
        let ways = slot.alternatives.iter().enumerate();
        let mut best: Option<(usize, f64, f64)> = None;
        for (at, alternative) in ways {
            let hits = corpus.hits_of_all(&alternative.terms);
            if hits.binary_search_by_key(&file, |hit| hit.file).is_err() {
                continue;
            }
            let rarity = corpus.rarity(hits.len());
            let worth = alternative.weight * rarity;
            if best.is_none_or(|(_, _, known)| worth > known) {
                best = Some((at, rarity, worth));
            }
        }
        best.map(|(at, rarity, _)| (at, rarity))
    };
    slots.iter().map(of_slot).collect()
}

fn weigh<'a>(corpus: &Corpus<'_>, slot: &'a Slot, most_rare: f64) -> Weighed<'a> {
    let mut exact: Option<f64> = None;
    let mut other: Option<f64> = None;
    for alternative in &slot.alternatives {
        let files = corpus.hits_of_all(&alternative.terms).len();
        if files == 0 {
            continue;
        }
        let rarity = corpus.rarity(files);
        let kind = if alternative.how == How::Exact {
            &mut exact
        } else {
            &mut other
        };
        *kind = Some(kind.map_or(rarity, |known| known.max(rarity)));
    }
    let rarity = exact.or(other).unwrap_or(0.0);
    let importance = match exact.or(other) {
        Some(rarity) => slot.weight * rarity,
        None => slot.weight * slot.missing * most_rare,
    };
    let many = (corpus.live() as usize / 50).max(2);
    Weighed {
        slot,
        rarity,
        // A single character is met everywhere: it may decide an order, not a gate.
        importance: if slot.part_of.is_empty() {
            importance
        } else {
            0.0
        },
        bit: 0,
        part_of: 0,
        strong_from: corpus.rarity(many),
    }
}

/// Gives each slot its bit; wholes come before their parts, so that a part sees what was met.
fn number(weighed: &mut [Weighed<'_>], slots: &[Slot]) {
    weighed.sort_by_key(|slot| !slot.slot.part_of.is_empty());
    let place_of = |weighed: &[Weighed<'_>], slot: usize| {
        weighed
            .iter()
            .position(|other| std::ptr::eq(other.slot, &slots[slot]))
    };
    for at in 0..weighed.len() {
        let wholes = weighed[at].slot.part_of.iter();
        let places = wholes.filter_map(|slot| place_of(weighed, *slot));
        weighed[at].part_of = places.fold(0, |bits, place| bits | 1 << place);
        weighed[at].bit = 1 << at;
    }
}

/// Keeps the slots that matter most, in their order.
fn keep_weightiest(weighed: &mut Vec<Weighed<'_>>) {
    if weighed.len() <= MAX_SLOTS {
        return;
    }
    let mut order: Vec<usize> = (0..weighed.len()).collect();
    let worth = |at: &usize| weighed[*at].slot.weight * weighed[*at].rarity;
    order.sort_by(|a, b| worth(b).total_cmp(&worth(a)).then(a.cmp(b)));
    let mut keep = vec![false; weighed.len()];
    for at in order.into_iter().take(MAX_SLOTS) {
        keep[at] = true;
    }
    let mut keep = keep.into_iter();
    weighed.retain(|_| keep.next().unwrap_or(false));
}

/// What one slot gives one file.
#[derive(Clone, Copy, Default)]
struct Gain {
    value: f64,
    covered: f64,
    head: bool,
    exact: bool,
}

struct FileSum {
    file: u32,
    evidence: f64,
    covered: f64,
    head_covered: f64,
    identifier: bool,
    met: u64,
    words: u32,
}

/// Sums by file number; `place` leads to the sum so that untouched files cost four bytes each.
struct Sums {
    place: Vec<u32>,
    files: Vec<FileSum>,
}

impl Sums {
    fn new(numbers: usize) -> Self {
        Self {
            place: vec![u32::MAX; numbers],
            files: Vec::new(),
        }
    }

    fn of(&mut self, file: u32) -> &mut FileSum {
        let place = &mut self.place[file as usize];
        if *place == u32::MAX {
            *place = self.files.len() as u32;
            self.files.push(FileSum {
                file,
                evidence: 0.0,
                covered: 0.0,
                head_covered: 0.0,
                identifier: false,
                met: 0,
                words: 0,
            });
        }
        &mut self.files[*place as usize]
    }
}

/// Adds the best alternative of a slot to each file that has one: synonyms never add up.
fn add_slot(corpus: &Corpus<'_>, weighed: &Weighed<'_>, sums: &mut Sums) {
    let slot = weighed.slot;
    let mut gains: Vec<(u32, Gain)> = Vec::new();
    for alternative in &slot.alternatives {
        let hits = corpus.hits_of_all(&alternative.terms);
        let rarity = corpus.rarity(hits.len()).min(weighed.rarity);
        for hit in hits.iter() {
            gains.push((hit.file, gain(corpus, *hit, alternative, rarity)));
        }
    }
    if slot.alternatives.len() > 1 {
        // Stable: of two equal gains the earlier alternative, which is the closer one, stays.
        gains.sort_by(|(a, x), (b, y)| a.cmp(b).then(y.value.total_cmp(&x.value)));
        gains.dedup_by_key(|(file, _)| *file);
    }
    for (file, gain) in gains {
        let sum = sums.of(file);
        if sum.met & weighed.part_of != 0 {
            continue;
        }
        sum.met |= weighed.bit;
        sum.words += u32::from(slot.part_of.is_empty());
        let covered = weighed.importance * gain.covered;
        sum.evidence += slot.weight * gain.value;
        sum.covered += covered;
        if gain.head {
            sum.head_covered += covered;
        }
        sum.identifier |= slot.strong && gain.exact && weighed.rarity >= weighed.strong_from;
    }
}

fn gain(corpus: &Corpus<'_>, hit: Hit, alternative: &Alternative, rarity: f64) -> Gain {
    let Hit { file, counts } = hit;
    let often = NAME_WEIGHT * f64::from(counts.name)
        + DESCRIPTION_WEIGHT * f64::from(counts.description)
        + f64::from(counts.body);
    let length = f64::from(corpus.length(file)) / corpus.mean_length();
    let saturated = often * (K1 + 1.0) / (often + K1 * (1.0 - B + B * length));
    Gain {
        value: alternative.weight * rarity * saturated,
        covered: alternative.covers(),
        head: counts.name + counts.description > 0,
        exact: alternative.how == How::Exact,
    }
}

impl Alternative {
    /// Returns how far meeting this counts as meeting the word.
    fn covers(&self) -> f64 {
        match self.how {
            How::Exact | How::Joined => 1.0,
            How::Repaired | How::Same => 0.9,
            How::Near => 0.5,
        }
    }
}
