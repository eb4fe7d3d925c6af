//! Decides which paths may be touched, and touches them through a held directory handle.
//!
//! What the files mean, how they are locked against other programs and where the folder is configured is
//! left to the caller; nothing here reads the environment, the clock or the current folder.
//!
//! Checking a path and opening it afterwards cannot be made safe: between the two steps a folder can be
//! swapped for a link. Here a folder is opened once, and everything below it is reached from that handle.
//!
//! # The parts
//!
//! - [`PathKey`] and [`PathKeyRef`] are checked relative names, owned and borrowed; operations take what
//!   [`PathKey::as_ref`] gives. Parsing is the only way in, and there is no way back to a path. [`KeySet`]
//!   finds names that are one file on some system.
//! - [`MemoryRoot`] is an open folder: read, list, write, append, remove, rename, batch, lock.
//!   [`MemoryRoot::open`] needs one that exists, [`MemoryRoot::open_or_create`] makes it; below it, folders
//!   are made where [`WriteOptions::with_create_parents`] says so. [`MemoryRoot::write_target`] answers "may I write here?" with a handle instead of a string.
//! - [`MemoryDirSpec`] is a folder from a setting. It needs a [`TrustedSource`]; settings that are committed
//!   to a project do not convert into one.
//! - [`canonical_root`] tells which repository a folder belongs to, without asking git and without
//!   believing a forged `.git` file.
//! - [`sanitize_path_key`], [`realpath_deepest_existing`] and [`validate_team_mem_write_path`] are for hosts
//!   that must have a path. A path can go stale; a handle cannot.
//!
//! # Example
//!
//! ```
//! use pathguard::{ErrorKind, MemoryRoot, PathKey, PathKeyRef, RootOptions, WriteOptions};
//!
//! # let scratch = tempfile::tempdir()?;
//! # let folder = scratch.path().join("memory");
//! // `open` needs a folder that exists; `open_or_create` makes it and those above it.
//! let root = MemoryRoot::open_or_create(&folder, &RootOptions::new())?;
//!
//! let key = PathKeyRef::parse("user_role.md")?;
//! root.write(key, b"backend", &WriteOptions::new())?;
//! assert_eq!(root.read(key, 1_024)?.bytes, b"backend");
//!
//! // An owned key, and a file in a folder that is not there yet.
//! let owned: PathKey = PathKey::parse("team/tests.md")?;
//! let refused = root.write(owned.as_ref(), b"twice", &WriteOptions::new()).unwrap_err();
//! assert_eq!(refused.kind(), ErrorKind::NotFound);
//! root.write(owned.as_ref(), b"twice", &WriteOptions::new().with_create_parents(true))?;
//!
//! // A key from a server that would lead elsewhere is no key.
//! let refused = PathKeyRef::parse("%2e%2e/secret.md").unwrap_err();
//! assert_eq!(refused.kind(), ErrorKind::Traversal);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # From a setting to a folder of files
//!
//! A program decides once, at its edge, which folder it works in. From there on it hands the
//! [`MemoryRoot`] around, and no path.
//!
//! ```
//! use pathguard::{
//!     Env, ErrorKind, ListLimits, LockWait, MemoryDirSpec, PathKeyRef, RootOptions, TrustedSource,
//!     WriteOptions,
//! };
//!
//! # let scratch = tempfile::tempdir()?;
//! # let home = scratch.path().canonicalize()?;
//! # if cfg!(unix) {
//! // What a process would read from its environment is handed in.
//! let env = Env::new(Some(home.clone()), home.join("work"));
//! let spec = MemoryDirSpec::resolve("~/notes/memory", TrustedSource::UserSettings, &env)?;
//! let opened = spec.open_or_create(&RootOptions::new())?;
//! for warning in &opened.warnings {
//!     eprintln!("{}: {warning}", spec.path().display());
//! }
//! let root = opened.root;
//!
//! // Several files at once: one wait for the disk, no other process of ours in between.
//! let lock = root.lock(PathKeyRef::parse(".lock")?, &LockWait::default())?;
//! let mut batch = root.batch();
//! for (name, text) in [("MEMORY.md", "- [Tests](team/tests.md)"), ("team/tests.md", "twice")] {
//!     let options = WriteOptions::new().with_create_parents(true);
//!     batch.write(PathKeyRef::parse(name)?, text.as_bytes(), &options)?;
//! }
//! assert_eq!(batch.commit()?.into_result()?, 2);
//! drop(lock);
//!
//! // Bounded and sorted; what cannot be listed is named beside what can.
//! let listing = root.list(&ListLimits::new().with_extension("md"))?;
//! let keys: Vec<&str> = listing.entries.iter().map(|entry| entry.key.as_str()).collect();
//! assert_eq!(keys, ["MEMORY.md", "team", "team/tests.md"]);
//! assert!(listing.problems.is_empty() && !listing.cut);
//!
//! // One kind of error means "missing", and only that one.
//! let missing = root.read(PathKeyRef::parse("team/none.md")?, 1_024).unwrap_err();
//! assert_eq!(missing.kind(), ErrorKind::NotFound);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Hostile input
//!
//! - Keys may be any text. Empty, absolute and dot components, separators and NUL behind percent or `%u`
//!   escapes, look-alikes, device names, alternate streams, trailing dots, `.git` and invisible characters are
//!   refused; decoded and folded forms only raise suspicion and are never used.
//! - Links, also in the middle of a path, FIFOs, sockets, devices and files with a second link are refused
//!   without being opened for data. Nothing waits for a writer, and nothing is read beyond a bound.
//! - A folder that is swapped for a link during an operation leads to an error, not elsewhere.
//! - Only [`ErrorKind::NotFound`] means "missing"; every other failure is one.
//! - Errors show keys escaped and shortened, and never contents.
//!
//! # Writes
//!
//! A temporary file of a random name in the same folder, its data synced, renamed over the target, the
//! folder synced. [`MemoryRoot::batch`] syncs once for many. Files are 0600 and folders 0700 whatever the
//! umask.
//!
//! # Platforms
//!
//! Linux uses `openat2` where the kernel has it and lets it through, elsewhere and on other Unix systems one
//! `openat` per component. Windows goes through `cap-std`. All pass the same table of tests on Linux; the
//! others are built by construction.
//!
//! # Speed
//!
//! Opening costs one `openat2` and one `fstat`, reading one `read` more: a call less than
//! [`std::fs::read`]. Where an agent keeps its memory, eight components below the root of the file system,
//! that is 1.11 of std's open and 0.84 of its read by path; a listing of 10,000 files with their metadata is
//! 0.91. Figures with their conditions, and those that are worse, stand in the README; `cargo bench -p
//! pathguard` gives them.
//!
//! # Not covered
//!
//! A process of the same user that writes the folder directly, mounts made by root, and network file
//! systems without an atomic rename. [`MemoryRoot::lock`] is advisory: it holds against those who ask.
//!
//! # Features
//!
//! None.

mod error;
mod git;
mod key;
mod lexical;
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
pub use lexical::lexically_normal;
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

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
