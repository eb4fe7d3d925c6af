//! Unix: raw system calls through `rustix`, relative to a held descriptor.
//!
//! A single name below a descriptor needs no resolver: `openat` with `O_NOFOLLOW` and the `*at`
//! calls that never follow are safe by themselves. Only paths of several components are resolved,
//! by `openat2` or component by component ([`resolve`]).

mod list;
mod resolve;
mod stat;

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use resolve::Resolver;
pub(crate) use resolve::probe;

use super::{Access, Backend, Confinement, FolderOps, Purpose, Stat, Visit};
use crate::metadata::EntryKind;

/// Opens a name to pass through it only. Without `O_PATH` a folder has to be readable for that.
#[cfg(any(target_os = "linux", target_os = "android"))]
const PASS: OFlags = OFlags::PATH;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const PASS: OFlags = OFlags::RDONLY;

/// Whether [`PASS`] opens any name without the right to read it and without touching a device.
const OPENS_WITHOUT_READING: bool = cfg!(any(target_os = "linux", target_os = "android"));

const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

/// `O_NONBLOCK` so that a FIFO cannot hang us, `O_NOCTTY` so that a terminal cannot become ours.
const FILE: OFlags = OFlags::NONBLOCK
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOFOLLOW);

/// A held descriptor of a folder, and how paths below it are resolved.
#[derive(Debug)]
pub(crate) struct Folder {
    fd: OwnedFd,
    resolver: Resolver,
}

impl FolderOps for Folder {
    fn open_ambient(path: &Path, confinement: Confinement) -> io::Result<Self> {
        let fd = retry_on_intr(|| rustix::fs::openat(CWD, path, PASS | FOLDER, Mode::empty()))?;
        let resolver = Resolver::new(&fd, confinement)?;
        Ok(Self { fd, resolver })
    }

    fn stat_ambient(path: &Path, _: Backend) -> io::Result<Stat> {
        Ok(stat::of_path(path)?)
    }

    fn stat(&self) -> io::Result<Stat> {
        Ok(stat::of_handle(&self.fd)?)
    }

    fn open_file(&self, path: &str, access: Access) -> io::Result<(File, Stat)> {
        let flags = access_flags(access) | FILE;
        let (fd, stat) = self.resolver.open_and_stat(&self.fd, path, flags)?;
        Ok((File::from(fd), stat))
    }

    fn open_folder(&self, path: &str, purpose: Purpose) -> io::Result<Self> {
        let flags = match purpose {
            Purpose::Pass => PASS | FOLDER,
            Purpose::Read => OFlags::RDONLY | FOLDER,
        };
        let fd = self.resolver.open(&self.fd, path, flags)?;
        Ok(Self {
            fd,
            resolver: self.resolver,
        })
    }

    fn stat_path(&self, path: &str) -> io::Result<Stat> {
        if OPENS_WITHOUT_READING {
            return Ok(self
                .resolver
                .open_and_stat(&self.fd, path, PASS | OFlags::CLOEXEC)?
                .1);
        }
        // Here an open would need permission to read, and could wake a device.
        let stat = match path.rsplit_once('/') {
            Some((parent, leaf)) => self.open_folder(parent, Purpose::Pass)?.stat_leaf(leaf)?,
            None => self.stat_leaf(path)?,
        };
        if stat.metadata.kind == EntryKind::Symlink {
            return Err(Errno::LOOP.into());
        }
        self.resolver.check_device(&stat)?;
        Ok(stat)
    }

    fn stat_leaf(&self, leaf: &str) -> io::Result<Stat> {
        Ok(stat::of_name(&self.fd, leaf)?)
    }

    fn read_link(&self, leaf: &str) -> io::Result<Vec<u8>> {
        Ok(rustix::fs::readlinkat(&self.fd, leaf, Vec::new())?.into_bytes())
    }

    fn create_new(&self, leaf: &str, access: Access, mode: u32) -> io::Result<File> {
        let flags = match access {
            // A new file is written from its start.
            Access::Read => OFlags::WRONLY,
            access => access_flags(access),
        };
        let flags = flags | OFlags::CREATE | OFlags::EXCL | FILE;
        let mode = mode_of(mode);
        let fd = retry_on_intr(|| rustix::fs::openat(&self.fd, leaf, flags, mode))?;
        Ok(File::from(fd))
    }

    fn make_folder(&self, leaf: &str, mode: u32) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(&self.fd, leaf, mode_of(mode))?)
    }

    fn rename(&self, leaf: &str, to: &Self, to_leaf: &str, replace: bool) -> io::Result<()> {
        if replace {
            return Ok(rustix::fs::renameat(&self.fd, leaf, &to.fd, to_leaf)?);
        }
        match rename_exclusive(&self.fd, leaf, &to.fd, to_leaf) {
            // The file system does not know the flag.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                self.link_and_unlink(leaf, to, to_leaf)
            }
            result => Ok(result?),
        }
    }

    fn unlink(&self, leaf: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.fd, leaf, AtFlags::empty())?)
    }

    fn remove_folder(&self, leaf: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.fd, leaf, AtFlags::REMOVEDIR)?)
    }

    fn sync(&self) -> io::Result<()> {
        let readable = self.readable()?;
        match retry_on_intr(|| rustix::fs::fsync(&readable)) {
            // Some file systems have nothing to do for a folder and say so with an error.
            Err(Errno::INVAL | Errno::NOTSUP) => Ok(()),
            result => Ok(result?),
        }
    }

    fn can_sync_file_system(&self) -> bool {
        cfg!(any(target_os = "linux", target_os = "android"))
    }

    fn sync_file_system(&self) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        return Ok(retry_on_intr(|| rustix::fs::syncfs(self.readable()?))?);
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        return Err(io::ErrorKind::Unsupported.into());
    }

    fn list(&self, visit: Visit<'_>) -> io::Result<()> {
        Ok(list::list(&self.readable()?, visit)?)
    }

    fn set_folder_mode(&self, leaf: &str, mode: u32) -> io::Result<()> {
        self.set_leaf_mode(leaf, mode)
    }

    fn set_mode(&self, file: &File, mode: u32) -> io::Result<()> {
        Ok(rustix::fs::fchmod(file, mode_of(mode))?)
    }

    fn stat_file(&self, file: &File) -> io::Result<Stat> {
        Ok(stat::of_handle(file)?)
    }

    fn read_once(&self, file: &File, buffer: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
        /// Free room beyond the limit that is cheaper to read into than to keep clear of.
        const SLACK: usize = 16 * 1024;
        // A sparse file can claim any size; that is an error and no reason to abort.
        buffer.try_reserve(limit)?;
        if buffer.capacity() - buffer.len() <= limit.saturating_add(SLACK) {
            let start = buffer.len();
            // Straight into uninitialised memory: no pass that clears it first.
            let read =
                retry_on_intr(|| rustix::io::read(file, rustix::buffer::spare_capacity(buffer)))?;
            buffer.truncate(start.saturating_add(read.min(limit)));
            return Ok(read.min(limit));
        }
        let start = buffer.len();
        buffer.resize(start + limit, 0);
        let read = retry_on_intr(|| rustix::io::read(file, &mut buffer[start..]))?;
        buffer.truncate(start + read);
        Ok(read)
    }
}

impl Folder {
    /// Opens the folder again, for calls that a pass-only descriptor does not allow.
    fn readable(&self) -> rustix::io::Result<OwnedFd> {
        retry_on_intr(|| rustix::fs::openat(&self.fd, c".", OFlags::RDONLY | FOLDER, Mode::empty()))
    }

    /// Moves a file without replacing, where `renameat2` with `RENAME_NOREPLACE` does not work. A
    /// link is as exclusive as that call; in between the file has two names, both ours.
    fn link_and_unlink(&self, leaf: &str, to: &Self, to_leaf: &str) -> io::Result<()> {
        match rustix::fs::linkat(&self.fd, leaf, &to.fd, to_leaf, AtFlags::empty()) {
            Ok(()) => self.unlink(leaf),
            // Folders, and file systems without hard links. Here a name that appears between the
            // look and the rename is replaced.
            Err(Errno::PERM | Errno::NOTSUP | Errno::MLINK | Errno::ISDIR) => {
                match to.stat_leaf(to_leaf) {
                    Ok(_) => Err(Errno::EXIST.into()),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {
                        Ok(rustix::fs::renameat(&self.fd, leaf, &to.fd, to_leaf)?)
                    }
                    Err(error) => Err(error),
                }
            }
            Err(error) => Err(error.into()),
        }
    }

    /// `fchmodat` follows links on Linux, and `fchmod` needs a readable folder. The name of our own
    /// descriptor below `/proc` leads to exactly the folder that was opened without following.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn set_leaf_mode(&self, leaf: &str, mode: u32) -> io::Result<()> {
        use std::os::fd::AsRawFd;
        let folder = self
            .resolver
            .open(&self.fd, leaf, PASS | FOLDER | OFlags::NOFOLLOW)?;
        let name = format!("/proc/self/fd/{}", folder.as_raw_fd());
        Ok(rustix::fs::chmodat(
            CWD,
            name,
            mode_of(mode),
            AtFlags::empty(),
        )?)
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn set_leaf_mode(&self, leaf: &str, mode: u32) -> io::Result<()> {
        Ok(rustix::fs::chmodat(
            &self.fd,
            leaf,
            mode_of(mode),
            AtFlags::SYMLINK_NOFOLLOW,
        )?)
    }
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn rename_exclusive(
    from: &OwnedFd,
    leaf: &str,
    to: &OwnedFd,
    to_leaf: &str,
) -> rustix::io::Result<()> {
    rustix::fs::renameat_with(from, leaf, to, to_leaf, rustix::fs::RenameFlags::NOREPLACE)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn rename_exclusive(_: &OwnedFd, _: &str, _: &OwnedFd, _: &str) -> rustix::io::Result<()> {
    Err(Errno::NOSYS)
}

fn access_flags(access: Access) -> OFlags {
    match access {
        Access::Read => OFlags::RDONLY,
        Access::Append => OFlags::WRONLY | OFlags::APPEND,
        Access::ReadWrite => OFlags::RDWR,
    }
}

fn mode_of(mode: u32) -> Mode {
    // The type is narrower on some platforms; only permission bits are ever passed.
    Mode::from_bits_truncate((mode & 0o777) as rustix::fs::RawMode)
}
