//! What hooks keep between two calls, in the state folder of the project's memory: what waits for a worker, what
//! the person has not been told yet, what was last seen of the project.
//!
//! Which memories a session has seen is kept by [`SessionMemo`](memstrata::SessionMemo), for hooks as for any
//! host. Losing a file of these costs a lost notice, so nothing waits for the disk.

use std::path::Path;
use std::sync::Arc;

use memstrata::memdir::{self, Location, SessionFiles};
use memstrata::pathguard::{Error, MemoryRoot, PathKey, RootOptions, SyncPolicy, WriteOptions};
use serde::{Deserialize, Serialize};

/// The folder in the state folder.
const FOLDER: &str = "hook";

/// A larger file is none of ours.
const MAX_BYTES: u64 = 256 << 10;

/// What waits for the person of a session.
const NOTICES: SessionFiles = SessionFiles::new("notices", "json").with_max_bytes(MAX_BYTES);

/// Notices that wait for a person; the oldest go first.
const MAX_NOTICES: usize = 20;

/// The folder of the hooks of one project.
#[derive(Clone, Debug)]
pub(crate) struct HookState {
    root: Arc<MemoryRoot>,
}

/// What is known about a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ProjectState {
    /// The last change that a session was told about.
    pub(crate) seen: Option<u64>,
    /// How the memory folder looked when it was last recorded.
    pub(crate) looked_at: Option<String>,
}

impl HookState {
    /// Opens the folder where there is a state folder already.
    pub(crate) fn open(location: &Location) -> Option<Self> {
        let state = MemoryRoot::open(location.state_dir(), &RootOptions::default()).ok()?;
        Self::below(&state).ok()
    }

    /// Opens the folder below an open state folder.
    pub(crate) fn below(state: &MemoryRoot) -> Result<Self, Error> {
        let key = key(FOLDER);
        let folder = state.open_sub(key.as_ref()).or_else(|_| {
            state.create_dirs(key.as_ref())?;
            state.open_sub(key.as_ref())
        })?;
        Ok(HookState {
            root: Arc::new(folder),
        })
    }

    /// The folder itself.
    pub(crate) fn root(&self) -> &MemoryRoot {
        &self.root
    }

    pub(crate) fn project(&self) -> ProjectState {
        self.read(&key("project.json")).unwrap_or_default()
    }

    pub(crate) fn set_project(&self, state: &ProjectState) -> Result<(), Error> {
        self.write(&key("project.json"), state)
    }

    /// Adds a notice for the person of a session.
    pub(crate) fn add_notice(&self, id: &str, notice: String) -> Result<(), memdir::Error> {
        let mut notices = self.notices(id);
        notices.push(notice);
        let superfluous = notices.len().saturating_sub(MAX_NOTICES);
        notices.drain(..superfluous);
        let bytes = serde_json::to_vec(&notices).unwrap_or_default();
        NOTICES.write(&self.root, id, &bytes, SyncPolicy::None)
    }

    /// Takes the notices of a session.
    pub(crate) fn take_notices(&self, id: &str) -> Vec<String> {
        let notices = self.notices(id);
        // Removed before it is shown: a notice shown twice is worse than one that got lost with a crash.
        if !notices.is_empty() && NOTICES.remove(&self.root, id).is_err() {
            return Vec::new();
        }
        notices
    }

    fn notices(&self, id: &str) -> Vec<String> {
        let read = NOTICES.read(&self.root, id).ok().flatten();
        read.and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default()
    }

    /// Forgets the sessions that are too many.
    pub(crate) fn prune(&self) {
        NOTICES.prune(&self.root);
    }

    fn read<T: for<'de> Deserialize<'de>>(&self, key: &PathKey) -> Option<T> {
        let read = self.root.read(key.as_ref(), MAX_BYTES).ok()?;
        serde_json::from_slice(&read.bytes).ok()
    }

    fn write<T: Serialize>(&self, key: &PathKey, value: &T) -> Result<(), Error> {
        // Texts, numbers and lists always serialise; empty bytes would read back as nothing known.
        let bytes = serde_json::to_vec(value).unwrap_or_default();
        let options = WriteOptions::new()
            .with_sync(SyncPolicy::None)
            .with_create_parents(true);
        self.root.write(key.as_ref(), &bytes, &options)?;
        Ok(())
    }
}

pub(crate) fn key(name: &str) -> PathKey {
    PathKey::parse(name).expect("a plain name because it was made of letters, digits and dashes")
}

/// Whether something is at a path, also when it is nothing that can be opened.
pub(crate) fn exists(path: &Path) -> bool {
    !matches!(path.symlink_metadata(), Err(error) if error.kind() == std::io::ErrorKind::NotFound)
}
