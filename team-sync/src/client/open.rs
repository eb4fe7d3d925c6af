//! From a memory folder to a client.

use std::sync::Arc;

use memdir::Store;
use pathguard::{MemoryRoot, PathKey};

use super::engine::{Client, ClientOptions};
use super::secrets::SecretGate;
use super::transport::Transport;
use crate::error::{Error, ErrorKind};

/// The folder of the team's memories, below the memory folder.
const TEAM: &str = "team";

impl ClientOptions {
    /// Options with the gate that looks for credentials. `client` names this machine in conflict copies.
    pub fn new(
        repository: &str,
        client: &str,
        random: impl Fn() -> u64 + Send + Sync + 'static,
    ) -> Self {
        Self {
            repository: repository.to_owned(),
            client: client.to_owned(),
            author: None,
            gate: Arc::new(SecretGate::new()),
            random: Arc::new(random),
        }
    }

    /// Names who is shown in the history.
    #[must_use]
    pub fn with_author(mut self, author: Option<String>) -> Self {
        self.author = author;
        self
    }
}

impl Client {
    /// A client for the team folder of a store; the folder and that of its state are made where they are
    /// missing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Folder`] when `team` cannot be opened, for example because it is a link;
    /// [`ErrorKind::State`] when the store is open for reading only.
    pub fn for_store(
        store: &Store,
        transport: Box<dyn Transport>,
        options: ClientOptions,
    ) -> Result<Self, Error> {
        let state = store.state_root().map_err(|error| {
            let text = format!("the state of the sync cannot be written: {error}");
            Error::new(ErrorKind::State, text).with_source(error)
        })?;
        Ok(Self::new(
            below(store.root(), ErrorKind::Folder)?,
            below(state, ErrorKind::State)?,
            transport,
            options,
        ))
    }
}

/// The folder `team` below a root, made where it is missing.
fn below(root: &MemoryRoot, kind: ErrorKind) -> Result<MemoryRoot, Error> {
    let failed = |error: pathguard::Error| {
        let text = format!("the folder `{TEAM}` cannot be opened: {error}");
        Error::new(kind, text).with_source(error)
    };
    let key = PathKey::parse(TEAM).map_err(failed)?;
    match root.open_sub(key.as_ref()) {
        Ok(folder) => Ok(folder),
        Err(error) if error.kind() == pathguard::ErrorKind::NotFound => {
            root.create_dirs(key.as_ref()).map_err(failed)?;
            root.open_sub(key.as_ref()).map_err(failed)
        }
        Err(error) => Err(failed(error)),
    }
}
