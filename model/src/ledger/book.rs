//! What one day's entries add up to.

use std::collections::{BTreeMap, HashMap};

use super::format::{self, Entry, State};
use crate::reply::Usage;

/// What a call is made for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Purpose {
    /// Picking memories for a query.
    Recall,
    /// Writing memories from a finished turn.
    Extract,
    /// Keeping the session file.
    Session,
    /// Distilling a folder.
    Dream,
    /// Anything else, by a name.
    Other(String),
}

impl Purpose {
    /// Returns the name.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Recall => "recall",
            Self::Extract => "extract",
            Self::Session => "session",
            Self::Dream => "dream",
            Self::Other(name) => name,
        }
    }

    /// Returns the purpose of a name.
    pub fn from_name(name: &str) -> Self {
        match name {
            "recall" => Self::Recall,
            "extract" => Self::Extract,
            "session" => Self::Session,
            "dream" => Self::Dream,
            other => Self::Other(other.to_owned()),
        }
    }
}

/// Calls and what they cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Tally {
    /// All calls, open and failed ones included.
    pub calls: u64,
    /// Calls that failed and cost nothing.
    pub failed: u64,
    /// Calls that are under way or were never settled; their estimates are part of the sums.
    pub open: u64,
    /// Calls that read something from the provider's cache.
    pub cache_hits: u64,
    /// Calls of models without a price; their money is missing in `micros`.
    pub unpriced: u64,
    /// Tokens.
    pub usage: Usage,
    /// Money, in millionths of the currency.
    pub micros: u64,
}

impl Tally {
    fn add(&mut self, entry: &Entry) {
        self.calls += 1;
        self.failed += u64::from(entry.state == State::Failed);
        self.open += u64::from(entry.state == State::Open);
        self.cache_hits += u64::from(entry.usage.cache_read > 0 && entry.state == State::Closed);
        self.unpriced += u64::from(entry.micros.is_none());
        self.usage += entry.usage;
        self.micros = self.micros.saturating_add(entry.micros.unwrap_or(0));
    }
}

/// One day's calls by purpose.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DayBook {
    purposes: BTreeMap<Purpose, Tally>,
    total: Tally,
    damaged: u64,
}

impl DayBook {
    /// Adds up the entries of a day. Lines that cannot be read are counted, not fatal.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut entries: Vec<Entry> = Vec::new();
        let mut at: HashMap<u64, usize> = HashMap::new();
        let mut book = Self::default();
        for line in format::lines(bytes) {
            match format::read(line) {
                None => book.damaged += 1,
                Some(entry) => match at.get(&entry.id) {
                    // A close takes the place of its open; a second close changes nothing.
                    Some(&index) if entries[index].state == State::Open => entries[index] = entry,
                    Some(_) => {}
                    None => {
                        at.insert(entry.id, entries.len());
                        entries.push(entry);
                    }
                },
            }
        }
        for entry in &entries {
            book.total.add(entry);
            book.purposes
                .entry(entry.purpose.clone())
                .or_default()
                .add(entry);
        }
        book
    }

    /// Returns what one purpose cost.
    pub fn purpose(&self, purpose: &Purpose) -> Tally {
        self.purposes.get(purpose).copied().unwrap_or_default()
    }

    /// Returns all purposes that were booked, in order of name for your own ones.
    pub fn purposes(&self) -> impl Iterator<Item = (&Purpose, &Tally)> {
        self.purposes.iter()
    }

    /// Returns everything together.
    pub fn total(&self) -> Tally {
        self.total
    }

    /// Returns how many lines could not be read.
    pub fn damaged(&self) -> u64 {
        self.damaged
    }
}
