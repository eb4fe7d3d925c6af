//! Where repositories are kept: one interface, two stores.
//!
//! History is append-only: contents are stored once under their SHA-256, each version names the contents of
//! the keys it changed, and a deletion is a version too. The check of a precondition and the write are one
//! transaction.

mod content;
mod operation;
mod postgres;
mod sqlite;
mod waiters;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Result, bail};
use team_sync::{Checksum, Tag, TeamKey};

use crate::change::{Change, Precondition, Refusal, State};
use crate::token::{Grant, NewToken, Presented};
pub use postgres::{Postgres, PostgresOptions};
pub use sqlite::{Sqlite, SqliteOptions};
pub use waiters::Watch;

/// A store of repositories and tokens.
///
/// An enum and not a trait: there are two, both are ours, and the handlers stay free of a type parameter.
#[derive(Debug)]
#[non_exhaustive]
pub enum Store {
    /// One file, one process.
    Sqlite(Sqlite),
    /// A database, any number of processes.
    Postgres(Postgres),
}

impl From<Sqlite> for Store {
    fn from(store: Sqlite) -> Self {
        Self::Sqlite(store)
    }
}

impl From<Postgres> for Store {
    fn from(store: Postgres) -> Self {
        Self::Postgres(store)
    }
}

impl Store {
    /// Carries out a change, or says why not. Who is answered may rely on it: it has reached the disk.
    ///
    /// # Errors
    ///
    /// The store could not be written; nothing was changed.
    pub async fn change(&self, change: Change) -> Result<Outcome> {
        match self {
            Self::Sqlite(store) => store.change(change).await,
            Self::Postgres(store) => store.change(change).await,
        }
    }

    /// Makes the state of an earlier version of one key, or of all, the newest version; `None` when that
    /// version is not kept, or a content of it was redacted.
    ///
    /// # Errors
    ///
    /// The store could not be written; nothing was changed.
    pub async fn restore(&self, restore: Restore) -> Result<Option<Outcome>> {
        match self {
            Self::Sqlite(store) => store.restore(restore).await,
            Self::Postgres(store) => store.restore(restore).await,
        }
    }

    /// The current tag of a repository, from memory where it is known. `seen` are the tags the reader has:
    /// whoever knows more than the memory makes the store look.
    ///
    /// # Errors
    ///
    /// The store could not be read.
    pub async fn tag(&self, repository: &str, seen: &[Tag]) -> Result<Option<Tag>> {
        match self {
            // One process writes the file, so its memory is never behind.
            Self::Sqlite(store) => store.tag(repository).await,
            Self::Postgres(store) => store.tag(repository, seen).await,
        }
    }

    /// Looks at a repository.
    ///
    /// # Errors
    ///
    /// The store could not be read.
    pub async fn look(&self, repository: &str, view: View) -> Result<Looked> {
        match self {
            Self::Sqlite(store) => store.look(repository, view).await,
            Self::Postgres(store) => store.look(repository, &view).await,
        }
    }

    /// The history, newest first, of one key or of all.
    ///
    /// # Errors
    ///
    /// The store could not be read.
    pub async fn history(
        &self,
        repository: &str,
        key: Option<TeamKey>,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Revision>> {
        match self {
            Self::Sqlite(store) => store.history(repository, key, before, limit).await,
            Self::Postgres(store) => store.history(repository, key.as_ref(), before, limit).await,
        }
    }

    /// A text by the hexadecimal digits of its checksum.
    ///
    /// # Errors
    ///
    /// The store could not be read.
    pub async fn blob(&self, repository: &str, digits: &str) -> Result<Option<String>> {
        match self {
            Self::Sqlite(store) => store.blob(repository, digits).await,
            Self::Postgres(store) => store.blob(repository, digits).await,
        }
    }

    /// What a presented token may do; `None` when it is not known, or revoked.
    ///
    /// # Errors
    ///
    /// The store could not be read.
    pub async fn grant(&self, presented: Presented) -> Result<Option<Grant>> {
        match self {
            Self::Sqlite(store) => store.grant(presented).await,
            Self::Postgres(store) => store.grant(&presented).await,
        }
    }

    /// Stores a new token.
    ///
    /// # Errors
    ///
    /// The store could not be written.
    pub async fn add_token(&self, token: &NewToken, grant: &Grant, at: &str) -> Result<()> {
        match self {
            Self::Sqlite(store) => store.add_token(token, grant, at).await,
            Self::Postgres(store) => store.add_token(token, grant, at).await,
        }
    }

    /// All tokens that are not revoked.
    ///
    /// # Errors
    ///
    /// The store could not be read.
    pub async fn tokens(&self) -> Result<Vec<Grant>> {
        match self {
            Self::Sqlite(store) => store.tokens().await,
            Self::Postgres(store) => store.tokens().await,
        }
    }

    /// Revokes a token; `false` when there is none of that id.
    ///
    /// # Errors
    ///
    /// The store could not be written.
    pub async fn revoke(&self, id: &str, at: &str) -> Result<bool> {
        match self {
            Self::Sqlite(store) => store.revoke(id, at).await,
            Self::Postgres(store) => store.revoke(id, at).await,
        }
    }

    /// Copies the data while the server runs.
    ///
    /// # Errors
    ///
    /// The target exists, or could not be written.
    pub async fn backup(&self, target: &Path) -> Result<()> {
        match self {
            Self::Sqlite(store) => store.backup(target).await,
            Self::Postgres(_) => bail!(
                "a PostgreSQL database is copied with its own pg_dump, while the server runs; a restored dump is noticed when a server starts on it"
            ),
        }
    }

    /// Verifies every checksum and that all that is named is there.
    ///
    /// # Errors
    ///
    /// The store could not be read.
    pub async fn check(&self) -> Result<CheckReport> {
        match self {
            Self::Sqlite(store) => store.check().await,
            Self::Postgres(store) => store.check().await,
        }
    }

    /// Forgets what is older than it has to be kept; `None` when another replica is just doing it.
    ///
    /// # Errors
    ///
    /// The store could not be written.
    pub async fn prune(&self, cutoffs: &Cutoffs) -> Result<Option<Pruned>> {
        match self {
            Self::Sqlite(store) => store.prune(cutoffs).await.map(Some),
            Self::Postgres(store) => store.prune(cutoffs).await,
        }
    }

    /// Removes the content of one version for good. The history keeps its line, all other versions with the
    /// same text in this repository lose it too, and it is not taken again.
    ///
    /// # Errors
    ///
    /// The store could not be written, or the text is no longer found but may still lie in the files.
    pub async fn redact(&self, redaction: &Redaction) -> Result<Redacted> {
        match self {
            Self::Sqlite(store) => store.redact(redaction).await,
            Self::Postgres(store) => store.redact(redaction).await,
        }
    }

    /// Whether the store can be read now.
    pub async fn ready(&self) -> bool {
        match self {
            Self::Sqlite(store) => store.ready().await,
            Self::Postgres(store) => store.ready().await,
        }
    }

    /// Begins to watch a repository: what changes from now on is seen, whoever changes it.
    pub fn watch(&self, repository: &str) -> Watch {
        match self {
            Self::Sqlite(store) => store.watch(repository),
            Self::Postgres(store) => store.watch(repository),
        }
    }
}

/// Times, in RFC 3339 as in UTC with `Z`, before which something is forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cutoffs {
    /// Deletions; who asks for changes since an earlier version is told to ask for everything.
    pub tombstones: String,
    /// Answers that can be replayed.
    pub operations: String,
    /// Contents that no version names.
    pub contents: String,
}

/// How much was forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Deletions.
    pub tombstones: u64,
    /// Answers that could be replayed.
    pub operations: u64,
    /// Contents that no version named.
    pub contents: u64,
}

/// Which content is to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redaction {
    /// The repository.
    pub repository: String,
    /// The key.
    pub key: TeamKey,
    /// The version that stored it.
    pub version: u64,
}

/// How a redaction ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Redacted {
    /// The content is gone.
    Done,
    /// It was gone before.
    Before,
    /// That version did not store a text under that key.
    NoSuchVersion,
    /// These entries have this text now: change or delete them first. Nothing was done.
    InUse(Vec<TeamKey>),
}

/// The disk is full, or what the database may use of it. Found by `downcast_ref` in what a store answers;
/// nothing was changed, and all works again once there is room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StorageFull;

impl std::fmt::Display for StorageFull {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("there is no room left to store it; make room on the disk of the data")
    }
}

impl std::error::Error for StorageFull {}

/// What `check` has seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Contents whose checksum was verified.
    pub contents: u64,
    /// Contents that were redacted on purpose.
    pub redacted: u64,
    /// What is wrong, one sentence each.
    pub problems: Vec<String>,
}

/// A wish to go back.
#[derive(Clone, Debug)]
pub struct Restore {
    /// The repository.
    pub repository: String,
    /// The version whose state is wanted.
    pub version: u64,
    /// One key, or all.
    pub key: Option<TeamKey>,
    /// Who.
    pub author: String,
    /// When, RFC 3339.
    pub at: String,
}

impl Restore {
    /// The change that leads back; `None` when there is nothing to go back to. `then` holds per key the hash
    /// at the wanted version, or that it was deleted; `texts` the texts of those hashes.
    fn change(
        &self,
        now: &State,
        then: &BTreeMap<TeamKey, Option<String>>,
        texts: &BTreeMap<String, String>,
    ) -> Option<Change> {
        let (mut entries, mut deletes) = (BTreeMap::new(), BTreeSet::new());
        for (key, hash) in then {
            match hash {
                Some(hash) => drop(entries.insert(key.clone(), texts.get(hash)?.clone())),
                None => drop(deletes.insert(key.clone())),
            }
        }
        if self.key.is_none() {
            // What was not there yet goes.
            let newer = now.entries.keys().filter(|key| !entries.contains_key(*key));
            deletes.extend(newer.cloned());
        }
        if entries.is_empty() && deletes.is_empty() {
            return None;
        }
        Some(Change {
            repository: self.repository.clone(),
            entries,
            deletes,
            bases: None,
            precondition: Precondition::Version(now.version),
            op_id: None,
            digest: String::new(),
            author: self.author.clone(),
            client: "restore".into(),
            at: self.at.clone(),
        })
    }
}

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
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
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
