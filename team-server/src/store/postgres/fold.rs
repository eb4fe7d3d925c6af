//! What a group of changes of one repository leads to, one after the other, before anything is written.
//!
//! Each change is decided about as if the ones before it were stored already; the rows of all of them are
//! then written at once. Pure: the state comes in, rows come out.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use team_sync::{Tag, TeamKey};

use crate::change::{Change, Effects, Entry, Refusal, State, decide};
use crate::limits::Limits;
use crate::store::Outcome;
use crate::store::content::{Content, Packed, digits};
use crate::store::operation::{Operation, done};

/// The state as it was read, what the group has made of it, and the rows that say so.
pub(super) struct Fold<'jobs> {
    pub(super) before: State,
    pub(super) now: State,
    pub(super) contents: BTreeMap<&'jobs str, &'jobs [u8]>,
    pub(super) tombstones: BTreeMap<TeamKey, Tombstone<'jobs>>,
    pub(super) history: Vec<Line<'jobs>>,
    pub(super) operations: Vec<(&'jobs str, &'jobs str)>,
    /// Operations that were answered before, by an earlier group or by this one.
    known: BTreeMap<String, Operation>,
    /// Contents that were redacted here.
    redacted: BTreeSet<String>,
    /// The version that stored each entry which the group has stored.
    versions: BTreeMap<TeamKey, u64>,
}

/// A deletion of this group.
pub(super) struct Tombstone<'jobs> {
    pub(super) hash: String,
    pub(super) version: u64,
    pub(super) change: &'jobs Change,
}

/// A line of the history.
pub(super) struct Line<'jobs> {
    pub(super) version: u64,
    pub(super) key: TeamKey,
    /// `None` is a deletion.
    pub(super) hash: Option<&'jobs str>,
    pub(super) change: &'jobs Change,
}

/// An entry as it is to be written.
pub(super) struct Stored {
    pub(super) key: TeamKey,
    pub(super) hash: String,
    pub(super) bytes: u64,
    pub(super) version: u64,
}

impl<'jobs> Fold<'jobs> {
    pub(super) fn new(
        state: State,
        known: BTreeMap<String, Operation>,
        redacted: BTreeSet<String>,
    ) -> Self {
        Self {
            now: state.clone(),
            before: state,
            contents: BTreeMap::new(),
            tombstones: BTreeMap::new(),
            history: Vec::new(),
            operations: Vec::new(),
            known,
            redacted,
            versions: BTreeMap::new(),
        }
    }

    /// Decides about one change and takes it in.
    pub(super) fn add(&mut self, packed: &'jobs Packed, limits: &Limits) -> Result<Outcome> {
        let change = &packed.change;
        if let Some(known) = change.op_id.as_ref().and_then(|id| self.known.get(id)) {
            return known.replay(&change.digest);
        }
        let effects = match decide(&self.now, change, limits) {
            Ok(effects) => effects,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let gone = |key: &&TeamKey| self.redacted.contains(&packed.contents[*key].digits);
        let gone: Vec<String> = effects
            .stored
            .iter()
            .filter(gone)
            .map(ToString::to_string)
            .collect();
        if !gone.is_empty() {
            return Ok(Err(Refusal::Redacted(gone)));
        }
        if !effects.is_empty() {
            self.take(packed, &effects);
        }
        let tag = Tag::new(self.now.version, &self.now.epoch);
        let done = done(tag, self.now.version, &packed.contents);
        // A repository that nothing was ever stored in has no place for answers, and needs none.
        if let Some(id) = &change.op_id
            && self.now.version > 0
        {
            let operation = Operation::new(&change.digest, &self.now.epoch, &done)?;
            self.known.insert(id.clone(), operation);
            self.operations.push((id, &change.at));
        }
        Ok(Ok(done))
    }

    fn take(&mut self, packed: &'jobs Packed, effects: &Effects) {
        let change = &packed.change;
        self.now.version += 1;
        let version = self.now.version;
        for key in &effects.stored {
            let Content { digits, bytes } = &packed.contents[key];
            self.contents.insert(digits, bytes);
            let text = &change.entries[key];
            let entry = Entry {
                checksum: team_sync::Checksum::of(text),
                bytes: text.len() as u64,
            };
            self.now.entries.insert(key.clone(), entry);
            self.versions.insert(key.clone(), version);
            self.tombstones.remove(key);
            self.history.push(Line {
                version,
                key: key.clone(),
                hash: Some(digits),
                change,
            });
        }
        for (key, checksum) in &effects.deleted {
            self.now.entries.remove(key);
            self.versions.remove(key);
            let hash = digits(checksum);
            self.tombstones.insert(
                key.clone(),
                Tombstone {
                    hash,
                    version,
                    change,
                },
            );
            self.history.push(Line {
                version,
                key: key.clone(),
                hash: None,
                change,
            });
        }
    }

    /// Entries to write, in the order of their keys.
    pub(super) fn stored(&self) -> Vec<Stored> {
        let stored = self.versions.iter().map(|(key, version)| {
            let entry = &self.now.entries[key];
            Stored {
                key: key.clone(),
                hash: digits(&entry.checksum),
                bytes: entry.bytes,
                version: *version,
            }
        });
        stored.collect()
    }

    /// Keys of entries that were there and go.
    pub(super) fn deleted(&self) -> Vec<String> {
        let gone = |key: &&TeamKey| !self.now.entries.contains_key(*key);
        let keys = self.before.entries.keys().filter(gone);
        keys.map(ToString::to_string).collect()
    }

    /// Digest and answer of each operation of this group, beside its name and time.
    pub(super) fn answers(&self) -> impl Iterator<Item = (&'jobs str, &Operation, &'jobs str)> {
        self.operations
            .iter()
            .map(|(id, at)| (*id, &self.known[*id], *at))
    }

    /// Whether there is nothing to write.
    pub(super) fn is_idle(&self) -> bool {
        self.history.is_empty() && self.operations.is_empty()
    }
}
