//! A call that is under way: it can be called off, and it says how far it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc::UnboundedSender;

use super::reply::Refusal;

/// Most progress messages of one call.
const MOST_STEPS: usize = 100;

/// How far a call is.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) done: usize,
    pub(super) total: usize,
    pub(super) message: String,
}

/// A call, as the one who works on it sees it.
#[derive(Clone, Debug)]
pub(super) struct Job {
    is_cancelled: Arc<AtomicBool>,
    steps: Option<UnboundedSender<Step>>,
}

impl Job {
    pub(super) fn new(is_cancelled: Arc<AtomicBool>, steps: Option<UnboundedSender<Step>>) -> Self {
        Job {
            is_cancelled,
            steps,
        }
    }

    /// Says that `done` of `total` is done, unless that was said a moment ago; fails when the call was called
    /// off.
    pub(super) fn step(&self, done: usize, total: usize, message: &str) -> Result<(), Refusal> {
        if self.is_cancelled.load(Ordering::Relaxed) {
            return Err(Refusal::new("The call was cancelled."));
        }
        let Some(steps) = &self.steps else {
            return Ok(());
        };
        if done == total || done.is_multiple_of(total.div_ceil(MOST_STEPS).max(1)) {
            // Nobody listens any more: the call goes on without telling.
            let _ = steps.send(Step {
                done,
                total,
                message: message.to_owned(),
            });
        }
        Ok(())
    }
}
