//! Names of team memories as they travel.

use std::borrow::Borrow;
use std::fmt;

use memdir::ConflictName;
use pathguard::{KeyRules, PathKey, PathKeyRef, fold_key};
use unicode_normalization::is_nfc;

use crate::checksum::Checksum;
use crate::error::{Error, ErrorKind};
use crate::limits::MAX_KEY_BYTES;

/// The most bytes of a file name (`NAME_MAX` of common file systems).
const MAX_NAME_BYTES: usize = 255;

/// What no file name may hold on Windows, beside what `pathguard` refuses anyway ("Naming Files, Paths, and
/// Namespaces" of its documentation).
const REFUSED_BY_WINDOWS: [char; 6] = ['*', '?', '"', '<', '>', '|'];

/// A checked name of a team memory, relative to `memory/team/`.
///
/// Stricter than [`pathguard::PathKey`]: Markdown files only, in Unicode normal form C, at most 512 bytes,
/// no component that begins with a full stop, and nothing that some member's system could not store.
///
/// ```
/// use team_sync::TeamKey;
///
/// assert!(TeamKey::parse("deploy/rollback.md").is_ok());
/// for refused in ["../a.md", ".hidden.md", "a.txt", "cafe\u{301}.md", "deploy/", "why?.md"] {
///     assert!(TeamKey::parse(refused).is_err());
/// }
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TeamKey(PathKey);

impl TeamKey {
    /// Checks a name.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Key`], with the name escaped and shortened.
    pub fn parse(raw: &str) -> Result<Self, Error> {
        // The reason goes last: a name may be long.
        let refused = |why: &str| Error::new(ErrorKind::Key, format!("key {}: {why}", shown(raw)));
        if raw.len() > MAX_KEY_BYTES {
            return Err(refused("it has more than 512 bytes"));
        }
        let key = PathKeyRef::parse_with(raw, &KeyRules::markdown())
            .map_err(|error| Error::new(ErrorKind::Key, error.to_string()).with_source(error))?;
        if !is_nfc(raw) {
            return Err(refused("it is not in Unicode normal form C"));
        }
        if key.components().any(|component| component.starts_with('.')) {
            return Err(refused("hidden files are not shared"));
        }
        if raw.contains(REFUSED_BY_WINDOWS) {
            return Err(refused(
                "Windows stores no name with any of * ? \" < > |; rename it to share it",
            ));
        }
        Ok(Self(key.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The name as a key of the folder.
    pub fn path(&self) -> PathKeyRef<'_> {
        self.0.as_ref()
    }

    /// The form under which two names are one file on some file system.
    pub fn folded(&self) -> String {
        fold_key(self.as_str())
    }

    /// Whether the file is an index (`MEMORY.md`), which is merged line by line.
    pub fn is_index(&self) -> bool {
        self.path().file_name() == memdir::INDEX_FILE
    }

    /// Whether the file holds the losing text of a conflict: synced, never indexed, never recalled.
    pub fn is_conflict_copy(&self) -> bool {
        ConflictName::parse(self.as_str()).is_some()
    }

    /// The name under which `text`, which lost a conflict about this file, is kept beside it:
    /// `name.conflict-<client>-<hash8>.md`.
    ///
    /// The name depends on the text, so that the same conflict met twice makes one file. A conflict about
    /// a conflict copy keeps the first name as its stem. How such a name looks is [`memdir::ConflictName`]'s
    /// to say.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Key`] when the folder's own name leaves no room.
    pub fn conflict_copy(&self, client: &str, text: &str) -> Result<Self, Error> {
        let name = self.as_str();
        let (folder, name) = name.rsplit_once('/').unwrap_or(("", name));
        let above = if folder.is_empty() {
            0
        } else {
            folder.len() + 1
        };
        let room = MAX_NAME_BYTES.min(MAX_KEY_BYTES.saturating_sub(above));
        let name = ConflictName::compose(name, client, &Checksum::of(text).short(), room);
        if folder.is_empty() {
            Self::parse(&name)
        } else {
            Self::parse(&format!("{folder}/{name}"))
        }
    }

    /// The key this is a conflict copy of; `None` for every other key.
    ///
    /// Where the name was too long for a copy, it is the beginning of the key.
    pub fn conflict_original(&self) -> Option<Self> {
        let original = ConflictName::parse(self.as_str())?.original();
        let folder = self.as_str().rsplit_once('/').map(|(folder, _)| folder);
        let key = folder.map_or_else(|| original.clone(), |folder| format!("{folder}/{original}"));
        Self::parse(&key).ok()
    }
}

/// A name from a peer, fit for a terminal.
fn shown(raw: &str) -> String {
    let head = start(raw, 80);
    let more = if head.len() < raw.len() { "…" } else { "" };
    format!("\"{}{more}\"", head.escape_debug())
}

/// The longest start of `text` with at most `room` bytes.
fn start(text: &str, room: usize) -> &str {
    let mut end = room.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

impl fmt::Display for TeamKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl fmt::Debug for TeamKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "TeamKey({:?})", self.as_str())
    }
}

impl Borrow<str> for TeamKey {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for TeamKey {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}
