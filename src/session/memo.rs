//! What a session remembers between its processes: hooks start one for each event.

use memdir::{ContentHash, Store};
use pathguard::{ListLimits, MemoryRoot, PathKey, SyncPolicy, WriteOptions};
use recall::Surfaced;
use serde::{Deserialize, Serialize};

/// The folder of the records, below the state folder.
const FOLDER: &str = "sessions";

const VERSION: u32 = 1;

const MAX_BYTES: u64 = 1 << 20;

/// How many memories a session remembers to have seen; the oldest may be shown again.
const MAX_SURFACED: usize = 1_000;

/// How many sessions are remembered.
const MAX_SESSIONS: usize = 200;

/// Which memories were shown, and what the prompt said of the index. Names and hashes, no words of memories:
/// what is purged must not survive here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Memo {
    /// Turns so far.
    pub(super) turn: u64,
    /// Path and content of each memory that was shown since the last compaction.
    pub(super) surfaced: Vec<(String, String)>,
    /// Compactions of the conversation that were seen.
    pub(super) boundaries: usize,
    /// Hashes of the lines of the index that the model has been told.
    pub(super) told: Option<Vec<String>>,
    /// The agent wrote memories itself and may have left the index behind.
    pub(super) index_is_untrue: bool,
}

#[derive(Serialize, Deserialize)]
struct Form {
    v: u32,
    session: String,
    turn: u64,
    surfaced: Vec<(String, String)>,
    #[serde(default)]
    boundaries: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    told: Option<Vec<String>>,
    #[serde(default)]
    index_is_untrue: bool,
}

impl Memo {
    /// Reads the record of a session. A missing, damaged or later one counts as none.
    pub(super) fn load(store: &Store, session: &str) -> Self {
        let read = || {
            let root = store.state_root().ok()?;
            let read = root.read(key(session).as_ref(), MAX_BYTES).ok()?;
            let form: Form = serde_json::from_slice(&read.bytes).ok()?;
            (form.v == VERSION && form.session == session).then_some(form)
        };
        match read() {
            None => Self::default(),
            Some(form) => Self {
                turn: form.turn,
                surfaced: form.surfaced,
                boundaries: form.boundaries,
                told: form.told,
                index_is_untrue: form.index_is_untrue,
            },
        }
    }

    /// Writes the record. When that fails a memory may be shown twice, nothing more.
    pub(super) fn keep(&self, store: &Store, session: &str) {
        let Ok(root) = store.state_root() else {
            return;
        };
        let form = Form {
            v: VERSION,
            session: session.to_owned(),
            turn: self.turn,
            surfaced: self.surfaced.clone(),
            boundaries: self.boundaries,
            told: self.told.clone(),
            index_is_untrue: self.index_is_untrue,
        };
        let bytes =
            serde_json::to_vec(&form).expect("JSON because the form holds texts and numbers only");
        let mut options = WriteOptions::new().with_create_parents(true);
        options.sync = SyncPolicy::None;
        if let Err(error) = root.write(key(session).as_ref(), &bytes, &options) {
            tracing::warn!(%error, "session.memo.not_kept");
        }
        if self.turn <= 1 {
            prune(root);
        }
    }

    pub(super) fn surfaced(&self) -> impl Iterator<Item = Surfaced> {
        self.surfaced
            .iter()
            .map(|(path, hash)| match recall::ContentHash::parse(hash) {
                Some(hash) => Surfaced::with_hash(path, hash),
                None => Surfaced::path(path),
            })
    }

    /// A memory of what was said in this very conversation: the model has it before its eyes.
    pub(super) fn learned_here(&mut self, path: &str) {
        self.surfaced.retain(|(known, _)| known != path);
        self.surfaced.push((path.to_owned(), String::new()));
        let surplus = self.surfaced.len().saturating_sub(MAX_SURFACED);
        self.surfaced.drain(..surplus);
    }

    pub(super) fn shown(&mut self, shown: &[(String, recall::ContentHash)]) {
        for (path, hash) in shown {
            self.surfaced.retain(|(known, _)| known != path);
            self.surfaced.push((path.clone(), hash.to_string()));
        }
        let surplus = self.surfaced.len().saturating_sub(MAX_SURFACED);
        self.surfaced.drain(..surplus);
    }
}

/// The record's file. Ids are hashed: they may be anything, and file systems fold case.
fn key(session: &str) -> PathKey {
    let hash = ContentHash::of(session.as_bytes()).to_string();
    PathKey::parse(&format!("{FOLDER}/{}.json", &hash[..32]))
        .expect("a legal key because a hash is made of digits and small letters")
}

/// Keeps the newest records.
fn prune(root: &MemoryRoot) {
    let folder = PathKey::parse(FOLDER).expect("a legal key because it is a constant");
    let Ok(sub) = root.open_sub(folder.as_ref()) else {
        return;
    };
    let limits = ListLimits::new().with_max_depth(1).with_metadata(true);
    let Ok(listing) = sub.list(&limits) else {
        return;
    };
    let mut files: Vec<_> = listing
        .entries
        .into_iter()
        .filter_map(|entry| Some((entry.metadata?.modified_ns, entry.key)))
        .collect();
    files.sort_unstable_by_key(|(modified, _)| *modified);
    let surplus = files.len().saturating_sub(MAX_SESSIONS);
    for (_, key) in files.drain(..surplus) {
        drop(sub.remove(key.as_ref()));
    }
}
