//! What a session remembers between its processes: hooks are one for each event.

use memdir::{SessionFiles, Store};
use pathguard::{MemoryRoot, SyncPolicy};
use recall::{ContentHash, Surfaced};
use serde::{Deserialize, Serialize};

const FILES: SessionFiles = SessionFiles::new(SESSION_MEMO_FOLDER, "json");

/// The folder of the records, below the state folder.
pub const SESSION_MEMO_FOLDER: &str = "sessions";

const VERSION: u32 = 1;

/// How many memories a session remembers to have seen; the oldest may be shown again.
pub const MAX_SURFACED: usize = 1_000;

/// What a session remembers between its processes: which memories its model was shown, how many messages there
/// were, what the prompt said of the index.
///
/// [`Session`](crate::Session) keeps one by itself. Hosts with a recall of their own, such as hooks, whose
/// every call is a process, load it, ask [`SessionMemo::surfaced`] for the query, note what they showed and
/// keep it. All of them see one list for a session. It holds names and hashes and no words of memories: what is
/// purged must not survive here.
///
/// ```
/// use memstrata::SessionMemo;
/// use memstrata::pathguard::MemoryRoot;
/// use memstrata::recall::ContentHash;
///
/// let scratch = tempfile::tempdir()?;
/// let state = MemoryRoot::open(scratch.path(), &Default::default())?;
/// let mut memo = SessionMemo::load(&state, "5c0375b4");
/// memo.turn += 1;
/// memo.note_shown(&[("feedback_tests.md".to_owned(), ContentHash::of(b"as it was"))]);
/// memo.keep(&state, "5c0375b4")?;
///
/// // The next process of the session; the context was emptied meanwhile.
/// let mut memo = SessionMemo::load(&state, "5c0375b4");
/// assert_eq!((memo.turn, memo.surfaced().count()), (1, 1));
/// memo.forget_surfaced();
/// assert_eq!((memo.turn, memo.surfaced().count()), (1, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionMemo {
    /// Messages of the person so far.
    pub turn: u64,
    /// Path and content of each memory that was shown since the last compaction, oldest first; without a content
    /// it is known whatever it says.
    surfaced: Vec<(String, String)>,
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

impl SessionMemo {
    /// Reads the record of a session from the state folder. A missing, damaged or later one counts as none.
    pub fn load(state: &MemoryRoot, session: &str) -> Self {
        let read = FILES.read(state, session).ok().flatten();
        read.and_then(|bytes| Self::from_bytes(&bytes, session))
            .unwrap_or_default()
    }

    /// Reads the stored form; `None` for anything else, a later version, or another session's. Any bytes are fine.
    pub fn from_bytes(bytes: &[u8], session: &str) -> Option<Self> {
        let form: Form = serde_json::from_slice(bytes).ok()?;
        (form.v == VERSION && form.session == session).then_some(Self {
            turn: form.turn,
            surfaced: form.surfaced,
            boundaries: form.boundaries,
            told: form.told,
            index_is_untrue: form.index_is_untrue,
        })
    }

    /// Writes the record. Nothing waits for the disk: when a record is lost, a memory may be shown twice, no
    /// more.
    ///
    /// # Errors
    ///
    /// When the state folder cannot be written.
    pub fn keep(&self, state: &MemoryRoot, session: &str) -> Result<(), memdir::Error> {
        FILES.write(state, session, &self.to_bytes(session), SyncPolicy::None)
    }

    fn to_bytes(&self, session: &str) -> Vec<u8> {
        let form = Form {
            v: VERSION,
            session: session.to_owned(),
            turn: self.turn,
            surfaced: self.surfaced.clone(),
            boundaries: self.boundaries,
            told: self.told.clone(),
            index_is_untrue: self.index_is_untrue,
        };
        serde_json::to_vec(&form).expect("JSON because the form holds texts and numbers only")
    }

    /// Forgets the sessions that are too many, those not heard of for the longest time first. For the time that
    /// nobody waits: it lists the folder.
    pub fn prune(state: &MemoryRoot) {
        FILES.prune(state);
    }

    /// What the session has seen, as a query takes it.
    pub fn surfaced(&self) -> impl Iterator<Item = Surfaced> + '_ {
        self.surfaced
            .iter()
            .map(|(path, hash)| match ContentHash::parse(hash) {
                Some(hash) => Surfaced::with_hash(path, hash),
                None => Surfaced::path(path),
            })
    }

    /// Notes what the model is about to see: path and content of each memory.
    pub fn note_shown(&mut self, shown: &[(String, ContentHash)]) {
        for (path, hash) in shown {
            self.note(path, hash.to_string());
        }
    }

    /// Notes a memory of what was said in this very conversation: the model has it before its eyes, whatever the
    /// file says.
    pub fn note_learned(&mut self, path: &str) {
        self.note(path, String::new());
    }

    /// Notes that the model has forgotten what it was shown; tells whether there was anything.
    pub fn forget_surfaced(&mut self) -> bool {
        let was_any = !self.surfaced.is_empty();
        self.surfaced.clear();
        was_any
    }

    fn note(&mut self, path: &str, hash: String) {
        self.surfaced.retain(|(known, _)| known != path);
        self.surfaced.push((path.to_owned(), hash));
        let surplus = self.surfaced.len().saturating_sub(MAX_SURFACED);
        self.surfaced.drain(..surplus);
    }

    /// Loads the memo of a session of a store, and makes room for it.
    pub(super) fn of_store(store: &Store, session: &str) -> Self {
        let Ok(state) = store.state_root() else {
            return Self::default();
        };
        let memo = Self::load(state, session);
        if memo == Self::default() {
            Self::prune(state);
        }
        memo
    }

    /// Keeps it in a store that may be open for reading only.
    pub(super) fn keep_in(&self, store: &Store, session: &str) {
        let kept = store
            .state_root()
            .and_then(|state| self.keep(state, session));
        if let Err(error) = kept {
            tracing::warn!(%error, "session.memo.not_kept");
        }
    }
}
