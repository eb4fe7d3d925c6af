//! Windows, through `cap-std`: one component at a time, each opened without following it.
//!
//! `cap-std` confines paths by itself; walking component by component on top of it refuses links
//! that stay inside as well, as the Unix twin does. The module is also compiled for the unit tests
//! of Unix, so that it is checked by the compiler and passes the same table of tests everywhere.

use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::UNIX_EPOCH;

use cap_fs_ext::{
    DirExt, FollowSymlinks, MetadataExt, OpenOptionsFollowExt, OpenOptionsMaybeDirExt,
    OpenOptionsSyncExt,
};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, FileType, Metadata as CapMetadata, OpenOptions};

use super::{Access, Backend, Confinement, FolderOps, Purpose, RawEntry, Stat, Visit};
use crate::metadata::{EntryKind, Metadata};

/// A held folder.
#[derive(Debug)]
pub(crate) struct Folder {
    dir: Dir,
    /// The device that everything has to lie on, unless the caller allows others.
    device: Option<u64>,
}

impl FolderOps for Folder {
    fn open_ambient(path: &Path, confinement: Confinement) -> io::Result<Self> {
        let dir = Dir::open_ambient_dir(path, ambient_authority())?;
        let mut folder = Self { dir, device: None };
        if !confinement.cross_devices {
            folder.device = Some(folder.stat()?.metadata.device);
        }
        Ok(folder)
    }

    fn stat_ambient(path: &Path, _: Backend) -> io::Result<Stat> {
        let dir = Dir::open_ambient_dir(path, ambient_authority())?;
        Self { dir, device: None }.stat()
    }

    fn stat(&self) -> io::Result<Stat> {
        convert(&self.dir.dir_metadata()?)
    }

    fn open_file(&self, path: &str, access: Access) -> io::Result<(File, Stat)> {
        self.in_parent(path, |parent, leaf| {
            let mut options = OpenOptions::new();
            match access {
                Access::Read => options.read(true),
                Access::Append => options.append(true),
                Access::ReadWrite => options.read(true).write(true),
            };
            // A folder is opened too, so that looking at the handle tells what it is.
            options
                .follow(FollowSymlinks::No)
                .nonblock(true)
                .maybe_dir(true);
            let file = parent.dir.open_with(leaf, &options)?.into_std();
            let stat = parent.stat_file(&file)?;
            parent.check_device(&stat)?;
            if stat.metadata.kind == EntryKind::Symlink {
                return Err(is_link());
            }
            Ok((file, stat))
        })
    }

    fn open_folder(&self, path: &str, _: Purpose) -> io::Result<Self> {
        let mut held: Option<Self> = None;
        for component in path.split('/') {
            let at = held.as_ref().unwrap_or(self);
            let next = Self {
                dir: at.dir.open_dir_nofollow(component)?,
                device: self.device,
            };
            let stat = next.stat()?;
            // A junction is a folder to Windows and a link to us.
            if stat.metadata.kind != EntryKind::Directory {
                return Err(is_link());
            }
            next.check_device(&stat)?;
            held = Some(next);
        }
        Ok(held.expect("a path has at least one component"))
    }

    fn stat_path(&self, path: &str) -> io::Result<Stat> {
        let stat = self.in_parent(path, Self::stat_leaf)?;
        if stat.metadata.kind == EntryKind::Symlink {
            return Err(is_link());
        }
        self.check_device(&stat)?;
        Ok(stat)
    }

    fn stat_leaf(&self, leaf: &str) -> io::Result<Stat> {
        convert(&self.dir.symlink_metadata(leaf)?)
    }

    fn read_link(&self, leaf: &str) -> io::Result<Vec<u8>> {
        Ok(self
            .dir
            .read_link_contents(leaf)?
            .into_os_string()
            .into_encoded_bytes())
    }

    fn create_new(&self, leaf: &str, access: Access, mode: u32) -> io::Result<File> {
        let mut options = OpenOptions::new();
        match access {
            Access::Append => options.append(true),
            Access::Read => options.write(true),
            Access::ReadWrite => options.read(true).write(true),
        };
        options.create_new(true).follow(FollowSymlinks::No);
        set_creation_mode(&mut options, mode);
        Ok(self.dir.open_with(leaf, &options)?.into_std())
    }

    fn make_folder(&self, leaf: &str, _: u32) -> io::Result<()> {
        self.dir.create_dir(leaf)
    }

    fn rename(&self, leaf: &str, to: &Self, to_leaf: &str, replace: bool) -> io::Result<()> {
        if replace {
            return self.dir.rename(leaf, &to.dir, to_leaf);
        }
        // A hard link is exclusive; the rename of this interface is not.
        match self.dir.hard_link(leaf, &to.dir, to_leaf) {
            Ok(()) => self.unlink(leaf),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            // Folders, and file systems without hard links. Here a name that appears between the
            // look and the rename is replaced.
            Err(_) => match to.dir.symlink_metadata(to_leaf) {
                Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    self.dir.rename(leaf, &to.dir, to_leaf)
                }
                Err(error) => Err(error),
            },
        }
    }

    fn unlink(&self, leaf: &str) -> io::Result<()> {
        self.dir.remove_file_or_symlink(leaf)
    }

    fn remove_folder(&self, leaf: &str) -> io::Result<()> {
        self.dir.remove_dir(leaf)
    }

    fn sync(&self) -> io::Result<()> {
        // Windows has no call for it: NTFS writes names to its journal by itself.
        Ok(())
    }

    fn can_sync_file_system(&self) -> bool {
        false
    }

    fn sync_file_system(&self) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn list(&self, visit: Visit<'_>) -> io::Result<()> {
        for entry in self.dir.entries()? {
            let entry = entry?;
            let name = entry.file_name();
            let kind = entry.file_type().ok().map(kind_of);
            let stat = || convert(&self.dir.symlink_metadata(&name)?);
            match visit(RawEntry {
                name: &name,
                kind,
                stat: &stat,
            }) {
                ControlFlow::Continue(()) => {}
                ControlFlow::Break(()) => break,
            }
        }
        Ok(())
    }

    fn set_folder_mode(&self, leaf: &str, mode: u32) -> io::Result<()> {
        set_folder_mode(&self.dir.open_dir_nofollow(leaf)?, mode)
    }

    fn set_mode(&self, file: &File, mode: u32) -> io::Result<()> {
        set_mode(file, mode)
    }

    fn stat_file(&self, file: &File) -> io::Result<Stat> {
        convert(&CapMetadata::from_file(file)?)
    }

    fn read_once(&self, mut file: &File, buffer: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
        let start = buffer.len();
        buffer.try_reserve(limit)?;
        buffer.resize(start + limit, 0);
        loop {
            match file.read(&mut buffer[start..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(read) => {
                    buffer.truncate(start + read);
                    return Ok(read);
                }
                Err(error) => return Err(error),
            }
        }
    }
}

impl Folder {
    /// Calls `operation` with the folder of `path` and its last component.
    fn in_parent<T>(
        &self,
        path: &str,
        operation: impl FnOnce(&Self, &str) -> io::Result<T>,
    ) -> io::Result<T> {
        match path.rsplit_once('/') {
            Some((parent, leaf)) => operation(&self.open_folder(parent, Purpose::Pass)?, leaf),
            None => operation(self, path),
        }
    }

    fn check_device(&self, stat: &Stat) -> io::Result<()> {
        match self.device {
            Some(device) if device != stat.metadata.device => {
                Err(io::ErrorKind::CrossesDevices.into())
            }
            _ => Ok(()),
        }
    }
}

/// The caller looks for the link and says what it is.
fn is_link() -> io::Error {
    io::ErrorKind::InvalidInput.into()
}

fn convert(found: &CapMetadata) -> io::Result<Stat> {
    let modified = found.modified()?.into_std();
    let nanoseconds =
        |duration: std::time::Duration| i128::try_from(duration.as_nanos()).unwrap_or(i128::MAX);
    let modified_ns = match modified.duration_since(UNIX_EPOCH) {
        Ok(after) => nanoseconds(after),
        Err(before) => -nanoseconds(before.duration()),
    };
    Ok(Stat {
        metadata: Metadata {
            len: found.len(),
            modified_ns,
            changed_ns: 0,
            inode: MetadataExt::ino(found),
            device: MetadataExt::dev(found),
            links: MetadataExt::nlink(found),
            kind: kind_of(found.file_type()),
            mode: mode_of(found),
        },
        owner: owner_of(found),
    })
}

fn kind_of(kind: FileType) -> EntryKind {
    // First: a link to a folder is both on Windows.
    if kind.is_symlink() {
        EntryKind::Symlink
    } else if kind.is_dir() {
        EntryKind::Directory
    } else if kind.is_file() {
        EntryKind::File
    } else {
        EntryKind::Other
    }
}

#[cfg(unix)]
fn mode_of(found: &CapMetadata) -> u32 {
    use cap_std::fs::PermissionsExt;
    found.permissions().mode() & 0o7777
}

#[cfg(not(unix))]
fn mode_of(found: &CapMetadata) -> u32 {
    if found.permissions().readonly() {
        0o400
    } else {
        0o600
    }
}

#[cfg(unix)]
fn owner_of(found: &CapMetadata) -> u32 {
    cap_std::fs::MetadataExt::uid(found)
}

#[cfg(not(unix))]
fn owner_of(_: &CapMetadata) -> u32 {
    0
}

#[cfg(unix)]
fn set_creation_mode(options: &mut OpenOptions, mode: u32) {
    cap_std::fs::OpenOptionsExt::mode(options, mode & 0o777);
}

#[cfg(not(unix))]
fn set_creation_mode(_: &mut OpenOptions, _: u32) {}

#[cfg(unix)]
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(mode & 0o777))
}

#[cfg(unix)]
fn set_folder_mode(folder: &Dir, mode: u32) -> io::Result<()> {
    use cap_std::fs::{Permissions, PermissionsExt};
    folder.set_permissions(".", Permissions::from_mode(mode & 0o777))
}

#[cfg(not(unix))]
fn set_folder_mode(_: &Dir, _: u32) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn set_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}
