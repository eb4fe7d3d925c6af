//! Edits by hosts whose own tools write the folder: a picture before, a look afterwards.

use std::collections::{BTreeMap, BTreeSet};

use pathguard::{PathKey, SyncPolicy};

use super::secrets::{SecretFinding, secrets_in};
use crate::error::Error;
use crate::files;
use crate::journal::{Journal, OperationKind};
use crate::limits::PRE_IMAGES_MAX;
use crate::store::{Album, Origin, Scope, Store};

/// Pictures that wait for their reconcile. Not synced: after a power failure the edit is as good
/// as any other that nobody watched.
pub(crate) const PRE_IMAGES: Album = Album {
    folder: "pre-images",
    max: PRE_IMAGES_MAX,
    sync: SyncPolicy::None,
};

/// Which files a host may be about to edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Watch {
    /// These files, which need not exist.
    Files(Vec<PathKey>),
    /// Every memory and index: for shell commands and for the time between two sessions.
    Everything,
}

/// What a host did to the folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reconciled {
    /// The number under which the edit is recorded; `None` when there was none.
    pub sequence: Option<u64>,
    /// Files that were made.
    pub created: Vec<PathKey>,
    /// Files that were edited.
    pub changed: Vec<PathKey>,
    /// Files that were deleted.
    pub removed: Vec<PathKey>,
    /// Credentials in the files as they are now.
    pub secrets: Vec<(PathKey, SecretFinding)>,
    /// Whether the index misses a line or has one too many. [`Store::rebuild_index`] mends it,
    /// best when the host has finished: it may be about to write the line itself.
    pub index_is_untrue: bool,
}

impl Store {
    /// Takes a picture of the files that a host is about to edit. `id` names the edit; the same
    /// name goes to [`Store::reconcile`], maybe from another process.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused) for an id that is no plain name,
    /// [`ErrorKind::TooLarge`](crate::ErrorKind::TooLarge), [`ErrorKind::Io`](crate::ErrorKind::Io).
    pub fn watch(&self, id: &str, watch: &Watch) -> Result<(), Error> {
        let _span = tracing::debug_span!("memdir.watch").entered();
        let sequence = self.last_finished_operation()?;
        let picture = match watch {
            Watch::Everything => self.picture_of_all(sequence, id)?,
            Watch::Files(keys) => {
                let mut keys: BTreeSet<PathKey> = keys.iter().cloned().collect();
                // A host that writes a memory writes its line in the next breath.
                let indexes: Vec<PathKey> = keys
                    .iter()
                    .map(|key| Scope::of(key.as_ref()).index_key())
                    .collect();
                keys.extend(indexes);
                let keys: Vec<PathKey> = keys.into_iter().collect();
                self.picture_of(sequence, id, &keys)?
            }
        };
        PRE_IMAGES.write(self.state_root()?, id, &picture)
    }

    /// Finds out what was edited since [`Store::watch`] and records it, so that `history`,
    /// `restore` and `undo` know it. What the store itself has written meanwhile is not counted.
    ///
    /// The picture is used up.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such picture, and as
    /// [`Store::save`].
    pub fn reconcile(&self, id: &str, origin: &Origin) -> Result<Reconciled, Error> {
        let _span = tracing::info_span!("memdir.reconcile").entered();
        let state = self.state_root()?;
        let picture = PRE_IMAGES
            .read(state, id)?
            .ok_or_else(|| Error::not_found("no picture was taken before").with_path(id))?;
        let (sequence, mut reconciled) =
            self.transact_with_journal(OperationKind::HostEdit, origin, |transaction, journal| {
                let ours = writes_since(journal, picture.sequence)?;
                let mut keys: BTreeSet<String> =
                    picture.files.iter().map(|file| file.path.clone()).collect();
                if picture.is_whole {
                    keys.extend(ours.keys().cloned());
                    keys.extend(
                        self.markdown_keys()?
                            .iter()
                            .map(|key| key.as_str().to_owned()),
                    );
                }
                let mut reconciled = Reconciled::default();
                for path in keys {
                    let before = match ours.get(&path) {
                        Some(written) => written.clone(),
                        None => picture.get(&path).map(<[u8]>::to_vec),
                    };
                    let key = PathKey::parse(&path).map_err(|error| files::error(error, &path))?;
                    let after = transaction.read(&key)?.map(<[u8]>::to_vec);
                    if before == after {
                        continue;
                    }
                    note(&mut reconciled, &key, before.as_deref(), after.as_deref());
                    transaction.record(&key, before)?;
                }
                Ok(reconciled)
            })?;
        reconciled.sequence = sequence;
        reconciled.index_is_untrue = sequence.is_some() && !self.index_is_true()?;
        PRE_IMAGES.remove(state, id)?;
        Ok(reconciled)
    }
}

fn note(reconciled: &mut Reconciled, key: &PathKey, before: Option<&[u8]>, after: Option<&[u8]>) {
    let list = match (before, after) {
        (None, _) => &mut reconciled.created,
        (Some(_), Some(_)) => &mut reconciled.changed,
        (Some(_), None) => &mut reconciled.removed,
    };
    list.push(key.clone());
    let scope = Scope::of(key.as_ref());
    let secrets = secrets_in(after.unwrap_or_default(), scope);
    reconciled
        .secrets
        .extend(secrets.into_iter().map(|secret| (key.clone(), secret)));
}

/// What the store has written after operation `since`: the last bytes of each file, `None` for a
/// file that it took away.
fn writes_since(journal: &Journal, since: u64) -> Result<BTreeMap<String, Option<Vec<u8>>>, Error> {
    let mut written = BTreeMap::new();
    for segment in journal.segments()? {
        let segment = segment?;
        for operation in segment.operations.iter().rev() {
            if operation.sequence <= since {
                return Ok(written);
            }
            for change in &operation.changes {
                if written.contains_key(&change.path) {
                    continue;
                }
                let bytes = change.after.and_then(|hash| segment.content(&hash));
                // A content that was purged: take what is there now as ours.
                if change.after.is_some() == bytes.is_some() {
                    written.insert(change.path.clone(), bytes);
                }
            }
        }
    }
    Ok(written)
}
