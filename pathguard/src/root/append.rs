//! Appending: one write to the end, safe with several writers.

use std::fs::File;
use std::io::{self, Write};

use super::temporary::NAME_ATTEMPTS;
use super::write::{FILE_MODE, SyncPolicy, with_mode};
use super::{MemoryRoot, check_regular, explain};
use crate::error::{Error, ErrorKind};
use crate::key::PathKeyRef;
use crate::metadata::Metadata;
use crate::sys::{Access, Folder, FolderOps, Stat};

/// How something is appended to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AppendOptions {
    /// Whether a missing file is made; `true`.
    pub create: bool,
    /// Whether missing folders are made, with mode `0700`; `false`.
    pub create_parents: bool,
    /// What the call waits for; [`SyncPolicy::Full`].
    pub sync: SyncPolicy,
    /// Permission bits of a file that is made, whatever the umask; `0600`. Ignored on Windows.
    pub unix_mode: u32,
}

impl Default for AppendOptions {
    fn default() -> Self {
        Self {
            create: true,
            create_parents: false,
            sync: SyncPolicy::default(),
            unix_mode: FILE_MODE,
        }
    }
}

impl AppendOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets [`AppendOptions::create`].
    #[must_use]
    pub fn with_create(mut self, create: bool) -> Self {
        self.create = create;
        self
    }

    /// Sets [`AppendOptions::create_parents`].
    #[must_use]
    pub fn with_create_parents(mut self, create: bool) -> Self {
        self.create_parents = create;
        self
    }

    /// Sets [`AppendOptions::sync`].
    #[must_use]
    pub fn with_sync(mut self, sync: SyncPolicy) -> Self {
        self.sync = sync;
        self
    }
}

impl MemoryRoot {
    /// Appends `bytes` to a file with a single `O_APPEND` write, so that entries of several writers
    /// on one machine do not mix. Returns the metadata after it.
    ///
    /// # Errors
    ///
    /// As [`MemoryRoot::write`]. When the operating system takes only part of `bytes` (a full
    /// disk), the error is [`ErrorKind::Io`] and the part stays: nothing that another writer may
    /// have appended since is cut off.
    pub fn append(
        &self,
        key: PathKeyRef<'_>,
        bytes: &[u8],
        options: &AppendOptions,
    ) -> Result<Metadata, Error> {
        self.check_before_change()?;
        let parent = self.parent_or_create(key, options.create_parents, options.sync)?;
        self.append_in(parent.folder(), key, bytes, options)
    }

    pub(super) fn append_in(
        &self,
        parent: &Folder,
        key: PathKeyRef<'_>,
        bytes: &[u8],
        options: &AppendOptions,
    ) -> Result<Metadata, Error> {
        let failed = |error| Error::io(error).with_key(key.as_str());
        let opened = if options.create {
            self.open_or_create_file(parent, key, Access::Append, options.unix_mode)?
        } else {
            self.open_existing_file(parent, key, Access::Append)?
        };
        let mut file = &opened.file;
        let written = loop {
            match file.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result.map_err(failed)?,
            }
        };
        if written < bytes.len() {
            return Err(failed(io::ErrorKind::WriteZero.into()));
        }
        if options.sync == SyncPolicy::Full {
            self.syncs.file(file).map_err(failed)?;
            if opened.is_new {
                self.syncs.folder(parent).map_err(failed)?;
            }
        }
        Ok(parent.stat_file(file).map_err(failed)?.metadata)
    }

    /// Opens a regular file, or makes it with exactly the bits of `mode`.
    pub(super) fn open_or_create_file(
        &self,
        parent: &Folder,
        key: PathKeyRef<'_>,
        access: Access,
        mode: u32,
    ) -> Result<OpenedFile, Error> {
        let failed = |error| Error::io(error).with_key(key.as_str());
        for _ in 0..NAME_ATTEMPTS {
            match self.open_existing_file(parent, key, access) {
                Err(error) if error.is_not_found() => {}
                result => return result,
            }
            match parent.create_new(key.file_name(), access, mode) {
                Ok(file) => {
                    with_mode(parent, &file, mode).map_err(failed)?;
                    let stat = parent.stat_file(&file).map_err(failed)?;
                    return Ok(OpenedFile {
                        file,
                        stat,
                        is_new: true,
                    });
                }
                // Somebody else made it first; open theirs.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Err(Error::new(ErrorKind::Changed).with_key(key.as_str()))
    }

    fn open_existing_file(
        &self,
        parent: &Folder,
        key: PathKeyRef<'_>,
        access: Access,
    ) -> Result<OpenedFile, Error> {
        let (file, stat) = parent
            .open_file(key.file_name(), access)
            .map_err(|error| explain::failure(&self.folder, key.as_str(), error))?;
        check_regular(self.options, &stat)
            .map_err(|kind| Error::new(kind).with_key(key.as_str()))?;
        Ok(OpenedFile {
            file,
            stat,
            is_new: false,
        })
    }
}

pub(super) struct OpenedFile {
    pub(super) file: File,
    pub(super) stat: Stat,
    pub(super) is_new: bool,
}
