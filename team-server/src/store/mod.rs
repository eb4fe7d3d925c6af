//! Where repositories are kept.
//!
//! History is append-only: contents are stored once under their SHA-256, each version names the contents of
//! the keys it changed, and a deletion is a version too. The check of a precondition and the write are one
//! transaction.

mod sqlite;

use std::collections::BTreeMap;

use team_sync::{Checksum, Tag, TeamKey};

use crate::change::Refusal;
pub use sqlite::{CheckReport, Restore, Sqlite, SqliteOptions};

/// A change that was carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The state after it.
    pub tag: Tag,
    /// The version after it.
    pub version: u64,
    /// The checksums of the keys that were stored.
    pub checksums: BTreeMap<String, String>,
    /// Whether this repeats an earlier answer.
    pub replayed: bool,
}

/// How a change ended.
pub type Outcome = Result<Done, Refusal>;

/// A repository as readers see it.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The state.
    pub tag: Tag,
    /// Its version.
    pub version: u64,
    /// When it last changed.
    pub updated_at: String,
    /// Checksum and, if asked for, text by key.
    pub entries: BTreeMap<TeamKey, (Checksum, Option<String>)>,
    /// What was deleted: checksum, version, when, by whom.
    pub tombstones: BTreeMap<TeamKey, Deleted>,
}

/// A deletion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// What was deleted.
    pub checksum: Checksum,
    /// The version that did it.
    pub version: u64,
    /// When.
    pub at: String,
    /// Who.
    pub by: String,
}

/// What a reader wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// With texts.
    pub texts: bool,
    /// Only what changed after this version.
    pub since: Option<u64>,
    /// Only these keys.
    pub keys: Option<Vec<TeamKey>>,
}

/// A reader's answer.
#[derive(Clone, Debug)]
pub enum Looked {
    /// Nothing was ever written.
    Nothing,
    /// `since` lies before what deletions are remembered for.
    TooOld,
    /// The repository.
    Found(Picture),
}

/// One line of the history.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Revision {
    /// The version.
    pub version: String,
    /// The key.
    pub key: String,
    /// The checksum of the text; `null` for a deletion.
    pub checksum: Option<String>,
    /// Who; not verified.
    pub author: String,
    /// Which program; not verified.
    pub client: String,
    /// When.
    pub at: String,
}
