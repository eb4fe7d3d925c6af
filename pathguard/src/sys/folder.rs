//! The held folder of whichever backend was chosen.

use std::fs::File;
use std::io;
use std::path::Path;

use super::{Access, Backend, BackendChoice, Confinement, FolderOps, Purpose, Stat, Visit};

/// A held folder of any backend.
#[derive(Debug)]
pub(crate) enum Folder {
    #[cfg(unix)]
    Unix(super::unix::Folder),
    #[cfg(any(windows, test))]
    Cap(super::cap::Folder),
}

/// Runs the same call on whichever backend it is.
macro_rules! each {
    ($folder:expr, $inner:ident => $call:expr) => {
        match $folder {
            #[cfg(unix)]
            Self::Unix($inner) => $call,
            #[cfg(any(windows, test))]
            Self::Cap($inner) => $call,
        }
    };
    // The same, for calls that return another folder.
    ($folder:expr, $inner:ident => folder $call:expr) => {
        match $folder {
            #[cfg(unix)]
            Self::Unix($inner) => $call.map(Self::Unix),
            #[cfg(any(windows, test))]
            Self::Cap($inner) => $call.map(Self::Cap),
        }
    };
}

/// Chooses the backend for a new root. `None`: the forced one does not exist here.
pub(crate) fn choose_backend(choice: BackendChoice) -> Option<Backend> {
    #[cfg(unix)]
    return choice.decide(super::unix::probe);
    #[cfg(not(unix))]
    return choice.decide(|_| super::choice::Probe::Unusable);
}

impl FolderOps for Folder {
    fn open_ambient(path: &Path, confinement: Confinement) -> io::Result<Self> {
        match confinement.backend {
            #[cfg(unix)]
            Backend::OpenAt2 | Backend::Components => {
                super::unix::Folder::open_ambient(path, confinement).map(Self::Unix)
            }
            #[cfg(any(windows, test))]
            Backend::CapStd => super::cap::Folder::open_ambient(path, confinement).map(Self::Cap),
            #[cfg(not(all(unix, test)))]
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    fn stat_ambient(path: &Path, backend: Backend) -> io::Result<Stat> {
        match backend {
            #[cfg(unix)]
            Backend::OpenAt2 | Backend::Components => {
                super::unix::Folder::stat_ambient(path, backend)
            }
            #[cfg(any(windows, test))]
            Backend::CapStd => super::cap::Folder::stat_ambient(path, backend),
            #[cfg(not(all(unix, test)))]
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    fn stat(&self) -> io::Result<Stat> {
        each!(self, folder => folder.stat())
    }

    fn open_file(&self, path: &str, access: Access) -> io::Result<(File, Stat)> {
        each!(self, folder => folder.open_file(path, access))
    }

    fn open_folder(&self, path: &str, purpose: Purpose) -> io::Result<Self> {
        each!(self, folder => folder folder.open_folder(path, purpose))
    }

    fn stat_path(&self, path: &str) -> io::Result<Stat> {
        each!(self, folder => folder.stat_path(path))
    }

    fn stat_leaf(&self, leaf: &str) -> io::Result<Stat> {
        each!(self, folder => folder.stat_leaf(leaf))
    }

    fn read_link(&self, leaf: &str) -> io::Result<Vec<u8>> {
        each!(self, folder => folder.read_link(leaf))
    }

    fn create_new(&self, leaf: &str, access: Access, mode: u32) -> io::Result<File> {
        each!(self, folder => folder.create_new(leaf, access, mode))
    }

    fn make_folder(&self, leaf: &str, mode: u32) -> io::Result<()> {
        each!(self, folder => folder.make_folder(leaf, mode))
    }

    fn rename(&self, leaf: &str, to: &Self, to_leaf: &str, replace: bool) -> io::Result<()> {
        match (self, to) {
            #[cfg(unix)]
            (Self::Unix(from), Self::Unix(to)) => from.rename(leaf, to, to_leaf, replace),
            #[cfg(any(windows, test))]
            (Self::Cap(from), Self::Cap(to)) => from.rename(leaf, to, to_leaf, replace),
            #[cfg(all(unix, test))]
            _ => unreachable!("both folders lie below one root because callers open them there"),
        }
    }

    fn unlink(&self, leaf: &str) -> io::Result<()> {
        each!(self, folder => folder.unlink(leaf))
    }

    fn remove_folder(&self, leaf: &str) -> io::Result<()> {
        each!(self, folder => folder.remove_folder(leaf))
    }

    fn sync(&self) -> io::Result<()> {
        each!(self, folder => folder.sync())
    }

    fn can_sync_file_system(&self) -> bool {
        each!(self, folder => folder.can_sync_file_system())
    }

    fn sync_file_system(&self) -> io::Result<()> {
        each!(self, folder => folder.sync_file_system())
    }

    fn list(&self, visit: Visit<'_>) -> io::Result<()> {
        each!(self, folder => folder.list(visit))
    }

    fn set_folder_mode(&self, leaf: &str, mode: u32) -> io::Result<()> {
        each!(self, folder => folder.set_folder_mode(leaf, mode))
    }

    fn set_mode(&self, file: &File, mode: u32) -> io::Result<()> {
        each!(self, folder => folder.set_mode(file, mode))
    }

    fn stat_file(&self, file: &File) -> io::Result<Stat> {
        each!(self, folder => folder.stat_file(file))
    }

    fn read_once(&self, file: &File, buffer: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
        each!(self, folder => folder.read_once(file, buffer, limit))
    }
}
