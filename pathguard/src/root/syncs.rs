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
pub(super) struct Syncs(Arc<AtomicU64>);

impl Syncs {
    pub(super) fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Makes the contents of a file durable.
    pub(super) fn file(&self, file: &File) -> io::Result<()> {
        self.0.fetch_add(1, Ordering::Relaxed);
        file.sync_data()
    }

    /// Makes the names in a folder durable.
    pub(super) fn folder(&self, folder: &Folder) -> io::Result<()> {
        self.0.fetch_add(1, Ordering::Relaxed);
        folder.sync()
    }

    /// Makes everything on the file system of a folder durable, where there is such a call.
    pub(super) fn file_system(&self, folder: &Folder) -> io::Result<()> {
        self.0.fetch_add(1, Ordering::Relaxed);
        folder.sync_file_system()
    }
}
