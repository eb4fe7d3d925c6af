//! The memory folder named by a setting.

mod disk;
mod lexical;
mod source;

use std::fmt;
use std::path::{Path, PathBuf};

pub use source::{SettingsSource, TrustedSource};

use crate::error::Error;
use crate::root::{MemoryRoot, RootOptions};

/// What a process would read from its environment, handed in.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Env {
    /// The user's home folder, if it is known.
    pub home: Option<PathBuf>,
    /// The working folder, absolute.
    pub cwd: PathBuf,
}

impl Env {
    /// Makes one of both folders.
    pub fn new(home: Option<PathBuf>, cwd: PathBuf) -> Self {
        Self { home, cwd }
    }

    /// Returns `path` if it is absolute, else `path` below the working folder. For arguments a
    /// person typed; a setting has to be absolute by itself.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        self.cwd.join(path)
    }
}

/// A memory folder that passed every check a path alone can fail.
///
/// Opening it with [`MemoryDirSpec::open`] or [`MemoryDirSpec::open_or_create`] makes the checks
/// that need the disk: what the path really leads to, who owns it, who else can write it.
///
/// ```
/// use std::path::PathBuf;
/// use pathguard::{Env, MemoryDirSpec, TraversalReason, TrustedSource};
///
/// let env = Env::new(Some(PathBuf::from("/home/ada")), PathBuf::from("/home/ada/work"));
/// let spec = MemoryDirSpec::resolve("~/notes/memory", TrustedSource::UserSettings, &env)?;
/// # if cfg!(unix) {
/// assert_eq!(spec.path(), PathBuf::from("/home/ada/notes/memory"));
/// # }
///
/// let whole_home = MemoryDirSpec::resolve("~/", TrustedSource::UserSettings, &env);
/// assert_eq!(whole_home.unwrap_err().reason(), Some(TraversalReason::TildeForm));
/// # Ok::<(), pathguard::Error>(())
/// ```
///
/// A folder that a project asks for does not get here, since no [`TrustedSource`] stands for one:
///
/// ```compile_fail
/// # use pathguard::{Env, MemoryDirSpec, SettingsSource};
/// # fn resolve(env: &Env) {
/// MemoryDirSpec::resolve("~/.ssh", SettingsSource::ProjectCommitted, env);
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryDirSpec {
    /// In NFC.
    path: PathBuf,
    /// The path in the spelling of the setting, when that is not NFC.
    other_spelling: Option<PathBuf>,
    home: Option<PathBuf>,
    source: TrustedSource,
    warnings: Vec<DirWarning>,
}

/// Something about a memory folder that a person should know, and that does not forbid it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DirWarning {
    /// The setting was not in Unicode normal form C.
    Normalized,
    /// The folder's group can write it.
    GroupWritable,
}

impl fmt::Display for DirWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Normalized => "the setting is not in Unicode normal form C",
            Self::GroupWritable => "the group of the folder can write it",
        })
    }
}

/// A memory folder that was opened, with what a person should know about it.
#[derive(Debug)]
#[non_exhaustive]
pub struct OpenedDir {
    /// The held folder.
    pub root: MemoryRoot,
    /// What a person should know; that of the path included.
    pub warnings: Vec<DirWarning>,
}

impl MemoryDirSpec {
    /// Checks the folder that a setting names, without looking at the disk.
    ///
    /// It must be absolute or `~/name…`, at least three characters long, without NUL, `..`
    /// components and glob characters; no network path in any mixture of slashes; not the root of a
    /// file system, not the home folder or one above it, not in `/proc`, `/sys` or `/dev`. Repeated
    /// slashes and `.` components are dropped, and the path is brought into normal form C.
    ///
    /// A bad value is an error for the user. Never fall back to another source: the user believes
    /// that the setting holds.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Traversal`](crate::ErrorKind::Traversal) with the reason.
    pub fn resolve(raw: &str, source: TrustedSource, env: &Env) -> Result<Self, Error> {
        lexical::resolve(raw, source, env)
            .map_err(|reason| Error::refused(reason).with_path(Path::new(raw)))
    }

    /// Returns the folder: absolute and in normal form C.
    ///
    /// It is for messages. [`MemoryDirSpec::open`] may use the other spelling, when only that
    /// exists.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns where the setting came from.
    pub fn source(&self) -> TrustedSource {
        self.source
    }

    /// Returns what a person should know about the setting.
    pub fn warnings(&self) -> &[DirWarning] {
        &self.warnings
    }

    /// Opens the folder, which must exist, and checks what it really is.
    ///
    /// # Errors
    ///
    /// As [`MemoryRoot::open`]; [`ErrorKind::Traversal`](crate::ErrorKind::Traversal) when links
    /// lead it to the home folder, a folder above that, or a folder of the operating system;
    /// [`ErrorKind::Collision`](crate::ErrorKind::Collision) when two spellings of it exist;
    /// [`ErrorKind::Denied`](crate::ErrorKind::Denied) when another user owns it or everybody can
    /// write it.
    pub fn open(&self, options: &RootOptions) -> Result<OpenedDir, Error> {
        let path = disk::existing_spelling(self)?;
        disk::check_place(self, &path)?;
        self.opened(MemoryRoot::open(&path, options)?)
    }

    /// Opens the folder, after making it and the missing folders above it with mode `0700`.
    ///
    /// # Errors
    ///
    /// As [`MemoryDirSpec::open`] and [`MemoryRoot::open_or_create`].
    pub fn open_or_create(&self, options: &RootOptions) -> Result<OpenedDir, Error> {
        let path = disk::existing_spelling(self)?;
        // Before anything is made.
        disk::check_place(self, &path)?;
        self.opened(MemoryRoot::open_or_create(&path, options)?)
    }

    fn opened(&self, root: MemoryRoot) -> Result<OpenedDir, Error> {
        let mut warnings = self.warnings.clone();
        warnings.extend(disk::check_held(self, &root)?);
        Ok(OpenedDir { root, warnings })
    }
}
