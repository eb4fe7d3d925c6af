//! A held root folder, and everything that may be done below it.

mod append;
mod batch;
mod change;
mod explain;
mod list;
mod lock;
mod read;
mod sort;
mod syncs;
mod target;
mod temporary;
mod write;

use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};

pub use append::AppendOptions;
pub use batch::{Batch, BatchFailure, BatchReport};
pub use change::RenameOptions;
pub(crate) use explain::ambient as explain_ambient;
pub use list::{Entry, ListLimits, ListProblem, ListProblemKind, Listing};
pub use lock::{FolderLock, LockWait};
pub use read::FileRead;
pub use target::WriteTarget;
pub use write::{SyncPolicy, WriteMode, WriteOptions};

use syncs::Syncs;

use crate::error::{Error, ErrorKind};
use crate::key::PathKeyRef;
use crate::metadata::{EntryKind, Metadata};
use crate::reason::TraversalReason;
use crate::sys::{
    Backend, BackendChoice, Confinement, Folder, FolderOps, Purpose, Stat, choose_backend,
};

/// Permission bits of the folders we make.
const FOLDER_MODE: u32 = 0o700;

/// When a root checks that its path still leads to the folder it holds.
///
/// The check is one `stat` of the path. Whatever it says, no operation leaves the held folder: it
/// exists so that nothing is written into a folder that was moved away or deleted, unseen by the
/// user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RootCheck {
    /// Before each operation. A small file takes a third longer to read.
    Always,
    /// Before each operation that changes something, and before listing and opening a root below.
    #[default]
    Changes,
    /// Only when [`MemoryRoot::verify_still_linked`] is called.
    OnRequest,
}

/// What holds below a root. The default is the strict choice throughout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RootOptions {
    /// Allows files with more than one link. A hard link needs no permission on the file, so that
    /// anybody who can write the folder can make an outside file appear in it.
    pub allow_hard_links: bool,
    /// Allows mount points below the root.
    pub cross_devices: bool,
    /// How paths are resolved.
    pub backend: BackendChoice,
    /// When the root checks that it is still linked.
    pub check_root: RootCheck,
    /// Leaves out every wait for the disk, whatever a call asks for. For folders that nobody needs after a
    /// crash of the machine; what other processes see is the same.
    pub volatile: bool,
}

impl RootOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets [`RootOptions::allow_hard_links`].
    #[must_use]
    pub fn with_hard_links(mut self, allow: bool) -> Self {
        self.allow_hard_links = allow;
        self
    }

    /// Sets [`RootOptions::cross_devices`].
    #[must_use]
    pub fn with_cross_devices(mut self, allow: bool) -> Self {
        self.cross_devices = allow;
        self
    }

    /// Sets [`RootOptions::backend`].
    #[must_use]
    pub fn with_backend(mut self, backend: BackendChoice) -> Self {
        self.backend = backend;
        self
    }

    /// Sets [`RootOptions::check_root`].
    #[must_use]
    pub fn with_check_root(mut self, check: RootCheck) -> Self {
        self.check_root = check;
        self
    }

    /// Sets [`RootOptions::volatile`].
    #[must_use]
    pub fn with_volatile(mut self, volatile: bool) -> Self {
        self.volatile = volatile;
        self
    }
}

/// A folder that was opened once and is held, with everything that may be done below it.
///
/// Operations take a [`PathKeyRef`] and go from the held handle downwards. They follow no symbolic
/// link in any component, cross no mount point, never block on a FIFO or a device, and touch only
/// regular files with a single link. Renaming or exchanging folders meanwhile cannot lead them
/// outside: in the worst case an operation fails.
///
/// A root can be shared between threads.
///
/// ```
/// use pathguard::{ErrorKind, MemoryRoot, PathKeyRef, RootOptions, WriteOptions};
/// # let scratch = tempfile::tempdir()?;
/// # let folder = scratch.path();
///
/// let root = MemoryRoot::open(folder, &RootOptions::default())?;
/// let key = PathKeyRef::parse("team/tests.md")?;
/// root.write(key, b"run them twice", &WriteOptions::new().with_create_parents(true))?;
/// assert_eq!(root.read(key, 64 * 1024)?.bytes, b"run them twice");
///
/// # #[cfg(unix)] {
/// std::os::unix::fs::symlink("/etc", folder.join("etc"))?;
/// let refused = root.read(PathKeyRef::parse("etc/passwd")?, 1024).unwrap_err();
/// assert_eq!(refused.kind(), ErrorKind::Traversal);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MemoryRoot {
    folder: Folder,
    path: PathBuf,
    stat: Stat,
    backend: Backend,
    options: RootOptions,
    syncs: Syncs,
}

impl MemoryRoot {
    /// Opens the folder at `path`, which must exist.
    ///
    /// This is the one place where a path becomes authority: links on the way to the root are
    /// followed, since a person may keep the folder wherever they like. Check a path that comes
    /// from a setting with [`MemoryDirSpec`](crate::MemoryDirSpec) first. A relative path is taken
    /// from the working folder of the process, now and whenever the root checks that it is still
    /// linked.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`], [`ErrorKind::NotDirectory`], [`ErrorKind::Denied`],
    /// [`ErrorKind::Dangling`] and [`ErrorKind::Loop`] as the names say;
    /// [`ErrorKind::Unsupported`] when a forced backend does not exist here.
    pub fn open(path: &Path, options: &RootOptions) -> Result<Self, Error> {
        let backend = choose_backend(options.backend)
            .ok_or_else(|| Error::new(ErrorKind::Unsupported).with_path(path))?;
        let confinement = Confinement {
            backend,
            cross_devices: options.cross_devices,
        };
        let folder = Folder::open_ambient(path, confinement)
            .map_err(|error| explain::ambient(path, error))?;
        let stat = folder
            .stat()
            .map_err(|error| Error::io(error).with_path(path))?;
        Ok(Self {
            folder,
            path: path.to_owned(),
            stat,
            backend,
            options: *options,
            syncs: Syncs::new(options.volatile),
        })
    }

    /// Opens the folder at `path`, after making it and the missing folders above it, each with mode
    /// `0700` whatever the umask.
    ///
    /// # Errors
    ///
    /// As [`MemoryRoot::open`]; [`ErrorKind::Traversal`] when the missing part of `path` holds `..`.
    pub fn open_or_create(path: &Path, options: &RootOptions) -> Result<Self, Error> {
        match Self::open(path, options) {
            Err(error) if error.is_not_found() => {}
            result => return result,
        }
        let (existing, missing) = split_missing(path)?;
        let above = Self::open(&existing, options)?;
        let mut folder = None;
        for name in missing {
            let at = folder.as_ref().unwrap_or(&above.folder);
            let made = change::make_folder(at, &name, SyncPolicy::Full, &above.syncs)
                .map_err(|error| Error::io(error).with_path(path))?;
            folder = Some(made);
        }
        let mut root = Self::open(path, options)?;
        root.syncs = above.syncs;
        Ok(root)
    }

    /// Opens the folder at `key` as a root of its own, through the held handle.
    ///
    /// The new root has the options of this one. It holds its own handle, so this root may be
    /// dropped.
    ///
    /// # Errors
    ///
    /// As [`MemoryRoot::metadata`]; [`ErrorKind::NotDirectory`] when it is not a folder.
    pub fn open_sub(&self, key: PathKeyRef<'_>) -> Result<MemoryRoot, Error> {
        self.check_before_change()?;
        let folder = self.open_folder(key.as_str(), Purpose::Pass)?;
        let stat = folder
            .stat()
            .map_err(|error| Error::io(error).with_key(key.as_str()))?;
        Ok(Self {
            folder,
            path: self.path_of(key),
            stat,
            backend: self.backend,
            options: self.options,
            syncs: self.syncs.clone(),
        })
    }

    /// Returns the path the root was opened by. It is for messages: using it gives up everything
    /// this type is for.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns how paths are resolved below this root.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Returns the facts of the folder at the time it was opened.
    pub fn folder_metadata(&self) -> Metadata {
        self.stat.metadata
    }

    /// Returns the user that owned the folder when it was opened; zero on Windows.
    pub fn owner(&self) -> u32 {
        self.stat.owner
    }

    /// Returns the options the root was opened with.
    pub fn options(&self) -> &RootOptions {
        &self.options
    }

    /// Returns how often this root and the roots below it have waited for the disk: the number of
    /// `fsync`, `fdatasync` and `syncfs` calls (or what stands for them on other platforms).
    pub fn sync_count(&self) -> u64 {
        self.syncs.count()
    }

    /// Looks at a file or a folder without opening it for use.
    ///
    /// Files with several links, FIFOs and devices are described, not refused: looking is harmless.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`] is the only one that means "missing". [`ErrorKind::Traversal`],
    /// [`ErrorKind::Loop`] or [`ErrorKind::Dangling`] when there is a link on the way or at the
    /// end; [`ErrorKind::NotDirectory`] when a file is in the place of a folder.
    pub fn metadata(&self, key: PathKeyRef<'_>) -> Result<Metadata, Error> {
        self.check_before_read()?;
        match self.folder.stat_path(key.as_str()) {
            Ok(stat) => Ok(stat.metadata),
            Err(error) => Err(explain::failure(&self.folder, key.as_str(), error)),
        }
    }

    /// Checks that the path of the root still leads to the held folder.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Changed`] when the folder was removed, moved or replaced; the error of the
    /// operating system when the path cannot be looked at.
    pub fn verify_still_linked(&self) -> Result<(), Error> {
        let changed = || Error::new(ErrorKind::Changed).with_path(&self.path);
        match Folder::stat_ambient(&self.path, self.backend) {
            Ok(found) if found.metadata.identity() == self.stat.metadata.identity() => Ok(()),
            Ok(_) => Err(changed()),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                Err(changed())
            }
            Err(error) => Err(Error::io(error).with_path(&self.path)),
        }
    }

    fn check_before_read(&self) -> Result<(), Error> {
        match self.options.check_root {
            RootCheck::Always => self.verify_still_linked(),
            RootCheck::Changes | RootCheck::OnRequest => Ok(()),
        }
    }

    fn check_before_change(&self) -> Result<(), Error> {
        match self.options.check_root {
            RootCheck::Always | RootCheck::Changes => self.verify_still_linked(),
            RootCheck::OnRequest => Ok(()),
        }
    }

    fn open_folder(&self, path: &str, purpose: Purpose) -> Result<Folder, Error> {
        self.folder
            .open_folder(path, purpose)
            .map_err(|error| explain::folder_failure(&self.folder, path, error))
    }

    fn path_of(&self, key: PathKeyRef<'_>) -> PathBuf {
        // Component by component, so that the separator is the platform's.
        key.components()
            .fold(self.path.clone(), |path, component| path.join(component))
    }
}

/// Refuses what is not a regular file with as many links as the options allow.
fn check_regular(options: RootOptions, stat: &Stat) -> Result<(), ErrorKind> {
    match stat.metadata.kind {
        EntryKind::File if stat.metadata.links > 1 && !options.allow_hard_links => {
            Err(ErrorKind::HardLink)
        }
        EntryKind::File => Ok(()),
        EntryKind::Directory | EntryKind::Symlink | EntryKind::Other => Err(ErrorKind::NotRegular),
    }
}

/// Splits `path` into the deepest part that exists and the names that do not.
fn split_missing(path: &Path) -> Result<(PathBuf, Vec<String>), Error> {
    let mut missing = Vec::new();
    let mut existing = path;
    loop {
        match existing.symlink_metadata() {
            Ok(_) => break,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(Error::io(error).with_path(path)),
        }
        let name = match existing.components().next_back() {
            Some(Component::Normal(name)) => name.to_str(),
            Some(Component::ParentDir) => {
                return Err(Error::refused(TraversalReason::DotComponent).with_path(path));
            }
            _ => break,
        };
        let name = name.ok_or_else(|| Error::refused(TraversalReason::NotUtf8).with_path(path))?;
        missing.push(name.to_owned());
        existing = match existing.parent() {
            Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
            Some(parent) => parent,
            None => break,
        };
    }
    missing.reverse();
    Ok((existing.to_owned(), missing))
}

impl fmt::Debug for MemoryRoot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryRoot")
            .field("path", &self.path)
            .field("backend", &self.backend)
            .finish_non_exhaustive()
    }
}
