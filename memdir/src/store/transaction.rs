//! One operation as a whole: planned on what the folder holds now, recorded, then carried out.

use std::collections::HashMap;

use pathguard::{Metadata, PathKey, WriteMode, WriteOptions};

use super::{Locked, Origin, Scope, Store, Writer};
use crate::Index;
use crate::error::{CurrentState, Error, ErrorKind};
use crate::files;
use crate::hash::ContentHash;
use crate::journal::{Draft, DraftChange, Journal, OperationKind};
use crate::limits::{
    INDEX_MAX_BYTES, MEMORY_MAX_BYTES, OPERATION_MAX_BYTES, OPERATION_MAX_CHANGES,
};

/// How often an operation is planned anew because another program edited a file meanwhile.
const ATTEMPTS: usize = 4;

/// One change of a file, for [`Store::apply`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Edit {
    /// Makes or replaces a file. `expect` is the hash it must have now, `None` for no such file.
    Write {
        /// The file, relative to the memory folder.
        path: PathKey,
        /// The hash of what is there now.
        expect: Option<ContentHash>,
        /// Its new bytes.
        bytes: Vec<u8>,
    },
    /// Takes a file away.
    Remove {
        /// The file, relative to the memory folder.
        path: PathKey,
        /// The hash it must have now.
        expect: ContentHash,
    },
    /// Leaves a file as it is, on which the other edits rest.
    Keep {
        /// The file, relative to the memory folder.
        path: PathKey,
        /// The hash it must have now.
        expect: ContentHash,
    },
}

/// The plan of an operation: reads come from the folder or from what is already planned.
#[derive(Debug)]
pub(crate) struct Transaction<'a> {
    store: &'a Store,
    files: Vec<PlannedFile>,
    places: HashMap<PathKey, usize>,
    pub(super) renames: Vec<(String, String)>,
    pub(super) undoes: Option<u64>,
}

#[derive(Debug)]
struct PlannedFile {
    key: PathKey,
    before: Option<Vec<u8>>,
    seen: Option<Metadata>,
    /// The hash of what was read; `before` may be set to something else.
    read: Option<ContentHash>,
    after: Option<Vec<u8>>,
    /// Somebody else has made the change already; it only goes into the journal.
    is_done: bool,
}

/// When a file is carried out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Enter,
    Index,
    Leave,
}

impl PlannedFile {
    fn step(&self) -> Step {
        match self.after {
            _ if super::is_index(self.key.as_ref()) => Step::Index,
            Some(_) => Step::Enter,
            None => Step::Leave,
        }
    }
}

impl<'a> Transaction<'a> {
    pub(super) fn new(store: &'a Store) -> Self {
        Self {
            store,
            files: Vec::new(),
            places: HashMap::new(),
            renames: Vec::new(),
            undoes: None,
        }
    }

    /// The bytes of a file as they will be, or `None` when there will be no such file.
    pub(crate) fn read(&mut self, key: &PathKey) -> Result<Option<&[u8]>, Error> {
        let at = self.load(key)?;
        Ok(self.files[at].after.as_deref())
    }

    /// The index of a scope, empty when there is none, or `None` when it is too large to be edited.
    pub(super) fn index(&mut self, scope: Scope) -> Result<Option<Index>, Error> {
        match self.read(&scope.index_key()) {
            Ok(bytes) => Ok(Some(Index::parse(bytes.unwrap_or_default()))),
            Err(error) if error.kind() == ErrorKind::TooLarge => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Plans a file to hold `bytes`.
    pub(crate) fn write(&mut self, key: &PathKey, bytes: Vec<u8>) -> Result<(), Error> {
        let at = self.load(key)?;
        self.files[at].after = Some(bytes);
        Ok(())
    }

    /// Plans a file to be gone.
    pub(crate) fn remove(&mut self, key: &PathKey) -> Result<(), Error> {
        let at = self.load(key)?;
        self.files[at].after = None;
        Ok(())
    }

    /// Records that a file was `before` and that somebody else has made it what it is now.
    pub(crate) fn record(&mut self, key: &PathKey, before: Option<Vec<u8>>) -> Result<(), Error> {
        let at = self.load(key)?;
        self.files[at].before = before;
        self.files[at].is_done = true;
        Ok(())
    }

    /// Fails unless the file has this hash now.
    pub(crate) fn expect(
        &mut self,
        key: &PathKey,
        expected: Option<ContentHash>,
        message: &'static str,
    ) -> Result<(), Error> {
        let bytes = self.read(key)?;
        let hash = bytes.map(ContentHash::of);
        if hash == expected {
            return Ok(());
        }
        let current = CurrentState {
            path: key.as_str().to_owned(),
            hash,
            bytes: bytes.map_or(0, |bytes| bytes.len() as u64),
        };
        Err(Error::stale(message, current))
    }

    fn load(&mut self, key: &PathKey) -> Result<usize, Error> {
        if let Some(at) = self.places.get(key) {
            return Ok(*at);
        }
        if self.files.len() >= OPERATION_MAX_CHANGES {
            return Err(Error::too_large("too many files in one operation"));
        }
        let read = files::read_if_exists(&self.store.memory, key.as_ref(), max_bytes(key))?;
        let (before, seen) = match read {
            Some(read) => (Some(read.bytes), Some(read.metadata)),
            None => (None, None),
        };
        self.files.push(PlannedFile {
            key: key.clone(),
            after: before.clone(),
            read: before.as_deref().map(ContentHash::of),
            before,
            seen,
            is_done: false,
        });
        let at = self.files.len() - 1;
        self.places.insert(key.clone(), at);
        Ok(at)
    }

    /// The files that differ, in the order in which they are carried out: memories that enter,
    /// indexes, memories that leave. A reader may meet a memory that is not in the index, and
    /// never a line without its memory.
    fn changed(&self) -> impl Iterator<Item = &PlannedFile> {
        let of_step = |wanted: Step| {
            let files = self.files.iter();
            files.filter(move |file| file.before != file.after && file.step() == wanted)
        };
        of_step(Step::Enter)
            .chain(of_step(Step::Index))
            .chain(of_step(Step::Leave))
    }

    /// What is left to be written.
    fn to_do(&self) -> impl Iterator<Item = &PlannedFile> {
        self.changed().filter(|file| !file.is_done)
    }

    fn is_empty(&self) -> bool {
        self.changed().next().is_none()
    }

    fn check_size(&self, kind: OperationKind) -> Result<(), Error> {
        let length = |bytes: &Option<Vec<u8>>| bytes.as_ref().map_or(0, |bytes| bytes.len() as u64);
        let total: u64 = self
            .changed()
            .map(|file| length(&file.before) + length(&file.after))
            .sum();
        if total > OPERATION_MAX_BYTES {
            return Err(Error::too_large("too many bytes in one operation")
                .with_remedy("change fewer files at once"));
        }
        if brings_back(kind) {
            return Ok(());
        }
        for file in self.changed() {
            if length(&file.after) > written_max_bytes(&file.key) {
                return Err(Error::too_large("larger than the limit")
                    .with_path(file.key.as_str())
                    .with_remedy("shorten or split it"));
            }
        }
        Ok(())
    }

    /// Whether a file was written by somebody else since it was read.
    fn is_outdated(&self) -> Result<bool, Error> {
        for file in self.changed() {
            let now =
                files::read_if_exists(&self.store.memory, file.key.as_ref(), max_bytes(&file.key))?;
            let same = match (&file.seen, &now) {
                (None, None) => true,
                // The clock of a file system may stand still for some milliseconds, so that time and
                // size of two edits in a row are the same.
                (Some(seen), Some(now)) => {
                    same_file(seen, &now.metadata) && file.read == Some(ContentHash::of(&now.bytes))
                }
                _ => false,
            };
            if !same {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn draft(&self, kind: OperationKind, origin: &Origin) -> Draft {
        Draft {
            time: self.store.now(),
            kind,
            actor: origin.actor().to_owned(),
            session: origin.session().map(str::to_owned),
            note: origin.note().map(str::to_owned),
            changes: self
                .changed()
                .map(|file| DraftChange {
                    key: file.key.clone(),
                    before: file.before.clone(),
                    after: file.after.clone(),
                })
                .collect(),
            renames: self.renames.clone(),
            undoes: self.undoes,
        }
    }

    fn carry_out(&self) -> Result<(), Error> {
        let mut batch = self.store.memory.batch();
        for file in self.to_do() {
            let key = file.key.as_ref();
            match &file.after {
                Some(bytes) => batch
                    .write(key, bytes, &write_options(file.before.is_some()))
                    .map_err(|error| files::error(error, file.key.as_str()))?,
                None => batch.remove(key),
            }
        }
        batch
            .commit()
            .and_then(pathguard::BatchReport::into_result)
            .map(drop)
            .map_err(|error| files::error(error, &self.store.dir().display().to_string()))
    }

    /// Puts back what was carried out before it failed. A file that is neither as it was nor as it
    /// was to be belongs to somebody else and is left alone.
    fn take_back(&self) -> Result<(), Error> {
        for file in self.to_do() {
            let key = file.key.as_ref();
            let now = files::read_if_exists(&self.store.memory, key, max_bytes(&file.key))?;
            if now.map(|read| read.bytes) != file.after {
                continue;
            }
            match &file.before {
                Some(bytes) => self
                    .store
                    .memory
                    .write(key, bytes, &write_options(true))
                    .map(drop),
                None => self.store.memory.remove(key),
            }
            .map_err(|error| files::error(error, file.key.as_str()))?;
        }
        Ok(())
    }
}

/// The largest file that an operation takes up. A memory that another tool made too large can still be
/// renamed, removed and brought back; only writing such a one is refused.
pub(super) fn max_bytes(key: &PathKey) -> u64 {
    if super::is_index(key.as_ref()) {
        INDEX_MAX_BYTES
    } else {
        OPERATION_MAX_BYTES / 2
    }
}

/// The largest file that an operation makes.
fn written_max_bytes(key: &PathKey) -> u64 {
    if super::is_index(key.as_ref()) {
        INDEX_MAX_BYTES
    } else {
        MEMORY_MAX_BYTES
    }
}

/// Whether an operation only moves contents that were in the folder before.
fn brings_back(kind: OperationKind) -> bool {
    use OperationKind as Kind;
    matches!(
        kind,
        Kind::Rename
            | Kind::Remove
            | Kind::Restore
            | Kind::Undo
            | Kind::Rollback
            | Kind::HostEdit
            | Kind::Adopt
    )
}

pub(super) fn write_options(replaces: bool) -> WriteOptions {
    let mut options = WriteOptions::default();
    options.create_parents = true;
    if !replaces {
        // Another program may have made the file since; it must not be lost.
        options.mode = WriteMode::CreateNew;
    }
    options
}

fn same_file(a: &Metadata, b: &Metadata) -> bool {
    (a.device, a.inode, a.len, a.modified_ns) == (b.device, b.inode, b.len, b.modified_ns)
}

impl Store {
    /// Changes several files as one operation, which one `undo` takes back.
    ///
    /// Nothing is changed unless every expectation holds. The index is not touched unless it is
    /// among the edits; [`Store::rebuild_index`] makes it true afterwards.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::StaleHash`] when a file is not as expected, [`ErrorKind::Secret`] when a text
    /// may not be stored, [`ErrorKind::Refused`] when the mode of the layer does not allow it.
    pub fn apply(&self, edits: &[Edit], origin: &Origin) -> Result<Option<u64>, Error> {
        let _span = tracing::info_span!("memdir.apply", files = edits.len()).entered();
        for edit in edits {
            let (Edit::Write { path, .. } | Edit::Remove { path, .. }) = edit else {
                continue;
            };
            self.permit(Scope::of(path.as_ref()), origin)?;
            if let Edit::Write { bytes, .. } = edit {
                self.guard_text(path, bytes, origin)?;
            }
        }
        let kind = match origin.writer() {
            Writer::Sync => OperationKind::Pull,
            _ => OperationKind::Apply,
        };
        let (sequence, ()) = self.transact(kind, origin, |transaction| {
            const MESSAGE: &str = "is not as the plan expects it";
            for edit in edits {
                match edit {
                    Edit::Write {
                        path,
                        expect,
                        bytes,
                    } => {
                        transaction.expect(path, *expect, MESSAGE)?;
                        transaction.write(path, bytes.clone())?;
                    }
                    Edit::Remove { path, expect } => {
                        transaction.expect(path, Some(*expect), MESSAGE)?;
                        transaction.remove(path)?;
                    }
                    Edit::Keep { path, expect } => {
                        transaction.expect(path, Some(*expect), MESSAGE)?;
                    }
                }
            }
            Ok(())
        })?;
        Ok(sequence)
    }

    /// Plans an operation under the lock and carries it out. Returns its number, or `None` when
    /// the plan changes nothing.
    ///
    /// `plan` is called again when another program, which does not know our lock, changed one of
    /// the files between reading and writing.
    pub(crate) fn transact<T>(
        &self,
        kind: OperationKind,
        origin: &Origin,
        mut plan: impl FnMut(&mut Transaction<'_>) -> Result<T, Error>,
    ) -> Result<(Option<u64>, T), Error> {
        self.transact_with_journal(kind, origin, |transaction, _| plan(transaction))
    }

    /// As [`Store::transact`], for plans that need the history.
    pub(crate) fn transact_with_journal<T>(
        &self,
        kind: OperationKind,
        origin: &Origin,
        mut plan: impl FnMut(&mut Transaction<'_>, &Journal) -> Result<T, Error>,
    ) -> Result<(Option<u64>, T), Error> {
        let state = self.writable()?;
        let mut locked = self.lock(state)?;
        locked.journal.refresh()?;
        self.finish_under_lock(&mut locked)?;
        for _ in 0..ATTEMPTS {
            let mut transaction = Transaction::new(self);
            let result = plan(&mut transaction, &locked.journal)?;
            // That something was taken back is worth a record even when nothing was left of it: the
            // next one goes further back.
            if transaction.is_empty() && transaction.undoes.is_none() {
                return Ok((None, result));
            }
            transaction.check_size(kind)?;
            if transaction.is_outdated()? {
                continue;
            }
            let draft = transaction.draft(kind, origin);
            let sequence = locked.journal.begin(draft)?.sequence;
            // The sync above took its time; look once more right before writing.
            if transaction.is_outdated()? {
                locked.journal.abandoned(sequence)?;
                continue;
            }
            return match transaction.carry_out() {
                Ok(()) => {
                    finish(&mut locked, sequence);
                    Ok((Some(sequence), result))
                }
                Err(error) => Err(give_up(&mut locked, &transaction, sequence, error)),
            };
        }
        Err(Error::new(
            ErrorKind::Busy,
            "another program keeps changing the same files",
        )
        .with_path(self.dir().display().to_string())
        .with_remedy("try again in a moment"))
    }
}

/// After a failure in the middle: back to the old state. When even that fails, the operation
/// stays open and the next one who opens the store finishes it.
fn give_up(
    locked: &mut Locked<'_>,
    transaction: &Transaction<'_>,
    sequence: u64,
    error: Error,
) -> Error {
    let taken_back = transaction
        .take_back()
        .and_then(|()| locked.journal.abandoned(sequence));
    if let Err(second) = taken_back {
        tracing::error!(sequence, error = %second, "memdir.operation.left_open");
        locked.journal.invalidate();
    }
    error
}

/// The files are as they should be; only the note about it may be missing.
fn finish(locked: &mut Locked<'_>, sequence: u64) {
    if let Err(error) = locked.journal.done(sequence) {
        tracing::warn!(sequence, %error, "memdir.operation.not_marked");
        locked.journal.invalidate();
    }
}
