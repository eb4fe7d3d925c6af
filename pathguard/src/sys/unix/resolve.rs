//! Resolving a path of several components below a held descriptor, following nothing.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::{FOLDER, OPENS_WITHOUT_READING, PASS, stat};
use crate::metadata::EntryKind;
use crate::sys::choice::{Fault, Probe};
use crate::sys::{Backend, Confinement, Stat};

/// Times that `openat2` is repeated when the kernel says it could not prove confinement because of
/// a concurrent rename or mount (`EAGAIN`).
#[cfg(any(target_os = "linux", target_os = "android"))]
const ATTEMPTS: usize = 128;

/// How paths are resolved below one root.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resolver {
    backend: Backend,
    /// The mount that everything has to lie on, unless the caller allows others.
    mount: Option<Mount>,
}

/// What tells mounts apart: the mount's number where the kernel gives it, else the device.
///
/// The device alone is wrong in both directions on Linux: a bind mount keeps it, and files of one
/// overlay mount have several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mount {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    Number(u64),
    Device(u64),
}

impl Resolver {
    pub(super) fn new(root: &OwnedFd, confinement: Confinement) -> rustix::io::Result<Self> {
        let mount = if confinement.cross_devices {
            None
        } else {
            Some(stat_and_mount(root.as_fd())?.1)
        };
        Ok(Self {
            backend: confinement.backend,
            mount,
        })
    }

    /// Opens `path` with `flags`; refuses links and other mounts on the way.
    pub(super) fn open(
        &self,
        folder: &OwnedFd,
        path: &str,
        flags: OFlags,
    ) -> rustix::io::Result<OwnedFd> {
        if let Some(result) = self.open_in_kernel(folder, path, flags) {
            return result;
        }
        let fd = walk(folder, path, flags)?;
        self.stat_on_mount(fd.as_fd())?;
        Ok(fd)
    }

    /// As [`Resolver::open`], and looks at what was opened.
    pub(super) fn open_and_stat(
        &self,
        folder: &OwnedFd,
        path: &str,
        flags: OFlags,
    ) -> rustix::io::Result<(OwnedFd, Stat)> {
        if let Some(result) = self.open_in_kernel(folder, path, flags) {
            let fd = result?;
            let stat = stat::of_handle(&fd)?;
            return Ok((fd, stat));
        }
        let fd = walk(folder, path, flags)?;
        let stat = self.stat_on_mount(fd.as_fd())?;
        Ok((fd, stat))
    }

    /// Checks the device of a name that was only looked at.
    pub(super) fn check_device(&self, stat: &Stat) -> rustix::io::Result<()> {
        match self.mount {
            Some(Mount::Device(device)) if device != stat.metadata.device => Err(Errno::XDEV),
            _ => Ok(()),
        }
    }

    /// Looks at what a walk led to, and refuses it on another mount.
    ///
    /// A walk passes mount points on its way, but mounts only ever stack downwards: whoever left
    /// the root's mount cannot be back on it without `..` or a link, and neither is possible. So
    /// looking at the end is enough, and one call tells both.
    fn stat_on_mount(&self, fd: BorrowedFd<'_>) -> rustix::io::Result<Stat> {
        let Some(expected) = self.mount else {
            return stat::of_handle(fd);
        };
        let (stat, mount) = stat_and_mount(fd)?;
        if mount == expected {
            Ok(stat)
        } else {
            Err(Errno::XDEV)
        }
    }

    /// `None` when the kernel cannot do it.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn open_in_kernel(
        &self,
        folder: &OwnedFd,
        path: &str,
        flags: OFlags,
    ) -> Option<rustix::io::Result<OwnedFd>> {
        use rustix::fs::ResolveFlags;
        if self.backend != Backend::OpenAt2 {
            return None;
        }
        let mut resolve =
            ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        if self.mount.is_some() {
            resolve |= ResolveFlags::NO_XDEV;
        }
        for _ in 0..ATTEMPTS {
            match rustix::fs::openat2(folder, path, flags, Mode::empty(), resolve) {
                Err(Errno::AGAIN | Errno::INTR) => {}
                // The call vanished: a sandbox was installed after the root was opened.
                Err(Errno::NOSYS) => return None,
                result => return Some(result),
            }
        }
        None
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn open_in_kernel(
        &self,
        _: &OwnedFd,
        _: &str,
        _: OFlags,
    ) -> Option<rustix::io::Result<OwnedFd>> {
        None
    }
}

/// Opens one component after the other, each without following it. The descriptors on the way stay
/// what they were opened as, whatever is renamed meanwhile.
fn walk(folder: &OwnedFd, path: &str, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    let Some((parents, leaf)) = path.rsplit_once('/') else {
        return open_one(folder.as_fd(), path, flags);
    };
    let mut held: Option<OwnedFd> = None;
    for component in parents.split('/') {
        let at = held.as_ref().unwrap_or(folder);
        held = Some(open_one(at.as_fd(), component, PASS | FOLDER)?);
    }
    let at = held.as_ref().unwrap_or(folder);
    open_one(at.as_fd(), leaf, flags)
}

fn open_one(folder: BorrowedFd<'_>, leaf: &str, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    let fd = retry_on_intr(|| {
        rustix::fs::openat(folder, leaf, flags | OFlags::NOFOLLOW, Mode::empty())
    })?;
    // `O_PATH` with `O_NOFOLLOW` opens the link itself instead of failing.
    if OPENS_WITHOUT_READING && flags.contains(PASS) && !flags.contains(OFlags::DIRECTORY) {
        let stat = stat::of_handle(&fd)?;
        if stat.metadata.kind == EntryKind::Symlink {
            return Err(Errno::LOOP);
        }
    }
    Ok(fd)
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn stat_and_mount(fd: BorrowedFd<'_>) -> rustix::io::Result<(Stat, Mount)> {
    use rustix::fs::{AtFlags, StatxFlags};
    let wanted = StatxFlags::BASIC_STATS | StatxFlags::MNT_ID;
    match rustix::fs::statx(fd, c"", AtFlags::EMPTY_PATH, wanted) {
        // The number of the mount since Linux 5.8.
        Ok(found) if StatxFlags::from_bits_retain(found.stx_mask).contains(wanted) => {
            let mount = Mount::Number(found.stx_mnt_id);
            Ok((stat::of_statx(&found), mount))
        }
        Ok(_) | Err(Errno::NOSYS | Errno::PERM) => stat_and_device(fd),
        Err(error) => Err(error),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn stat_and_mount(fd: BorrowedFd<'_>) -> rustix::io::Result<(Stat, Mount)> {
    stat_and_device(fd)
}

fn stat_and_device(fd: BorrowedFd<'_>) -> rustix::io::Result<(Stat, Mount)> {
    let stat = stat::of_handle(fd)?;
    Ok((stat, Mount::Device(stat.metadata.device)))
}

/// Calls `openat2` once, harmlessly, and remembers for the life of the process whether it can be
/// used.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn probe(fault: Option<Fault>) -> Probe {
    use std::sync::OnceLock;

    use rustix::fs::ResolveFlags;
    static KERNEL: OnceLock<Probe> = OnceLock::new();

    let judge = |result: rustix::io::Result<()>| match result {
        Err(Errno::NOSYS | Errno::PERM) => Probe::Unusable,
        _ => Probe::Works,
    };
    match fault {
        Some(Fault::Missing) => judge(Err(Errno::NOSYS)),
        Some(Fault::Blocked) => judge(Err(Errno::PERM)),
        None => *KERNEL.get_or_init(|| {
            let flags = PASS | FOLDER;
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
            judge(
                rustix::fs::openat2(rustix::fs::CWD, c".", flags, Mode::empty(), resolve).map(drop),
            )
        }),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn probe(_: Option<Fault>) -> Probe {
    Probe::Unusable
}
