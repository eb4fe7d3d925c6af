//! Decides which paths may be touched, and touches them through a held directory handle.

mod error;
mod git;
mod key;
mod memory_dir;
mod metadata;
mod project_key;
mod reason;
mod root;
mod shown;
mod sys;
mod team_paths;

pub use error::{Error, ErrorKind};
pub use git::{GitRoot, GitRootKind, canonical_root};
pub use key::{
    KeyRules, KeySet, MAX_COMPONENT_BYTES, MAX_KEY_BYTES, MAX_KEY_LEVELS, PathKey, PathKeyRef,
    fold_key,
};
pub use memory_dir::{DirWarning, Env, MemoryDirSpec, OpenedDir, SettingsSource, TrustedSource};
pub use metadata::{EntryKind, Metadata};
pub use project_key::project_key;
pub use reason::TraversalReason;
pub use root::{
    AppendOptions, Batch, BatchFailure, BatchReport, Entry, FileRead, FolderLock, ListLimits,
    ListProblem, ListProblemKind, Listing, LockWait, MemoryRoot, RenameOptions, RootCheck,
    RootOptions, SyncPolicy, WriteMode, WriteOptions, WriteTarget,
};
#[doc(hidden)]
pub use sys::Fault;
pub use sys::{Backend, BackendChoice};
pub use team_paths::{
    PathTraversalError, realpath_deepest_existing, sanitize_path_key, validate_team_mem_write_path,
};

// The table of tests that every backend has to pass, here for the one that only Windows uses.
#[cfg(test)]
extern crate self as pathguard;
#[cfg(test)]
const BACKENDS: &[BackendChoice] = &[BackendChoice::Forced(Backend::CapStd)];
#[cfg(test)]
#[path = "../tests/table/mod.rs"]
mod table;
