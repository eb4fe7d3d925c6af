//! The folder of team memories: what stands in it, and careful writing.

use std::collections::BTreeMap;

use pathguard::{EntryKind, ListLimits, MemoryRoot, PathKey, WriteMode, WriteOptions};

use super::report::{Note, SyncReport};
use crate::checksum::Checksum;
use crate::error::{Error, ErrorKind};
use crate::key::TeamKey;
use crate::limits::MAX_ENTRY_BYTES;
use crate::trees::{Local, LocalFile};

/// The file that says "this is the folder, and it is mounted".
const MARKER: &str = ".memstrata-team";

/// The most files that are looked at.
pub(super) const MOST_FILES: usize = 10_000;

/// What a gate says about a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// It may travel.
    Free,
    /// It may not, for this reason: a rule and a line, never the value.
    Blocked(String),
}

/// Looks for what must not travel, in either direction: credentials above all.
pub trait Gate: Send + Sync {
    /// Looks at one text.
    fn look(&self, text: &str) -> Verdict;
}

/// The folder as one walk saw it.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub(super) local: Local,
    pub(super) texts: BTreeMap<TeamKey, String>,
}

/// Walks the folder and looks at every file.
pub(super) fn walk(
    root: &MemoryRoot,
    gate: &dyn Gate,
    report: &mut SyncReport,
) -> Result<Walked, Error> {
    let mut limits = ListLimits::new();
    limits.max_entries = MOST_FILES;
    let listing = root.list(&limits).map_err(|error| {
        Error::new(
            ErrorKind::Folder,
            format!("the team folder cannot be listed: {error}"),
        )
        .with_source(error)
    })?;
    let mut walked = Walked::default();
    walked.local.complete = !listing.cut;
    walked.local.marker = marker(root)?.is_some();
    for problem in &listing.problems {
        // Links and odd names are not ours; a part that could not be read may hold anything.
        walked.local.complete &= problem.kind != pathguard::ListProblemKind::Unreadable;
    }
    for entry in listing.entries {
        if entry.kind != EntryKind::File {
            continue;
        }
        let Ok(key) = TeamKey::parse(entry.key.as_str()) else {
            continue;
        };
        match look(root, &key, gate) {
            Ok(text) => {
                walked
                    .local
                    .files
                    .insert(key.clone(), LocalFile::Free(Checksum::of(&text)));
                walked.texts.insert(key, text);
            }
            // Removed between the listing and the look.
            Err(None) => {}
            Err(Some(why)) => {
                report.note(key.as_str(), Note::BlockedHere(why));
                walked.local.files.insert(key, LocalFile::Blocked);
            }
        }
    }
    Ok(walked)
}

/// The text of a file that may be sent; `Err(None)` when it is gone.
fn look(root: &MemoryRoot, key: &TeamKey, gate: &dyn Gate) -> Result<String, Option<String>> {
    let read = root
        .read(key.path(), MAX_ENTRY_BYTES as u64)
        .map_err(|error| match error.kind() {
            pathguard::ErrorKind::NotFound => None,
            pathguard::ErrorKind::TooLarge => {
                Some(format!("it has more than {MAX_ENTRY_BYTES} bytes"))
            }
            _ => Some(error.to_string()),
        })?;
    let text =
        String::from_utf8(read.bytes).map_err(|_| Some("it is not text in UTF-8".to_owned()))?;
    match gate.look(&text) {
        Verdict::Free => Ok(text),
        Verdict::Blocked(why) => Err(Some(why)),
    }
}

/// The repository the folder is marked for.
pub(super) fn marker(root: &MemoryRoot) -> Result<Option<String>, Error> {
    match root.read(marker_key()?.as_ref(), 1_024) {
        Ok(read) => Ok(Some(String::from_utf8_lossy(&read.bytes).trim().to_owned())),
        Err(error) if error.kind() == pathguard::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::new(ErrorKind::Folder, error.to_string()).with_source(error)),
    }
}

/// Marks the folder.
pub(super) fn mark(root: &MemoryRoot, repository: &str) -> Result<(), Error> {
    let text = format!("{repository}\n");
    root.write(
        marker_key()?.as_ref(),
        text.as_bytes(),
        &WriteOptions::new(),
    )
    .map(drop)
    .map_err(|error| Error::new(ErrorKind::Folder, error.to_string()).with_source(error))
}

fn marker_key() -> Result<PathKey, Error> {
    PathKey::parse(MARKER)
        .map_err(|error| Error::new(ErrorKind::Folder, error.to_string()).with_source(error))
}

/// What stands under a key now.
pub(super) fn now(root: &MemoryRoot, key: &TeamKey) -> Result<Option<Checksum>, Error> {
    match root.read(key.path(), MAX_ENTRY_BYTES as u64) {
        Ok(read) => Ok(Some(Checksum::of_bytes(&read.bytes))),
        Err(error) if error.kind() == pathguard::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::new(ErrorKind::Folder, error.to_string()).with_source(error)),
    }
}

/// Writes a file if what stands there is still `over`; `false` when it is not.
pub(super) fn replace(
    root: &MemoryRoot,
    key: &TeamKey,
    over: Option<Checksum>,
    text: &str,
) -> Result<bool, Error> {
    if now(root, key)? != over {
        return Ok(false);
    }
    let mode = if over.is_none() {
        WriteMode::CreateNew
    } else {
        WriteMode::default()
    };
    let options = WriteOptions::new()
        .with_create_parents(true)
        .with_mode(mode);
    match root.write(key.path(), text.as_bytes(), &options) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == pathguard::ErrorKind::Exists => Ok(false),
        Err(error) => Err(Error::new(ErrorKind::Folder, error.to_string()).with_source(error)),
    }
}

/// Removes a file if what stands there is still `over`; `false` when it is not.
pub(super) fn remove(root: &MemoryRoot, key: &TeamKey, over: Checksum) -> Result<bool, Error> {
    if now(root, key)? != Some(over) {
        return Ok(false);
    }
    match root.remove(key.path()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == pathguard::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::new(ErrorKind::Folder, error.to_string()).with_source(error)),
    }
}
