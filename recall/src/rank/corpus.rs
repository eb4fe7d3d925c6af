//! The files that a query is asked of: an index, and a small one with what changed since.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::index::{Counts, Index};
use crate::text::spelling;
use crate::text::term::Term;

/// One index and which of its files still stand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layer<'a> {
    pub(crate) index: &'a Index,
    pub(crate) live: &'a [bool],
}

/// What every query needs of every file, taken once after the files were compared with the folder.
///
/// Every figure is taken over live files only, so that a folder ranks the same whether its index is
/// fresh or has grown by edits.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// Where the numbers of each layer begin.
    starts: Vec<u32>,
    /// Whether all files of each layer are live.
    whole: Vec<bool>,
    lengths: Vec<u32>,
    times_s: Vec<i64>,
    live: u32,
    mean_length: f64,
}

impl Facts {
    pub(crate) fn of(layers: &[Layer<'_>]) -> Self {
        let mut facts = Self::default();
        let mut words = 0_u64;
        for layer in layers {
            facts.starts.push(facts.lengths.len() as u32);
            let before = facts.live;
            for number in 0..layer.index.len() {
                let length = layer.index.length(number);
                facts.lengths.push(length);
                facts.times_s.push(layer.index.time_s(number));
                if is_live(layer, number) {
                    facts.live += 1;
                    words += u64::from(length);
                }
            }
            facts
                .whole
                .push((facts.live - before) as usize == layer.index.len());
        }
        facts.mean_length = (words as f64 / f64::from(facts.live.max(1))).max(1.0);
        facts
    }

    /// Returns the number of live files.
    pub(crate) fn live(&self) -> u32 {
        self.live
    }
}

/// A file that has a term.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    pub(crate) file: u32,
    pub(crate) counts: Counts,
}

/// The live files of all layers, numbered through.
#[derive(Debug)]
pub(crate) struct Corpus<'a> {
    layers: Vec<Layer<'a>>,
    facts: &'a Facts,
    lists: RefCell<HashMap<Vec<Term>, Rc<[Hit]>>>,
}

impl<'a> Corpus<'a> {
    pub(crate) fn new(layers: Vec<Layer<'a>>, facts: &'a Facts) -> Self {
        Self {
            layers,
            facts,
            lists: RefCell::default(),
        }
    }

    /// Returns the number of live files.
    pub(crate) fn live(&self) -> u32 {
        self.facts.live
    }

    /// Returns the number of files, gone ones included; file numbers are below it.
    pub(crate) fn numbers(&self) -> usize {
        self.facts.lengths.len()
    }

    /// Returns the length of a file as a multiple of the mean.
    pub(crate) fn relative_length(&self, file: u32) -> f64 {
        f64::from(self.facts.lengths[file as usize]) / self.facts.mean_length
    }

    /// Returns when a file was last changed: what its front matter says, else the file system.
    pub(crate) fn time_s(&self, file: u32) -> i64 {
        self.facts.times_s[file as usize]
    }

    /// Returns the layer of a file and its number there.
    pub(crate) fn place(&self, file: u32) -> (&'a Index, usize) {
        let starts = &self.facts.starts;
        let layer = starts.partition_point(|start| *start <= file) - 1;
        (self.layers[layer].index, (file - starts[layer]) as usize)
    }

    pub(crate) fn path(&self, file: u32) -> &'a str {
        let (index, number) = self.place(file);
        index.path(number)
    }

    /// Returns how many live files have all of the terms.
    pub(crate) fn count(&self, terms: &[Term]) -> usize {
        match terms {
            [term] if self.facts.whole.iter().all(|whole| *whole) => self
                .layers
                .iter()
                .map(|layer| layer.index.count(*term))
                .sum(),
            _ => self.hits(terms).len(),
        }
    }

    /// Returns the live files that have all of the terms, ascending, with the least of their counts.
    pub(crate) fn hits(&self, terms: &[Term]) -> Rc<[Hit]> {
        if let Some(known) = self.lists.borrow().get(terms) {
            return Rc::clone(known);
        }
        let hits: Rc<[Hit]> = match terms {
            [] => Rc::new([]),
            [term] => self.hits_of_one(*term).into(),
            _ => self.hits_of_all(terms).into(),
        };
        self.lists
            .borrow_mut()
            .insert(terms.to_vec(), Rc::clone(&hits));
        hits
    }

    fn hits_of_one(&self, term: Term) -> Vec<Hit> {
        let mut hits = Vec::new();
        let places = self.facts.starts.iter().zip(&self.facts.whole);
        for (layer, (start, whole)) in self.layers.iter().zip(places) {
            let bound = layer.index.len() as u32;
            let postings = layer.index.postings(term);
            hits.reserve(postings.len());
            for (number, counts) in postings {
                // A crafted index may name files that it does not have.
                if number < bound && (*whole || is_live(layer, number as usize)) {
                    hits.push(Hit {
                        file: start + number,
                        counts,
                    });
                }
            }
        }
        hits
    }

    fn hits_of_all(&self, terms: &[Term]) -> Vec<Hit> {
        let mut lists: Vec<Rc<[Hit]>> = Vec::with_capacity(terms.len());
        let mut sorted: Vec<&Term> = terms.iter().collect();
        sorted.sort_by_cached_key(|term| self.count(&[**term]));
        for term in sorted {
            let list = self.hits(&[*term]);
            if list.is_empty() {
                return Vec::new();
            }
            lists.push(list);
        }
        let met = lists[0].iter().filter_map(|hit| {
            let mut counts = hit.counts;
            for list in &lists[1..] {
                let at = list
                    .binary_search_by_key(&hit.file, |other| other.file)
                    .ok()?;
                let other = list[at].counts;
                counts.name = counts.name.min(other.name);
                counts.description = counts.description.min(other.description);
                counts.body = counts.body.min(other.body);
            }
            // Spread over the fields, a phrase still counts once.
            if counts == Counts::default() {
                counts.body = 1;
            }
            Some(Hit {
                file: hit.file,
                counts,
            })
        });
        met.collect()
    }

    /// Returns how rare something is that so many live files have.
    pub(crate) fn rarity(&self, files: usize) -> f64 {
        rarity(self.facts.live, files)
    }

    /// Returns the nearest words that some file contains, at most `most`.
    pub(crate) fn near_words(&self, word: &str, most: usize) -> Vec<(usize, &'a str)> {
        let slips = spelling::allowed_slips(word.len());
        let letters = spelling::letters(word);
        let mut found: Vec<(usize, &str)> = Vec::new();
        for layer in &self.layers {
            layer.index.each_word_like(letters, slips, &mut |other| {
                // A slip that hits the first letter is another word more often than a slip: in a short
                // word always (best, test), in a longer one when it is not the only one.
                let same_start = other.bytes().next() == word.bytes().next();
                let most = if same_start { slips } else { slips - 1 };
                if let Some(distance) = spelling::distance(word, other, most) {
                    found.push((distance, other));
                }
            });
        }
        found.sort_unstable();
        found.dedup();
        let nearest = found.first().map_or(0, |(distance, _)| *distance);
        let nearest = found.iter().filter(|(distance, _)| *distance == nearest);
        nearest.copied().take(most).collect()
    }
}

/// Rarities are taken as if there were so many more files that have none of the words: in a folder of
/// five notes about one subject its words are as rare as anywhere else.
pub(super) const OTHER_FILES: f64 = 20.0;

/// Returns how rare something is that `with` of `all` files have (the idf of BM25, never negative).
pub(super) fn rarity(all: u32, with: usize) -> f64 {
    let (all, with) = (f64::from(all) + OTHER_FILES, with as f64);
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

fn is_live(layer: &Layer<'_>, number: usize) -> bool {
    layer.live.get(number).copied().unwrap_or(false)
}
