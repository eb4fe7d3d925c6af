//! What hooks remember between two calls, in the state folder of the project's memory.
//!
//! A hook is a process of a few milliseconds, so all it knows about a session lies here: which memories
//! the session has seen, and what the person has not been told yet. Losing a file of these costs a repeated
//! memory or a lost notice, so nothing waits for the disk.

use std::path::Path;
use std::sync::Arc;

use memstrata::memdir::Location;
use memstrata::pathguard::{
    Error, ListLimits, MemoryRoot, PathKey, RootOptions, SyncPolicy, WriteOptions,
};
use memstrata::recall::{ContentHash, Surfaced};
use serde::{Deserialize, Serialize};

/// The folder in the state folder.
const FOLDER: &str = "hook";

/// A larger file is none of ours.
const MAX_BYTES: u64 = 256 << 10;

/// Memories that a session is known to have seen; the oldest go first.
const MAX_SURFACED: usize = 500;

/// Notices that wait for a person; the oldest go first.
const MAX_NOTICES: usize = 20;

/// Sessions that are remembered; those not heard of for the longest time go first.
const MAX_SESSIONS: usize = 200;

/// The folder of the hooks of one project.
#[derive(Clone, Debug)]
pub(crate) struct HookState {
    root: Arc<MemoryRoot>,
}

/// What is known about a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SessionState {
    /// Path and hash of each memory that the model was shown, oldest first; without a hash it is known
    /// whatever it says.
    surfaced: Vec<(String, String)>,
    /// Messages of the person since the context was last empty.
    pub(crate) turns: u64,
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

    /// What is known about a session; nothing when it is new or what is there cannot be read.
    pub(crate) fn session(&self, id: &str) -> SessionState {
        self.read(&session_key(id)).unwrap_or_default()
    }

    pub(crate) fn set_session(&self, id: &str, state: &SessionState) -> Result<(), Error> {
        self.write(&session_key(id), state)
    }

    pub(crate) fn project(&self) -> ProjectState {
        self.read(&key("project.json")).unwrap_or_default()
    }

    pub(crate) fn set_project(&self, state: &ProjectState) -> Result<(), Error> {
        self.write(&key("project.json"), state)
    }

    /// Adds a notice for the person of a session.
    pub(crate) fn add_notice(&self, id: &str, notice: String) -> Result<(), Error> {
        let key = notice_key(id);
        let mut notices: Vec<String> = self.read(&key).unwrap_or_default();
        notices.push(notice);
        let superfluous = notices.len().saturating_sub(MAX_NOTICES);
        notices.drain(..superfluous);
        self.write(&key, &notices)
    }

    /// Takes the notices of a session.
    pub(crate) fn take_notices(&self, id: &str) -> Vec<String> {
        let key = notice_key(id);
        let notices = self.read(&key).unwrap_or_default();
        // Removed before it is shown: a notice shown twice is worse than one that got lost with a crash.
        if !Vec::is_empty(&notices) && self.root.remove(key.as_ref()).is_err() {
            return Vec::new();
        }
        notices
    }

    /// Forgets the sessions that are too many.
    pub(crate) fn prune(&self) {
        for folder in ["sessions", "notices"] {
            let Ok(folder) = self.root.open_sub(key(folder).as_ref()) else {
                continue;
            };
            let Ok(listing) = folder.list(&ListLimits::new().with_max_depth(1)) else {
                continue;
            };
            let mut files: Vec<_> = listing
                .entries
                .into_iter()
                .filter_map(|entry| Some((entry.metadata?.modified_ns, entry.key)))
                .collect();
            files.sort();
            let superfluous = files.len().saturating_sub(MAX_SESSIONS);
            for (_, key) in files.into_iter().take(superfluous) {
                // Another worker may have been faster.
                let _ = folder.remove(key.as_ref());
            }
        }
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

impl SessionState {
    /// What the session has seen, as a query takes it.
    pub(crate) fn surfaced(&self) -> impl Iterator<Item = Surfaced> + '_ {
        self.surfaced
            .iter()
            .map(|(path, hash)| match ContentHash::parse(hash) {
                Some(hash) => Surfaced::with_hash(path, hash),
                None => Surfaced::path(path),
            })
    }

    /// Adds what the session is about to see.
    pub(crate) fn add(&mut self, shown: &[(String, ContentHash)]) {
        let shown = shown
            .iter()
            .map(|(path, hash)| (path.clone(), hash.to_string()));
        self.extend(shown);
    }

    /// Adds what the session knows by itself.
    pub(crate) fn add_known<'a>(&mut self, paths: impl Iterator<Item = &'a str>) {
        self.extend(paths.map(|path| (path.to_owned(), String::new())));
    }

    fn extend(&mut self, more: impl Iterator<Item = (String, String)>) {
        self.surfaced.extend(more);
        let superfluous = self.surfaced.len().saturating_sub(MAX_SURFACED);
        self.surfaced.drain(..superfluous);
    }
}

fn session_key(id: &str) -> PathKey {
    key(&format!("sessions/{}.json", plain_name(id)))
}

fn notice_key(id: &str) -> PathKey {
    key(&format!("notices/{}.json", plain_name(id)))
}

pub(crate) fn key(name: &str) -> PathKey {
    PathKey::parse(name).expect("a plain name because it was made of letters, digits and dashes")
}

/// Returns a file name for an id: the id itself where it is plain, else what is plain of it and a checksum.
pub(crate) fn plain_name(id: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
    let is_short = (1..=80).contains(&id.len());
    // A name that Windows keeps for a device is caught by its length: none has five letters.
    if is_short && id.len() > 4 && id.chars().all(is_plain) {
        return id.to_ascii_lowercase();
    }
    let plain: String = id.chars().filter(|c| is_plain(*c)).take(40).collect();
    // FNV-1a: names must differ, and nobody gains from making two the same.
    let checksum = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{}-{checksum:016x}", plain.to_ascii_lowercase())
}

/// Whether something is at a path, also when it is nothing that can be opened.
pub(crate) fn exists(path: &Path) -> bool {
    !matches!(path.symlink_metadata(), Err(error) if error.kind() == std::io::ErrorKind::NotFound)
}

#[cfg(test)]
mod tests {
    use super::{key, plain_name};

    #[test]
    fn every_id_becomes_a_plain_name_of_its_own() {
        let ids = [
            "",
            "a",
            "con",
            "../x",
            "5c0375b4-57a5",
            "ünïcode",
            "a/b",
            "a b",
            &"x".repeat(9_000),
        ];
        let names: std::collections::BTreeSet<String> =
            ids.iter().map(|id| plain_name(id)).collect();
        assert_eq!(names.len(), ids.len());
        for name in &names {
            assert!(name.len() < 90, "{name}");
            key(name);
        }
        assert_eq!(plain_name("5c0375b4-57a5"), "5c0375b4-57a5");
    }
}
