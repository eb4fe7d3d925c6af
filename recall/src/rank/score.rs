//! The score of each file: BM25 over weighted fields, and coordination.

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

/// More words than this in one query are not looked at: those that weigh most are kept. A set of them
/// fits one machine word.
const MAX_SLOTS: usize = 64;

/// A repair of a lower weight is another word as often as a slip.
const SURE_REPAIR: f64 = 0.6;

/// A synonym that more than every fourth file has says nothing: it is left out.
const NEAR_RARITY: f64 = 1.4;

/// One file that meets at least one word.
#[derive(Debug, Clone)]
pub(crate) struct Scored {
    pub(crate) file: u32,
    /// BM25 alone: what the gate measures.
    pub(crate) evidence: f64,
    /// Evidence with coordination, and later with recency: what the order is made of.
    pub(crate) score: f64,
    /// Share of the query's weight that the file meets, 0 to 1.
    pub(crate) coverage: f64,
    /// The same for words met in name, file name or description.
    pub(crate) head_coverage: f64,
    /// An identifier of the query was met whole.
    pub(crate) identifier: bool,
    /// Words of the query that were met; single characters do not count, and what stands for several
    /// together is one.
    pub(crate) words: f64,
    /// Words of its subject that were met, as far as each is one and was met as it is.
    pub(crate) subject: f64,
    /// The weighed slots that were met, one bit each.
    pub(crate) met: u64,
    /// Those of them that were met by the word itself or what means the same, not by a related word.
    pub(crate) surely_met: u64,
    /// Those of them that were met as they are in name, file name or description.
    pub(crate) head_met: u64,
}

/// All that meet something, and the words by which.
#[derive(Debug, Default)]
pub(crate) struct Ranking {
    pub(crate) scored: Vec<Scored>,
    /// For each bit of [`Scored::met`] the rarity of its word.
    pub(crate) rarities: Vec<f64>,
    /// For each bit what its word adds to a coverage, before that is made a share.
    pub(crate) worths: Vec<f64>,
    /// For each slot of the query the number of files that meet it.
    pub(crate) files: Vec<usize>,
}

/// A slot with what the corpus says about it.
struct Weighed<'a> {
    /// Its place among the slots of the query.
    place: usize,
    slot: &'a Slot,
    /// What may stand for the word and is in some file.
    ways: Vec<Way<'a>>,
    /// Rarity of the word, or of what stands for it.
    rarity: f64,
    importance: f64,
    /// An identifier that many files have is no evidence for one of them.
    strong_from: f64,
    /// Its own bit, and those of the slots of which it is a part.
    bit: u64,
    part_of: u64,
}

struct Way<'a> {
    alternative: &'a Alternative,
    rarity: f64,
}

/// Scores every file that meets a word, in no particular order.
pub(crate) fn score(corpus: &Corpus<'_>, slots: &[Slot]) -> Ranking {
    let most_rare = corpus.rarity(1);
    let mut weighed: Vec<Weighed<'_>> = slots
        .iter()
        .enumerate()
        .map(|(place, slot)| weigh(corpus, place, slot, most_rare))
        .collect();
    keep_weightiest(&mut weighed);
    number(&mut weighed);
    let total: f64 = weighed.iter().map(|slot| slot.importance).sum();
    let mut sums = Sums::new(corpus.numbers());
    let mut files = vec![0; slots.len()];
    for slot in &weighed {
        files[slot.place] = sums.add_slot(corpus, slot);
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
        subject: sum.subject,
        met: sum.met,
        surely_met: sum.surely_met,
        head_met: sum.head_met,
    });
    Ranking {
        scored: scored.collect(),
        rarities: weighed.iter().map(|slot| slot.rarity).collect(),
        worths: weighed.iter().map(|slot| slot.importance).collect(),
        files,
    }
}

/// Returns, for each slot, the alternative by which a file meets it.
pub(crate) fn met(corpus: &Corpus<'_>, slots: &[Slot], file: u32) -> Vec<Option<usize>> {
    let of_slot = |slot: &Slot| {
        let mut best: Option<(usize, f64)> = None;
        for (at, alternative) in slot.alternatives.iter().enumerate() {
            // Without the list of a common word, a synonym did not count either.
            let files = corpus.count(&alternative.terms);
            let worth = alternative.weight * corpus.rarity(files);
            if files == 0 || best.is_some_and(|(_, known)| worth <= known) {
                continue;
            }
            let hits = corpus.hits(&alternative.terms);
            if hits.binary_search_by_key(&file, |hit| hit.file).is_ok() {
                best = Some((at, worth));
            }
        }
        best.map(|(at, _)| at)
    };
    slots.iter().map(of_slot).collect()
}

fn weigh<'a>(corpus: &Corpus<'_>, place: usize, slot: &'a Slot, most_rare: f64) -> Weighed<'a> {
    let mut ways = Vec::new();
    let mut exact: Option<f64> = None;
    let mut other: Option<f64> = None;
    for alternative in &slot.alternatives {
        let files = corpus.count(&alternative.terms);
        if files == 0 {
            continue;
        }
        let rarity = corpus.rarity(files);
        if alternative.how == How::Near && rarity < NEAR_RARITY && corpus.live() > MIN_PRUNED {
            continue;
        }
        let kind = if alternative.how == How::Exact {
            &mut exact
        } else {
            &mut other
        };
        *kind = Some(kind.map_or(rarity, |known: f64| known.max(rarity)));
        ways.push(Way {
            alternative,
            rarity,
        });
    }
    let rarity = exact.or(other).unwrap_or(0.0);
    let importance = match exact.or(other) {
        // A single character is met everywhere: it may decide an order, not a gate.
        _ if !slot.part_of.is_empty() => 0.0,
        Some(rarity) => slot.weight * rarity,
        None => slot.weight * slot.missing * most_rare,
    };
    Weighed {
        place,
        slot,
        ways,
        rarity,
        importance,
        strong_from: corpus.rarity((corpus.live() as usize / 50).max(2)),
        bit: 0,
        part_of: 0,
    }
}

/// In a smaller folder every share is coarse, and nothing is gained by leaving words out.
const MIN_PRUNED: u32 = 100;

/// Keeps the slots that weigh most, in their order.
fn keep_weightiest(weighed: &mut Vec<Weighed<'_>>) {
    if weighed.len() <= MAX_SLOTS {
        return;
    }
    let worth = |slot: &Weighed<'_>| slot.slot.weight * slot.rarity;
    weighed.sort_by(|a, b| worth(b).total_cmp(&worth(a)).then(a.place.cmp(&b.place)));
    weighed.truncate(MAX_SLOTS);
    weighed.sort_by_key(|slot| slot.place);
}

/// Gives each slot its bit; wholes come before their parts, so that a part sees what was met.
fn number(weighed: &mut [Weighed<'_>]) {
    weighed.sort_by_key(|slot| !slot.slot.part_of.is_empty());
    let places: Vec<usize> = weighed.iter().map(|slot| slot.place).collect();
    for (at, slot) in weighed.iter_mut().enumerate() {
        let wholes = slot.slot.part_of.iter();
        let bits = wholes.filter_map(|whole| places.iter().position(|place| place == whole));
        slot.part_of = bits.fold(0, |all, bit| all | 1 << bit);
        slot.bit = 1 << at;
    }
}

/// What one slot gives one file.
#[derive(Clone, Copy, Default)]
struct Gain {
    /// The slot, counted from 1, that wrote this gain; an older one is no gain.
    turn: u32,
    value: f64,
    covered: f64,
    /// Part of one word that this is: one over the slots that share it.
    part: f64,
    head: bool,
    exact: bool,
    sure: bool,
}

struct FileSum {
    file: u32,
    evidence: f64,
    covered: f64,
    head_covered: f64,
    identifier: bool,
    met: u64,
    surely_met: u64,
    head_met: u64,
    words: f64,
    subject: f64,
}

/// Sums by file number.
struct Sums {
    /// The best way of the current slot, by file number.
    gains: Vec<Gain>,
    turn: u32,
    /// Where the sum of a file is.
    place: Vec<u32>,
    files: Vec<FileSum>,
}

impl Sums {
    fn new(numbers: usize) -> Self {
        Self {
            gains: vec![Gain::default(); numbers],
            turn: 0,
            place: vec![u32::MAX; numbers],
            files: Vec::new(),
        }
    }

    /// Adds the best way of a slot to each file that has one, and returns how many have: synonyms
    /// never add up.
    fn add_slot(&mut self, corpus: &Corpus<'_>, weighed: &Weighed<'_>) -> usize {
        self.turn += 1;
        let mut touched: Vec<u32> = Vec::new();
        for way in &weighed.ways {
            let rarity = way.rarity.min(weighed.rarity);
            let covered = way.alternative.covers();
            let part = 1.0 / way.alternative.shared_by as f64;
            let exact = way.alternative.how == How::Exact;
            let sure = way.alternative.how != How::Near;
            for hit in corpus.hits(&way.alternative.terms).iter() {
                let value = way.alternative.weight * rarity * saturated(corpus, *hit);
                let best = &mut self.gains[hit.file as usize];
                if best.turn != self.turn {
                    touched.push(hit.file);
                } else if best.value >= value {
                    // Of two equal ways the earlier one, which is the closer one, stays.
                    continue;
                }
                *best = Gain {
                    turn: self.turn,
                    value,
                    covered,
                    part,
                    head: hit.counts.name + hit.counts.description > 0,
                    exact,
                    sure,
                };
            }
        }
        for file in &touched {
            self.add(*file, weighed);
        }
        touched.len()
    }

    fn add(&mut self, file: u32, weighed: &Weighed<'_>) {
        let gain = self.gains[file as usize];
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
                surely_met: 0,
                head_met: 0,
                words: 0.0,
                subject: 0.0,
            });
        }
        let sum = &mut self.files[*place as usize];
        if sum.met & weighed.part_of != 0 {
            return;
        }
        sum.met |= weighed.bit;
        if gain.sure {
            sum.surely_met |= weighed.bit;
        }
        if weighed.slot.part_of.is_empty() {
            sum.words += gain.part;
            sum.subject += weighed.slot.subject * gain.covered * gain.part;
        }
        let covered = weighed.importance * gain.covered;
        sum.evidence += weighed.slot.weight * gain.value;
        sum.covered += covered;
        if gain.head {
            sum.head_covered += covered;
            if gain.exact {
                sum.head_met |= weighed.bit;
            }
        }
        sum.identifier |=
            weighed.slot.strong && gain.exact && weighed.rarity >= weighed.strong_from;
    }
}

/// Returns how much a hit counts, between 0 and K1 + 1.
fn saturated(corpus: &Corpus<'_>, hit: Hit) -> f64 {
    let often = NAME_WEIGHT * f64::from(hit.counts.name)
        + DESCRIPTION_WEIGHT * f64::from(hit.counts.description)
        + f64::from(hit.counts.body);
    let length = corpus.relative_length(hit.file);
    often * (K1 + 1.0) / (often + K1 * (1.0 - B + B * length))
}

impl Alternative {
    /// Returns how far meeting this counts as meeting the word.
    fn covers(&self) -> f64 {
        match self.how {
            How::Exact | How::Joined => 1.0,
            How::Repaired if self.weight < SURE_REPAIR => 0.5,
            How::Repaired | How::Same => 0.9,
            How::Near => 0.5,
        }
    }
}
