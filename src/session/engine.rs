//! A runtime for models in a session, and what went wrong with them.

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::thread;

use tokio::runtime::{Builder, Handle, Runtime};

use super::event::Part;
use super::lock;

/// A runtime of the session's own, so that a host needs none, and one that has one may call from within it.
#[derive(Debug)]
pub(super) struct Engine(Option<Runtime>);

impl Engine {
    pub(super) fn start() -> std::io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("memory-model")
            .enable_all()
            .build()?;
        Ok(Self(Some(runtime)))
    }

    pub(super) fn handle(&self) -> &Handle {
        let runtime = self.0.as_ref();
        runtime
            .expect("there is a runtime because only dropping takes it")
            .handle()
    }

    /// Waits for a future, on a thread of its own: waiting inside of a host's runtime would panic.
    pub(super) fn wait<T, F>(&self, make: impl FnOnce() -> F + Send) -> T
    where
        T: Send,
        F: Future<Output = T>,
    {
        let handle = self.handle();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| handle.block_on(make()));
            waiting
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Waiting for its threads is forbidden inside of a host's runtime.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// How many troubles wait for the session; later ones are dropped.
const MAX_TROUBLES: usize = 100;

/// What went wrong with calls of models, until the session takes it over.
#[derive(Clone, Debug, Default)]
pub(super) struct Troubles(Arc<Mutex<Vec<(Part, String)>>>);

impl Troubles {
    pub(super) fn push(&self, part: Part, reason: String) {
        let mut troubles = lock(&self.0);
        if troubles.len() < MAX_TROUBLES {
            troubles.push((part, reason));
        }
    }

    pub(super) fn take(&self) -> Vec<(Part, String)> {
        std::mem::take(&mut *lock(&self.0))
    }
}
