//! Finishes what a dead process left half done.

use pathguard::PathKey;

use super::merge::merge_lines;
use super::transaction::{max_bytes, write_options};
use super::{Locked, Store, is_index};
use crate::error::{Error, ErrorKind};
use crate::files;
use crate::hash::ContentHash;
use crate::journal::{Change, Operation, OperationKind, Segment};

/// What a repair found and did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RepairReport {
    /// The number of the operation that was finished.
    pub finished_operation: Option<u64>,
    /// Temporary files of dead writers that were removed.
    pub removed_temporaries: usize,
    /// Lines of the journal that a crash had torn. They hold nothing that was ever confirmed.
    pub damaged_lines: usize,
}

impl Store {
    /// Finishes an operation that a dead process left half done, and removes its temporary files.
    ///
    /// Opening a store does the first by itself. Doing it twice changes nothing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`](crate::ErrorKind::Busy), [`ErrorKind::Io`](crate::ErrorKind::Io).
    pub fn repair(&self) -> Result<RepairReport, Error> {
        let _span = tracing::info_span!("memdir.repair").entered();
        let state = self.writable()?;
        let mut locked = self.lock(state)?;
        locked.journal.refresh()?;
        let finished_operation = self.finish_under_lock(&mut locked)?;
        let mut damaged_lines = 0;
        for segment in locked.journal.segments()? {
            damaged_lines += segment?.damaged_lines;
        }
        Ok(RepairReport {
            finished_operation,
            removed_temporaries: self.remove_temporaries()?,
            damaged_lines,
        })
    }

    /// Called once when the store is opened.
    pub(super) fn finish_pending(&mut self) -> Result<(), Error> {
        let Some(state) = &self.state else {
            return Ok(());
        };
        let pending = {
            let mut journal = state.journal();
            journal.refresh()?;
            journal.pending()
        };
        // A living process may be in the middle of its operation; under the lock nobody is.
        if pending.is_some() {
            let mut locked = self.lock(state)?;
            locked.journal.refresh()?;
            let finished = self.finish_under_lock(&mut locked)?;
            drop(locked);
            self.opened.finished_operation = finished;
        }
        Ok(())
    }

    /// Finishes the pending operation, if there is one. The lock is held and the tail is fresh.
    pub(super) fn finish_under_lock(&self, locked: &mut Locked<'_>) -> Result<Option<u64>, Error> {
        let Some(sequence) = locked.journal.pending() else {
            return Ok(None);
        };
        let newest = locked.journal.segments()?.next();
        let segment = match newest {
            Some(segment) => segment?,
            None => return Ok(None),
        };
        let found = segment
            .operations
            .iter()
            .find(|operation| operation.sequence == sequence);
        let Some(operation) = found else {
            return Ok(None);
        };
        tracing::warn!(
            sequence,
            kind = operation.kind.as_str(),
            "memdir.repair.finish"
        );
        if operation.kind == OperationKind::Purge {
            self.finish_purge(locked, operation)?;
        } else {
            self.carry_on(&segment, operation)?;
            locked.journal.done(sequence)?;
        }
        self.remove_temporaries()?;
        Ok(Some(sequence))
    }

    fn carry_on(&self, segment: &Segment, operation: &Operation) -> Result<(), Error> {
        let mut batch = self.memory.batch();
        for change in &operation.changes {
            let Ok(key) = PathKey::parse(&change.path) else {
                tracing::warn!(path = change.path.as_str(), "memdir.repair.no_key");
                continue;
            };
            let read = files::read_if_exists(&self.memory, key.as_ref(), max_bytes(&key));
            let current = match read {
                Ok(read) => read.map(|read| read.bytes),
                // Somebody has put something else in its place since: a link, a folder, a file over
                // the limit. It is theirs, and must not keep the store from being used.
                Err(error) if matches!(error.kind(), ErrorKind::Refused | ErrorKind::TooLarge) => {
                    tracing::warn!(%error, "memdir.repair.left_alone");
                    continue;
                }
                Err(error) => return Err(error),
            };
            let exists = current.is_some();
            match next_step(segment, change, current, is_index(key.as_ref())) {
                Step::Nothing => {}
                Step::Remove => batch.remove(key.as_ref()),
                Step::Write(bytes) => batch
                    .write(key.as_ref(), &bytes, &write_options(exists))
                    .map_err(|error| files::error(error, &change.path))?,
            }
        }
        batch
            .commit()
            .and_then(pathguard::BatchReport::into_result)
            .map(drop)
            .map_err(|error| files::error(error, &self.dir().display().to_string()))
    }

    /// Only holders of the lock write here, so every temporary file is left over.
    fn remove_temporaries(&self) -> Result<usize, Error> {
        self.memory
            .remove_temporaries(i128::MAX)
            .map_err(|error| files::error(error, &self.dir().display().to_string()))
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Step {
    Nothing,
    Remove,
    Write(Vec<u8>),
}

/// What is left to do for one file. A file that is neither as it was nor as it was to be was
/// written by somebody else since: an index takes our lines in addition, a memory is theirs.
fn next_step(segment: &Segment, change: &Change, current: Option<Vec<u8>>, is_index: bool) -> Step {
    let hash = current.as_deref().map(ContentHash::of);
    if hash == change.after {
        return Step::Nothing;
    }
    let content = |hash: Option<ContentHash>| hash.and_then(|hash| segment.content(&hash));
    if hash == change.before {
        return match (change.after, content(change.after)) {
            (None, _) => Step::Remove,
            (Some(_), Some(bytes)) => Step::Write(bytes),
            (Some(_), None) => Step::Nothing,
        };
    }
    let (before, after) = (content(change.before), content(change.after));
    // Without both texts nobody can say which lines entered and which left.
    let is_known =
        before.is_some() == change.before.is_some() && after.is_some() == change.after.is_some();
    if !is_index || !is_known {
        return Step::Nothing;
    }
    let merged = merge_lines(
        &before.unwrap_or_default(),
        &after.unwrap_or_default(),
        &current.unwrap_or_default(),
    );
    Step::Write(merged)
}
