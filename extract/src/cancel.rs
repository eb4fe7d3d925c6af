//! Ends a run from outside.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Ends the run that holds a clone of it. Cancelling twice is cancelling once.
#[derive(Clone, Default)]
pub struct Cancel(Arc<State>);

#[derive(Default)]
struct State {
    is_cancelled: AtomicBool,
    hooks: Mutex<Vec<Box<dyn Fn() + Send>>>,
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cancel").field(&self.is_cancelled()).finish()
    }
}

impl Cancel {
    /// A state that nobody has cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the run: no further write begins. Whoever waits for something else is woken by its hook.
    pub fn cancel(&self) {
        self.0.is_cancelled.store(true, Ordering::SeqCst);
        for hook in self.hooks().iter() {
            hook();
        }
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled.load(Ordering::SeqCst)
    }

    /// Has something done on cancellation, at once when it has happened already.
    pub fn on_cancel(&self, hook: impl Fn() + Send + 'static) {
        let mut hooks = self.hooks();
        if self.is_cancelled() {
            hook();
        }
        hooks.push(Box::new(hook));
    }

    fn hooks(&self) -> std::sync::MutexGuard<'_, Vec<Box<dyn Fn() + Send>>> {
        self.0.hooks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
