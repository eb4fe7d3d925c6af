//! placeholder

pub use clock::{Clock, FixedClock};
pub use date::{DatePrecision, RelativeDate, find_relative_dates};
pub use error::{CurrentState, Error, ErrorKind};
pub use format::{HEADER_BYTES, HEADER_LINES, MAX_FRONT_MATTER_BYTES};
pub use guard::{Reconciled, SecretFinding, Watch, WriteCheck, WriteDecision};
pub use hash::ContentHash;
pub use header::Header;
pub use index::{
    Budget, BudgetState, CompactionPlan, CompactionStep, Entry, EntryForm, INDEX_FILE, Index,
    IndexItem, IndexLimits, LoadedIndex, MAX_ENTRY_CHARS, NEAR_PERCENT, StepAction, Usage,
};
pub use journal::{JournalLimits, OperationKind};
pub use layout::{
    Adopted, GitProgram, Home, HomeSource, Identity, Location, OrphanedStore, RepositoryFacts,
    normalise_remote,
};
pub use memory::Memory;
pub use memory_type::MemoryType;
pub use name::{MAX_SLUG_BYTES, file_name};
pub use problem::{Problem, ProblemCode};
pub use settings::{
    Decisions, DirectoryChoice, Environment, Layer, Mode, ModeSettings, Modes, ProjectSettings,
    SecretAction, Settings, SettingsPlaces, SettingsWarning, TrustedSettings, VARIABLES, Variable,
    managed_settings_path,
};
pub use store::{
    Candidate, CheckOptions, CheckReport, Edit, Expect, History, InboxItem, InboxList,
    IndexOutcome, IndexOverLimit, ListOptions, LogEntry, MemoryList, MemorySummary, OpenReport,
    Origin, PurgeOptions, PurgeReport, Rebuilt, Removed, Renamed, RepairReport, Revision, SaveFile,
    SaveRequest, Saved, Scope, SnapshotId, SnapshotInfo, Store, StoreOptions, StoredMemory,
    Submitted, Undone, Writer, log_pattern,
};
pub use timestamp::{Date, InvalidTime, Timestamp, Weekday};

pub mod limits;
pub mod lint;
pub mod prompt;

mod clock;
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
mod settings;
mod store;
mod text;
mod timestamp;
