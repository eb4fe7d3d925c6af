//! The answer to "may I write here?": a held parent folder and a leaf.

use super::{AppendOptions, MemoryRoot, WriteOptions, check_regular, explain};
use crate::error::Error;
use crate::key::{PathKey, PathKeyRef};
use crate::metadata::Metadata;
use crate::sys::{Folder, FolderOps, Purpose};

/// A folder that is either the root itself or held for one operation.
#[derive(Debug)]
pub(super) enum Parent<'a> {
    Root(&'a Folder),
    Below(Folder),
}

impl Parent<'_> {
    pub(super) fn folder(&self) -> &Folder {
        match self {
            Self::Root(folder) => folder,
            Self::Below(folder) => folder,
        }
    }
}

/// A place that may be written: a held parent folder and the name in it.
///
/// A path that was found good is worth nothing a moment later; a handle stays what it was. Whatever
/// happens to the folders above, [`WriteTarget::write`] writes into the folder that was checked.
///
/// ```
/// use pathguard::{MemoryRoot, PathKeyRef, RootOptions, WriteOptions};
/// # let scratch = tempfile::tempdir()?;
/// let root = MemoryRoot::open(scratch.path(), &RootOptions::default())?;
///
/// let target = root.write_target(PathKeyRef::parse("MEMORY.md")?)?;
/// assert!(target.existing().is_none());
/// target.write(b"- [Tests](tests.md)\n", &WriteOptions::default())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "a target that is not written to was only a check"]
pub struct WriteTarget<'root> {
    pub(super) root: &'root MemoryRoot,
    pub(super) parent: Parent<'root>,
    pub(super) key: PathKey,
    existing: Option<Metadata>,
}

impl MemoryRoot {
    /// Checks that the file at `key` may be written, and holds its folder.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when a folder on the way is missing;
    /// otherwise as [`MemoryRoot::write`].
    pub fn write_target(&self, key: PathKeyRef<'_>) -> Result<WriteTarget<'_>, Error> {
        self.check_before_change()?;
        let parent = self.parent(key)?;
        let existing = self.look_at_leaf(parent.folder(), key)?;
        Ok(WriteTarget {
            root: self,
            parent,
            key: key.to_owned(),
            existing,
        })
    }

    /// Checks that the file at `key` may be written once the missing folders are made.
    pub(crate) fn check_writable(&self, key: PathKeyRef<'_>) -> Result<(), Error> {
        match self.parent(key) {
            Ok(parent) => self.look_at_leaf(parent.folder(), key).map(drop),
            Err(error) if error.is_not_found() => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Opens the folder of `key`.
    pub(super) fn parent(&self, key: PathKeyRef<'_>) -> Result<Parent<'_>, Error> {
        match key.split().0 {
            None => Ok(Parent::Root(&self.folder)),
            Some(parent) => self.open_folder(parent, Purpose::Pass).map(Parent::Below),
        }
    }

    /// Looks at a name that is about to be written: absent, or a regular file of ours.
    pub(super) fn look_at_leaf(
        &self,
        parent: &Folder,
        key: PathKeyRef<'_>,
    ) -> Result<Option<Metadata>, Error> {
        let stat = match parent.stat_leaf(key.file_name()) {
            Ok(stat) => stat,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io(error).with_key(key.as_str())),
        };
        match check_regular(self.options, &stat) {
            Ok(()) => Ok(Some(stat.metadata)),
            Err(kind) => Err(explain::leaf(
                &self.folder,
                key.as_str(),
                kind,
                &stat.metadata,
            )),
        }
    }
}

impl WriteTarget<'_> {
    /// Returns the key.
    pub fn key(&self) -> PathKeyRef<'_> {
        self.key.as_ref()
    }

    /// Returns the file's metadata when the target was checked, or `None` if there was no file.
    pub fn existing(&self) -> Option<Metadata> {
        self.existing
    }

    /// Writes the whole file, as [`MemoryRoot::write`] does.
    ///
    /// # Errors
    ///
    /// As [`MemoryRoot::write`].
    pub fn write(&self, bytes: &[u8], options: &WriteOptions) -> Result<Metadata, Error> {
        self.root
            .place(self.parent.folder(), self.key(), bytes, options)
    }

    /// Appends to the file, as [`MemoryRoot::append`] does.
    ///
    /// # Errors
    ///
    /// As [`MemoryRoot::append`].
    pub fn append(&self, bytes: &[u8], options: &AppendOptions) -> Result<Metadata, Error> {
        self.root
            .append_in(self.parent.folder(), self.key(), bytes, options)
    }
}
