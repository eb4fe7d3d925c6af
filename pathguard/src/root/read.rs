//! Reading files: one open, one look at the handle, one read.

use std::fs::File;

use super::{MemoryRoot, check_regular, explain};
use crate::error::{Error, ErrorKind};
use crate::key::PathKeyRef;
use crate::metadata::Metadata;
use crate::sys::{Access, FolderOps, Stat};

/// Bytes read at a time beyond the size that the handle gave.
const GROWTH_BYTES: u64 = 64 * 1024;

/// The contents of a file, as far as they were read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileRead {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// What the handle said before reading. When the file was read to its end, `len` is the number
    /// of bytes read.
    pub metadata: Metadata,
    /// Whether the file goes on after `bytes`.
    pub cut: bool,
}

impl MemoryRoot {
    /// Reads a whole file of at most `max_bytes`.
    ///
    /// The bound holds for what the file claims and for what it delivers, so neither a sparse file
    /// nor one that grows meanwhile takes more memory.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooLarge`] when the file is larger, without reading it. [`ErrorKind::NotFound`]
    /// is the only one that means "missing". [`ErrorKind::NotRegular`] for folders, FIFOs, sockets
    /// and devices, [`ErrorKind::HardLink`] for a file with a second name,
    /// [`ErrorKind::Traversal`], [`ErrorKind::Loop`] or [`ErrorKind::Dangling`] for links,
    /// [`ErrorKind::Denied`] for a file that may not be read.
    pub fn read(&self, key: PathKeyRef<'_>, max_bytes: u64) -> Result<FileRead, Error> {
        let (file, stat) = self.open_regular(key, Access::Read)?;
        if stat.metadata.len > max_bytes {
            return Err(Error::new(ErrorKind::TooLarge).with_key(key.as_str()));
        }
        let read = self.read_open(key, &file, &stat, max_bytes, Vec::new())?;
        if read.cut {
            return Err(Error::new(ErrorKind::TooLarge).with_key(key.as_str()));
        }
        Ok(read)
    }

    /// Reads the first `max_bytes` of a file, or all of a shorter one; [`FileRead::cut`] says which.
    ///
    /// # Errors
    ///
    /// As [`MemoryRoot::read`], without [`ErrorKind::TooLarge`].
    pub fn read_prefix(&self, key: PathKeyRef<'_>, max_bytes: u64) -> Result<FileRead, Error> {
        let (file, stat) = self.open_regular(key, Access::Read)?;
        self.read_open(key, &file, &stat, max_bytes, Vec::new())
    }

    /// As [`MemoryRoot::read_prefix`], into a buffer that the caller keeps: its contents are
    /// replaced, its memory is used again. The file goes on when the `len` returned is larger than
    /// the number of bytes in the buffer.
    ///
    /// # Errors
    ///
    /// As [`MemoryRoot::read_prefix`]. The contents of the buffer are unspecified then.
    pub fn read_into(
        &self,
        key: PathKeyRef<'_>,
        max_bytes: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<Metadata, Error> {
        let (file, stat) = self.open_regular(key, Access::Read)?;
        let mut bytes = std::mem::take(buffer);
        bytes.clear();
        let read = self.read_open(key, &file, &stat, max_bytes, bytes)?;
        *buffer = read.bytes;
        let mut metadata = read.metadata;
        if read.cut {
            metadata.len = metadata.len.max(buffer.len() as u64 + 1);
        }
        Ok(metadata)
    }

    /// Opens a regular file through the held handle.
    pub(super) fn open_regular(
        &self,
        key: PathKeyRef<'_>,
        access: Access,
    ) -> Result<(File, Stat), Error> {
        self.check_before_read()?;
        let (file, stat) = self
            .folder
            .open_file(key.as_str(), access)
            .map_err(|error| explain::failure(&self.folder, key.as_str(), error))?;
        check_regular(&self.options, &stat)
            .map_err(|kind| Error::new(kind).with_key(key.as_str()))?;
        Ok((file, stat))
    }

    fn read_open(
        &self,
        key: PathKeyRef<'_>,
        file: &File,
        stat: &Stat,
        max_bytes: u64,
        mut bytes: Vec<u8>,
    ) -> Result<FileRead, Error> {
        let mut metadata = stat.metadata;
        // One byte more than expected tells a whole file from one that grew, without a second call.
        let bound = if metadata.len > max_bytes {
            max_bytes
        } else {
            max_bytes.saturating_add(1)
        };
        loop {
            let done = bytes.len() as u64;
            let expected = metadata.len.saturating_sub(done).saturating_add(1);
            let wanted = if done > metadata.len {
                GROWTH_BYTES
            } else {
                expected
            };
            let wanted = usize::try_from(wanted.min(bound - done)).unwrap_or(usize::MAX);
            if wanted == 0 {
                break;
            }
            let read = self
                .folder
                .read_once(file, &mut bytes, wanted)
                .map_err(|error| Error::io(error).with_key(key.as_str()))?;
            // A regular file gives less than was asked for at its end only.
            let at_end = read < wanted && bytes.len() as u64 >= metadata.len;
            if read == 0 || at_end {
                break;
            }
        }
        let goes_on = metadata.len > max_bytes && bytes.len() as u64 == max_bytes;
        let cut = goes_on || bytes.len() as u64 > max_bytes;
        bytes.truncate(usize::try_from(max_bytes).unwrap_or(usize::MAX));
        if !cut {
            metadata.len = bytes.len() as u64;
        }
        Ok(FileRead {
            bytes,
            metadata,
            cut,
        })
    }
}
