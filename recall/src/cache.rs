//! The index file: one file in a folder of its own, replaced as a whole, trusted in nothing.

use pathguard::{ErrorKind, MemoryRoot, PathKeyRef, SyncPolicy, WriteOptions};

use crate::index::{Damage, Index};

/// Name of the index file in the cache folder.
pub const CACHE_FILE: &str = "recall.index";

/// Name of an empty file that is written to learn what time the file system thinks it is.
const CLOCK_FILE: &str = "recall.clock";

/// A larger index is not read.
const MAX_INDEX_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// File systems stamp changes with a clock that stands still for up to this long (one tick at
/// 100 Hz, the slowest in use, with room to spare).
const TICK_NS: i64 = 20_000_000;

/// What became of the index file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CacheState {
    /// No cache folder was given.
    None,
    /// There was no index file yet.
    Missing,
    /// It was read.
    Loaded,
    /// It was damaged and is rebuilt.
    Damaged,
    /// It came from another version of this crate and is rebuilt.
    OtherVersion,
    /// It came from another memory folder and is rebuilt.
    OtherFolder,
    /// It could not be read.
    Unreadable,
}

fn key(name: &str) -> PathKeyRef<'_> {
    PathKeyRef::parse(name).expect("the names are legal keys, because they are constants")
}

/// Returns the index of the cache folder, if it can be used.
pub(crate) fn load(cache: &MemoryRoot, root: u64) -> (Option<Index>, CacheState) {
    let bytes = match cache.read(key(CACHE_FILE), MAX_INDEX_BYTES) {
        Ok(read) => read.bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return (None, CacheState::Missing),
        Err(_) => return (None, CacheState::Unreadable),
    };
    match Index::open(bytes, root) {
        Ok(index) => (Some(index), CacheState::Loaded),
        Err(Damage::Damaged) => (None, CacheState::Damaged),
        Err(Damage::OtherVersion) => (None, CacheState::OtherVersion),
        Err(Damage::OtherFolder) => (None, CacheState::OtherFolder),
    }
}

/// Replaces the index file. It can be rebuilt at any time, so nothing is forced to the disk, and a
/// failure costs time only; returns whether it was written.
pub(crate) fn store(cache: &MemoryRoot, bytes: &[u8]) -> bool {
    let options = WriteOptions::new().with_sync(SyncPolicy::None);
    cache.write(key(CACHE_FILE), bytes, &options).is_ok()
}

/// Returns a time before which every change has its own stamp: files that changed later and are
/// read from now on might change again without a trace. None when it cannot be learnt.
pub(crate) fn settled_before(cache: &MemoryRoot) -> Option<i64> {
    let options = WriteOptions::new().with_sync(SyncPolicy::None);
    let written = cache.write(key(CLOCK_FILE), b"", &options).ok()?;
    i64::try_from(written.modified_ns)
        .ok()
        .map(|now| now.saturating_sub(TICK_NS))
}

/// Returns what names the folder in the index file.
pub(crate) fn root_id(memory: &MemoryRoot) -> u64 {
    crate::text::term::Term::exact(&memory.path().to_string_lossy()).0
}
