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

/// A file that has a term.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    pub(crate) file: u32,
    pub(crate) counts: Counts,
}

/// The live files of all layers, numbered through.
///
/// Every figure is taken over live files only, so that a folder ranks the same whether its index is
/// fresh or has grown by edits.
#[derive(Debug)]
pub(crate) struct Corpus<'a> {
    layers: Vec<Layer<'a>>,
    starts: Vec<u32>,
    live: u32,
    mean_length: f64,
    lists: RefCell<HashMap<Term, Rc<[Hit]>>>,
}

impl<'a> Corpus<'a> {
    pub(crate) fn new(layers: Vec<Layer<'a>>) -> Self {
        let mut starts = Vec::with_capacity(layers.len());
        let (mut numbers, mut live, mut words) = (0_u32, 0_u32, 0_u64);
        for layer in &layers {
            starts.push(numbers);
            numbers += layer.index.len() as u32;
            for number in (0..layer.index.len()).filter(|n| is_live(layer, *n)) {
                live += 1;
                words += u64::from(layer.index.length(number));
            }
        }
        Self {
            layers,
            starts,
            live,
            mean_length: (words as f64 / f64::from(live.max(1))).max(1.0),
            lists: RefCell::default(),
        }
    }

    /// Returns the number of live files.
    pub(crate) fn live(&self) -> u32 {
        self.live
    }

    /// Returns the number of files, gone ones included; file numbers are below it.
    pub(crate) fn numbers(&self) -> usize {
        self.layers.iter().map(|layer| layer.index.len()).sum()
    }

    pub(crate) fn mean_length(&self) -> f64 {
        self.mean_length
    }

    /// Returns the layer of a file and its number there.
    pub(crate) fn place(&self, file: u32) -> (&'a Index, usize) {
        let layer = self.starts.partition_point(|start| *start <= file) - 1;
        (
            self.layers[layer].index,
            (file - self.starts[layer]) as usize,
        )
    }

    pub(crate) fn length(&self, file: u32) -> u32 {
        let (index, number) = self.place(file);
        index.length(number)
    }

    /// Returns the live files that have a term, ascending.
    pub(crate) fn hits(&self, term: Term) -> Rc<[Hit]> {
        if let Some(known) = self.lists.borrow().get(&term) {
            return Rc::clone(known);
        }
        let mut hits = Vec::new();
        for (layer, start) in self.layers.iter().zip(&self.starts) {
            let live = layer
                .index
                .postings(term)
                .filter(|(n, _)| is_live(layer, *n as usize));
            hits.extend(live.map(|(number, counts)| Hit {
                file: start + number,
                counts,
            }));
        }
        let hits: Rc<[Hit]> = hits.into();
        self.lists.borrow_mut().insert(term, Rc::clone(&hits));
        hits
    }

    /// Returns the files that have all of the terms, with the least of their counts.
    pub(crate) fn hits_of_all(&self, terms: &[Term]) -> Rc<[Hit]> {
        let lists: Vec<Rc<[Hit]>> = terms.iter().map(|term| self.hits(*term)).collect();
        let Some(shortest) = lists.iter().min_by_key(|list| list.len()) else {
            return Rc::new([]);
        };
        if lists.len() == 1 {
            return Rc::clone(shortest);
        }
        let met = shortest.iter().filter_map(|hit| {
            let mut counts = hit.counts;
            for list in &lists {
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
        rarity(self.live, files)
    }

    /// Returns the nearest words that some file contains, at most `most`.
    pub(crate) fn near_words(&self, word: &str, most: usize) -> Vec<&'a str> {
        let slips = spelling::allowed_slips(word.len());
        let letters = spelling::letters(word);
        let mut found: Vec<(usize, &str)> = Vec::new();
        for layer in &self.layers {
            layer.index.each_word(&mut |other, other_letters| {
                // Two slips of which one hits the first letter are another word more often than a slip.
                let most = if other.bytes().next() == word.bytes().next() {
                    slips
                } else {
                    1
                };
                if spelling::may_be_near(letters, other_letters, slips)
                    && let Some(distance) = spelling::distance(word, other, most)
                {
                    found.push((distance, other));
                }
            });
        }
        found.sort_unstable();
        found.dedup();
        let nearest = found.first().map_or(0, |(distance, _)| *distance);
        let nearest = found.iter().filter(|(distance, _)| *distance == nearest);
        nearest.map(|(_, word)| *word).take(most).collect()
    }
}

/// Returns how rare something is that `with` of `all` files have (the idf of BM25, never negative).
pub(super) fn rarity(all: u32, with: usize) -> f64 {
    let (all, with) = (f64::from(all), with as f64);
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

fn is_live(layer: &Layer<'_>, number: usize) -> bool {
    layer.live.get(number).copied().unwrap_or(false)
}
