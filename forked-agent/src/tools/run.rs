//! What one run of a side agent keeps between calls.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::workspace::Place;

/// The most bytes of file contents that a run remembers.
const MAX_SEEN_BYTES: usize = 8 << 20;

/// The state of a run, shared with the threads that carry out its calls.
#[derive(Debug, Default)]
pub(crate) struct RunState {
    /// What the agent last saw of each file it read whole or wrote: it may replace only that.
    seen: Mutex<HashMap<PathBuf, Vec<u8>>>,
    stopped: AtomicBool,
}

impl RunState {
    pub(crate) fn remember(&self, place: &Place, bytes: &[u8]) {
        let mut seen = self.seen();
        let kept: usize = seen.values().map(Vec::len).sum();
        if kept + bytes.len() > MAX_SEEN_BYTES {
            // The agent has to read again what it wants to replace.
            seen.clear();
        }
        seen.insert(place.path(), bytes.to_vec());
    }

    /// Returns what the agent saw of a file.
    pub(crate) fn recall(&self, place: &Place) -> Option<Vec<u8>> {
        self.seen().get(&place.path()).cloned()
    }

    /// Makes long searches give up at the next file.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// A thread that panicked here leaves at worst an entry too few.
    fn seen(&self) -> MutexGuard<'_, HashMap<PathBuf, Vec<u8>>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
