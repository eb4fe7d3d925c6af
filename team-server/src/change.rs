//! A change as it was asked for, and the pure decision about it.

use std::collections::{BTreeMap, BTreeSet};

use pathguard::KeySet;
use team_sync::{Checksum, Tag, TeamKey};

use crate::limits::Limits;

/// What a writer says the repository looked like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// Nothing was said.
    None,
    /// `If-None-Match: *`: nothing may be there.
    Absent,
    /// `If-Match` with tags, one of which has to be the current one.
    Tags(Vec<Tag>),
    /// `If-Match: *`: something has to be there.
    Present,
    /// `expected_version`, where a proxy took the header.
    Version(u64),
}

/// A checked request to change a repository.
#[derive(Clone, Debug)]
pub struct Change {
    /// The repository.
    pub repository: String,
    /// Texts to store.
    pub entries: BTreeMap<TeamKey, String>,
    /// Keys to delete.
    pub deletes: BTreeSet<TeamKey>,
    /// Per key what the change is based on.
    pub bases: Option<BTreeMap<TeamKey, Option<Checksum>>>,
    /// What the writer says about the whole.
    pub precondition: Precondition,
    /// Names the operation.
    pub op_id: Option<String>,
    /// The digest of the request, so that one name cannot stand for two.
    pub digest: String,
    /// Who.
    pub author: String,
    /// Which program.
    pub client: String,
    /// When, RFC 3339.
    pub at: String,
}

/// What stands in a repository, without the texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Changes when the data come from a backup.
    pub epoch: String,
    /// Counts changes; never goes down inside an epoch.
    pub version: u64,
    /// The entries.
    pub entries: BTreeMap<TeamKey, Entry>,
}

/// One entry, without its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The checksum of the text.
    pub checksum: Checksum,
    /// Its length.
    pub bytes: u64,
}

impl State {
    /// The tag of this state.
    pub fn tag(&self) -> Tag {
        Tag::new(self.version, &self.epoch)
    }
}

/// What is to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Keys whose text is new.
    pub stored: BTreeSet<TeamKey>,
    /// Keys that go, with the checksum of what went.
    pub deleted: BTreeMap<TeamKey, Checksum>,
}

impl Effects {
    /// Whether the repository looks like this already.
    pub fn is_empty(&self) -> bool {
        self.stored.is_empty() && self.deleted.is_empty()
    }
}

/// Why a change is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// 428: the writer did not say what it has seen.
    Unconditional,
    /// 412: somebody else was first.
    Stale {
        /// The version now.
        version: u64,
    },
    /// 409: keys that are one file on some file system.
    Twins(Vec<String>),
    /// 413: too many entries.
    TooManyEntries,
    /// 413: entries over the limit.
    EntryTooLarge(Vec<String>),
    /// 413: the repository would be too large.
    RepositoryTooLarge,
    /// 422: the operation's name has stood for another request.
    OtherRequest,
    /// 422: these texts were redacted here; they do not come back.
    Redacted(Vec<String>),
}

/// Decides about a change.
///
/// What the repository holds already is done, whatever the precondition says: so is a request whose answer
/// was lost (RFC 9110, 13.1.1). Per-key bases, where a writer names them for every key it touches, count
/// instead of the version of the whole, so that people who edit different files do not meet.
///
/// # Errors
///
/// The [`Refusal`], after which nothing is written.
pub fn decide(state: &State, change: &Change, limits: &Limits) -> Result<Effects, Refusal> {
    let large = change
        .entries
        .iter()
        .filter(|(_, text)| text.len() > limits.entry_bytes);
    let large: Vec<String> = large.map(|(key, _)| key.to_string()).collect();
    if !large.is_empty() {
        return Err(Refusal::EntryTooLarge(large));
    }

    let effects = effects(state, change);
    if effects.is_empty() && change.precondition != Precondition::None {
        return Ok(effects);
    }
    check_precondition(state, change)?;
    check_result(state, change, limits)?;
    Ok(effects)
}

fn effects(state: &State, change: &Change) -> Effects {
    let differs = |(key, text): &(&TeamKey, &String)| {
        state.entries.get(*key).map(|entry| entry.checksum) != Some(Checksum::of(text))
    };
    let stored = change
        .entries
        .iter()
        .filter(differs)
        .map(|(key, _)| key.clone())
        .collect();
    let deleted = change.deletes.iter().filter_map(|key| {
        let entry = state.entries.get(key)?;
        Some((key.clone(), entry.checksum))
    });
    Effects {
        stored,
        deleted: deleted.collect(),
    }
}

fn check_precondition(state: &State, change: &Change) -> Result<(), Refusal> {
    let version = state.version;
    let there = |key: &TeamKey| state.entries.get(key).map(|entry| entry.checksum);
    let mut touched = change.entries.keys().chain(&change.deletes);
    if let Some(bases) = &change.bases {
        if bases.iter().any(|(key, base)| there(key) != *base) {
            return Err(Refusal::Stale { version });
        }
        if touched.all(|key| bases.contains_key(key)) {
            return Ok(());
        }
    }
    let holds = match &change.precondition {
        Precondition::None => return Err(Refusal::Unconditional),
        Precondition::Absent => state.version == 0,
        Precondition::Present => state.version > 0,
        Precondition::Tags(tags) => tags.contains(&state.tag()),
        Precondition::Version(version) => *version == state.version,
    };
    holds.then_some(()).ok_or(Refusal::Stale { version })
}

fn check_result(state: &State, change: &Change, limits: &Limits) -> Result<(), Refusal> {
    let stays = |key: &&TeamKey| !change.deletes.contains(*key);
    let kept = state.entries.keys().filter(stays);
    let added = change
        .entries
        .keys()
        .filter(|key| !state.entries.contains_key(*key));
    let mut keys = KeySet::new();
    let mut twins = Vec::new();
    for key in kept.chain(added) {
        if keys.insert(key.path()).is_err() {
            twins.push(key.to_string());
        }
    }
    if !twins.is_empty() {
        return Err(Refusal::Twins(twins));
    }
    // A repository over a limit that was lowered may still shrink.
    if keys.len() > limits.entries && keys.len() > state.entries.len() {
        return Err(Refusal::TooManyEntries);
    }
    let before: u64 = state.entries.values().map(|entry| entry.bytes).sum();
    let gone: u64 = change
        .deletes
        .iter()
        .chain(change.entries.keys())
        .filter_map(|key| state.entries.get(key))
        .map(|entry| entry.bytes)
        .sum();
    let new: u64 = change.entries.values().map(|text| text.len() as u64).sum();
    let after = before.saturating_sub(gone) + new;
    if after > limits.repository_bytes && after > before {
        return Err(Refusal::RepositoryTooLarge);
    }
    Ok(())
}
