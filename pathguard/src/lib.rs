//! Decides which paths may be touched, and touches them through a held directory handle.

mod error;
mod key;
mod metadata;
mod reason;
mod root;
mod shown;
mod sys;

pub use error::{Error, ErrorKind};
pub use key::{
    KeyRules, KeySet, MAX_COMPONENT_BYTES, MAX_KEY_BYTES, MAX_KEY_LEVELS, PathKey, PathKeyRef,
    fold_key,
};
pub use metadata::{EntryKind, Metadata};
pub use reason::TraversalReason;
pub use root::{
    AppendOptions, Batch, BatchFailure, BatchReport, Entry, FileRead, FolderLock, ListLimits,
    ListProblem, ListProblemKind, Listing, LockWait, MemoryRoot, RenameOptions, RootCheck,
    RootOptions, SyncPolicy, WriteMode, WriteOptions, WriteTarget,
};
#[doc(hidden)]
pub use sys::Fault;
pub use sys::{Backend, BackendChoice};
