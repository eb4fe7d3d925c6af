//! What killed runs leave: temporary files of writes that never came to their end.

use pathguard::MemoryRoot;

use super::state;

/// A write in the team folder takes no longer than this; others write there too.
const LONGEST_WRITE_NS: i128 = 60 * 1_000_000_000;

/// Removes them. The lock of the state is held, so in the state nobody else writes.
///
/// How old a file of the team folder is tells the file system, not a clock of ours: it was there a good while
/// before the state was last written. A file that stays is met again by the next run.
pub(super) fn sweep(folder: &MemoryRoot, state_root: &MemoryRoot) {
    // What cannot be read here is said by the walk.
    drop(state_root.remove_temporaries(i128::MAX));
    if let Some(written) = state::last_written(state_root) {
        drop(folder.remove_temporaries(written - LONGEST_WRITE_NS));
    }
}
