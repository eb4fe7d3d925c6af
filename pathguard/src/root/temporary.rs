//! Names of temporary files, and what a crash leaves of them.

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{ListLimits, MemoryRoot};
use crate::error::Error;
use crate::key::{PathKey, TEMPORARY_PREFIX, is_temporary_name};
use crate::metadata::EntryKind;
use crate::sys::{Folder, FolderOps, Purpose};

/// Attempts to find a free name before something must be wrong with the folder.
pub(super) const NAME_ATTEMPTS: usize = 16;

/// Makes up the name of a temporary file: 43 bytes, whatever the name of the target, so that a
/// target of 255 bytes can be replaced too.
///
/// The operating system seeds [`RandomState`] once per thread; a counter makes each name differ from
/// the last. That is weaker than a random generator and enough: the file is made with `O_EXCL` and
/// `O_NOFOLLOW`, so a name that somebody foresaw and planted costs one more attempt.
pub(super) fn temporary_name() -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let state = RandomState::new();
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let (high, low) = (state.hash_one((count, 'h')), state.hash_one((count, 'l')));
    format!("{TEMPORARY_PREFIX}{high:016x}{low:016x}")
}

impl MemoryRoot {
    /// Removes the temporary files that killed writers left in the root and below.
    ///
    /// Only files last changed before `modified_before_ns` (nanoseconds since the Unix epoch) are
    /// removed, so that a write in progress elsewhere is left alone: pass the current time less some
    /// minutes, or [`i128::MAX`] while holding a lock that every writer takes. Returns how many were
    /// removed. A file that cannot be removed and a folder that cannot be read are skipped; at most
    /// [`ListLimits::max_names`](crate::ListLimits::max_names) names are looked at.
    ///
    /// # Errors
    ///
    /// When the root folder itself cannot be read or is not there any more.
    pub fn remove_temporaries(&self, modified_before_ns: i128) -> Result<usize, Error> {
        self.check_before_change()?;
        let mut sweep = Sweep {
            modified_before_ns,
            names: 0,
            removed: 0,
            folders: Vec::new(),
        };
        sweep
            .folder(&self.folder, None)
            .map_err(|error| Error::io(error).with_path(&self.path))?;
        while let Some(key) = sweep.folders.pop() {
            if let Ok(folder) = self.folder.open_folder(key.as_str(), Purpose::Read) {
                // What cannot be read is the listing's business.
                drop(sweep.folder(&folder, Some(&key)));
            }
        }
        Ok(sweep.removed)
    }
}

struct Sweep {
    modified_before_ns: i128,
    /// Names looked at.
    names: usize,
    removed: usize,
    /// Folders still to be swept.
    folders: Vec<PathKey>,
}

impl Sweep {
    fn folder(&mut self, folder: &Folder, key: Option<&PathKey>) -> io::Result<()> {
        let max_names = ListLimits::default().max_names;
        let mut stale = Vec::new();
        folder.list(&mut |entry| {
            self.names += 1;
            if self.names > max_names {
                return ControlFlow::Break(());
            }
            let Some(name) = entry.name.to_str() else {
                return ControlFlow::Continue(());
            };
            if is_temporary_name(name) {
                let is_stale = (entry.stat)().is_ok_and(|stat| {
                    stat.metadata.kind == EntryKind::File
                        && stat.metadata.modified_ns < self.modified_before_ns
                });
                if is_stale {
                    stale.push(name.to_owned());
                }
            } else if entry.kind.is_none_or(|kind| kind == EntryKind::Directory) {
                let below = match key {
                    None => PathKey::parse(name),
                    Some(key) => key.child(name),
                };
                self.folders.extend(below);
            }
            ControlFlow::Continue(())
        })?;
        self.removed += stale
            .iter()
            .filter(|name| folder.unlink(name).is_ok())
            .count();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_differ_and_are_no_keys() {
        let names: std::collections::HashSet<String> =
            std::iter::repeat_with(temporary_name).take(1000).collect();
        assert_eq!(names.len(), 1000);
        for name in names {
            assert!(name.len() <= 64 && is_temporary_name(&name), "{name}");
            assert!(PathKey::parse(&name).is_err(), "{name}");
        }
    }
}
