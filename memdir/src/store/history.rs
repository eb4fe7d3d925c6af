//! What a memory was before, and how to get it back.

use pathguard::PathKey;

use super::index_line::stage_index_line;
use super::names::{same_name, stem};
use super::{Origin, Scope, Store};
use crate::error::{Error, ErrorKind};
use crate::hash::ContentHash;
use crate::journal::{Journal, Operation, OperationKind, Segment};
use crate::limits::HISTORY_MAX_REVISIONS;
use crate::{Header, Timestamp};

/// The revisions of a memory, or the operations of the whole folder; newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct History {
    /// The revisions, newest first.
    pub revisions: Vec<Revision>,
    /// Whether there are older ones than
    /// [`HISTORY_MAX_REVISIONS`](crate::limits::HISTORY_MAX_REVISIONS).
    pub cut: bool,
    /// Lines of the journal that a crash had torn or that something has damaged.
    pub damaged_lines: usize,
}

/// One change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Revision {
    /// The number of the operation, for `restore`.
    pub sequence: u64,
    /// When it happened.
    pub time: Timestamp,
    /// What it was.
    pub operation: OperationKind,
    /// The program or agent that did it.
    pub actor: String,
    /// The session in which it happened.
    pub session: Option<String>,
    /// A word on why.
    pub note: Option<String>,
    /// The operation that it took back.
    pub undoes: Option<u64>,
    /// The file at that time, after the change.
    pub path: String,
    /// The hash of the content before; `None` when there was no file.
    pub before: Option<ContentHash>,
    /// The hash of the content after; `None` when the file was gone.
    pub after: Option<ContentHash>,
}

/// Which revision of a memory to bring back.
struct Found {
    path: String,
    bytes: Vec<u8>,
}

impl Store {
    /// The revisions of the memory that `name` stands for, through renames, newest first. Also of
    /// one that was removed.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`] when neither the folder nor the journal knows the name.
    pub fn history(&self, name: &str) -> Result<History, Error> {
        let _span = tracing::debug_span!("memdir.history").entered();
        let state = self.writable()?;
        let journal = state.journal();
        let path = self.find_ever(name, &journal)?;
        let mut walk = Walk::new(path);
        collect(&journal, |_, operation| walk.step(operation))
    }

    /// The operations of the whole folder, one revision for each file, newest first.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] when the journal cannot be read.
    pub fn history_of_all(&self) -> Result<History, Error> {
        let _span = tracing::debug_span!("memdir.history").entered();
        let state = self.writable()?;
        collect(&state.journal(), |_, operation| {
            operation
                .changes
                .iter()
                .map(|change| revision(operation, &change.path, change.before, change.after))
                .collect()
        })
    }

    /// Brings back what the memory was after operation `sequence`, or, when that one removed it,
    /// before. Without a number: what it was before its last change.
    ///
    /// The memory gets its line in the index back. What is there now is kept in the journal.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`] when there is no such revision or its content was purged; and as
    /// [`Store::save`].
    pub fn restore(
        &self,
        name: &str,
        sequence: Option<u64>,
        origin: &Origin,
    ) -> Result<super::Saved, Error> {
        let _span = tracing::info_span!("memdir.restore", sequence).entered();
        let state = self.writable()?;
        let found = self.revision_content(name, sequence, &state.journal())?;
        let key = match self.find(name) {
            Ok(key) => key,
            Err(error) if error.kind() == ErrorKind::NotFound => PathKey::parse(&found.path)
                .map_err(|error| crate::files::error(error, &found.path))?,
            Err(error) => return Err(error),
        };
        self.permit(Scope::of(key.as_ref()), origin)?;
        let secrets = self.guard_secrets(&key, &found.bytes, origin)?;
        let (sequence, (replaced, index)) =
            self.transact(OperationKind::Restore, origin, |transaction| {
                let before = transaction.read(&key)?.map(Header::parse);
                transaction.write(&key, found.bytes.clone())?;
                let index = stage_index_line(transaction, &key, &found.bytes, before.as_ref())?;
                Ok((before.is_some(), index))
            })?;
        let prepared = super::save::Prepared {
            key,
            bytes: found.bytes,
            replaced,
        };
        self.saved(sequence, prepared, index, secrets)
    }

    fn revision_content(
        &self,
        name: &str,
        sequence: Option<u64>,
        journal: &Journal,
    ) -> Result<Found, Error> {
        let path = self.find_ever(name, journal)?;
        let mut walk = Walk::new(path.clone());
        for segment in journal.segments()? {
            let segment = segment?;
            for operation in segment.operations.iter().rev() {
                let revisions = walk.step(operation);
                let wanted = sequence.is_none_or(|wanted| wanted == operation.sequence);
                let Some(revision) = revisions.into_iter().next().filter(|_| wanted) else {
                    continue;
                };
                // With a number: what it led to. Without: what was before the last change.
                let hash = match sequence {
                    Some(_) => revision.after.or(revision.before),
                    None => revision.before,
                };
                let gone = || {
                    Error::not_found("the text of this version is no longer kept")
                        .with_path(path.as_str())
                        .with_remedy("`history` shows its versions")
                };
                if hash.is_none() && sequence.is_none() {
                    let message = "did not exist before its last change";
                    return Err(Error::not_found(message)
                        .with_path(path)
                        .with_remedy("`history` shows its versions, for `restore` with a number"));
                }
                let bytes = segment.content(&hash.ok_or_else(gone)?).ok_or_else(gone)?;
                return Ok(Found {
                    path: revision.path,
                    bytes,
                });
            }
        }
        let message = match sequence {
            Some(number) => format!("there is no version {number} of it"),
            None => "no version of it is kept".to_owned(),
        };
        Err(Error::not_found(message)
            .with_path(path)
            .with_remedy("`history` shows its versions"))
    }

    /// The path of a memory that is in the folder or was, as far as the journal reaches back.
    pub(super) fn find_ever(&self, name: &str, journal: &Journal) -> Result<String, Error> {
        let not_found = match self.find(name) {
            Ok(key) => return Ok(key.as_str().to_owned()),
            Err(error) if error.kind() == ErrorKind::NotFound => error,
            Err(error) => return Err(error),
        };
        let mut by_title: Option<String> = None;
        for segment in journal.segments()? {
            let segment = segment?;
            for operation in segment.operations.iter().rev() {
                for change in &operation.changes {
                    let Ok(key) = PathKey::parse(&change.path) else {
                        continue;
                    };
                    if !super::is_memory(key.as_ref()) {
                        continue;
                    }
                    if same_name(&change.path, name) || same_name(stem(key.as_ref()), name) {
                        return Ok(change.path.clone());
                    }
                    if by_title.is_none() && has_title(&segment, change, name) {
                        by_title = Some(change.path.clone());
                    }
                }
            }
        }
        by_title.ok_or(not_found)
    }
}

fn has_title(segment: &Segment, change: &crate::journal::Change, name: &str) -> bool {
    [change.after, change.before]
        .into_iter()
        .flatten()
        .filter_map(|hash| segment.content(&hash))
        .any(|bytes| same_name(&Header::parse(&bytes).name, name))
}

/// Follows one memory back through the journal.
struct Walk {
    path: String,
}

impl Walk {
    fn new(path: String) -> Self {
        Self { path }
    }

    /// What this operation did to the memory. Operations come newest first.
    fn step(&mut self, operation: &Operation) -> Vec<Revision> {
        let change_of = |path: &str| operation.changes.iter().find(|change| change.path == path);
        let renamed = operation.renames.iter().find(|(_, to)| *to == self.path);
        if let Some((from, to)) = renamed {
            let before = change_of(from).and_then(|change| change.before);
            let after = change_of(to).and_then(|change| change.after);
            self.path.clone_from(from);
            return vec![revision(operation, to, before, after)];
        }
        change_of(&self.path)
            .map(|change| revision(operation, &change.path, change.before, change.after))
            .into_iter()
            .collect()
    }
}

fn revision(
    operation: &Operation,
    path: &str,
    before: Option<ContentHash>,
    after: Option<ContentHash>,
) -> Revision {
    Revision {
        sequence: operation.sequence,
        time: operation.time,
        operation: operation.kind,
        actor: operation.actor.clone(),
        session: operation.session.clone(),
        note: operation.note.clone(),
        undoes: operation.undoes,
        path: path.to_owned(),
        before,
        after,
    }
}

fn collect(
    journal: &Journal,
    mut step: impl FnMut(&Segment, &Operation) -> Vec<Revision>,
) -> Result<History, Error> {
    let mut history = History::default();
    for segment in journal.segments()? {
        let segment = segment?;
        history.damaged_lines += segment.damaged_lines;
        for operation in segment.operations.iter().rev() {
            history.revisions.extend(step(&segment, operation));
            if history.revisions.len() > HISTORY_MAX_REVISIONS {
                history.revisions.truncate(HISTORY_MAX_REVISIONS);
                history.cut = true;
                return Ok(history);
            }
        }
    }
    Ok(history)
}
