//! Snapshots of the whole folder, for consolidation.

use std::collections::BTreeSet;
use std::fmt;

use pathguard::{PathKey, SyncPolicy};

use super::picture::{Album, Picture, PictureFile};
use super::{Origin, Scope, Store};
use crate::Timestamp;
use crate::error::Error;
use crate::files;
use crate::journal::OperationKind;
use crate::limits::{OPERATION_MAX_BYTES, OPERATION_MAX_CHANGES, ORIGIN_MAX_BYTES, SNAPSHOTS_MAX};
use crate::text::floor_boundary;

pub(super) const SNAPSHOTS: Album = Album {
    folder: "snapshots",
    max: SNAPSHOTS_MAX,
    sync: SyncPolicy::Full,
};

/// The name of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SnapshotId(String);

impl SnapshotId {
    /// The name as text, as printed by [`Store::snapshots`].
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SnapshotId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A snapshot that can be gone back to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SnapshotInfo {
    /// Its name.
    pub id: SnapshotId,
    /// When it was taken.
    pub time: Timestamp,
    /// What it was taken for.
    pub label: String,
    /// The last operation before it.
    pub sequence: u64,
    /// Files in it.
    pub files: usize,
}

impl Store {
    /// Takes a snapshot of every memory and index, team included. The oldest of more than
    /// [`SNAPSHOTS_MAX`](crate::limits::SNAPSHOTS_MAX) is dropped.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooLarge`](crate::ErrorKind::TooLarge) when the folder is over
    /// [`OPERATION_MAX_BYTES`](crate::limits::OPERATION_MAX_BYTES), and as [`Store::save`].
    pub fn snapshot(&self, label: &str) -> Result<SnapshotId, Error> {
        let _span = tracing::info_span!("memdir.snapshot").entered();
        let state = self.writable()?;
        let mut locked = self.lock(state)?;
        locked.journal.refresh()?;
        self.finish_under_lock(&mut locked)?;
        let picture = self.picture_of_all(locked.journal.last_sequence(), label)?;
        let taken = SNAPSHOTS.ids(&state.root)?;
        // One more number than there are snapshots leaves one that is free.
        let id = (1..=taken.len() + 1)
            .map(|number| format!("{:010}-{number}", picture.sequence))
            .find(|id| taken.iter().all(|(_, other)| other != id))
            .unwrap_or_default();
        SNAPSHOTS.write(&state.root, &id, &picture)?;
        Ok(SnapshotId(id))
    }

    /// The snapshots, newest first. Damaged ones are left out.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) when they cannot be listed.
    pub fn snapshots(&self) -> Result<Vec<SnapshotInfo>, Error> {
        let state = self.writable()?;
        let mut list: Vec<SnapshotInfo> = SNAPSHOTS
            .ids(&state.root)?
            .into_iter()
            .filter_map(|(_, id)| {
                let picture = SNAPSHOTS.read(&state.root, &id).ok()??;
                Some(SnapshotInfo {
                    id: SnapshotId(id),
                    time: picture.time,
                    label: picture.label,
                    sequence: picture.sequence,
                    files: picture.files.len(),
                })
            })
            .collect();
        list.reverse();
        Ok(list)
    }

    /// Sets every memory and index back to the snapshot, as one operation that one `undo` takes
    /// back. Memories that were made since are removed; the journal keeps them. Returns the number
    /// of the operation, or `None` when nothing had changed.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound),
    /// [`ErrorKind::Corrupt`](crate::ErrorKind::Corrupt), and as [`Store::save`].
    pub fn rollback(&self, id: &SnapshotId, origin: &Origin) -> Result<Option<u64>, Error> {
        let _span = tracing::info_span!("memdir.rollback", id = id.as_str()).entered();
        let state = self.writable()?;
        let picture = SNAPSHOTS
            .read(&state.root, id.as_str())?
            .ok_or_else(|| Error::not_found("there is no such snapshot").with_path(id.as_str()))?;
        let (sequence, ()) = self.transact(OperationKind::Rollback, origin, |transaction| {
            let mut keys: BTreeSet<PathKey> = self.markdown_keys()?.into_iter().collect();
            for file in &picture.files {
                let key =
                    PathKey::parse(&file.path).map_err(|error| files::error(error, &file.path))?;
                keys.insert(key);
            }
            for key in keys {
                self.permit(Scope::of(key.as_ref()), origin)?;
                match picture.get(key.as_str()) {
                    Some(bytes) => transaction.write(&key, bytes.to_vec())?,
                    None => transaction.remove(&key)?,
                }
            }
            Ok(())
        })?;
        Ok(sequence)
    }

    /// Every memory and index of the folder as it is now.
    pub(crate) fn picture_of_all(&self, sequence: u64, label: &str) -> Result<Picture, Error> {
        let keys = self.markdown_keys()?;
        let mut picture = self.picture_of(sequence, label, &keys)?;
        picture.is_whole = true;
        picture.files.retain(|file| file.bytes.is_some());
        Ok(picture)
    }

    /// These files as they are now.
    pub(crate) fn picture_of(
        &self,
        sequence: u64,
        label: &str,
        keys: &[PathKey],
    ) -> Result<Picture, Error> {
        if keys.len() > OPERATION_MAX_CHANGES {
            return Err(Error::too_large("too many files for a snapshot"));
        }
        let mut total = 0;
        let mut picture_files = Vec::with_capacity(keys.len());
        for key in keys {
            let max = super::transaction::max_bytes(key);
            let read = files::read_if_exists(&self.memory, key.as_ref(), max)?;
            total += read.as_ref().map_or(0, |read| read.bytes.len() as u64);
            if total > OPERATION_MAX_BYTES {
                return Err(Error::too_large("too many bytes for a snapshot"));
            }
            picture_files.push(PictureFile {
                path: key.as_str().to_owned(),
                bytes: read.map(|read| read.bytes),
            });
        }
        Ok(Picture {
            sequence,
            time: self.now(),
            label: label[..floor_boundary(label, ORIGIN_MAX_BYTES)].to_owned(),
            is_whole: false,
            files: picture_files,
        })
    }

    /// All memories and indexes; no logs, nothing hidden.
    pub(crate) fn markdown_keys(&self) -> Result<Vec<PathKey>, Error> {
        Ok(self
            .listing()?
            .entries
            .into_iter()
            .filter(|entry| entry.kind == pathguard::EntryKind::File)
            .map(|entry| entry.key)
            .filter(|key| super::is_memory(key.as_ref()) || super::is_index(key.as_ref()))
            .collect())
    }
}
