//! How far a session's conversation has been looked at, kept on disk.
//!
//! The cursor is written after the memories it stands for are durable, never before: a crash in between
//! costs a second look, and what was saved is recognised then.

use agent_transcript::{Cursor, Entry};
use memdir::SessionFiles;
use pathguard::{MemoryRoot, SyncPolicy};
use serde::{Deserialize, Serialize};

use crate::error::Error;

const VERSION: u32 = 1;

const FILES: SessionFiles = SessionFiles::new("cursor", "json")
    .with_max_files(MAX_SESSIONS)
    .with_max_bytes(64 << 10);

/// How many sessions are remembered; the oldest are forgotten.
pub const MAX_SESSIONS: usize = 500;

/// What is kept of a session between its processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionState {
    /// How far the conversation was looked at.
    pub cursor: Option<Cursor>,
    /// Eligible turns since the last run.
    pub turns: u32,
    /// Failures in a row.
    pub failures: u32,
    /// How many runs there were.
    pub runs: u64,
}

#[derive(Serialize, Deserialize)]
struct Form {
    v: u32,
    session: String,
    #[serde(default)]
    cursor: Option<CursorForm>,
    #[serde(default)]
    turns: u32,
    #[serde(default)]
    failures: u32,
    #[serde(default)]
    runs: u64,
}

#[derive(Serialize, Deserialize)]
struct CursorForm {
    file: String,
    offset: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_id: Option<String>,
}

impl SessionState {
    /// Reads the stored form. `None` for anything else, a later version, or another session's.
    ///
    /// Any bytes are fine; nothing panics.
    ///
    /// ```
    /// use memdir_extract::SessionState;
    ///
    /// let mut state = SessionState::default();
    /// state.failures = 2;
    /// let bytes = state.to_bytes("5c0375b4");
    /// assert_eq!(SessionState::from_bytes(&bytes, "5c0375b4"), Some(state));
    /// assert_eq!(SessionState::from_bytes(&bytes, "another session"), None);
    /// assert_eq!(SessionState::from_bytes(b"{\"v\":", "5c0375b4"), None);
    /// ```
    pub fn from_bytes(bytes: &[u8], session: &str) -> Option<Self> {
        let form: Form = serde_json::from_slice(bytes).ok()?;
        (form.v == VERSION && form.session == session).then(|| Self {
            cursor: form
                .cursor
                .map(|cursor| Cursor::new(cursor.file, cursor.offset, cursor.last_id)),
            turns: form.turns,
            failures: form.failures,
            runs: form.runs,
        })
    }

    /// Returns the form to store: one JSON object.
    pub fn to_bytes(&self, session: &str) -> Vec<u8> {
        let form = Form {
            v: VERSION,
            session: session.to_owned(),
            cursor: self.cursor.as_ref().map(|cursor| CursorForm {
                file: cursor.file().to_owned(),
                offset: cursor.offset(),
                last_id: cursor.last_id().map(str::to_owned),
            }),
            turns: self.turns,
            failures: self.failures,
            runs: self.runs,
        };
        // Texts and numbers always serialise; an empty form would read back as none.
        serde_json::to_vec(&form).unwrap_or_default()
    }

    /// Loads what is kept of a session. Nothing is kept of a new one; a damaged file counts as none.
    pub(crate) fn load(root: &MemoryRoot, session: &str) -> Result<Self, Error> {
        let Some(bytes) = FILES.read(root, session).map_err(failed)? else {
            return Ok(Self::default());
        };
        let read = Self::from_bytes(&bytes, session);
        if read.is_none() {
            tracing::warn!(key = FILES.key(session).as_str(), "extract.cursor.damaged");
        }
        Ok(read.unwrap_or_default())
    }

    /// Stores it. After [`SyncPolicy::Full`] it survives a crash of the machine.
    pub(crate) fn store(
        &self,
        root: &MemoryRoot,
        session: &str,
        sync: SyncPolicy,
    ) -> Result<(), Error> {
        let bytes = self.to_bytes(session);
        FILES.write(root, session, &bytes, sync).map_err(failed)?;
        // Once a session is enough; the first run of it pays.
        if self.runs <= 1 {
            FILES.prune(root);
        }
        Ok(())
    }
}

fn failed(error: memdir::Error) -> Error {
    Error::state("cursor", error)
}

/// Returns what has come since a cursor in a conversation.
///
/// By the message, else by the offset in the same file, else what the model still sees counts as new:
/// `live_from` is where that begins. Without a cursor everything is new.
pub(crate) fn since<'a>(
    entries: &'a [Entry],
    live_from: usize,
    end: &Cursor,
    cursor: Option<&Cursor>,
) -> &'a [Entry] {
    let Some(cursor) = cursor else {
        return entries;
    };
    if let Some(id) = cursor.last_id()
        && let Some(at) = entries.iter().rposition(|entry| entry.has_id(id))
    {
        // An answer is written line by line: when more of it came later, all of it is new.
        let is_grown = entries[at].last_id() != Some(id);
        return &entries[at + usize::from(!is_grown)..];
    }
    let is_same_file = !cursor.file().is_empty() && cursor.file() == end.file();
    if is_same_file && cursor.offset() <= end.offset() {
        let old = entries
            .iter()
            .rposition(|entry| entry.offset < cursor.offset());
        return &entries[old.map_or(0, |at| at + 1)..];
    }
    &entries[live_from.min(entries.len())..]
}
