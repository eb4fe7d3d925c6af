//! Failures of the disk, with what a person can do.

use std::error::Error as StdError;
use std::io;

use crate::error::{Error, ErrorKind};

/// The error for a file that cannot be read or written. A full disk has a kind of its own, whatever was being
/// done.
pub(super) fn failed(kind: ErrorKind, what: &str, error: pathguard::Error) -> Error {
    if is_full(&error) {
        let text = format!(
            "{what}, as the disk or the quota is full: {error}; make room and sync again, nothing is lost"
        );
        return Error::new(ErrorKind::DiskFull, text).with_source(error);
    }
    Error::new(kind, format!("{what}: {error}")).with_source(error)
}

/// Whether there is no room: on the disk, in the quota, or below the limit of the process.
fn is_full(error: &pathguard::Error) -> bool {
    let mut source: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return matches!(
                error.kind(),
                io::ErrorKind::StorageFull
                    | io::ErrorKind::QuotaExceeded
                    | io::ErrorKind::FileTooLarge
            );
        }
        source = error.source();
    }
    false
}
