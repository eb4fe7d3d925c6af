//! Removes a memory with all its history: for credentials that were stored by mistake.

use std::collections::BTreeSet;

use pathguard::{PathKey, WriteOptions};

use super::{Locked, Origin, Scope, Store, Writer, is_index};
use crate::Index;
use crate::error::Error;
use crate::files;
use crate::guard::PRE_IMAGES;
use crate::journal::{Draft, DraftChange, Operation, OperationKind, Scrub};
use crate::limits::OPERATION_MAX_BYTES;
use crate::store::snapshot::SNAPSHOTS;

/// Marks an operation that leaves the file in the folder.
const KEEP_FILE: &str = "keep-file";

/// How far a purge goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PurgeOptions {
    /// Leaves the file and its line in the index, and removes the history only: for a memory from
    /// which the credential was taken out already.
    pub keep_file: bool,
}

impl PurgeOptions {
    /// Leaves the file and its line in the index.
    #[must_use]
    pub fn keeping_file(mut self) -> Self {
        self.keep_file = true;
        self
    }
}

/// What a purge removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PurgeReport {
    /// Every path that the memory ever had. Caches that are keyed by path should drop these.
    pub paths: Vec<String>,
    /// Operations in the journal that held something of it.
    pub operations: usize,
    /// Bytes that the journal became smaller by.
    pub bytes_freed: u64,
}

impl Store {
    /// Removes the memory that `name` stands for from the folder, the index, the journal, all
    /// snapshots, pre-images and the inbox. It cannot be taken back.
    ///
    /// Followed through renames: earlier names are purged too. Other memories that quote it keep
    /// the quote, and blocks on the disk are freed, not overwritten. When the process dies, the
    /// next one who opens the store finishes the purge.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when neither folder nor journal knows
    /// the name, [`ErrorKind::Refused`](crate::ErrorKind::Refused) for a background writer, and
    /// as [`Store::save`].
    pub fn purge(
        &self,
        name: &str,
        options: &PurgeOptions,
        origin: &Origin,
    ) -> Result<PurgeReport, Error> {
        let _span = tracing::info_span!("memdir.purge").entered();
        if matches!(origin.writer(), Writer::Background | Writer::Sync) {
            return Err(Error::refused("only a person or a host may purge"));
        }
        let state = self.writable()?;
        let path = self.find_ever(name, &state.journal())?;
        let key = PathKey::parse(&path).map_err(|error| files::error(error, &path))?;
        self.permit(Scope::of(key.as_ref()), origin)?;
        let mut locked = self.lock(state)?;
        locked.journal.refresh()?;
        self.finish_under_lock(&mut locked)?;
        let operation = locked.journal.begin(Draft {
            time: self.now(),
            kind: OperationKind::Purge,
            actor: origin.actor().to_owned(),
            session: origin.session().map(str::to_owned),
            note: options.keep_file.then(|| KEEP_FILE.to_owned()),
            changes: vec![DraftChange {
                key,
                before: None,
                after: None,
            }],
            renames: Vec::new(),
            undoes: None,
        })?;
        self.finish_purge(&mut locked, &operation)
    }

    /// Carries a recorded purge out. May be repeated: the record itself goes last.
    pub(super) fn finish_purge(
        &self,
        locked: &mut Locked<'_>,
        operation: &Operation,
    ) -> Result<PurgeReport, Error> {
        let state = self.writable()?;
        let now: BTreeSet<String> = operation
            .changes
            .iter()
            .map(|change| change.path.clone())
            .collect();
        if operation.note.as_deref() != Some(KEEP_FILE) {
            for path in &now {
                self.purge_file(path)?;
            }
        }
        let ever = locked.journal.former_names(&now)?;
        for album in [SNAPSHOTS, PRE_IMAGES] {
            album.scrub(&state.root, &|file| {
                if ever.contains(&file.path) {
                    return false;
                }
                if let Some(bytes) = &file.bytes
                    && let Some(scrubbed) = without_lines(&file.path, bytes, &ever)
                {
                    file.bytes = Some(scrubbed);
                }
                true
            })?;
        }
        self.purge_inbox(&ever)?;
        let purged = locked.journal.purge(&Scrub {
            paths: now,
            without: &without_lines,
        })?;
        tracing::info!(operations = purged.operations, "memdir.purged");
        Ok(PurgeReport {
            paths: ever.into_iter().collect(),
            operations: purged.operations,
            bytes_freed: purged.bytes_before.saturating_sub(purged.bytes_after),
        })
    }

    fn purge_file(&self, path: &str) -> Result<(), Error> {
        let key = PathKey::parse(path).map_err(|error| files::error(error, path))?;
        match self.memory.remove(key.as_ref()) {
            Err(error) if error.kind() != pathguard::ErrorKind::NotFound => {
                return Err(files::error(error, path));
            }
            _ => {}
        }
        let index_key = Scope::of(key.as_ref()).index_key();
        // Whatever its size, and only a credential's file is worth reading all of it.
        let read = files::read_if_exists(&self.memory, index_key.as_ref(), OPERATION_MAX_BYTES)?;
        let Some(read) = read else {
            return Ok(());
        };
        let paths = BTreeSet::from([path.to_owned()]);
        if let Some(bytes) = without_lines(index_key.as_str(), &read.bytes, &paths) {
            self.memory
                .write(index_key.as_ref(), &bytes, &WriteOptions::default())
                .map_err(|error| files::error(error, index_key.as_str()))?;
        }
        Ok(())
    }
}

/// An index without what points to one of `paths`, or `None` for other files and when nothing
/// does.
fn without_lines(path: &str, bytes: &[u8], paths: &BTreeSet<String>) -> Option<Vec<u8>> {
    let key = PathKey::parse(path).ok()?;
    if !is_index(key.as_ref()) {
        return None;
    }
    let scope = Scope::of(key.as_ref());
    let mut index = Index::parse(bytes);
    let mut any = false;
    for purged in paths {
        let Ok(purged) = PathKey::parse(purged) else {
            continue;
        };
        if Scope::of(purged.as_ref()) == scope {
            any |= index.remove(scope.in_index(purged.as_ref()));
        }
    }
    any.then(|| index.print())
}
