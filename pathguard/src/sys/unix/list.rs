//! Reading the names of a folder.

use std::ffi::{CStr, OsStr};
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;

use rustix::fs::FileType;

use super::stat;
use crate::sys::{RawEntry, Visit};

/// Room for one `getdents64`: some hundred names a call.
#[cfg(any(target_os = "linux", target_os = "android"))]
const BUFFER_BYTES: usize = 32 * 1024;

#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn list(folder: &OwnedFd, visit: Visit<'_>) -> rustix::io::Result<()> {
    let mut buffer = Vec::with_capacity(BUFFER_BYTES);
    let mut names = rustix::fs::RawDir::new(folder, buffer.spare_capacity_mut());
    while let Some(entry) = names.next() {
        let entry = entry?;
        if visit_one(folder, entry.file_name(), entry.file_type(), visit).is_break() {
            break;
        }
    }
    Ok(())
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn list(folder: &OwnedFd, visit: Visit<'_>) -> rustix::io::Result<()> {
    for entry in rustix::fs::Dir::read_from(folder)? {
        let entry = entry?;
        if visit_one(folder, entry.file_name(), entry.file_type(), visit).is_break() {
            break;
        }
    }
    Ok(())
}

fn visit_one(folder: &OwnedFd, name: &CStr, kind: FileType, visit: Visit<'_>) -> ControlFlow<()> {
    let bytes = name.to_bytes();
    if bytes == b"." || bytes == b".." {
        return ControlFlow::Continue(());
    }
    visit(RawEntry {
        name: OsStr::from_bytes(bytes),
        kind: (kind != FileType::Unknown).then(|| stat::kind_of(kind)),
        stat: &|| Ok(stat::of_name(folder, name)?),
    })
}
