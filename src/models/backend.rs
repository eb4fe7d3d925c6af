//! Extraction by a model, with the rules behind it.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use agent_model::{Model, PinPolicy, Pinned, Purpose};
use memdir_extract::{AgentBackend, Backend, Error, ErrorKind, OfflineBackend, Work};

use super::Models;
use super::watched::Watched;
use crate::error::chain;

/// How many reasons wait to be taken; later ones are dropped.
const MAX_TROUBLES: usize = 100;

/// A model that finds memories in a finished turn; where it does not come to an end, the rules do.
///
/// For whoever runs an [`Extractor`](memdir_extract::Extractor) without a [`Session`](crate::Session).
#[derive(Clone)]
pub struct ModelBackend {
    agent: AgentBackend,
    watched: Arc<Watched>,
    troubles: Arc<Mutex<Vec<String>>>,
}

impl std::fmt::Debug for ModelBackend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ModelBackend").field(&self.agent).finish()
    }
}

impl ModelBackend {
    /// A back end on the model for [`Purpose::Extract`]. `None` where there is no such model.
    pub fn new(models: &Models) -> Option<Self> {
        let watched = Watched::new(Arc::clone(models.get(&Purpose::Extract)?));
        // Whether a model may see the session is decided by `Models::for_session`.
        let model: Arc<dyn Model> = watched.clone();
        let provider = model.provider().clone();
        let pinned = Pinned::new(model, &provider, PinPolicy::SameProvider).ok()?;
        Some(Self {
            agent: AgentBackend::new(pinned),
            watched,
            troubles: Arc::default(),
        })
    }

    /// Lets the model read the project's folder too.
    #[must_use]
    pub fn with_project(mut self, folder: &Path) -> Self {
        self.agent = self.agent.with_project(folder);
        self
    }

    /// Runs on a runtime that has I/O and time enabled and threads of its own; otherwise each run brings a
    /// small one.
    #[must_use]
    pub fn with_runtime(mut self, runtime: tokio::runtime::Handle) -> Self {
        self.agent = self.agent.with_runtime(runtime);
        self
    }

    /// Takes why the model was of no help, once for each run in which the rules took over.
    pub fn troubles(&self) -> Vec<String> {
        std::mem::take(&mut *self.held())
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.troubles.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Backend for ModelBackend {
    fn run(&self, work: &Arc<Work>) -> Result<(), Error> {
        let result = self.agent.run(work);
        let reason = match (&result, self.watched.trouble()) {
            // Cancelled, a lost lease, a disk that is full: the rules would fare no better.
            (Err(error), _) if error.kind() != ErrorKind::Model => return result,
            (_, Some(reason)) => reason,
            (Err(error), None) => chain(error),
            (Ok(()), None) => return result,
        };
        let mut troubles = self.held();
        if troubles.len() < MAX_TROUBLES {
            troubles.push(reason);
        }
        drop(troubles);
        OfflineBackend.run(work)
    }
}
