//! How far a file was read, and what has come since.

use serde::{Deserialize, Serialize};

use crate::entry::Entry;
use crate::error::{Error, ErrorKind};

/// How far a transcript was read.
///
/// The identity finds the place again when the file was appended to; the offset when the message is gone,
/// because the conversation went back and took another way. Neither depends on line numbers or counts.
///
/// ```
/// use agent_transcript::Cursor;
///
/// let cursor = Cursor::new("7d0f2c1e.jsonl", 18_402, Some("a1b2".into()));
/// let bytes = cursor.to_bytes();
/// assert_eq!(Cursor::from_bytes(&bytes)?, cursor);
/// # Ok::<(), agent_transcript::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    file: String,
    offset: u64,
    last_id: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Form {
    v: u32,
    file: String,
    offset: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_id: Option<String>,
}

const VERSION: u32 = 1;

impl Cursor {
    /// Returns a cursor: the file's name, the bytes read, and the identity of the last line.
    pub fn new(file: impl Into<String>, offset: u64, last_id: Option<String>) -> Self {
        Self {
            file: file.into(),
            offset,
            last_id,
        }
    }

    /// Returns the name of the file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Returns how many bytes of it were read; a line begins there.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the identity of the last line on the main thread.
    pub fn last_id(&self) -> Option<&str> {
        self.last_id.as_deref()
    }

    /// Returns the form to store: one JSON object.
    pub fn to_bytes(&self) -> Vec<u8> {
        let form = Form {
            v: VERSION,
            file: self.file.clone(),
            offset: self.offset,
            last_id: self.last_id.clone(),
        };
        // Strings and numbers always serialise; an empty form would read back as a bad cursor.
        serde_json::to_vec(&form).unwrap_or_default()
    }

    /// Reads the stored form.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::BadCursor`] for anything else, or a later version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let form: Option<Form> = serde_json::from_slice(bytes).ok();
        form.filter(|form| form.v == VERSION)
            .map(|form| Self::new(form.file, form.offset, form.last_id))
            .ok_or_else(|| Error::new(ErrorKind::BadCursor))
    }
}

/// What has come since a cursor.
#[derive(Debug, Clone, Copy)]
pub struct Since<'a> {
    /// The new messages on the main thread, oldest first.
    pub entries: &'a [Entry],
    /// How the place was found.
    pub found: Found,
}

/// How the place of a cursor was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Found {
    /// By its message.
    Message,
    /// The message is gone from the main thread; by the offset in the same file.
    Offset,
    /// Neither fits, as after a change of files; everything the model still sees counts as new.
    Live,
}

/// Finds the place. `length` is how much of the file was read.
pub(crate) fn since<'a>(
    entries: &'a [Entry],
    live: &'a [Entry],
    file: Option<&str>,
    length: u64,
    cursor: &Cursor,
) -> Since<'a> {
    if let Some(id) = cursor.last_id()
        && let Some(at) = entries.iter().rposition(|entry| entry.has_id(id))
    {
        // An answer is written line by line: when more of it came later, all of it is new.
        let grown = entries[at].last_id() != Some(id);
        let from = if grown { at } else { at + 1 };
        return Since {
            entries: &entries[from..],
            found: Found::Message,
        };
    }
    if file == Some(cursor.file()) && cursor.offset() <= length {
        let old = entries
            .iter()
            .rposition(|entry| entry.offset < cursor.offset());
        return Since {
            entries: &entries[old.map_or(0, |at| at + 1)..],
            found: Found::Offset,
        };
    }
    Since {
        entries: live,
        found: Found::Live,
    }
}
