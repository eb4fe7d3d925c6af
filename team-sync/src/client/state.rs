//! What is remembered between runs, in `memory-state/team/`.
//!
//! The agreed texts lie beside the state under their checksums and are written first; the state names
//! them, and is replaced as a whole. A state that is missing or cannot be read counts as "nothing was ever
//! agreed": then nothing is deleted anywhere, and texts that differ are merged or kept both.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use pathguard::{EntryKind, ListLimits, MemoryRoot, PathKey, SyncPolicy, WriteOptions};
use serde::{Deserialize, Serialize};

use super::trouble::failed;
use crate::checksum::Checksum;
use crate::error::{Error, ErrorKind};
use crate::key::TeamKey;
use crate::limits::{MAX_ANSWER_BYTES, MAX_ENTRY_BYTES};
use crate::tag::Tag;

const FILE: &str = "state.json";

/// More bytes than every bound of the protocol together allows; a larger file is not ours.
const MOST_BYTES: u64 = 4 * MAX_ANSWER_BYTES as u64;

/// Where agreed texts lie.
const TEXTS: &str = "texts";

/// The most names of agreed texts that are looked at in one sweep.
const MOST_TEXTS: usize = 50_000;

/// How many former agreements about a key are remembered.
const MOST_PAST: usize = 16;

/// The form of the file; another number is not read.
const FORM: u32 = 1;

/// The file as it lies on disk. Keys and checksums are text; a bad one costs its line.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Stored {
    form: u32,
    repository: String,
    synced: BTreeMap<String, String>,
    remote: BTreeMap<String, String>,
    tombstones: BTreeMap<String, String>,
    takes_deletes: bool,
    features: Vec<String>,
    scopes: Option<Vec<String>>,
    held: Vec<String>,
    body_bytes: Option<usize>,
    suppressed: Option<Suppressed>,
    refused: BTreeMap<String, Refused>,
    past: BTreeMap<String, Vec<String>>,
    buried: BTreeMap<String, String>,
    version: Option<String>,
    highest: u64,
    whole: bool,
    learnt: bool,
    /// Last: it is only right when all above is.
    tag: Option<String>,
}

/// Why pushes are not tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Suppressed {
    /// The status that was final.
    pub(super) status: u16,
    /// What the server said, for people.
    pub(super) detail: String,
    /// Whom the server took us for; with another token or address it may say something else.
    #[serde(default)]
    pub(super) identity: String,
    /// The files that were there: when one of them is deleted, it may have been the cause.
    #[serde(default)]
    pub(super) files: Vec<String>,
}

/// Why an entry of the server is not taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Refused {
    /// The reason, for people.
    pub(super) why: String,
    /// Whether the next look may find something else without a change there: a text that does not fit its
    /// checksum may have been damaged on its way.
    pub(super) again: bool,
}

/// What is remembered.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) synced: BTreeMap<TeamKey, Checksum>,
    pub(super) remote: BTreeMap<TeamKey, Checksum>,
    pub(super) tombstones: BTreeMap<TeamKey, Checksum>,
    pub(super) takes_deletes: bool,
    pub(super) features: Vec<String>,
    /// What the token may do, as the server says; `None` when it does not.
    pub(super) scopes: Option<Vec<String>>,
    pub(super) held: BTreeSet<TeamKey>,
    pub(super) body_bytes: Option<usize>,
    pub(super) suppressed: Option<Suppressed>,
    /// Entries of the server that are not taken, by key as it came.
    pub(super) refused: BTreeMap<String, Refused>,
    /// What was agreed before, oldest first: a server that is restored from a backup shows it again.
    pub(super) past: BTreeMap<TeamKey, Vec<Checksum>>,
    /// Deletions that were met here with no file left: a file that comes after them is a new one.
    pub(super) buried: BTreeMap<TeamKey, Checksum>,
    /// The version as the body of the last answer names it, for the way through proxies that remove the tag.
    pub(super) version: Option<String>,
    /// The highest version seen inside the tag's epoch; answers with a lower one are stale.
    pub(super) highest: u64,
    /// The next look has to be at everything: something was refused, or is not believed.
    pub(super) whole: bool,
    /// Whether the server has said what it can do.
    pub(super) learnt: bool,
    pub(super) tag: Option<Tag>,
    /// What lies on disk, as far as this run knows.
    written: Option<Checksum>,
}

impl State {
    /// The tag of a conditional look; `None` asks for everything.
    pub(super) fn seen(&self) -> Option<&Tag> {
        self.tag.as_ref().filter(|_| self.learnt && !self.whole)
    }

    pub(super) fn has(&self, feature: &str) -> bool {
        self.features.iter().any(|one| one == feature)
    }

    /// Reads the state of `repository`; another repository's counts as none.
    pub(super) fn load(root: &MemoryRoot, repository: &str) -> Result<Self, Error> {
        let bytes = match root.read(key(FILE)?.as_ref(), MOST_BYTES) {
            Ok(read) => read.bytes,
            Err(error) => match error.kind() {
                pathguard::ErrorKind::NotFound | pathguard::ErrorKind::TooLarge => {
                    return Ok(Self::default());
                }
                _ => return Err(unreadable(error)),
            },
        };
        let stored: Stored = serde_json::from_slice(&bytes).unwrap_or_default();
        if stored.form != FORM || stored.repository != repository {
            return Ok(Self::default());
        }
        Ok(Self {
            synced: parsed(&stored.synced),
            remote: parsed(&stored.remote),
            tombstones: parsed(&stored.tombstones),
            takes_deletes: stored.takes_deletes,
            features: stored.features,
            scopes: stored.scopes,
            held: stored
                .held
                .iter()
                .filter_map(|raw| TeamKey::parse(raw).ok())
                .collect(),
            body_bytes: stored.body_bytes,
            suppressed: stored.suppressed,
            refused: stored.refused,
            buried: parsed(&stored.buried),
            past: stored.past.iter().filter_map(past_line).collect(),
            version: stored.version,
            highest: stored.highest,
            whole: stored.whole,
            learnt: stored.learnt,
            tag: stored.tag.as_deref().and_then(Tag::parse),
            written: Some(Checksum::of_bytes(&bytes)),
        })
    }

    /// Writes the state down, if it is another one than was last written or read.
    pub(super) fn save(&mut self, root: &MemoryRoot, repository: &str) -> Result<(), Error> {
        let stored = Stored {
            form: FORM,
            repository: repository.to_owned(),
            synced: printed(&self.synced),
            remote: printed(&self.remote),
            tombstones: printed(&self.tombstones),
            takes_deletes: self.takes_deletes,
            features: self.features.clone(),
            scopes: self.scopes.clone(),
            held: self.held.iter().map(TeamKey::to_string).collect(),
            body_bytes: self.body_bytes,
            suppressed: self.suppressed.clone(),
            refused: self.refused.clone(),
            buried: printed(&self.buried),
            past: self.past.iter().map(printed_past).collect(),
            version: self.version.clone(),
            highest: self.highest,
            whole: self.whole,
            learnt: self.learnt,
            tag: self.tag.as_ref().map(Tag::to_string),
        };
        let bytes = serde_json::to_vec(&stored).map_err(|error| {
            Error::new(ErrorKind::State, "the state cannot be written").with_source(error)
        })?;
        let written = Checksum::of_bytes(&bytes);
        if self.written == Some(written) {
            return Ok(());
        }
        write(root, FILE, &bytes)?;
        self.written = Some(written);
        Ok(())
    }

    /// Both sides hold `checksum` under `key` now.
    pub(super) fn agreed(&mut self, key: &TeamKey, checksum: Checksum) {
        if let Some(old) = self.synced.get(key).filter(|old| **old != checksum) {
            let past = self.past.entry(key.clone()).or_default();
            past.retain(|one| one != old);
            past.push(*old);
            let extra = past.len().saturating_sub(MOST_PAST);
            past.drain(..extra);
        }
        let past = self.past.remove(key);
        self.forget(key);
        self.past.extend(past.map(|past| (key.clone(), past)));
        self.refused.remove(key.as_str());
        self.buried.remove(key);
        self.synced.insert(key.clone(), checksum);
    }

    /// Forgets a name under whatever spelling.
    pub(super) fn forget(&mut self, key: &TeamKey) {
        let folded = key.folded();
        self.synced.retain(|known, _| known.folded() != folded);
        self.past.remove(key);
    }

    /// Removes the texts that nothing names any more: what is agreed is a merge base, and what was deleted on
    /// the server stays for as long as its tombstone, so that a person can have it back.
    pub(super) fn sweep_texts(&self, root: &MemoryRoot) -> Result<usize, Error> {
        let named: HashSet<String> = self
            .synced
            .values()
            .chain(self.tombstones.values())
            .map(file_name)
            .collect();
        let mut limits = ListLimits::new();
        limits.max_entries = MOST_TEXTS;
        limits.metadata = false;
        let folder = match root.open_sub(key(TEXTS)?.as_ref()) {
            Ok(folder) => folder,
            Err(error) if error.kind() == pathguard::ErrorKind::NotFound => return Ok(0),
            Err(error) => return Err(unreadable(error)),
        };
        let mut removed = 0;
        for entry in folder.list(&limits).map_err(unreadable)?.entries {
            if entry.kind == EntryKind::File && !named.contains(entry.key.as_str()) {
                folder.remove(entry.key.as_ref()).map_err(unreadable)?;
                removed += 1;
            }
        }
        Ok(removed)
    }
}

/// When the state was last written, by the file system's clock; `None` when it never was.
pub(super) fn last_written(root: &MemoryRoot) -> Option<i128> {
    let file = key(FILE).ok()?;
    Some(root.metadata(file.as_ref()).ok()?.modified_ns)
}

/// Keeps a text under its checksum, so that it can be a merge base. Durable before the state names it.
pub(super) fn keep_text(root: &MemoryRoot, text: &str) -> Result<(), Error> {
    let name = text_name(&Checksum::of(text));
    if root.metadata(key(&name)?.as_ref()).is_ok() {
        return Ok(());
    }
    write(root, &name, text.as_bytes())
}

/// Keeps many texts, which wait for the disk together.
pub(super) fn keep_texts<'a>(
    root: &MemoryRoot,
    texts: impl Iterator<Item = &'a str>,
) -> Result<(), Error> {
    let full = |error| {
        failed(
            ErrorKind::State,
            "the state of the sync cannot be written",
            error,
        )
    };
    let options = WriteOptions::new().with_create_parents(true);
    let mut batch = root.batch();
    let mut seen = HashSet::new();
    for text in texts {
        let name = key(&text_name(&Checksum::of(text)))?;
        if seen.insert(name.clone()) && root.metadata(name.as_ref()).is_err() {
            batch
                .write(name.as_ref(), text.as_bytes(), &options)
                .map_err(full)?;
        }
    }
    let report = batch.commit().map_err(full)?;
    report.into_result().map(drop).map_err(full)
}

/// A kept text; `None` when it is not there or is not what its name says.
pub(super) fn kept_text(root: &MemoryRoot, checksum: &Checksum) -> Result<Option<String>, Error> {
    let name = key(&text_name(checksum))?;
    let Ok(read) = root.read(name.as_ref(), MAX_ENTRY_BYTES as u64) else {
        return Ok(None);
    };
    let text = String::from_utf8(read.bytes).ok();
    Ok(text.filter(|text| Checksum::of(text) == *checksum))
}

fn text_name(checksum: &Checksum) -> String {
    format!("{TEXTS}/{}", file_name(checksum))
}

fn file_name(checksum: &Checksum) -> String {
    checksum.to_string().replace(':', "-")
}

pub(super) fn write(root: &MemoryRoot, name: &str, bytes: &[u8]) -> Result<(), Error> {
    let options = WriteOptions::new()
        .with_create_parents(true)
        .with_sync(SyncPolicy::Full);
    root.write(key(name)?.as_ref(), bytes, &options)
        .map(drop)
        .map_err(|error| {
            failed(
                ErrorKind::State,
                "the state of the sync cannot be written",
                error,
            )
        })
}

pub(super) fn key(name: &str) -> Result<PathKey, Error> {
    PathKey::parse(name)
        .map_err(|error| Error::new(ErrorKind::State, error.to_string()).with_source(error))
}

pub(super) fn unreadable(error: pathguard::Error) -> Error {
    failed(
        ErrorKind::State,
        "the state of the sync cannot be read",
        error,
    )
}

fn parsed(lines: &BTreeMap<String, String>) -> BTreeMap<TeamKey, Checksum> {
    let line = |(raw, checksum): (&String, &String)| {
        Some((TeamKey::parse(raw).ok()?, checksum.parse().ok()?))
    };
    lines.iter().filter_map(line).collect()
}

fn past_line((raw, checksums): (&String, &Vec<String>)) -> Option<(TeamKey, Vec<Checksum>)> {
    let checksums = checksums.iter().filter_map(|one| one.parse().ok());
    Some((TeamKey::parse(raw).ok()?, checksums.collect()))
}

fn printed_past((key, checksums): (&TeamKey, &Vec<Checksum>)) -> (String, Vec<String>) {
    let checksums = checksums.iter().map(Checksum::to_string);
    (key.to_string(), checksums.collect())
}

fn printed(tree: &BTreeMap<TeamKey, Checksum>) -> BTreeMap<String, String> {
    tree.iter()
        .map(|(key, checksum)| (key.to_string(), checksum.to_string()))
        .collect()
}
