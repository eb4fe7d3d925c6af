//! Ends a run from outside.

use std::sync::Arc;

use tokio::sync::watch;

/// Ends the runs it was given to. Clones share one state; cancelling twice is cancelling once.
///
/// A cancelled run finishes the write it is in the middle of, so that what its outcome says is true, and
/// returns. Dropping the future of a run works too, but then nobody learns what was written.
#[derive(Clone, Debug)]
pub struct Cancellation(Arc<watch::Sender<bool>>);

impl Default for Cancellation {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Cancellation {
    /// Returns a state that nobody has cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends all runs that hold a clone.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }

    /// Returns whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is cancelled.
    pub async fn cancelled(&self) {
        let mut seen = self.0.subscribe();
        // The sender lives as long as `self`, so waiting ends only with `true`.
        let _ = seen.wait_for(|cancelled| *cancelled).await;
    }
}
