//! Functions under the names of the team memory specification, for hosts that must have a path.
//!
//! A path that was good when it was checked says nothing about the moment it is used. Prefer
//! [`MemoryRoot::write_target`](crate::MemoryRoot::write_target).

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::error::{Error, ErrorKind};
use crate::key::{PathKey, PathKeyRef};
use crate::reason::TraversalReason;
use crate::root::{MemoryRoot, RootCheck, RootOptions, explain_ambient};
use crate::shown::shown;

/// Components looked at from the end of a path; more than a path of any system can have.
const MAX_COMPONENTS: usize = 4096;

/// A key that was refused: which rule, and the key for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathTraversalError {
    reason: TraversalReason,
    shown: String,
}

impl PathTraversalError {
    /// Returns the rule that refused the key.
    pub fn reason(&self) -> TraversalReason {
        self.reason
    }

    /// Returns the key, escaped and shortened.
    pub fn shown(&self) -> &str {
        &self.shown
    }
}

impl fmt::Display for PathTraversalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "key \"{}\": {}", self.shown, self.reason)
    }
}

impl StdError for PathTraversalError {}

/// Checks a key that a server or a model sent, and returns it unchanged.
///
/// # Errors
///
/// The rule that refused it; the rules are those of [`PathKey`].
///
/// ```
/// use pathguard::sanitize_path_key;
///
/// assert_eq!(sanitize_path_key("notes/100%25.md").unwrap(), "notes/100%25.md");
/// assert!(sanitize_path_key("notes/%2e%2e%2fescape.md").is_err());
/// ```
pub fn sanitize_path_key(raw: &str) -> Result<String, PathTraversalError> {
    match PathKeyRef::check(raw) {
        Ok(()) => Ok(raw.to_owned()),
        Err(reason) => Err(PathTraversalError {
            reason,
            shown: shown(raw),
        }),
    }
}

/// Resolves the links of the deepest part of `path` that exists, and appends the rest.
///
/// # Errors
///
/// [`ErrorKind::Traversal`] when `path` is not absolute, holds a NUL, or has `..` in the part that
/// does not exist. Only a name that is really absent counts as that: a link to nothing is
/// [`ErrorKind::Dangling`], links in a circle are [`ErrorKind::Loop`], a file in the place of a
/// folder is [`ErrorKind::NotDirectory`], a folder that may not be searched [`ErrorKind::Denied`].
pub fn realpath_deepest_existing(path: &Path) -> Result<PathBuf, Error> {
    let refused = |reason| Error::refused(reason).with_path(path);
    if path.as_os_str().as_encoded_bytes().contains(&0) {
        return Err(refused(TraversalReason::Nul));
    }
    if !path.is_absolute() {
        return Err(refused(TraversalReason::Relative));
    }
    let mut existing = path;
    let mut rest = Vec::new();
    for _ in 0..MAX_COMPONENTS {
        match existing.canonicalize() {
            Ok(real) => {
                return Ok(rest
                    .into_iter()
                    .rev()
                    .fold(real, |path, name| path.join(name)));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(explain_ambient(path, error)),
        }
        // The name may be there and lead to nothing.
        match existing.symlink_metadata() {
            Ok(found) if found.is_symlink() => {
                return Err(Error::new(ErrorKind::Dangling).with_path(path));
            }
            Ok(_) => return Err(Error::new(ErrorKind::Changed).with_path(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(Error::io(error).with_path(path)),
        }
        existing = match (existing.components().next_back(), existing.parent()) {
            (Some(Component::Normal(name)), Some(parent)) => {
                rest.push(name.to_owned());
                parent
            }
            (Some(Component::ParentDir), _) => {
                return Err(refused(TraversalReason::DotComponent));
            }
            _ => return Err(Error::new(ErrorKind::NotFound).with_path(path)),
        };
    }
    Err(refused(TraversalReason::TooDeep))
}

/// Checks that `path`, absolute or relative to `team_dir`, may be written as a team memory, and
/// returns it with the links above `team_dir` resolved.
///
/// Below `team_dir` nothing may be a link, and what exists must be a regular file with one link.
///
/// # Errors
///
/// [`ErrorKind::Traversal`] when `path` is not below `team_dir` or is no legal key there; otherwise
/// as [`MemoryRoot::write_target`](crate::MemoryRoot::write_target), except that missing folders
/// are no error.
pub fn validate_team_mem_write_path(team_dir: &Path, path: &Path) -> Result<PathBuf, Error> {
    let key = key_below(team_dir, path)?;
    let real = realpath_deepest_existing(team_dir)?;
    let target = key
        .as_ref()
        .components()
        .fold(real.clone(), |path, name| path.join(name));
    let options = RootOptions::new().with_check_root(RootCheck::OnRequest);
    match MemoryRoot::open(&real, &options) {
        Ok(root) => root.check_writable(key.as_ref())?,
        // Nothing is there, so nothing can lead elsewhere.
        Err(error) if error.is_not_found() => {}
        Err(error) => return Err(error),
    }
    Ok(target)
}

/// Returns the key of `path` below `team_dir`, by text: `/foo/team-evil` is not below `/foo/team`,
/// and no component is interpreted on the way.
fn key_below(team_dir: &Path, path: &Path) -> Result<PathKey, Error> {
    let text = path
        .to_str()
        .ok_or_else(|| Error::refused(TraversalReason::NotUtf8).with_path(path))?;
    if !path.is_absolute() {
        return PathKey::parse(&with_slashes(text));
    }
    let outside = || Error::refused(TraversalReason::OutsideRoot).with_path(path);
    let folder = team_dir.to_str().ok_or_else(outside)?;
    let (folder, text) = (with_slashes(folder), with_slashes(text));
    let below = text
        .strip_prefix(folder.trim_end_matches('/'))
        .ok_or_else(outside)?;
    PathKey::parse(below.strip_prefix('/').ok_or_else(outside)?)
}

/// The separator of Windows is a backslash, which no key may hold.
fn with_slashes(text: &str) -> String {
    if cfg!(windows) {
        text.replace('\\', "/")
    } else {
        text.to_owned()
    }
}
