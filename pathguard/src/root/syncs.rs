//! Waiting for the disk, counted.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::sys::{Folder, FolderOps};

/// Every wait for the disk goes through here, so that [`MemoryRoot::sync_count`] is true.
///
/// [`MemoryRoot::sync_count`]: super::MemoryRoot::sync_count
#[derive(Clone, Debug, Default)]
pub(super) struct Syncs {
    count: Arc<AtomicU64>,
    /// Nothing is waited for, see [`RootOptions::volatile`](super::RootOptions::volatile).
    is_volatile: bool,
}

impl Syncs {
    pub(super) fn new(is_volatile: bool) -> Self {
        Self {
            count: Arc::default(),
            is_volatile,
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    fn wait(&self, sync: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        if self.is_volatile {
            return Ok(());
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        sync()
    }

    /// Makes the contents of a file durable.
    pub(super) fn file(&self, file: &File) -> io::Result<()> {
        self.wait(|| file.sync_data())
    }

    /// Makes the names in a folder durable.
    pub(super) fn folder(&self, folder: &Folder) -> io::Result<()> {
        self.wait(|| folder.sync())
    }

    /// Makes everything on the file system of a folder durable, where there is such a call.
    pub(super) fn file_system(&self, folder: &Folder) -> io::Result<()> {
        self.wait(|| folder.sync_file_system())
    }
}
