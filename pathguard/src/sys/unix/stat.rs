//! `fstat` and `fstatat`, in our terms.

use std::os::fd::AsFd;

use rustix::fs::{AtFlags, FileType, Stat as RawStat};
use rustix::path::Arg;

use crate::metadata::{EntryKind, Metadata};
use crate::sys::Stat;

pub(super) fn of_handle(handle: impl AsFd) -> rustix::io::Result<Stat> {
    rustix::fs::fstat(handle).map(|raw| convert(&raw))
}

/// Looks at an ordinary path, following links.
pub(super) fn of_path(path: impl Arg) -> rustix::io::Result<Stat> {
    rustix::fs::stat(path).map(|raw| convert(&raw))
}

/// Looks at a name without following it.
pub(super) fn of_name(folder: impl AsFd, leaf: impl Arg) -> rustix::io::Result<Stat> {
    rustix::fs::statat(folder, leaf, AtFlags::SYMLINK_NOFOLLOW).map(|raw| convert(&raw))
}

pub(super) fn kind_of(kind: FileType) -> EntryKind {
    match kind {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Directory,
        FileType::Symlink => EntryKind::Symlink,
        _ => EntryKind::Other,
    }
}

/// As [`convert`], from the newer call that tells the mount as well.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn of_statx(found: &rustix::fs::Statx) -> Stat {
    let nanoseconds = |time: &rustix::fs::StatxTimestamp| {
        i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec)
    };
    let mode = u32::from(found.stx_mode);
    Stat {
        metadata: Metadata {
            len: found.stx_size,
            modified_ns: nanoseconds(&found.stx_mtime),
            changed_ns: nanoseconds(&found.stx_ctime),
            inode: found.stx_ino,
            device: rustix::fs::makedev(found.stx_dev_major, found.stx_dev_minor),
            links: u64::from(found.stx_nlink),
            kind: kind_of(FileType::from_raw_mode(mode)),
            mode: mode & 0o7777,
        },
        owner: found.stx_uid,
    }
}

/// The fields have other integer types on each platform, none wider than ours.
#[allow(
    clippy::unnecessary_cast,
    clippy::cast_lossless,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "which of these casts are needed depends on the platform"
)]
fn convert(raw: &RawStat) -> Stat {
    Stat {
        metadata: Metadata {
            len: raw.st_size as u64,
            modified_ns: raw.st_mtime as i128 * 1_000_000_000 + raw.st_mtime_nsec as i128,
            changed_ns: raw.st_ctime as i128 * 1_000_000_000 + raw.st_ctime_nsec as i128,
            inode: raw.st_ino as u64,
            device: raw.st_dev as u64,
            links: raw.st_nlink as u64,
            kind: kind_of(FileType::from_raw_mode(raw.st_mode)),
            mode: raw.st_mode as u32 & 0o7777,
        },
        owner: raw.st_uid,
    }
}
