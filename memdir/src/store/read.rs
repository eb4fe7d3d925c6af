//! Reads one memory, or the index.

use pathguard::PathKey;

use super::{Scope, Store};
use crate::error::Error;
use crate::files;
use crate::hash::ContentHash;
use crate::limits::{INDEX_MAX_BYTES, MEMORY_MAX_BYTES};
use crate::{Index, LoadedIndex, Memory, Timestamp};

/// A memory as it is in the folder.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StoredMemory {
    /// The file, relative to the memory folder.
    pub path: PathKey,
    /// What it says.
    pub memory: Memory,
    /// The hash to pass to a save that replaces it. `None` when the file is over the limit and
    /// only its beginning was read.
    pub hash: Option<ContentHash>,
    /// When it was last changed: as the front matter says, else as the file system does.
    pub modified: Timestamp,
    /// The size of the file in bytes.
    pub bytes: u64,
}

impl Store {
    /// Reads the memory that `name` stands for; see [`Store::find`].
    ///
    /// Of a file over [`MEMORY_MAX_BYTES`](crate::limits::MEMORY_MAX_BYTES) the beginning is read,
    /// and the memory says so.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound),
    /// [`ErrorKind::Ambiguous`](crate::ErrorKind::Ambiguous) or
    /// [`ErrorKind::Io`](crate::ErrorKind::Io).
    pub fn read(&self, name: &str) -> Result<StoredMemory, Error> {
        let key = self.find(name)?;
        self.read_path(&key)
    }

    /// Reads the memory at a path.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) or
    /// [`ErrorKind::Io`](crate::ErrorKind::Io).
    pub fn read_path(&self, path: &PathKey) -> Result<StoredMemory, Error> {
        let _span = tracing::debug_span!("memdir.read", path = path.as_str()).entered();
        let read = self
            .memory
            .read_prefix(path.as_ref(), MEMORY_MAX_BYTES)
            .map_err(|error| files::error(error, path.as_str()))?;
        let memory = Memory::parse_prefix(&read.bytes, read.metadata.len);
        Ok(StoredMemory {
            path: path.clone(),
            hash: (!read.cut).then(|| ContentHash::of(&read.bytes)),
            modified: memory
                .modified()
                .unwrap_or_else(|| Timestamp::from_nanoseconds(read.metadata.modified_ns)),
            bytes: read.metadata.len,
            memory,
        })
    }

    /// Reads the index of a scope. A missing one is empty.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooLarge`](crate::ErrorKind::TooLarge) over
    /// [`INDEX_MAX_BYTES`](crate::limits::INDEX_MAX_BYTES), or
    /// [`ErrorKind::Io`](crate::ErrorKind::Io).
    pub fn index(&self, scope: Scope) -> Result<Index, Error> {
        let read =
            files::read_if_exists(&self.memory, scope.index_key().as_ref(), INDEX_MAX_BYTES)?;
        Ok(Index::parse(
            &read.map(|read| read.bytes).unwrap_or_default(),
        ))
    }

    /// Loads the index of a scope as a prompt shows it: within the limits, with a warning when it
    /// had to be cut. An index too large to be read is cut like any other.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) when it cannot be read.
    pub fn load_index(&self, scope: Scope) -> Result<LoadedIndex, Error> {
        let _span = tracing::debug_span!("memdir.index.load").entered();
        let key = scope.index_key();
        let bytes = match self.memory.read_prefix(key.as_ref(), INDEX_MAX_BYTES) {
            Ok(read) => read.bytes,
            Err(error) if error.kind() == pathguard::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(files::error(error, key.as_str())),
        };
        Ok(Index::parse(&bytes).load(&self.options.index_limits))
    }
}
