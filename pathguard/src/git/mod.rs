//! The folder that stands for a git repository, found without running git.
//!
//! Git believes what a `.git` file says. Asked for the common folder of a hostile folder, it names
//! whichever repository that folder points at, and a memory keyed by the answer would be another
//! project's. So a pointer is believed only when the place it points to points back.

mod pointer;
mod repository;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use pointer::Pointer;
use repository::{is_git_dir, open_dir, resembles_git_dir};

use crate::error::{Error, ErrorKind};
use crate::metadata::EntryKind;
use crate::sys::{FolderOps, Stat, stat_ambient};

/// Folders looked at from the given one upwards.
const MAX_LEVELS: usize = 256;

/// The folder that stands for a project, and how it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GitRoot {
    /// The folder, with links resolved. All worktrees of a repository have the same one.
    pub root: PathBuf,
    /// How it was found.
    pub how: GitRootKind,
    /// The folder with the repository's data that belongs to this working tree, when it is
    /// verified.
    pub git_dir: Option<PathBuf>,
    /// The folder with the data that all working trees share, when it is verified.
    pub common_dir: Option<PathBuf>,
}

/// How the folder of a project was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GitRootKind {
    /// The working tree of a repository.
    Repository,
    /// A worktree: the root is the main working tree.
    Worktree,
    /// A worktree of a bare repository: the root is the bare repository.
    BareWorktree,
    /// A bare repository itself.
    BareRepository,
    /// A submodule, which stands for itself.
    Submodule,
    /// There is no repository: the root is the given folder.
    NoRepository,
    /// There is a `.git` that points elsewhere, and it is not confirmed from there: the folder that
    /// holds it stands for itself.
    UnverifiedPointer,
}

impl GitRootKind {
    /// Returns a short stable name, such as `bare-worktree`, for logs and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Repository => "repository",
            Self::Worktree => "worktree",
            Self::BareWorktree => "bare-worktree",
            Self::BareRepository => "bare-repository",
            Self::Submodule => "submodule",
            Self::NoRepository => "no-repository",
            Self::UnverifiedPointer => "unverified-pointer",
        }
    }
}

impl fmt::Display for GitRootKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Finds the folder that stands for the project `dir` belongs to.
///
/// From the real path of `dir` upwards, the first folder with a `.git` decides:
///
/// - a `.git` folder with a repository in it: that folder is the root;
/// - a `.git` file of a worktree: the main working tree, or the bare repository, is the root,
///   provided that the pointer is confirmed. It must be a small regular file with one link; the
///   record it names must lie in `worktrees/` of the common folder that the record names; the
///   record's back pointer must name this very `.git`; and no symbolic link may be on the way;
/// - any other `.git`: the folder stands for itself.
///
/// As in git, the search ends at the border of a file system, and a repository that belongs to
/// neither the user nor the owner of `dir` does not count: everybody can make `/tmp/.git`. Nothing
/// is executed and no configuration of the folder takes effect.
///
/// # Errors
///
/// When `dir` cannot be resolved or is no folder, or a folder above it cannot be looked at.
///
/// ```
/// use pathguard::{GitRootKind, canonical_root};
/// # let scratch = tempfile::tempdir()?;
/// # let folder = scratch.path();
///
/// // A folder that claims to be a worktree of somebody else's repository.
/// std::fs::write(folder.join(".git"), "gitdir: /home/ada/work/.git/worktrees/x\n")?;
/// let found = canonical_root(folder)?;
/// assert_eq!(found.how, GitRootKind::UnverifiedPointer);
/// assert_eq!(found.root, folder.canonicalize()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn canonical_root(dir: &Path) -> Result<GitRoot, Error> {
    let failed = |error| crate::root::explain_ambient(dir, error);
    let start = dir.canonicalize().map_err(failed)?;
    let start_stat = stat_ambient(&start).map_err(failed)?;
    if start_stat.metadata.kind != EntryKind::Directory {
        return Err(Error::new(ErrorKind::NotDirectory).with_path(dir));
    }
    for folder in start.ancestors().take(MAX_LEVELS) {
        let found = stat_ambient(folder).map_err(failed)?;
        if found.metadata.device != start_stat.metadata.device {
            break;
        }
        if let Some(found) = look_in(folder, &start_stat).map_err(failed)? {
            return Ok(found);
        }
    }
    Ok(GitRoot {
        root: start,
        how: GitRootKind::NoRepository,
        git_dir: None,
        common_dir: None,
    })
}

/// Decides whether `folder` holds a repository or a pointer to one.
fn look_in(folder: &Path, start: &Stat) -> io::Result<Option<GitRoot>> {
    let held = open_dir(folder)?;
    let found = match held.stat_leaf(".git") {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(look_inside_repository(folder));
        }
        Err(error) => return Err(error),
    };
    if !is_owned(&found, start) {
        return Ok(None);
    }
    let dot_git = folder.join(".git");
    match found.metadata.kind {
        EntryKind::Directory if resembles_git_dir(&dot_git) => Ok(Some(GitRoot {
            root: folder.to_owned(),
            how: GitRootKind::Repository,
            git_dir: Some(dot_git.clone()),
            common_dir: Some(dot_git),
        })),
        // As for git, a folder of that name without a repository in it means nothing.
        EntryKind::Directory => Ok(None),
        EntryKind::File | EntryKind::Symlink | EntryKind::Other => {
            let pointer = Pointer::read(&held, folder);
            let verified = pointer.and_then(|pointer| pointer.verify());
            Ok(Some(verified.unwrap_or_else(|| GitRoot {
                root: folder.to_owned(),
                how: GitRootKind::UnverifiedPointer,
                git_dir: None,
                common_dir: None,
            })))
        }
    }
}

/// `folder` has no `.git`; it may be a bare repository, or the `.git` folder of one that is not.
fn look_inside_repository(folder: &Path) -> Option<GitRoot> {
    if !is_git_dir(folder) {
        return None;
    }
    let settings = repository::settings(folder);
    let is_dot_git = folder.file_name().is_some_and(|name| name == ".git");
    let (root, how) = match folder.parent() {
        Some(parent) if is_dot_git && !settings.bare => (parent, GitRootKind::Repository),
        _ => (folder, GitRootKind::BareRepository),
    };
    Some(GitRoot {
        root: root.to_owned(),
        how,
        git_dir: Some(folder.to_owned()),
        common_dir: Some(folder.to_owned()),
    })
}

/// Reports whether a `.git` belongs to the user, or to whoever owns the folder that was asked about.
#[cfg(unix)]
fn is_owned(found: &Stat, start: &Stat) -> bool {
    found.owner == start.owner || found.owner == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_owned(_: &Stat, _: &Stat) -> bool {
    true
}
