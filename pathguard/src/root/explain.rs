//! Finds out why an operation failed.
//!
//! A system call says `ELOOP` for a link to `/etc`, for two links in a circle and for a link to
//! nothing. A person needs to know which. Looking costs a few calls and happens only on failure;
//! nothing is followed outside the root, so the answer about a link that leaves it is that it does.

use std::io;
use std::path::Path;

use crate::error::{Error, ErrorKind};
use crate::metadata::{EntryKind, Metadata};
use crate::reason::TraversalReason;
use crate::sys::{Folder, FolderOps, Purpose};

/// Links we follow inside the root before calling it a loop: the limit of Linux.
const MAX_LINKS: usize = 40;

/// Explains the failure to reach or open the file at `path`.
#[cold]
pub(super) fn failure(root: &Folder, path: &str, error: io::Error) -> Error {
    explain(root, path, EntryKind::File, error).with_key(path)
}

/// Explains the failure to open the folder at `path`.
#[cold]
pub(super) fn folder_failure(root: &Folder, path: &str, error: io::Error) -> Error {
    explain(root, path, EntryKind::Directory, error).with_key(path)
}

/// Explains why a name that was looked at may not be written: `kind`, unless it is a link.
#[cold]
pub(super) fn leaf(root: &Folder, path: &str, kind: ErrorKind, found: &Metadata) -> Error {
    if found.kind != EntryKind::Symlink {
        return Error::new(kind).with_key(path);
    }
    match find_obstacle(root, path, EntryKind::File) {
        Ok(Some(Obstacle::Kind(kind))) => Error::new(kind),
        _ => Error::refused(TraversalReason::Link),
    }
    .with_key(path)
}

/// Explains the failure to open a root by its ordinary path.
#[cold]
pub(crate) fn ambient(path: &Path, error: io::Error) -> Error {
    let is_dangling = error.kind() == io::ErrorKind::NotFound
        && path
            .symlink_metadata()
            .is_ok_and(|found| found.is_symlink());
    if is_dangling {
        return Error::new(ErrorKind::Dangling)
            .with_path(path)
            .with_source(error);
    }
    if is_loop(&error) {
        return Error::new(ErrorKind::Loop)
            .with_path(path)
            .with_source(error);
    }
    Error::io(error).with_path(path)
}

fn explain(root: &Folder, path: &str, wanted: EntryKind, error: io::Error) -> Error {
    match error.kind() {
        // Links are refused with other numbers, so this one is true.
        io::ErrorKind::NotFound => return Error::io(error),
        io::ErrorKind::CrossesDevices => {
            return Error::refused(TraversalReason::OtherDevice).with_source(error);
        }
        _ => {}
    }
    match find_obstacle(root, path, wanted) {
        Ok(Some(Obstacle::Kind(kind))) => Error::new(kind).with_source(error),
        Ok(Some(Obstacle::Link)) => Error::refused(TraversalReason::Link).with_source(error),
        Ok(None) if is_loop(&error) => Error::new(ErrorKind::Changed).with_source(error),
        Ok(None) => Error::io(error),
        // What stood in the way vanished between the failure and the look.
        Err(found) if found.kind() == io::ErrorKind::NotFound && is_about_names(&error) => {
            Error::new(ErrorKind::Changed).with_source(error)
        }
        // Nothing stood in the way: no room on the disk for a new folder, no right to make one.
        Err(found) if found.kind() == io::ErrorKind::NotFound => Error::io(error),
        Err(found) => Error::io(found),
    }
}

enum Obstacle {
    Kind(ErrorKind),
    /// A link that leads somewhere, inside the root or outside.
    Link,
}

/// Walks down and looks at each component without following it.
fn find_obstacle(root: &Folder, path: &str, wanted: EntryKind) -> io::Result<Option<Obstacle>> {
    let mut held: Option<Folder> = None;
    let mut components = path.split('/').peekable();
    let mut walked = Vec::new();
    while let Some(component) = components.next() {
        let at = held.as_ref().unwrap_or(root);
        let is_last = components.peek().is_none();
        match at.stat_leaf(component)?.metadata.kind {
            EntryKind::Symlink => return follow_inside(root, walked, component).map(Some),
            EntryKind::Directory if is_last => {
                let is_obstacle = wanted != EntryKind::Directory;
                return Ok(is_obstacle.then_some(Obstacle::Kind(ErrorKind::NotRegular)));
            }
            EntryKind::Directory => {
                let next = at.open_folder(component, Purpose::Pass)?;
                held = Some(next);
                walked.push(component.to_owned());
            }
            EntryKind::File if is_last && wanted == EntryKind::File => return Ok(None),
            EntryKind::Other if is_last && wanted == EntryKind::File => {
                return Ok(Some(Obstacle::Kind(ErrorKind::NotRegular)));
            }
            EntryKind::File | EntryKind::Other => {
                return Ok(Some(Obstacle::Kind(ErrorKind::NotDirectory)));
            }
        }
    }
    Ok(None)
}

/// Resolves a link by name, as far as it stays inside the root.
fn follow_inside(root: &Folder, mut here: Vec<String>, link: &str) -> io::Result<Obstacle> {
    // Names still to be walked, the next one last.
    let mut names = vec![link.to_owned()];
    let mut links = 0;
    while let Some(name) = names.pop() {
        match name.as_str() {
            "" | "." => continue,
            ".." => match here.pop() {
                Some(_) => continue,
                None => return Ok(Obstacle::Link),
            },
            _ => {}
        }
        let held = match here.join("/") {
            path if path.is_empty() => None,
            path => Some(root.open_folder(&path, Purpose::Pass)?),
        };
        let at = held.as_ref().unwrap_or(root);
        match at.stat_leaf(&name) {
            Ok(found) if found.metadata.kind == EntryKind::Symlink => {
                links += 1;
                if links > MAX_LINKS {
                    return Ok(Obstacle::Kind(ErrorKind::Loop));
                }
                match target_names(&at.read_link(&name)?) {
                    Some(target) => names.extend(target.into_iter().rev()),
                    None => return Ok(Obstacle::Link),
                }
            }
            Ok(found) if found.metadata.kind == EntryKind::Directory => here.push(name),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Obstacle::Kind(ErrorKind::Dangling));
            }
            Ok(_) | Err(_) => return Ok(Obstacle::Link),
        }
    }
    Ok(Obstacle::Link)
}

/// Splits the text of a relative link into names; `None` when it is absolute or not for us.
fn target_names(target: &[u8]) -> Option<Vec<String>> {
    let target = std::str::from_utf8(target).ok()?;
    let is_windows_path = cfg!(windows) && target.contains(['\\', ':']);
    if target.starts_with('/') || is_windows_path {
        return None;
    }
    Some(target.split('/').map(str::to_owned).collect())
}

/// Reports whether a failure says what stands at a name, rather than what may or can be done there.
fn is_about_names(error: &io::Error) -> bool {
    let kind = error.kind();
    is_loop(error)
        || matches!(
            kind,
            io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory
        )
}

fn is_loop(error: &io::Error) -> bool {
    // `io::ErrorKind::FilesystemLoop` is not stable; the text of the debug form is not an interface.
    #[cfg(unix)]
    return error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
    #[cfg(not(unix))]
    return error.raw_os_error() == Some(WINDOWS_CANT_RESOLVE_FILENAME);
}

/// `ERROR_CANT_RESOLVE_FILENAME` of the Windows system error codes.
#[cfg(not(unix))]
const WINDOWS_CANT_RESOLVE_FILENAME: i32 = 1921;
