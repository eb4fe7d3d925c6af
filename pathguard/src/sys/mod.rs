//! The operating system, seen as held folders that follow no link.
//!
//! [`FolderOps`] is what a backend has to offer; the twins are [`unix`] (with two ways to resolve a
//! path of several components) and [`cap`]. Everything above this module works on [`Folder`] and
//! knows no platform.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::Path;

use crate::metadata::{EntryKind, Metadata};

#[cfg(any(windows, test))]
pub(crate) mod cap;
mod choice;
mod folder;
#[cfg(unix)]
pub(crate) mod unix;

#[doc(hidden)]
pub use choice::Fault;
pub use choice::{Backend, BackendChoice};
pub(crate) use folder::{Folder, choose_backend};

/// Metadata with the facts that only the checks need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stat {
    pub(crate) metadata: Metadata,
    /// User that owns the file; zero on Windows, where owners are not numbers.
    pub(crate) owner: u32,
}

/// How a file that exists is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    /// Every write goes to the end, whatever other processes do.
    Append,
    ReadWrite,
}

/// What a folder is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To reach names in it.
    Pass,
    /// To list it or to make it durable as well.
    Read,
}

/// A name met while listing.
pub(crate) struct RawEntry<'a> {
    pub(crate) name: &'a OsStr,
    /// `None` when the file system does not say.
    pub(crate) kind: Option<EntryKind>,
    /// Looks at the name without following it.
    pub(crate) stat: &'a dyn Fn() -> io::Result<Stat>,
}

/// Whether a listing goes on.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(RawEntry<'_>) -> std::ops::ControlFlow<()>;

/// How a folder is opened by an ordinary path, and what holds below it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Confinement {
    pub(crate) backend: Backend,
    /// Whether names below may lie on another device.
    pub(crate) cross_devices: bool,
}

/// Looks at a path, following links, as the platform's own backend does.
pub(crate) fn stat_ambient(path: &Path) -> io::Result<Stat> {
    let backend = if cfg!(unix) {
        Backend::Components
    } else {
        Backend::CapStd
    };
    Folder::stat_ambient(path, backend)
}

/// A held folder.
///
/// `path` arguments are relative, of one or more checked components; `leaf` arguments are a single
/// checked component. No method follows a symbolic link in either, in any component.
pub(crate) trait FolderOps: Sized {
    /// Opens a folder by an ordinary path, following links: the one place where authority is made
    /// out of a path.
    fn open_ambient(path: &Path, confinement: Confinement) -> io::Result<Self>;
    /// Looks at a folder by an ordinary path, following links.
    fn stat_ambient(path: &Path, backend: Backend) -> io::Result<Stat>;
    fn stat(&self) -> io::Result<Stat>;
    /// Opens a file that exists, without blocking, and looks at it by its handle.
    fn open_file(&self, path: &str, access: Access) -> io::Result<(File, Stat)>;
    fn open_folder(&self, path: &str, purpose: Purpose) -> io::Result<Self>;
    /// Looks at what `path` names without opening it for use.
    fn stat_path(&self, path: &str) -> io::Result<Stat>;
    /// Looks at `leaf` without following it.
    fn stat_leaf(&self, leaf: &str) -> io::Result<Stat>;
    fn read_link(&self, leaf: &str) -> io::Result<Vec<u8>>;
    /// Makes a file that did not exist, open for writing.
    fn create_new(&self, leaf: &str, access: Access, mode: u32) -> io::Result<File>;
    fn make_folder(&self, leaf: &str, mode: u32) -> io::Result<()>;
    /// Renames; with `replace` false it fails when `to_leaf` exists. Where no such call exists, a
    /// file has both names for a moment.
    fn rename(&self, leaf: &str, to: &Self, to_leaf: &str, replace: bool) -> io::Result<()>;
    fn unlink(&self, leaf: &str) -> io::Result<()>;
    fn remove_folder(&self, leaf: &str) -> io::Result<()>;
    /// Makes the names in this folder durable.
    fn sync(&self) -> io::Result<()>;
    /// Whether one call can make all files of a file system durable.
    fn can_sync_file_system(&self) -> bool;
    /// Makes everything on the file system of this folder durable; an error where there is no such
    /// call.
    fn sync_file_system(&self) -> io::Result<()>;
    /// Calls `visit` for each name, in no order, without `.` and `..`.
    fn list(&self, visit: Visit<'_>) -> io::Result<()>;
    /// Gives a folder just made in this one its permission bits, without following `leaf`.
    fn set_folder_mode(&self, leaf: &str, mode: u32) -> io::Result<()>;
    /// Sets the permission bits of an open file.
    fn set_mode(&self, file: &File, mode: u32) -> io::Result<()>;
    fn stat_file(&self, file: &File) -> io::Result<Stat>;
    /// Reads once, at most `limit` bytes, to the end of `buffer`.
    fn read_once(&self, file: &File, buffer: &mut Vec<u8>, limit: usize) -> io::Result<usize>;
}
