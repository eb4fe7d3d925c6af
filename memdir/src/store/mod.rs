//! The store: a memory folder with its index, its lock and its history.

mod check;
mod daily_log;
mod history;
mod inbox;
mod index;
mod index_line;
mod list;
mod merge;
mod names;
mod options;
mod outcome;
mod picture;
mod purge;
mod read;
mod remove;
mod rename;
mod repair;
mod save;
mod snapshot;
mod transaction;
mod undo;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pathguard::{FolderLock, LockWait, MemoryRoot, RootOptions};

pub use check::{CheckCounts, CheckOptions, CheckReport};
pub use daily_log::{LogEntry, log_pattern};
pub use history::{History, Revision};
pub use inbox::{Candidate, InboxItem, InboxList};
pub use index::Rebuilt;
pub use list::{ListOptions, MemoryList, MemorySummary};
pub use names::Scope;
pub(crate) use names::{is_index, is_markdown, is_memory};
pub use options::{Origin, StoreOptions, Writer};
pub(crate) use options::{Permission, permission};
pub use outcome::{IndexOutcome, IndexOverLimit, Saved, Submitted};
pub(crate) use picture::Album;
pub use purge::{PurgeOptions, PurgeReport};
pub use read::StoredMemory;
pub use remove::Removed;
pub use rename::Renamed;
pub use repair::RepairReport;
pub use save::{Expect, SaveFile, SaveRequest};
pub use snapshot::{SnapshotId, SnapshotInfo};
pub use transaction::Edit;
pub(crate) use transaction::Transaction;
pub use undo::Undone;

use crate::Timestamp;
use crate::error::Error;
use crate::files;
use crate::journal::Journal;

/// The lock of a memory folder, in its state folder.
const LOCK_FILE: &str = "lock";

/// How long to wait before asking for the lock again. An operation takes a few milliseconds.
const LOCK_PAUSE: Duration = Duration::from_millis(2);

/// A memory folder with its index, its lock and its history.
///
/// Every operation that writes holds the folder's lock, is recorded before it is done, and is
/// finished by the next one who opens the store when the process dies in between. Several stores
/// may be open on one folder, in one process or in many; none loses what another one wrote.
///
/// # Example
///
/// ```
/// use memdir::{FixedClock, MemoryType, Origin, SaveRequest, Store, StoreOptions};
///
/// let scratch = tempfile::tempdir()?;
/// let clock = FixedClock::new("2026-03-05T14:02:11Z".parse()?, 0);
/// let store = Store::open(&scratch.path().join("memory"), StoreOptions::new(clock))?;
///
/// let me = Origin::person("example");
/// let request = SaveRequest::new(MemoryType::User, "Role", "backend developer", "Ten years of Go.");
/// let saved = store.save(&request, &me)?;
/// assert_eq!(saved.path.as_str(), "user_role.md");
/// assert_eq!(store.read("Role")?.memory.body(), "Ten years of Go.\n");
///
/// store.remove("Role", &me)?;
/// assert!(store.list(&Default::default())?.memories.is_empty());
/// store.undo(&me)?;
/// assert_eq!(store.list(&Default::default())?.memories.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Store {
    memory: MemoryRoot,
    state: Option<State>,
    options: StoreOptions,
    opened: OpenReport,
}

/// What can be written to: the state folder and the journal in it.
#[derive(Debug)]
struct State {
    root: MemoryRoot,
    journal: Mutex<Journal>,
}

/// What was found when a store was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenReport {
    /// The number of the operation that a dead process had left half done, and that was finished.
    pub finished_operation: Option<u64>,
    /// Why an operation that is half done could not be finished, for example because the disk is full or
    /// another process is still at it. Memories can be read; every change tries again first.
    pub unfinished: Option<String>,
    /// Why the store can only be read, when it can.
    pub read_only: Option<String>,
}

impl Store {
    /// Opens the memory folder at `dir`, making it and its state folder where they are missing.
    ///
    /// When a process died in the middle of an operation, the operation is finished first; when that
    /// fails, [`OpenReport::unfinished`] says why. When the state folder cannot be written, the store
    /// opens for reading.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused) when the path is no folder,
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) when it cannot be opened.
    pub fn open(dir: &Path, options: StoreOptions) -> Result<Self, Error> {
        let memory = MemoryRoot::open_or_create(dir, &options.root_options())
            .map_err(|error| files::error(error, &dir.display().to_string()))?;
        Self::from_root(memory, options)
    }

    /// Opens a store on a memory folder that is held already, for example by
    /// [`MemoryDirSpec::open`](pathguard::MemoryDirSpec::open).
    ///
    /// # Errors
    ///
    /// As [`Store::open`].
    pub fn from_root(memory: MemoryRoot, options: StoreOptions) -> Result<Self, Error> {
        let _span = tracing::info_span!("memdir.open").entered();
        let dir = memory.path().to_path_buf();
        let mut store = Self {
            memory,
            state: None,
            opened: OpenReport::default(),
            options,
        };
        match store.open_state(&dir) {
            Ok(state) => store.state = Some(state),
            Err(error) => {
                tracing::warn!(%error, "memdir.open.read_only");
                store.opened.read_only = Some(error.to_string());
                return Ok(store);
            }
        }
        // Whoever only wants to read must be able to, whatever is wrong with the history.
        if let Err(error) = store.finish_pending() {
            tracing::warn!(%error, "memdir.open.unfinished");
            store.opened.unfinished = Some(error.to_string());
        }
        Ok(store)
    }

    fn open_state(&self, dir: &Path) -> Result<State, Error> {
        let state_dir = self.options.state_dir_for(dir);
        let root = MemoryRoot::open_or_create(
            &state_dir,
            &RootOptions::new().with_volatile(self.options.volatile),
        )
        .map_err(|error| files::error(error, &state_dir.display().to_string()))?;
        let journal = Journal::open(&root, self.options.journal_limits)?;
        Ok(State {
            root,
            journal: Mutex::new(journal),
        })
    }

    /// The path of the memory folder, as it was opened.
    pub fn dir(&self) -> &Path {
        self.memory.path()
    }

    /// The path of the state folder, when it could be opened.
    pub fn state_dir(&self) -> Option<PathBuf> {
        Some(self.state.as_ref()?.root.path().to_path_buf())
    }

    /// The folder of the memories, for reading. Writing past the store skips lock and journal.
    pub fn root(&self) -> &MemoryRoot {
        &self.memory
    }

    /// What was found when the store was opened.
    pub fn open_report(&self) -> &OpenReport {
        &self.opened
    }

    /// Whether the state folder could be opened. Without it every change is refused.
    pub fn is_writable(&self) -> bool {
        self.state.is_some()
    }

    /// The options that the store was opened with.
    pub fn options(&self) -> &StoreOptions {
        &self.options
    }

    /// The bytes that the history takes on disk.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) when the journal cannot be listed.
    pub fn journal_bytes(&self) -> Result<u64, Error> {
        match &self.state {
            Some(state) => state.journal().bytes(),
            None => Ok(0),
        }
    }

    /// The root of the state folder, for what other parts of the program keep there.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused) when the store is open for reading only.
    pub fn state_root(&self) -> Result<&MemoryRoot, Error> {
        Ok(&self.writable()?.root)
    }

    /// The number of the last operation that nobody is in the middle of.
    pub(crate) fn last_finished_operation(&self) -> Result<u64, Error> {
        let mut journal = self.writable()?.journal();
        journal.refresh()?;
        let last = journal.last_sequence();
        Ok(last - u64::from(journal.pending() == Some(last) && last > 0))
    }

    fn writable(&self) -> Result<&State, Error> {
        self.state.as_ref().ok_or_else(|| {
            let reason = self.opened.read_only.clone().unwrap_or_default();
            Error::refused("the store can only be read")
                .with_path(self.dir().display().to_string())
                .with_remedy(format!("make the state folder writable ({reason})"))
        })
    }

    fn now(&self) -> Timestamp {
        self.options.clock().now()
    }

    /// Takes the lock of the folder and makes sure that nobody replaced the folder meanwhile.
    fn lock<'a>(&self, state: &'a State) -> Result<Locked<'a>, Error> {
        // First the threads of this process among themselves, then the processes.
        let journal = state.journal();
        let key = files::key(LOCK_FILE);
        let attempts = self.options.lock_wait.as_millis() / LOCK_PAUSE.as_millis() + 1;
        let wait = LockWait::new(u32::try_from(attempts).unwrap_or(u32::MAX), LOCK_PAUSE);
        let folder = state
            .root
            .lock(key.as_ref(), &wait)
            .map_err(|error| files::error(error, &self.dir().display().to_string()))?;
        self.memory
            .verify_still_linked()
            .map_err(|error| files::error(error, &self.dir().display().to_string()))?;
        Ok(Locked {
            journal,
            _folder: folder,
        })
    }
}

impl State {
    fn journal(&self) -> MutexGuard<'_, Journal> {
        // A thread that panicked left at worst an old view of the tail; a refresh corrects it.
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to change the folder.
#[derive(Debug)]
struct Locked<'a> {
    journal: MutexGuard<'a, Journal>,
    _folder: FolderLock,
}
