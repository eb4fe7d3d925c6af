//! What only the disk can say about a memory folder.

use std::io;
use std::path::{Component, Path, PathBuf};

use super::{DirWarning, MemoryDirSpec, lexical};
use crate::error::{Error, ErrorKind};
use crate::reason::TraversalReason;
use crate::root::MemoryRoot;

/// Returns the path in the spelling that exists: where only the setting's own spelling of a
/// component is on the disk, that one, else normal form C.
///
/// Two spellings side by side are an error, since one of them holds memories that would never be
/// seen again.
pub(super) fn existing_spelling(spec: &MemoryDirSpec) -> Result<PathBuf, Error> {
    let Some(other) = &spec.other_spelling else {
        return Ok(spec.path.clone());
    };
    let mut path = PathBuf::new();
    for (normal, other) in spec.path.components().zip(other.components()) {
        let (normal, other) = (path.join(normal), path.join(other));
        path = match (identity(&normal)?, identity(&other)?) {
            (Some(a), Some(b)) if a != b => {
                return Err(Error::new(ErrorKind::Collision).with_path(&spec.path));
            }
            (None, Some(_)) => other,
            _ => normal,
        };
    }
    Ok(path)
}

/// Checks where the path really leads, as far as it exists.
pub(super) fn check_place(spec: &MemoryDirSpec, path: &Path) -> Result<(), Error> {
    let real = crate::team_paths::realpath_deepest_existing(path)?;
    if lexical::is_system_folder(&real) {
        return Err(Error::refused(TraversalReason::SystemFolder).with_path(&spec.path));
    }
    let has_name = real
        .components()
        .any(|part| matches!(part, Component::Normal(_)));
    if !has_name {
        return Err(Error::refused(TraversalReason::FileSystemRoot).with_path(&spec.path));
    }
    Ok(())
}

/// Checks the folder that was opened, by its handle.
pub(super) fn check_held(
    spec: &MemoryDirSpec,
    root: &MemoryRoot,
) -> Result<Option<DirWarning>, Error> {
    // By number, so that neither links nor case nor normal form hide that it is the home folder.
    let held = Some(root.folder_metadata().identity());
    if let Some(home) = &spec.home {
        let home = home.canonicalize().unwrap_or_else(|_| home.clone());
        for above in home.ancestors() {
            if identity(above)? == held {
                return Err(Error::refused(TraversalReason::HomeFolder).with_path(&spec.path));
            }
        }
    }
    check_owner(spec, root)
}

#[cfg(unix)]
fn check_owner(spec: &MemoryDirSpec, root: &MemoryRoot) -> Result<Option<DirWarning>, Error> {
    const OTHERS_WRITE: u32 = 0o002;
    const GROUP_WRITES: u32 = 0o020;
    let user = rustix::process::geteuid().as_raw();
    let mode = root.folder_metadata().mode;
    if root.owner() != user || mode & OTHERS_WRITE != 0 {
        return Err(Error::new(ErrorKind::Denied).with_path(&spec.path));
    }
    Ok((mode & GROUP_WRITES != 0).then_some(DirWarning::GroupWritable))
}

/// Windows keeps access lists instead; folders below a profile belong to its user.
#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "the Unix twin can fail")]
fn check_owner(_: &MemoryDirSpec, _: &MemoryRoot) -> Result<Option<DirWarning>, Error> {
    Ok(None)
}

/// Returns what tells a folder apart, or `None` when there is none at `path`.
fn identity(path: &Path) -> Result<Option<(u64, u64)>, Error> {
    match crate::sys::stat_ambient(path) {
        Ok(stat) => Ok(Some(stat.metadata.identity())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(error).with_path(path)),
    }
}
