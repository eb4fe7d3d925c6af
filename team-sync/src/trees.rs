//! The three trees: what is here, what the server has, what was last agreed.

use std::collections::BTreeMap;

use crate::checksum::Checksum;
use crate::key::TeamKey;

/// One file of the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LocalFile {
    /// A memory that may be sent.
    Free(Checksum),
    /// A file that is there and may not be sent or could not be read: too large, a credential in it, no
    /// access. It is never sent, never overwritten and never taken for deleted.
    Blocked,
}

/// What stands in the folder now.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Local {
    /// The files by key.
    pub files: BTreeMap<TeamKey, LocalFile>,
    /// Whether the folder's marker was found: a folder without it may be another one, or not be mounted.
    pub marker: bool,
    /// Whether the walk saw everything. One unreadable folder makes it `false`.
    pub complete: bool,
}

/// One entry of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RemoteEntry {
    /// An entry that may be taken.
    Free(Checksum),
    /// An entry that was refused on arrival: too large, a credential in it, a checksum that does not fit.
    Blocked,
}

/// What the server answered last.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Remote {
    /// The entries by key.
    pub entries: BTreeMap<TeamKey, RemoteEntry>,
    /// The deletions the server remembers, with the checksum of what was deleted.
    pub tombstones: BTreeMap<TeamKey, Checksum>,
    /// Whether the server takes deletes.
    pub takes_deletes: bool,
}

/// What both sides agreed on last, per key.
pub type Synced = BTreeMap<TeamKey, Checksum>;
