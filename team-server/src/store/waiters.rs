//! Readers that wait for a repository to change.
//!
//! Each repository has a channel of its own, so that a change wakes those who wait for it and nobody else,
//! however many wait for others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

/// All repositories that somebody waits for.
#[derive(Clone, Default)]
pub(super) struct Waiters(Arc<Mutex<HashMap<String, watch::Sender<()>>>>);

impl Waiters {
    /// Begins to watch: what changes from now on is seen.
    pub(super) fn watch(&self, repository: &str) -> Watch {
        let mut all = self.all();
        let sender = all.entry(repository.to_owned()).or_default();
        Watch {
            repository: repository.to_owned(),
            receiver: sender.subscribe(),
            waiters: self.clone(),
        }
    }

    /// Wakes those who wait for a repository.
    pub(super) fn wake(&self, repository: &str) {
        if let Some(sender) = self.all().get(repository) {
            sender.send_replace(());
        }
    }

    /// Wakes everybody.
    pub(super) fn wake_all(&self) {
        for sender in self.all().values() {
            sender.send_replace(());
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, watch::Sender<()>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sees the changes of one repository from the moment it was made.
pub struct Watch {
    repository: String,
    receiver: watch::Receiver<()>,
    waiters: Waiters,
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Watch")
            .field("repository", &self.repository)
            .finish_non_exhaustive()
    }
}

impl Watch {
    /// Returns once the repository has changed since the watch was made or this was last called. It may
    /// return without a change: look again.
    pub async fn changed(&mut self) {
        // The sender lives as long as this watch does, so there is no error to tell.
        let _ = self.receiver.changed().await;
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut all = self.waiters.all();
        // This watch still counts.
        let last = |sender: &watch::Sender<()>| sender.receiver_count() <= 1;
        if all.get(&self.repository).is_some_and(last) {
            all.remove(&self.repository);
        }
    }
}
