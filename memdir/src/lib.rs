//! Reads, writes, indexes, journals and describes a folder of Markdown memories.
//!
//! Choosing the memories that matter for a question, extracting new ones from a conversation and sharing
//! them with a team is left to the crates above; asking a model is never done here.
//!
//! One memory is one Markdown file with a few lines of front matter, so that people read, edit and
//! version it with the tools they have. The folder is the one that Claude Code documents for its auto
//! memory: `<home>/projects/<project key>/memory/`, with `MEMORY.md` as its index.
//!
//! # The parts
//!
//! - [`Location`] finds the folder of a project: [`Home`], [`Settings`] with their trust levels, git
//!   worktrees, colliding keys, and stores that a renamed project left behind ([`Location::orphans`]).
//! - [`Store`] is the folder: list, read, save with an expected hash, remove, rename, history, restore,
//!   undo, snapshot, purge, check. Every change is one journaled operation under a lock.
//! - [`Memory`] and [`Header`] read a file leniently and write it stably; [`Index`] does the same for
//!   `MEMORY.md`, with its limits of 200 lines and 25,000 bytes.
//! - [`prompt`] writes what a model is told about its memory.
//! - [`lint`] says what is wrong with a folder, and how to mend it; [`find_relative_dates`] finds "next
//!   Thursday" and 下周四 and says which day that is.
//! - [`Store::check_write`], [`Store::watch`] and [`Store::reconcile`] guard and record the edits that a
//!   host's own tools make.
//! - [`SessionFiles`] and [`SessionLog`] keep what a session remembers between its processes, and what people
//!   may ask about it later, in bounded files of the state folder.
//!
//! # Example
//!
//! ```
//! use memdir::{Expect, FixedClock, MemoryType, Origin, SaveRequest, Store, StoreOptions};
//!
//! let scratch = tempfile::tempdir()?;
//! let clock = FixedClock::new("2026-03-05T14:02:11Z".parse()?, 0);
//! let store = Store::open(&scratch.path().join("memory"), StoreOptions::new(clock))?;
//! let me = Origin::person("example");
//!
//! let body = "Squash before merging.\n\n**Why:** bisecting\n**How to apply:** every pull request\n";
//! let request = SaveRequest::new(MemoryType::Feedback, "Squash merges", "one commit a change", body);
//! let saved = store.save(&request, &me)?;
//! assert_eq!(saved.path.as_str(), "feedback_squash_merges.md");
//!
//! // Whoever replaces it must have seen it.
//! let stale = store.save(&request, &me).unwrap_err();
//! assert_eq!(stale.kind(), memdir::ErrorKind::StaleHash);
//! store.save(&request.replacing("Squash merges", Expect::Hash(saved.hash)), &me)?;
//!
//! store.remove("Squash merges", &me)?;
//! store.undo(&me)?;
//! assert!(store.load_index(Default::default())?.text.contains("feedback_squash_merges.md"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Nothing lost
//!
//! A save appends one record to the journal, with everything needed to finish or undo it, and syncs it
//! before any file is touched; then it writes the files by rename. When the process dies, the next one who
//! opens the store finishes the operation. Two processes that save at once end with both files and both
//! index lines. A save costs at most five syncs.
//!
//! # Hostile input
//!
//! Files may hold anything: invalid UTF-8, broken front matter, a million keys, text that forges the
//! index. Nothing panics or hangs; a file that cannot be understood is one [`Problem`] in a result, never an
//! abort of the folder. All files are reached through `pathguard`'s held folder: links, pipes and devices
//! are listed as problems and never opened. Credentials are looked for on every write: team files and
//! background writers are refused, with rule and line and never the value. Settings that are committed to a
//! repository can switch memory off and can neither switch it on nor move it.
//!
//! Nothing here reads the clock, the environment or the home folder: [`Clock`] and [`Environment`] are
//! arguments.
//!
//! # Limits
//!
//! All bounds are constants in [`limits`]. The lock is advisory: a program that writes the folder without
//! it is noticed by [`Store::reconcile`], not stopped. `undo` goes back one operation at a time, as far as
//! the journal reaches (a year or 64 MiB). See `docs/KNOWN-LIMITS.md` of the repository.
//!
//! # Features
//!
//! None.

pub use clock::{Clock, FixedClock};
pub use conflict_name::ConflictName;
pub use date::{DatePrecision, RelativeDate, find_relative_dates};
pub use error::{CurrentState, Error, ErrorKind};
pub use guard::{Reconciled, SecretFinding, Watch, WriteCheck, WriteDecision};
pub use hash::ContentHash;
pub use header::Header;
pub use index::{
    Budget, BudgetState, CompactionPlan, CompactionStep, Entry, EntryForm, INDEX_FILE, Index,
    IndexItem, IndexLimits, LoadedIndex, StepAction, Usage,
};
pub use journal::{JournalLimits, OperationKind};
pub use layout::{
    Adopted, GitProgram, Home, HomeSource, Identity, Location, OrphanedStore, RepositoryFacts,
    git_remote, normalise_remote,
};
pub use memory::Memory;
pub use memory_type::MemoryType;
pub use name::file_name;
pub use problem::{Problem, ProblemCode};
pub use session_files::{SessionFiles, plain_name};
pub use session_log::{SessionLog, SessionRecord};
pub use settings::{
    Decisions, DirectoryChoice, Environment, Layer, Mode, ModeSettings, Modes, ProjectSettings,
    SecretAction, Settings, SettingsPlaces, SettingsWarning, TeamServer, TrustedSettings,
    VARIABLES, Variable, managed_settings_path,
};
pub use store::{
    Candidate, CheckCounts, CheckOptions, CheckReport, Edit, Expect, History, InboxItem, InboxList,
    IndexOutcome, IndexOverLimit, ListOptions, LogEntry, MemoryList, MemorySummary, OpenReport,
    Origin, PurgeOptions, PurgeReport, Rebuilt, Removed, Renamed, RepairReport, Revision, SaveFile,
    SaveRequest, Saved, Scope, SnapshotId, SnapshotInfo, Store, StoreOptions, StoredMemory,
    Submitted, Undone, Writer, log_pattern,
};
pub use timestamp::{Date, InvalidTime, Timestamp, Weekday};

/// Its types stand in this crate's interface ([`Store::root`], [`Store::from_root`]).
#[doc(no_inline)]
pub use pathguard;

pub mod limits;
pub mod lint;
pub mod prompt;

mod clock;
mod conflict_name;
mod date;
mod edit;
mod error;
mod files;
mod format;
mod guard;
mod hash;
mod header;
mod index;
mod journal;
mod labels;
mod layout;
mod markdown;
mod memory;
mod memory_type;
mod name;
mod problem;
mod session_files;
mod session_log;
mod settings;
mod store;
mod text;
mod timestamp;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
