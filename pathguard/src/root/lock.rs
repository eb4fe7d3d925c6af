//! Advisory locks between processes.

use std::fs::{File, TryLockError};
use std::time::Duration;

use super::MemoryRoot;
use super::write::FILE_MODE;
use crate::error::{Error, ErrorKind};
use crate::key::{PathKey, PathKeyRef};
use crate::sys::{Access, FolderOps};

/// How long [`MemoryRoot::lock`] tries.
///
/// The wait is counted in attempts and pauses, so that no clock is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LockWait {
    /// Attempts, at least one; 100.
    pub attempts: u32,
    /// Pause between two attempts; 20 milliseconds.
    pub pause: Duration,
}

impl Default for LockWait {
    fn default() -> Self {
        Self {
            attempts: 100,
            pause: Duration::from_millis(20),
        }
    }
}

impl LockWait {
    /// Tries `attempts` times with `pause` between.
    pub fn new(attempts: u32, pause: Duration) -> Self {
        Self { attempts, pause }
    }

    /// Tries for about `total`, with the default pause. The attempts themselves are not counted.
    pub fn up_to(total: Duration) -> Self {
        let pause = Self::default().pause;
        let pauses = total.as_nanos() / pause.as_nanos();
        Self {
            attempts: u32::try_from(pauses).unwrap_or(u32::MAX).saturating_add(1),
            pause,
        }
    }

    /// Tries once.
    pub fn none() -> Self {
        Self {
            attempts: 1,
            pause: Duration::ZERO,
        }
    }
}

/// An exclusive advisory lock on a file below a root.
///
/// It is released when this value is dropped or its process dies. The file stays, since removing it
/// would let two processes hold locks on two files of the same name.
#[derive(Debug)]
#[must_use = "the lock is released when this value is dropped"]
pub struct FolderLock {
    /// Closing the file releases the lock.
    _file: File,
    key: PathKey,
}

impl FolderLock {
    /// Returns the key of the lock file.
    pub fn key(&self) -> PathKeyRef<'_> {
        self.key.as_ref()
    }
}

impl MemoryRoot {
    /// Takes the exclusive lock of the file at `key`, which is made with mode `0600` if it is
    /// missing. Its folder must exist.
    ///
    /// The lock is advisory: it holds against others who ask for it, in this process or another one
    /// on this machine, and does not keep anybody from reading or writing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`] when somebody else held it at each attempt;
    /// [`ErrorKind::Unsupported`] when the file system has no locks; otherwise as
    /// [`MemoryRoot::write`].
    pub fn lock(&self, key: PathKeyRef<'_>, wait: &LockWait) -> Result<FolderLock, Error> {
        self.check_before_change()?;
        let parent = self.parent(key)?;
        for attempt in 0..wait.attempts.max(1) {
            if attempt > 0 {
                std::thread::sleep(wait.pause);
            }
            let opened =
                self.open_or_create_file(parent.folder(), key, Access::ReadWrite, FILE_MODE)?;
            match opened.file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => continue,
                Err(TryLockError::Error(error)) => {
                    return Err(Error::io(error).with_key(key.as_str()));
                }
            }
            // The file may have been replaced between opening and locking; then others would lock
            // another file of the same name.
            let is_current = parent
                .folder()
                .stat_leaf(key.file_name())
                .is_ok_and(|found| found.metadata.identity() == opened.stat.metadata.identity());
            if is_current {
                return Ok(FolderLock {
                    _file: opened.file,
                    key: key.to_owned(),
                });
            }
        }
        Err(Error::new(ErrorKind::Busy).with_key(key.as_str()))
    }
}
