//! The folder of team memories: what stands in it, and careful writing.

use std::collections::BTreeMap;

use pathguard::{
    EntryKind, ListLimits, MemoryRoot, PathKey, PathKeyRef, RenameOptions, WriteMode, WriteOptions,
};
use unicode_normalization::UnicodeNormalization as _;

use super::report::{Note, SyncReport};
use super::trouble::failed;
use crate::checksum::Checksum;
use crate::error::{Error, ErrorKind};
use crate::key::TeamKey;
use crate::limits::MAX_ENTRY_BYTES;
use crate::trees::{Local, LocalFile};

/// The file that says "this is the folder, and it is mounted".
const MARKER: &str = ".memstrata-team";

/// The most files that are looked at.
pub(super) const MOST_FILES: usize = 10_000;

/// Stands for a name that holds a credential.
pub(super) const WITHHELD: &str = "(a name that holds a credential)";

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
    /// Names on disk that are spelt in another normal form than the key: some file systems decompose what
    /// they are given.
    names: BTreeMap<TeamKey, PathKey>,
}

impl Walked {
    /// Where the file of a key stands.
    pub(super) fn at<'a>(&'a self, key: &'a TeamKey) -> PathKeyRef<'a> {
        self.names.get(key).map_or(key.path(), PathKey::as_ref)
    }
}

/// Walks the folder and looks at every file. `marker` says whether the folder's marker was found.
pub(super) fn walk(
    root: &MemoryRoot,
    marker: bool,
    gate: &dyn Gate,
    report: &mut SyncReport,
) -> Result<Walked, Error> {
    let mut limits = ListLimits::new();
    limits.max_entries = MOST_FILES;
    let listing = root
        .list(&limits)
        .map_err(|error| failed(ErrorKind::Folder, "the team folder cannot be listed", error))?;
    let mut walked = Walked::default();
    walked.local.complete = !listing.cut;
    walked.local.marker = marker;
    for problem in &listing.problems {
        // Links and odd names are not ours; a part that could not be read may hold anything.
        walked.local.complete &= problem.kind != pathguard::ListProblemKind::Unreadable;
    }
    for entry in listing.entries {
        if entry.kind != EntryKind::File {
            continue;
        }
        let name = entry.key.as_str();
        let key = match TeamKey::parse(name).or_else(|_| TeamKey::parse(&composed(name))) {
            Ok(key) => key,
            Err(error) => {
                // Other files of a team's folder are nobody's business; a memory that stays behind is.
                if is_markdown(name) {
                    report.note(name, Note::BlockedHere(error.to_string()));
                }
                continue;
            }
        };
        if walked.local.files.contains_key(&key) {
            // Which of two spellings the key means cannot be told.
            let why = "another file has the same name in another Unicode normal form; rename one";
            report.note(key.as_str(), Note::BlockedHere(why.into()));
            walked.texts.remove(&key);
            walked.local.files.insert(key, LocalFile::Blocked);
            continue;
        }
        if let Verdict::Blocked(why) = gate.look(name) {
            // A name travels as the text does, and this one is not repeated.
            report.note(WITHHELD, Note::BlockedHere(why));
            walked.local.files.insert(key, LocalFile::Blocked);
            continue;
        }
        match look(root, entry.key.as_ref(), gate) {
            Ok(text) => {
                let checksum = Checksum::of(&text);
                walked
                    .local
                    .files
                    .insert(key.clone(), LocalFile::Free(checksum));
                walked.texts.insert(key.clone(), text);
            }
            // Removed between the listing and the look.
            Err(None) => continue,
            Err(Some(why)) => {
                report.note(key.as_str(), Note::BlockedHere(why));
                walked.local.files.insert(key.clone(), LocalFile::Blocked);
            }
        }
        if key.as_str() != name {
            walked.names.insert(key, entry.key);
        }
    }
    Ok(walked)
}

/// A name in normal form C, the form of keys.
fn composed(name: &str) -> String {
    name.nfc().collect()
}

fn is_markdown(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("md"))
}

/// The text of a file that may be sent; `Err(None)` when it is gone.
fn look(root: &MemoryRoot, key: PathKeyRef<'_>, gate: &dyn Gate) -> Result<String, Option<String>> {
    let read = root
        .read(key, MAX_ENTRY_BYTES as u64)
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
        Err(error) => Err(failed(
            ErrorKind::Folder,
            "the folder's marker cannot be read",
            error,
        )),
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
    .map_err(|error| {
        failed(
            ErrorKind::Folder,
            "the folder's marker cannot be written",
            error,
        )
    })
}

fn marker_key() -> Result<PathKey, Error> {
    PathKey::parse(MARKER)
        .map_err(|error| Error::new(ErrorKind::Folder, error.to_string()).with_source(error))
}

/// What stands under a name now.
pub(super) fn now(root: &MemoryRoot, key: PathKeyRef<'_>) -> Result<Option<Checksum>, Error> {
    match root.read(key, MAX_ENTRY_BYTES as u64) {
        Ok(read) => Ok(Some(Checksum::of_bytes(&read.bytes))),
        Err(error) if error.kind() == pathguard::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(
            ErrorKind::Folder,
            "a team memory cannot be read",
            error,
        )),
    }
}

/// Writes a file if what stands there is still `over`; `false` when it is not.
pub(super) fn replace(
    root: &MemoryRoot,
    key: PathKeyRef<'_>,
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
    match root.write(key, text.as_bytes(), &options) {
        Ok(_) => Ok(true),
        Err(error) if meanwhile(&error) => Ok(false),
        Err(error) => Err(failed(
            ErrorKind::Folder,
            "a team memory cannot be written",
            error,
        )),
    }
}

/// Removes a file if what stands there is still `over`; `false` when it is not.
pub(super) fn remove(
    root: &MemoryRoot,
    key: PathKeyRef<'_>,
    over: Checksum,
) -> Result<bool, Error> {
    if now(root, key)? != Some(over) {
        return Ok(false);
    }
    match root.remove(key) {
        Ok(()) => Ok(true),
        Err(error) if meanwhile(&error) => Ok(false),
        Err(error) => Err(failed(
            ErrorKind::Folder,
            "a team memory cannot be removed",
            error,
        )),
    }
}

/// Gives a file another name in one step, if what stands there is still `over`; `false` when it is not, or when
/// something has the new name.
///
/// Removing it under one name and writing it under the other would do the same, but for the moment in between: who
/// is killed there has a file that is gone, which the next run takes for deleted.
pub(super) fn rename(
    root: &MemoryRoot,
    from: PathKeyRef<'_>,
    to: &TeamKey,
    over: Checksum,
) -> Result<bool, Error> {
    if now(root, from)? != Some(over) {
        return Ok(false);
    }
    let renamed = make_folder_of(root, to).and_then(|()| {
        let options = RenameOptions::new();
        root.rename(from, to.path(), &options)
    });
    match renamed {
        Ok(()) => Ok(true),
        Err(error) if meanwhile(&error) => Ok(false),
        Err(error) => Err(failed(
            ErrorKind::Folder,
            "a team memory cannot be renamed",
            error,
        )),
    }
}

fn make_folder_of(root: &MemoryRoot, key: &TeamKey) -> Result<(), pathguard::Error> {
    let Some((folder, _)) = key.as_str().rsplit_once('/') else {
        return Ok(());
    };
    root.create_dirs(PathKey::parse(folder)?.as_ref())
}

/// Whether somebody else was at the same place at the same time; the next run looks again.
fn meanwhile(error: &pathguard::Error) -> bool {
    matches!(
        error.kind(),
        pathguard::ErrorKind::Exists
            | pathguard::ErrorKind::NotFound
            | pathguard::ErrorKind::Changed
    )
}
