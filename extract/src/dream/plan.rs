//! What a distillation would do: the steps, why, and the bytes before and after.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use memdir::{ContentHash, Index};
use pathguard::PathKey;

use super::approved::{Approved, Rejected};
use super::diff::difference;
use super::limits::{Limits, MAX_NOTES};
use super::refusal::Refusal;
use super::review::{Figures, review};
use super::snapshot::{Snapshot, SnapshotFile, index_key, is_memory};

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum StepKind {
    /// Memories become one; the others leave.
    Merge,
    /// A memory gets another text.
    Rewrite,
    /// A memory leaves.
    Delete,
    /// A memory is made from daily logs or other memories.
    Topic,
    /// Relative dates become absolute ones.
    Dates,
    /// The index is made true to the files, and kept within its limits.
    Index,
}

impl StepKind {
    /// The stable name, as it stands in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Merge => "merge",
            Self::Rewrite => "rewrite",
            Self::Delete => "delete",
            Self::Topic => "topic",
            Self::Dates => "dates",
            Self::Index => "index",
        }
    }
}

impl fmt::Display for StepKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What a step rests on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct StepSource {
    /// A memory, a daily log or the index by its path; or `fact-N`, the Nth fact of the snapshot counted
    /// from 1.
    pub place: String,
    /// The words there that count, as they stand in it; the whole of it when absent.
    pub quote: Option<String>,
}

impl StepSource {
    /// The whole of a file.
    pub fn whole(place: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            quote: None,
        }
    }

    /// Some words of it.
    pub fn quoted(place: impl Into<String>, quote: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            quote: Some(quote.into()),
        }
    }
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// What it does.
    pub kind: StepKind,
    /// The file that it writes or, for [`StepKind::Delete`], takes away.
    pub path: PathKey,
    /// The memories that go into that file and leave.
    pub from: Vec<PathKey>,
    /// What it rests on.
    pub sources: Vec<StepSource>,
    /// Why, in one sentence for a person.
    pub reason: String,
}

/// One file before and after.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileChange {
    /// The file, relative to the memory folder.
    pub path: PathKey,
    /// What it held; `None` when it is new.
    pub before: Option<Vec<u8>>,
    /// What it will hold; `None` when it leaves.
    pub after: Option<Vec<u8>>,
}

impl FileChange {
    /// `create`, `change` or `remove`.
    pub fn action(&self) -> &'static str {
        match (&self.before, &self.after) {
            (None, _) => "create",
            (_, None) => "remove",
            _ => "change",
        }
    }

    /// The hash of what the file held when the plan was made.
    pub fn expected(&self) -> Option<ContentHash> {
        self.before.as_deref().map(ContentHash::of)
    }

    /// The changed lines with a few around them, each marked with a blank, `-` or `+`. Credentials are
    /// replaced by the name of their rule.
    pub fn diff(&self) -> String {
        let text = |bytes: &Option<Vec<u8>>| {
            let text = String::from_utf8_lossy(bytes.as_deref().unwrap_or_default());
            secret_scan::redact(&text).into_owned()
        };
        let shown = difference(&text(&self.before), &text(&self.after));
        if shown.is_empty() && self.action() == "change" {
            return "@@ what differs is a credential @@\n".to_owned();
        }
        shown
    }
}

impl fmt::Debug for FileChange {
    /// Names and sizes; no contents.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = |bytes: &Option<Vec<u8>>| bytes.as_ref().map(Vec::len);
        f.debug_struct("FileChange")
            .field("path", &self.path)
            .field("before", &size(&self.before))
            .field("after", &size(&self.after))
            .finish()
    }
}

/// What a distillation would do to a folder.
///
/// The changes are computed as the difference between a [`Snapshot`] and an edited copy of it, so nothing
/// can happen that they do not show. A plan does nothing by itself: [`Plan::approve`] holds it against the
/// limits, and only what comes out of that can be applied.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Plan {
    /// The steps, in the order in which they were decided.
    pub steps: Vec<Step>,
    /// The files before and after, by path.
    pub changes: Vec<FileChange>,
    /// What was seen and left for a person, in sentences; at most [`MAX_NOTES`].
    pub notes: Vec<String>,
    /// What a model asked for that cannot be done. One of them is enough to refuse the plan.
    pub(super) faults: Vec<Refusal>,
}

impl Plan {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.faults.is_empty()
    }

    /// All changes as one text for a person: per file a line with its action, then its difference.
    pub fn diff(&self) -> String {
        let mut text = String::new();
        for change in &self.changes {
            text.extend([change.action(), " ", change.path.as_str(), "\n"]);
            text.push_str(&change.diff());
        }
        text
    }

    /// What the plan would cost the folder, and every reason that speaks against it.
    ///
    /// `snapshot` must be the one that the plan was made from.
    pub fn review(&self, snapshot: &Snapshot, limits: &Limits) -> (Figures, Vec<Refusal>) {
        review(self, snapshot, limits)
    }

    /// Holds the plan against the limits.
    ///
    /// # Errors
    ///
    /// Every reason that speaks against it, with its figures, and the plan itself.
    pub fn approve(self, snapshot: &Snapshot, limits: &Limits) -> Result<Approved, Box<Rejected>> {
        let (figures, refusals) = self.review(snapshot, limits);
        if refusals.is_empty() {
            return Ok(Approved::new(self, snapshot, figures));
        }
        let first = refusals[0].kind.as_str();
        tracing::warn!(
            refusals = refusals.len(),
            reason = first,
            "dream.plan.refused"
        );
        Err(Box::new(Rejected {
            plan: self,
            figures,
            refusals,
        }))
    }
}

/// An edited copy of a snapshot. Only private memories and the index can be edited.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    pub(super) snapshot: &'a Snapshot,
    edited: BTreeMap<PathKey, Option<Vec<u8>>>,
    pub(super) steps: Vec<Step>,
    pub(super) notes: Vec<String>,
    pub(super) faults: Vec<Refusal>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(snapshot: &'a Snapshot) -> Self {
        Self {
            snapshot,
            edited: BTreeMap::new(),
            steps: Vec::new(),
            notes: Vec::new(),
            faults: Vec::new(),
        }
    }

    /// A file as it is in the copy.
    pub(super) fn read(&self, path: &PathKey) -> Option<&[u8]> {
        match self.edited.get(path) {
            Some(edited) => edited.as_deref(),
            None => before(self.snapshot, path),
        }
    }

    pub(super) fn write(&mut self, path: &PathKey, bytes: Vec<u8>) {
        debug_assert!(is_memory(path.as_ref()) || *path == index_key());
        self.edited.insert(path.clone(), Some(bytes));
    }

    pub(super) fn remove(&mut self, path: &PathKey) {
        self.edited.insert(path.clone(), None);
    }

    /// The memories of the copy, by path.
    pub(super) fn memories(&self) -> BTreeSet<PathKey> {
        let kept = self.snapshot.memories.keys();
        let new = self.edited.keys().filter(|path| **path != index_key());
        kept.chain(new)
            .filter(|path| self.read(path).is_some())
            .cloned()
            .collect()
    }

    pub(super) fn index(&self) -> Index {
        Index::parse(self.read(&index_key()).unwrap_or_default())
    }

    pub(super) fn note(&mut self, note: String) {
        if self.notes.len() < MAX_NOTES {
            self.notes.push(note);
        }
    }

    /// The difference between the snapshot and the copy.
    pub(super) fn into_plan(self) -> Plan {
        let mut changes = Vec::new();
        for (path, after) in self.edited {
            let before = before(self.snapshot, &path);
            if before != after.as_deref() {
                changes.push(FileChange {
                    before: before.map(<[u8]>::to_vec),
                    path,
                    after,
                });
            }
        }
        Plan {
            steps: self.steps,
            changes,
            notes: self.notes,
            faults: self.faults,
        }
    }
}

/// The bytes that a file of the snapshot holds.
pub(super) fn before<'a>(snapshot: &'a Snapshot, path: &PathKey) -> Option<&'a [u8]> {
    let file: Option<&SnapshotFile> = if *path == index_key() {
        snapshot.index.as_ref()
    } else {
        snapshot.memories.get(path)
    };
    file.map(|file| file.bytes.as_slice())
}
