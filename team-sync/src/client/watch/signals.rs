//! What was noticed, on its way from the system's thread to the watcher.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

const CHANGED: u8 = 1;
const REPLACED: u8 = 2;
const BLIND: u8 = 4;

/// The bell of the watcher. However often it is rung before somebody looks, it has rung once: nothing queues up.
#[derive(Clone, Debug, Default)]
pub struct Signals(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    bits: AtomicU8,
    why: Mutex<String>,
    bell: Notify,
}

/// What was noticed since the last look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// Something below the folder, or it is not known what.
    pub(super) changed: bool,
    /// The folder itself was moved, removed or made.
    pub(super) replaced: bool,
    /// No more will be noticed, for this reason.
    pub(super) blind: Option<String>,
}

impl Signals {
    /// A bell that has not rung.
    pub fn new() -> Self {
        Self::default()
    }

    /// Something below the folder may have changed.
    pub fn changed(&self) {
        self.ring(CHANGED);
    }

    /// The folder itself may be another one now.
    pub fn replaced(&self) {
        self.ring(REPLACED | CHANGED);
    }

    /// From now on nothing, or not everything, is noticed.
    pub fn blind(&self, why: &str) {
        let mut text = self.0.why.lock().unwrap_or_else(PoisonError::into_inner);
        why.clone_into(&mut text);
        drop(text);
        self.ring(BLIND | CHANGED);
    }

    fn ring(&self, bits: u8) {
        self.0.bits.fetch_or(bits, Ordering::SeqCst);
        self.0.bell.notify_one();
    }

    /// Waits until it rings. Can be dropped at any time without losing anything.
    pub(super) async fn next(&self) -> Seen {
        loop {
            self.0.bell.notified().await;
            let bits = self.0.bits.swap(0, Ordering::SeqCst);
            if bits != 0 {
                let why = self.0.why.lock().unwrap_or_else(PoisonError::into_inner);
                return Seen {
                    changed: bits & CHANGED != 0,
                    replaced: bits & REPLACED != 0,
                    blind: (bits & BLIND != 0).then(|| why.clone()),
                };
            }
        }
    }
}
