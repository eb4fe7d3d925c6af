//! Takes a memory out of history for good.

use std::collections::{BTreeSet, HashMap};

use super::record::{Operation, OperationKind, Record};
use super::segment::{Segment, SegmentName};
use super::{Draft, DraftChange, Journal, encode};
use crate::error::Error;

/// The bytes of a file at a path, without what points to one of these paths.
pub(crate) type Without = dyn Fn(&str, &[u8], &BTreeSet<String>) -> Option<Vec<u8>>;

/// What to take out of the history.
pub(crate) struct Scrub<'a> {
    /// The paths that the memory has now.
    pub(crate) paths: BTreeSet<String>,
    /// The bytes of another file without what points to one of `paths`, or `None` when nothing
    /// does. Called for every content of every other file.
    pub(crate) without: &'a Without,
}

/// What a purge of the journal did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Purged {
    pub(crate) operations: usize,
    pub(crate) bytes_before: u64,
    pub(crate) bytes_after: u64,
}

impl Journal {
    /// These paths and every one that the same memories had before, through renames.
    pub(crate) fn former_names(&self, paths: &BTreeSet<String>) -> Result<BTreeSet<String>, Error> {
        let mut names = paths.clone();
        for segment in self.segments()? {
            for operation in segment?.operations.iter().rev() {
                learn_names(operation, &mut names);
            }
        }
        Ok(names)
    }

    /// Rewrites every segment without the memory, newest first, so that earlier names are known
    /// before the segments that hold them are reached.
    ///
    /// Safe to repeat: an interrupted purge is finished by doing it again with the same paths. The
    /// record that asks for it is in the newest segment, which is therefore replaced last.
    pub(crate) fn purge(&mut self, scrub: &Scrub<'_>) -> Result<Purged, Error> {
        let mut paths = scrub.paths.clone();
        let mut purged = Purged::default();
        let mut newest: Option<(SegmentName, Vec<u8>)> = None;
        for (name, length) in self.names()?.into_iter().rev() {
            let Some(bytes) = self.read(&name)? else {
                continue;
            };
            let (rewritten, touched) = rewrite(&Segment::parse(&bytes), &mut paths, scrub);
            purged.operations += touched;
            purged.bytes_before += length;
            purged.bytes_after += rewritten.len() as u64;
            if newest.is_none() {
                newest = Some((name, rewritten));
            } else {
                self.replace(&name, &rewritten)?;
            }
        }
        if let Some((name, bytes)) = newest {
            self.replace(&name, &bytes)?;
        }
        self.invalidate();
        Ok(purged)
    }
}

/// Adds the names that the memories had before this operation.
fn learn_names(operation: &Operation, names: &mut BTreeSet<String>) {
    for (from, to) in &operation.renames {
        if names.contains(to) {
            names.insert(from.clone());
        }
    }
}

/// The lines of a segment without the memory, and how many operations held something of it.
fn rewrite(segment: &Segment, paths: &mut BTreeSet<String>, scrub: &Scrub<'_>) -> (Vec<u8>, usize) {
    // Newest first, because a rename tells which name the memory had before.
    let mut names_then = Vec::with_capacity(segment.operations.len());
    for operation in segment.operations.iter().rev() {
        learn_names(operation, paths);
        names_then.push(paths.clone());
    }
    names_then.reverse();

    let mut lines = Vec::new();
    let mut known = HashMap::new();
    let mut touched = 0;
    let operations = segment.operations.iter().zip(&names_then);
    for (operation, names) in operations.filter(|(operation, _)| !operation.abandoned) {
        let (draft, loss) = without_memory(segment, operation, names, scrub);
        let mut rewritten = encode(draft, operation.sequence, &known);
        // Index lines that were taken out do not matter: the index itself loses them too, so the
        // operation can still be taken back.
        rewritten.purged = operation.purged || loss == Loss::Change;
        touched += usize::from(loss != Loss::Nothing && operation.kind != OperationKind::Purge);
        for content in &rewritten.contents {
            known.insert(content.hash, content.base.map_or(0, |base| base.depth));
        }
        lines.extend(Record::Operation(rewritten).line());
        lines.extend(Record::Done(operation.sequence).line());
    }
    (lines, touched)
}

/// What an operation lost.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Loss {
    Nothing,
    /// Lines of an index that it also changed.
    Lines,
    /// A change of the memory itself.
    Change,
}

/// The operation without the memory's files, names and index lines.
fn without_memory(
    segment: &Segment,
    operation: &Operation,
    names: &BTreeSet<String>,
    scrub: &Scrub<'_>,
) -> (Draft, Loss) {
    let mut loss = Loss::Nothing;
    let mut changes = Vec::new();
    for change in &operation.changes {
        if names.contains(&change.path) {
            loss = Loss::Change;
            continue;
        }
        let Ok(key) = pathguard::PathKey::parse(&change.path) else {
            loss = Loss::Change;
            continue;
        };
        let mut content = |hash: &Option<crate::ContentHash>| {
            let bytes = segment.content(hash.as_ref()?)?;
            match (scrub.without)(&change.path, &bytes, names) {
                Some(scrubbed) => {
                    loss = loss.max(Loss::Lines);
                    Some(scrubbed)
                }
                None => Some(bytes),
            }
        };
        let before = content(&change.before);
        let after = content(&change.after);
        // A content that an earlier damage took away cannot be written again.
        let is_whole = before.is_some() == change.before.is_some()
            && after.is_some() == change.after.is_some();
        if !is_whole {
            loss = Loss::Change;
        } else if before != after {
            changes.push(DraftChange { key, before, after });
        }
    }
    let renames: Vec<_> = operation
        .renames
        .iter()
        .filter(|(from, to)| !names.contains(from) && !names.contains(to))
        .cloned()
        .collect();
    if renames.len() != operation.renames.len() {
        loss = Loss::Change;
    }
    let draft = Draft {
        time: operation.time,
        kind: operation.kind,
        actor: operation.actor.clone(),
        session: operation.session.clone(),
        // A note may repeat the memory's title.
        note: operation.note.clone().filter(|_| loss != Loss::Change),
        changes,
        renames,
        undoes: operation.undoes,
    };
    (draft, loss)
}
