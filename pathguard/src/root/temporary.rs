//! Names of temporary files, and what a crash leaves of them.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use super::MemoryRoot;
use crate::error::Error;
use crate::key::{PathKeyRef, TEMPORARY_PREFIX, is_temporary_name};
use crate::metadata::EntryKind;
use crate::sys::{FolderOps, Purpose};

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
    /// Removes the temporary files that crashed processes left in one folder: in the root folder
    /// itself, or in `folder`.
    ///
    /// Only files last changed before `modified_before_ns` (nanoseconds since the Unix epoch) are
    /// removed, so that a write in progress elsewhere is left alone: pass the current time less some
    /// minutes. Returns how many were removed; a file that cannot be removed is skipped.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read.
    pub fn remove_stale_temporaries(
        &self,
        folder: Option<PathKeyRef<'_>>,
        modified_before_ns: i128,
    ) -> Result<usize, Error> {
        self.check_before_change()?;
        let opened = match folder {
            Some(key) => Some(self.open_folder(key.as_str(), Purpose::Read)?),
            None => None,
        };
        let opened = opened.as_ref().unwrap_or(&self.folder);
        let mut stale = Vec::new();
        opened
            .list(&mut |entry| {
                if let Some(name) = entry.name.to_str().filter(|name| is_temporary_name(name))
                    && let Ok(stat) = (entry.stat)()
                    && stat.metadata.kind == EntryKind::File
                    && stat.metadata.modified_ns < modified_before_ns
                {
                    stale.push(name.to_owned());
                }
                std::ops::ControlFlow::Continue(())
            })
            .map_err(|error| Error::io(error).with_path(&self.path))?;
        Ok(stale
            .iter()
            .filter(|name| opened.unlink(name).is_ok())
            .count())
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
            assert!(PathKeyRef::parse(&name).is_err(), "{name}");
        }
    }
}
