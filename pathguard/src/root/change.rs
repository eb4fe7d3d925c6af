//! Removing, renaming, and making folders.

use std::io;

use super::syncs::Syncs;
use super::write::SyncPolicy;
use super::{FOLDER_MODE, MemoryRoot, check_regular, explain};
use crate::error::{Error, ErrorKind};
use crate::key::PathKeyRef;
use crate::metadata::EntryKind;
use crate::sys::{Folder, FolderOps, Purpose};

/// How a file or folder is renamed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RenameOptions {
    /// Whether a regular file at the new key is replaced; `false`.
    pub replace: bool,
    /// What the call waits for; [`SyncPolicy::Full`].
    pub sync: SyncPolicy,
}

impl RenameOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets [`RenameOptions::replace`].
    #[must_use]
    pub fn with_replace(mut self, replace: bool) -> Self {
        self.replace = replace;
        self
    }

    /// Sets [`RenameOptions::sync`].
    #[must_use]
    pub fn with_sync(mut self, sync: SyncPolicy) -> Self {
        self.sync = sync;
        self
    }
}

impl MemoryRoot {
    /// Removes a name that is not a folder, and makes that durable.
    ///
    /// A link is removed itself, not what it leads to, and a file with several links keeps the
    /// others; so neither is refused.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`]; [`ErrorKind::NotRegular`] for a folder; otherwise as
    /// [`MemoryRoot::write`].
    pub fn remove(&self, key: PathKeyRef<'_>) -> Result<(), Error> {
        self.check_before_change()?;
        let parent = self.parent(key)?;
        remove_in(parent.folder(), key)?;
        self.syncs
            .folder(parent.folder())
            .map_err(|error| Error::io(error).with_key(key.as_str()))
    }

    /// Removes an empty folder, and makes that durable.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotEmpty`]; [`ErrorKind::NotDirectory`] for anything but a folder; otherwise as
    /// [`MemoryRoot::write`].
    pub fn remove_dir(&self, key: PathKeyRef<'_>) -> Result<(), Error> {
        self.check_before_change()?;
        let parent = self.parent(key)?;
        parent
            .folder()
            .remove_folder(key.file_name())
            .map_err(|error| explain::folder_failure(&self.folder, key.as_str(), error))?;
        self.syncs
            .folder(parent.folder())
            .map_err(|error| Error::io(error).with_key(key.as_str()))
    }

    /// Renames a file or a folder within the root. The folder of `to` must exist.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Exists`] when something is at `to` and the options do not allow to replace it;
    /// [`ErrorKind::NotRegular`], [`ErrorKind::HardLink`] or one of the kinds for links when either
    /// end is not a regular file (or `from` a folder); [`ErrorKind::Collision`] when `to` lies in
    /// `from`; otherwise as [`MemoryRoot::write`].
    pub fn rename(
        &self,
        from: PathKeyRef<'_>,
        to: PathKeyRef<'_>,
        options: &RenameOptions,
    ) -> Result<(), Error> {
        self.check_before_change()?;
        let (old, new) = (self.parent(from)?, self.parent(to)?);
        self.rename_in(old.folder(), from, new.folder(), to, options.replace)?;
        if options.sync == SyncPolicy::Full {
            let failed = |error| Error::io(error).with_key(to.as_str());
            self.syncs.folder(new.folder()).map_err(failed)?;
            if from.split().0 != to.split().0 {
                self.syncs.folder(old.folder()).map_err(failed)?;
            }
        }
        Ok(())
    }

    /// Makes the folder at `key` and the missing ones above it, each with mode `0700` whatever the
    /// umask, and makes them durable. A folder that exists is left as it is.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotDirectory`] when a file is in the way; otherwise as [`MemoryRoot::write`].
    pub fn create_dirs(&self, key: PathKeyRef<'_>) -> Result<(), Error> {
        self.check_before_change()?;
        make_folders(&self.folder, key.as_str(), SyncPolicy::Full, &self.syncs).map(drop)
    }

    pub(super) fn rename_in(
        &self,
        old: &Folder,
        from: PathKeyRef<'_>,
        new: &Folder,
        to: PathKeyRef<'_>,
        replace: bool,
    ) -> Result<(), Error> {
        if to.is_below(from) {
            let error = Error::new(ErrorKind::Collision).with_key(to.as_str());
            return Err(error.with_conflicting_key(from.as_str()));
        }
        let failed = |error| explain::failure(&self.folder, from.as_str(), error);
        let stat = old.stat_leaf(from.file_name()).map_err(failed)?;
        if stat.metadata.kind != EntryKind::Directory {
            check_regular(self.options, &stat)
                .map_err(|kind| explain::leaf(&self.folder, from.as_str(), kind, &stat.metadata))?;
        }
        let existing = self.look_at_leaf(new, to)?;
        if existing.is_some() && !replace {
            return Err(Error::new(ErrorKind::Exists).with_key(to.as_str()));
        }
        old.rename(from.file_name(), new, to.file_name(), replace)
            .map_err(|error| {
                let at = if error.kind() == io::ErrorKind::AlreadyExists {
                    to
                } else {
                    from
                };
                Error::io(error).with_key(at.as_str())
            })
    }
}

/// Removes a name that is not a folder.
pub(super) fn remove_in(parent: &Folder, key: PathKeyRef<'_>) -> Result<(), Error> {
    let failed = |error| Error::io(error).with_key(key.as_str());
    // POSIX lets `unlink` of a folder fail with EPERM, which would read as "denied".
    let stat = parent.stat_leaf(key.file_name()).map_err(failed)?;
    if stat.metadata.kind == EntryKind::Directory {
        return Err(Error::new(ErrorKind::NotRegular).with_key(key.as_str()));
    }
    parent.unlink(key.file_name()).map_err(failed)
}

/// Makes each missing folder of `path`, and returns the last one.
pub(super) fn make_folders(
    root: &Folder,
    path: &str,
    sync: SyncPolicy,
    syncs: &Syncs,
) -> Result<Folder, Error> {
    let mut held: Option<Folder> = None;
    for component in path.split('/') {
        let at = held.as_ref().unwrap_or(root);
        let next = make_folder(at, component, sync, syncs)
            .map_err(|error| explain::folder_failure(root, path, error))?;
        held = Some(next);
    }
    Ok(held.expect("a key has at least one component"))
}

/// Makes a folder, or opens the one that is there. That the name exists is not enough: only opening
/// it strictly shows that it is a folder and no link.
pub(super) fn make_folder(
    at: &Folder,
    name: &str,
    sync: SyncPolicy,
    syncs: &Syncs,
) -> io::Result<Folder> {
    match at.open_folder(name, Purpose::Pass) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        result => return result,
    }
    match at.make_folder(name, FOLDER_MODE) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return at.open_folder(name, Purpose::Pass);
        }
        Err(error) => return Err(error),
    }
    if sync == SyncPolicy::Full {
        syncs.folder(at)?;
    }
    let folder = at.open_folder(name, Purpose::Pass)?;
    if cfg!(unix) && folder.stat()?.metadata.mode & 0o777 != FOLDER_MODE {
        at.set_folder_mode(name, FOLDER_MODE)?;
    }
    Ok(folder)
}
