//! Replacing whole files: a temporary file in the same folder, then a rename.

use std::fs::File;
use std::io::{self, Write};

use super::temporary::{NAME_ATTEMPTS, temporary_name};
use super::{MemoryRoot, change};
use crate::error::{Error, ErrorKind};
use crate::key::PathKeyRef;
use crate::metadata::Metadata;
use crate::sys::{Access, Folder, FolderOps};

/// Permission bits of the files we make.
pub(super) const FILE_MODE: u32 = 0o600;

/// What a write expects to find.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteMode {
    /// The file is made, or replaced if it exists.
    #[default]
    CreateOrReplace,
    /// The file must not exist. Of several writers, one succeeds.
    CreateNew,
    /// The file must exist. It is looked at before it is replaced; a file that is removed in
    /// between is made again.
    ReplaceExisting,
}

/// What a change waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SyncPolicy {
    /// The contents are on the disk before they get their name, and the name before the call
    /// returns: a crash leaves the old file or the new one, and a success stays.
    #[default]
    Full,
    /// Nothing. Other processes see the old file or the new one; a crash of the operating system
    /// may lose the change, and on some file systems leave an empty file.
    None,
}

/// How a file is written. The defaults are the safe ones.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteOptions {
    /// What the write expects to find; [`WriteMode::CreateOrReplace`].
    pub mode: WriteMode,
    /// What the write waits for; [`SyncPolicy::Full`].
    pub sync: SyncPolicy,
    /// Whether missing folders are made, with mode `0700`; `false`.
    pub create_parents: bool,
    /// Permission bits of the file, whatever the umask and whatever they were before; `0600`.
    /// Ignored on Windows.
    pub unix_mode: u32,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self {
            mode: WriteMode::default(),
            sync: SyncPolicy::default(),
            create_parents: false,
            unix_mode: FILE_MODE,
        }
    }
}

impl WriteOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets [`WriteOptions::mode`].
    #[must_use]
    pub fn with_mode(mut self, mode: WriteMode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets [`WriteOptions::sync`].
    #[must_use]
    pub fn with_sync(mut self, sync: SyncPolicy) -> Self {
        self.sync = sync;
        self
    }

    /// Sets [`WriteOptions::create_parents`].
    #[must_use]
    pub fn with_create_parents(mut self, create: bool) -> Self {
        self.create_parents = create;
        self
    }

    /// Sets [`WriteOptions::unix_mode`].
    #[must_use]
    pub fn with_unix_mode(mut self, mode: u32) -> Self {
        self.unix_mode = mode;
        self
    }
}

impl MemoryRoot {
    /// Writes a whole file atomically: readers see the old contents or the new, never a mixture.
    ///
    /// The contents go to a new file under a random name in the same folder, which then takes the
    /// place of the old one. An existing file must be regular and have one link; a link, a FIFO, a
    /// device or a folder is refused and left as it is. Returns the metadata of the new file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Exists`] or [`ErrorKind::NotFound`] when the mode does not fit (or a folder on
    /// the way is missing); [`ErrorKind::Traversal`], [`ErrorKind::Loop`], [`ErrorKind::Dangling`],
    /// [`ErrorKind::NotRegular`] and [`ErrorKind::HardLink`] as for [`MemoryRoot::read`];
    /// [`ErrorKind::Changed`] when the root was moved or removed; [`ErrorKind::Denied`] and
    /// [`ErrorKind::Io`] from the operating system. No temporary file is left behind.
    pub fn write(
        &self,
        key: PathKeyRef<'_>,
        bytes: &[u8],
        options: &WriteOptions,
    ) -> Result<Metadata, Error> {
        self.check_before_change()?;
        let parent = self.parent_or_create(key, options.create_parents, options.sync)?;
        self.place(parent.folder(), key, bytes, options)
    }

    /// Writes the file at `key`, whose folder is `parent`.
    pub(super) fn place(
        &self,
        parent: &Folder,
        key: PathKeyRef<'_>,
        bytes: &[u8],
        options: &WriteOptions,
    ) -> Result<Metadata, Error> {
        let failed = |error| Error::io(error).with_key(key.as_str());
        self.check_place(parent, key, options.mode)?;
        let (temporary, file, _) =
            Temporary::write(parent, bytes, options.unix_mode).map_err(failed)?;
        if options.sync == SyncPolicy::Full {
            self.syncs.file(&file).map_err(failed)?;
        }
        temporary
            .rename(key.file_name(), options.mode)
            .map_err(failed)?;
        if options.sync == SyncPolicy::Full {
            self.syncs.folder(parent).map_err(failed)?;
        }
        // The rename changed the change time.
        Ok(parent.stat_file(&file).map_err(failed)?.metadata)
    }

    /// Checks that what stands at `key` may be replaced, or that nothing stands there.
    pub(super) fn check_place(
        &self,
        parent: &Folder,
        key: PathKeyRef<'_>,
        mode: WriteMode,
    ) -> Result<(), Error> {
        let refused = |kind| Err(Error::new(kind).with_key(key.as_str()));
        match (mode, self.look_at_leaf(parent, key)) {
            (WriteMode::CreateNew, Ok(Some(_))) => refused(ErrorKind::Exists),
            // It exists too, and is perhaps being made: see `FolderOps::rename`.
            (WriteMode::CreateNew, Err(error)) if error.kind() == ErrorKind::HardLink => {
                refused(ErrorKind::Exists)
            }
            (WriteMode::ReplaceExisting, Ok(None)) => refused(ErrorKind::NotFound),
            (_, Ok(_)) => Ok(()),
            (_, Err(error)) => Err(error),
        }
    }

    pub(super) fn parent_or_create(
        &self,
        key: PathKeyRef<'_>,
        create: bool,
        sync: SyncPolicy,
    ) -> Result<super::target::Parent<'_>, Error> {
        match self.parent(key) {
            Err(error) if create && error.is_not_found() => {}
            result => return result,
        }
        let parent = key
            .split()
            .0
            .expect("only a folder below the root can be missing");
        change::make_folders(&self.folder, parent, sync, &self.syncs)
            .map(super::target::Parent::Below)
    }
}

/// A file that has no name yet that a key could have. It is removed unless it gets one.
#[derive(Debug)]
pub(super) struct Temporary<'a> {
    folder: &'a Folder,
    name: String,
    is_placed: bool,
}

impl<'a> Temporary<'a> {
    /// Makes the file and fills it.
    pub(super) fn write(
        folder: &'a Folder,
        bytes: &[u8],
        mode: u32,
    ) -> io::Result<(Self, File, Metadata)> {
        let (temporary, mut file) = Self::create(folder, mode)?;
        file.write_all(bytes)?;
        let metadata = with_mode(folder, &file, mode)?;
        Ok((temporary, file, metadata))
    }

    fn create(folder: &'a Folder, mode: u32) -> io::Result<(Self, File)> {
        let mut attempts = 0;
        loop {
            let name = temporary_name();
            match folder.create_new(&name, Access::Read, mode) {
                Ok(file) => {
                    return Ok((
                        Self {
                            folder,
                            name,
                            is_placed: false,
                        },
                        file,
                    ));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    attempts += 1;
                    if attempts == NAME_ATTEMPTS {
                        return Err(error);
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Gives the file its name.
    pub(super) fn rename(mut self, leaf: &str, mode: WriteMode) -> io::Result<()> {
        let replace = mode != WriteMode::CreateNew;
        self.folder.rename(&self.name, self.folder, leaf, replace)?;
        self.is_placed = true;
        Ok(())
    }

    /// Keeps the file under its temporary name, for somebody who takes care of it.
    pub(super) fn into_name(mut self) -> String {
        self.is_placed = true;
        std::mem::take(&mut self.name)
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_placed {
            // Nobody to tell: the error that led here is on its way already.
            drop(self.folder.unlink(&self.name));
        }
    }
}

/// Looks at a file just made, and corrects permission bits that the umask took away.
pub(super) fn with_mode(folder: &Folder, file: &File, mode: u32) -> io::Result<Metadata> {
    let mut metadata = folder.stat_file(file)?.metadata;
    let wanted = mode & 0o777;
    if cfg!(unix) && metadata.mode != wanted {
        folder.set_mode(file, wanted)?;
        metadata.mode = wanted;
    }
    Ok(metadata)
}
