//! Reading files: one open, one look at the handle, one read.

use std::fs::File;
use std::io::{Seek, SeekFrom};

use super::{MemoryRoot, check_regular, explain};
use crate::error::{Error, ErrorKind};
use crate::key::PathKeyRef;
use crate::metadata::Metadata;
use crate::sys::{Access, FolderOps};

/// Bytes read at a time beyond the size that the handle gave.
const GROWTH_BYTES: u64 = 64 * 1024;

/// Looks at a file with two names before it is refused.
const LINK_ATTEMPTS: usize = 16;

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
    /// [`ErrorKind::Denied`] for a file that may not be read, [`ErrorKind::Io`] when there is no
    /// memory for one that `max_bytes` allows.
    pub fn read(&self, key: PathKeyRef<'_>, max_bytes: u64) -> Result<FileRead, Error> {
        let (file, metadata) = self.open_file(key)?;
        let too_large = || Error::new(ErrorKind::TooLarge).with_key(key.as_str());
        if metadata.len > max_bytes {
            return Err(too_large());
        }
        let mut bytes = Vec::new();
        match self.fill(key, &file, metadata.len, max_bytes, &mut bytes)? {
            Extent::Whole => Ok(FileRead::whole(bytes, metadata, 0)),
            Extent::Cut => Err(too_large()),
        }
    }

    /// Reads the first `max_bytes` of a file, or all of a shorter one; [`FileRead::cut`] says which.
    ///
    /// # Errors
    ///
    /// As [`MemoryRoot::read`], without [`ErrorKind::TooLarge`].
    pub fn read_prefix(&self, key: PathKeyRef<'_>, max_bytes: u64) -> Result<FileRead, Error> {
        self.read_range(key, 0, max_bytes)
    }

    /// Reads at most `max_bytes` from byte `offset` on. Beyond the end there is nothing.
    ///
    /// [`FileRead::cut`] says whether the file goes on, and its `metadata.len` is the length of the
    /// whole file.
    ///
    /// # Errors
    ///
    /// As [`MemoryRoot::read_prefix`].
    pub fn read_range(
        &self,
        key: PathKeyRef<'_>,
        offset: u64,
        max_bytes: u64,
    ) -> Result<FileRead, Error> {
        let (mut file, metadata) = self.open_file(key)?;
        if offset > 0 {
            file.seek(SeekFrom::Start(offset))
                .map_err(|error| Error::io(error).with_key(key.as_str()))?;
        }
        let mut bytes = Vec::new();
        let expected = metadata.len.saturating_sub(offset);
        match self.fill(key, &file, expected, max_bytes, &mut bytes)? {
            Extent::Whole if offset > metadata.len => Ok(FileRead {
                bytes,
                metadata,
                cut: false,
            }),
            Extent::Whole => Ok(FileRead::whole(bytes, metadata, offset)),
            Extent::Cut => Ok(FileRead {
                bytes,
                metadata,
                cut: true,
            }),
        }
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
        let (file, mut metadata) = self.open_file(key)?;
        buffer.clear();
        let extent = self.fill(key, &file, metadata.len, max_bytes, buffer)?;
        let read = buffer.len() as u64;
        metadata.len = match extent {
            Extent::Whole => read,
            // It may have grown after it was looked at.
            Extent::Cut => metadata.len.max(read + 1),
        };
        Ok(metadata)
    }

    /// Opens a file for reading, for callers that read it piece by piece.
    ///
    /// What the handle leads to was checked, and stays what it is. Nothing bounds what is read
    /// through it.
    ///
    /// # Errors
    ///
    /// As [`MemoryRoot::read_prefix`].
    pub fn open_file(&self, key: PathKeyRef<'_>) -> Result<(File, Metadata), Error> {
        self.check_before_read()?;
        match self.folder.open_file(key.as_str(), Access::Read) {
            Ok((file, stat)) => match check_regular(self.options, &stat) {
                Ok(()) => Ok((file, stat.metadata)),
                Err(ErrorKind::HardLink) => match self.single_link(&file) {
                    Some(metadata) => Ok((file, metadata)),
                    None => Err(Error::new(ErrorKind::HardLink).with_key(key.as_str())),
                },
                Err(kind) => Err(Error::new(kind).with_key(key.as_str())),
            },
            Err(error) => Err(explain::failure(&self.folder, key.as_str(), error)),
        }
    }

    /// Gives a file with two names the time to lose one. Where a rename cannot be exclusive, a new
    /// file has its temporary name beside its own for a moment ([`FolderOps::rename`]); a file that
    /// is linked from elsewhere stays so.
    #[cold]
    fn single_link(&self, file: &File) -> Option<Metadata> {
        for _ in 0..LINK_ATTEMPTS {
            std::thread::yield_now();
            let stat = self.folder.stat_file(file).ok()?;
            if check_regular(self.options, &stat).is_ok() {
                return Some(stat.metadata);
            }
        }
        None
    }

    /// Reads to the end of `buffer`, which is empty, what is left of a file whose handle promised
    /// `expected` bytes, and at most `max_bytes`.
    fn fill(
        &self,
        key: PathKeyRef<'_>,
        file: &File,
        expected: u64,
        max_bytes: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<Extent, Error> {
        // One byte more than expected tells a whole file from one that grew, without a second call.
        let bound = if expected > max_bytes {
            max_bytes
        } else {
            max_bytes.saturating_add(1)
        };
        loop {
            let done = buffer.len() as u64;
            let wanted = if done > expected {
                GROWTH_BYTES
            } else {
                expected - done + 1
            };
            let wanted = usize::try_from(wanted.min(bound - done)).unwrap_or(usize::MAX);
            if wanted == 0 {
                break;
            }
            let read = self
                .folder
                .read_once(file, buffer, wanted)
                .map_err(|error| Error::io(error).with_key(key.as_str()))?;
            // A regular file gives less than was asked for at its end only.
            if read == 0 || (read < wanted && buffer.len() as u64 >= expected) {
                break;
            }
        }
        let done = buffer.len() as u64;
        if done > max_bytes {
            buffer.pop();
            return Ok(Extent::Cut);
        }
        let goes_on = expected > max_bytes && done == max_bytes;
        Ok(if goes_on { Extent::Cut } else { Extent::Whole })
    }
}

/// How much of a file was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// Up to its end.
    Whole,
    /// Up to the caller's bound, and the file goes on.
    Cut,
}

impl FileRead {
    /// `bytes` were read from `offset` to the end of the file, which is what its length is then.
    fn whole(bytes: Vec<u8>, mut metadata: Metadata, offset: u64) -> Self {
        metadata.len = offset + bytes.len() as u64;
        Self {
            bytes,
            metadata,
            cut: false,
        }
    }
}
