//! What is remembered between runs, in `memory-state/team/`.
//!
//! The agreed texts lie beside the state under their checksums and are written first; the state names
//! them, and is replaced as a whole. A state that is missing or cannot be read counts as "nothing was ever
//! agreed": then nothing is deleted anywhere, and texts that differ are merged or kept both.

use std::collections::{BTreeMap, BTreeSet};

use pathguard::{MemoryRoot, PathKey, SyncPolicy, WriteOptions};
use serde::{Deserialize, Serialize};

use crate::checksum::Checksum;
use crate::error::{Error, ErrorKind};
use crate::key::TeamKey;
use crate::limits::{MAX_ANSWER_BYTES, MAX_ENTRY_BYTES};
use crate::tag::Tag;

const FILE: &str = "state.json";

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
    /// The highest version seen inside the tag's epoch; answers with a lower one are stale.
    pub(super) highest: u64,
    /// The next look has to be at everything: something was refused, or is not believed.
    pub(super) whole: bool,
    /// Whether the server has said what it can do.
    pub(super) learnt: bool,
    pub(super) tag: Option<Tag>,
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
        let bytes = match root.read(key(FILE)?.as_ref(), MAX_ANSWER_BYTES as u64) {
            Ok(read) => read.bytes,
            Err(error) if error.kind() == pathguard::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            Err(error) => return Err(unreadable(error)),
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
            highest: stored.highest,
            whole: stored.whole,
            learnt: stored.learnt,
            tag: stored.tag.as_deref().and_then(Tag::parse),
        })
    }

    pub(super) fn save(&self, root: &MemoryRoot, repository: &str) -> Result<(), Error> {
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
            highest: self.highest,
            whole: self.whole,
            learnt: self.learnt,
            tag: self.tag.as_ref().map(Tag::to_string),
        };
        let bytes = serde_json::to_vec(&stored).map_err(|error| {
            Error::new(ErrorKind::State, "the state cannot be written").with_source(error)
        })?;
        write(root, FILE, &bytes)
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
    let text = checksum.to_string();
    format!("texts/{}", text.replace(':', "-"))
}

pub(super) fn write(root: &MemoryRoot, name: &str, bytes: &[u8]) -> Result<(), Error> {
    let options = WriteOptions::new()
        .with_create_parents(true)
        .with_sync(SyncPolicy::Full);
    root.write(key(name)?.as_ref(), bytes, &options)
        .map(drop)
        .map_err(|error| {
            Error::new(
                ErrorKind::State,
                format!("the state of the sync cannot be written: {error}"),
            )
            .with_source(error)
        })
}

pub(super) fn key(name: &str) -> Result<PathKey, Error> {
    PathKey::parse(name)
        .map_err(|error| Error::new(ErrorKind::State, error.to_string()).with_source(error))
}

pub(super) fn unreadable(error: pathguard::Error) -> Error {
    Error::new(
        ErrorKind::State,
        format!("the state of the sync cannot be read: {error}"),
    )
    .with_source(error)
}

fn parsed(lines: &BTreeMap<String, String>) -> BTreeMap<TeamKey, Checksum> {
    let line = |(raw, checksum): (&String, &String)| {
        Some((TeamKey::parse(raw).ok()?, checksum.parse().ok()?))
    };
    lines.iter().filter_map(line).collect()
}

fn printed(tree: &BTreeMap<TeamKey, Checksum>) -> BTreeMap<String, String> {
    tree.iter()
        .map(|(key, checksum)| (key.to_string(), checksum.to_string()))
        .collect()
}
