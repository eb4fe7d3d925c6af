//! The history of every change: append-only, content-addressed, bounded by age and size.
//!
//! The journal is also what makes an operation whole. One record with everything needed to finish
//! or to undo the operation is appended and synced before any file is touched; a second one,
//! unsynced, says that it was done. When the second is missing, the next one who opens the store
//! finishes the operation. So a save costs one sync here, whatever it changes.

mod purge;
mod record;
mod segment;
mod splice;

use std::collections::HashMap;

use pathguard::{
    AppendOptions, EntryKind, ListLimits, MemoryRoot, PathKey, SyncPolicy, WriteOptions,
};

pub(crate) use purge::Scrub;
pub use record::OperationKind;
pub(crate) use record::{Change, Operation, bytes_of, checked_json, checked_line, text_or_hex};
pub(crate) use segment::Segment;

use crate::error::Error;
use crate::files;
use crate::hash::ContentHash;
use crate::limits::{
    JOURNAL_MAX_AGE_DAYS, JOURNAL_MAX_BYTES, JOURNAL_TAIL_BYTES, OPERATION_MAX_BYTES,
    SEGMENT_MAX_AGE_DAYS, SEGMENT_MAX_BYTES,
};
use crate::{Date, Timestamp};
use record::{Content, Record, SEQUENCE_MAX};
use segment::SegmentName;

/// The journal's folder in the state folder.
const FOLDER: &str = "journal";
/// Largest segment that is read: one operation of the greatest size, escaped, after a full one.
const SEGMENT_READ_MAX_BYTES: u64 = SEGMENT_MAX_BYTES + 4 * OPERATION_MAX_BYTES;

/// How much history is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JournalLimits {
    /// Bytes that all segments together may take. The newest segment is always kept.
    pub max_bytes: u64,
    /// Days after which a segment may be dropped.
    pub max_age_days: i64,
    /// Bytes after which a new segment is begun.
    pub segment_bytes: u64,
}

impl Default for JournalLimits {
    fn default() -> Self {
        Self {
            max_bytes: JOURNAL_MAX_BYTES,
            max_age_days: JOURNAL_MAX_AGE_DAYS,
            segment_bytes: SEGMENT_MAX_BYTES,
        }
    }
}

/// An operation that is about to be recorded, with whole contents.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) time: Timestamp,
    pub(crate) kind: OperationKind,
    pub(crate) actor: String,
    pub(crate) session: Option<String>,
    pub(crate) note: Option<String>,
    pub(crate) changes: Vec<DraftChange>,
    pub(crate) renames: Vec<(String, String)>,
    pub(crate) undoes: Option<u64>,
}

/// One file before and after, with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DraftChange {
    pub(crate) key: PathKey,
    pub(crate) before: Option<Vec<u8>>,
    pub(crate) after: Option<Vec<u8>>,
}

#[derive(Debug)]
pub(crate) struct Journal {
    folder: MemoryRoot,
    limits: JournalLimits,
    tail: Option<Tail>,
}

/// What is known about the end of the newest segment.
#[derive(Debug)]
struct Tail {
    name: SegmentName,
    length: u64,
    ends_with_line: bool,
    last_sequence: u64,
    pending: Option<u64>,
    /// The depth of every content that is known to be in the segment. A subset: a content that is
    /// not found here is stored once more.
    depths: HashMap<ContentHash, u32>,
}

impl Journal {
    pub(crate) fn open(state: &MemoryRoot, limits: JournalLimits) -> Result<Self, Error> {
        let key = files::key(FOLDER);
        let folder = match state.open_sub(key.as_ref()) {
            Err(error) if error.kind() == pathguard::ErrorKind::NotFound => state
                .create_dirs(key.as_ref())
                .and_then(|()| state.open_sub(key.as_ref())),
            opened => opened,
        }
        .map_err(|error| files::error(error, FOLDER))?;
        Ok(Self {
            folder,
            limits,
            tail: None,
        })
    }

    /// Looks at the end of the journal again, because another process may have written.
    pub(crate) fn refresh(&mut self) -> Result<(), Error> {
        let Some((name, length)) = self.names()?.pop() else {
            self.tail = None;
            return Ok(());
        };
        let known = |tail: &Tail| tail.name == name && tail.length == length;
        if self.tail.as_ref().is_some_and(known) {
            return Ok(());
        }
        self.tail = Some(self.read_tail(name, length)?);
        Ok(())
    }

    /// The operation that was recorded and neither done nor abandoned.
    pub(crate) fn pending(&self) -> Option<u64> {
        self.tail.as_ref()?.pending
    }

    /// The number of the last operation; 0 before the first.
    pub(crate) fn last_sequence(&self) -> u64 {
        self.tail.as_ref().map_or(0, |tail| tail.last_sequence)
    }

    /// Records an operation, durably, and returns it. Nothing in the memory folder was touched yet.
    pub(crate) fn begin(&mut self, draft: Draft) -> Result<Operation, Error> {
        let today = draft.time.date(0);
        self.rotate(today)?;
        let tail = self
            .tail
            .as_ref()
            .expect("there is a tail because rotate makes one");
        let sequence = tail.last_sequence + 1;
        if sequence > SEQUENCE_MAX {
            return Err(Error::corrupt("the history has run out of numbers")
                .with_path(FOLDER)
                .with_remedy("move it away"));
        }
        let operation = encode(draft, sequence, &tail.depths);
        self.append(&Record::Operation(operation.clone()), SyncPolicy::Full)?;
        let tail = self
            .tail
            .as_mut()
            .expect("there is a tail because the append went to it");
        tail.last_sequence = operation.sequence;
        tail.pending = Some(operation.sequence);
        for content in &operation.contents {
            let depth = content.base.map_or(0, |base| base.depth);
            tail.depths.entry(content.hash).or_insert(depth);
        }
        Ok(operation)
    }

    /// Says that the pending operation was carried out. Not synced: when the line is lost, the
    /// next one who opens the store finds every file as it should be.
    pub(crate) fn done(&mut self, sequence: u64) -> Result<(), Error> {
        self.close(&Record::Done(sequence))
    }

    /// Says that the pending operation was taken back.
    pub(crate) fn abandoned(&mut self, sequence: u64) -> Result<(), Error> {
        self.close(&Record::Abandoned(sequence))
    }

    fn close(&mut self, record: &Record) -> Result<(), Error> {
        self.append(record, SyncPolicy::None)?;
        if let Some(tail) = &mut self.tail {
            tail.pending = None;
        }
        Ok(())
    }

    /// Forgets what is known about the tail; the next refresh reads it.
    pub(crate) fn invalidate(&mut self) {
        self.tail = None;
    }

    /// All segments, newest first, each parsed when it is asked for.
    pub(crate) fn segments(
        &self,
    ) -> Result<impl Iterator<Item = Result<Segment, Error>> + '_, Error> {
        let names = self.names()?;
        Ok(names.into_iter().rev().filter_map(|(name, _)| {
            match self.read(&name) {
                // Dropped by another process since it was listed.
                Ok(None) => None,
                Ok(Some(bytes)) => Some(Ok(Segment::parse(&bytes))),
                Err(error) => Some(Err(error)),
            }
        }))
    }

    /// Bytes that the journal takes.
    pub(crate) fn bytes(&self) -> Result<u64, Error> {
        Ok(self.names()?.iter().map(|(_, length)| length).sum())
    }

    fn names(&self) -> Result<Vec<(SegmentName, u64)>, Error> {
        let mut limits = ListLimits::default();
        limits.max_depth = 1;
        let listing = self
            .folder
            .list(&limits)
            .map_err(|error| files::error(error, FOLDER))?;
        let mut names: Vec<_> = listing
            .entries
            .iter()
            .filter(|entry| entry.kind == EntryKind::File)
            .filter_map(|entry| {
                let name = SegmentName::parse(entry.key.as_str())?;
                Some((name, entry.metadata.as_ref()?.len))
            })
            .collect();
        names.sort();
        Ok(names)
    }

    fn read(&self, name: &SegmentName) -> Result<Option<Vec<u8>>, Error> {
        let key = segment_key(name);
        let read = files::read_if_exists(&self.folder, key.as_ref(), SEGMENT_READ_MAX_BYTES)?;
        Ok(read.map(|read| read.bytes))
    }

    fn read_tail(&self, name: SegmentName, length: u64) -> Result<Tail, Error> {
        let key = segment_key(&name);
        if length > SEGMENT_READ_MAX_BYTES {
            return Err(Error::corrupt("larger than any segment of the history")
                .with_path(key.as_str())
                .with_remedy("move it away"));
        }
        let mut window = JOURNAL_TAIL_BYTES;
        loop {
            let start = length.saturating_sub(window);
            let read = files::read_range(&self.folder, key.as_ref(), start, length - start)?;
            let bytes = if start == 0 {
                &read[..]
            } else {
                let line_end = read.iter().position(|byte| *byte == b'\n');
                line_end.map_or(&[][..], |at| &read[at + 1..])
            };
            let segment = Segment::parse(bytes);
            if segment.is_newer {
                return Err(Error::corrupt(
                    "the history was written by a newer version of this software",
                )
                .with_path(key.as_str())
                .with_remedy("update it; until then memories can be read"));
            }
            if start > 0 && segment.operations.is_empty() {
                window = window.saturating_mul(8);
                continue;
            }
            let last_sequence = segment
                .operations
                .last()
                .map_or(name.first.saturating_sub(1), |last| last.sequence);
            let depths = segment
                .content_hashes()
                .filter_map(|hash| Some((*hash, segment.depth_of(hash, start > 0)?)))
                .collect();
            return Ok(Tail {
                length,
                ends_with_line: segment.ends_with_line,
                last_sequence,
                pending: segment.pending,
                depths,
                name,
            });
        }
    }

    fn append(&mut self, record: &Record, sync: SyncPolicy) -> Result<(), Error> {
        let tail = self
            .tail
            .as_mut()
            .expect("there is a tail because only an operation that was begun is closed");
        let mut line = record.line();
        if !tail.ends_with_line {
            // A writer died in the middle of a line. It stays as it is, and we begin a new one.
            line.insert(0, b'\n');
        }
        let mut options = AppendOptions::default();
        options.sync = sync;
        let key = segment_key(&tail.name);
        match self.folder.append(key.as_ref(), &line, &options) {
            Ok(metadata) => {
                tail.length = metadata.len;
                tail.ends_with_line = true;
                Ok(())
            }
            Err(error) => {
                // Part of the line may be there.
                self.invalidate();
                Err(files::error(error, key.as_str()))
            }
        }
    }

    /// Begins a new segment when the newest one is full or old, and drops what is over the limits.
    fn rotate(&mut self, today: Date) -> Result<(), Error> {
        let full = |tail: &Tail| {
            let old = tail
                .name
                .begun
                .parse::<Date>()
                .is_ok_and(|begun| i64::from(begun.days_until(today)) > SEGMENT_MAX_AGE_DAYS);
            tail.length >= self.limits.segment_bytes || old
        };
        match &self.tail {
            Some(tail) if !full(tail) => return Ok(()),
            _ => {}
        }
        let last_sequence = self.last_sequence();
        self.tail = Some(Tail {
            name: SegmentName::new(last_sequence + 1, today),
            length: 0,
            ends_with_line: true,
            last_sequence,
            pending: None,
            depths: HashMap::new(),
        });
        self.drop_old(today)
    }

    fn drop_old(&self, today: Date) -> Result<(), Error> {
        let names = self.names()?;
        for name in expired(&names, &self.limits, today) {
            let key = segment_key(name);
            self.folder
                .remove(key.as_ref())
                .map_err(|error| files::error(error, key.as_str()))?;
            tracing::info!(segment = key.as_str(), "memdir.journal.expired");
        }
        Ok(())
    }

    fn replace(&self, name: &SegmentName, bytes: &[u8]) -> Result<(), Error> {
        let key = segment_key(name);
        self.folder
            .write(key.as_ref(), bytes, &WriteOptions::default())
            .map(drop)
            .map_err(|error| files::error(error, key.as_str()))
    }
}

fn segment_key(name: &SegmentName) -> PathKey {
    PathKey::parse(&name.file_name())
        .expect("a segment name is a key because it holds digits, dashes and one dot")
}

/// The segments that are over the limits, oldest first. Never the newest of `names`: it holds the
/// last operation, which must stay undoable.
fn expired<'a>(
    names: &'a [(SegmentName, u64)],
    limits: &JournalLimits,
    today: Date,
) -> Vec<&'a SegmentName> {
    let mut total: u64 = names.iter().map(|(_, length)| length).sum();
    let mut expired = Vec::new();
    for pair in names.windows(2) {
        let (name, length) = &pair[0];
        // Everything in a segment is older than the beginning of the next one.
        let is_old = pair[1]
            .0
            .begun
            .parse::<Date>()
            .is_ok_and(|ended| i64::from(ended.days_until(today)) > limits.max_age_days);
        if total <= limits.max_bytes && !is_old {
            break;
        }
        total -= length;
        expired.push(name);
    }
    expired
}

/// Gives a draft its number and stores the contents that the segment does not hold yet.
fn encode(draft: Draft, sequence: u64, known: &HashMap<ContentHash, u32>) -> Operation {
    let mut stored = Added {
        known,
        new: HashMap::new(),
        contents: Vec::new(),
    };
    let mut changes = Vec::with_capacity(draft.changes.len());
    for change in &draft.changes {
        let before = change.before.as_deref();
        let before_hash = before.map(|bytes| stored.store(bytes, None));
        let after_hash = change
            .after
            .as_deref()
            .map(|bytes| stored.store(bytes, before_hash.zip(before)));
        changes.push(Change {
            path: change.key.as_str().to_owned(),
            before: before_hash,
            after: after_hash,
        });
    }
    Operation {
        sequence,
        time: draft.time,
        kind: draft.kind,
        actor: draft.actor,
        session: draft.session,
        note: draft.note,
        changes,
        renames: draft.renames,
        undoes: draft.undoes,
        purged: false,
        abandoned: false,
        contents: stored.contents,
    }
}

/// The contents that an operation adds to its segment.
struct Added<'a> {
    known: &'a HashMap<ContentHash, u32>,
    new: HashMap<ContentHash, u32>,
    contents: Vec<Content>,
}

impl Added<'_> {
    /// Stores bytes unless the segment has them, as a difference where a base is given.
    fn store(&mut self, bytes: &[u8], base: Option<(ContentHash, &[u8])>) -> ContentHash {
        let hash = ContentHash::of(bytes);
        if self.depth(&hash).is_none() {
            let base = base.and_then(|(base, bytes)| Some((base, bytes, self.depth(&base)?)));
            let content = splice::encode(bytes, base);
            self.new
                .insert(hash, content.base.map_or(0, |base| base.depth));
            self.contents.push(content);
        }
        hash
    }

    fn depth(&self, hash: &ContentHash) -> Option<u32> {
        self.known.get(hash).or_else(|| self.new.get(hash)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(first: u64, begun: &str, length: u64) -> (SegmentName, u64) {
        (SegmentName::new(first, begun.parse().unwrap()), length)
    }

    #[test]
    fn history_expires_by_age_and_size_and_never_the_newest() {
        let limits = JournalLimits {
            max_bytes: 100,
            max_age_days: 90,
            segment_bytes: 50,
        };
        let today = "2026-12-01".parse().unwrap();
        let table: [(&[(SegmentName, u64)], usize); 5] = [
            (&[], 0),
            (&[named(1, "2020-01-01", 900)], 0),
            // The first ended when the second began, which is long ago.
            (&[named(1, "2020-01-01", 9), named(5, "2020-02-01", 9)], 1),
            // It was begun long ago and written to until yesterday.
            (&[named(1, "2020-01-01", 9), named(5, "2026-11-30", 9)], 0),
            (
                &[
                    named(1, "2026-11-01", 60),
                    named(5, "2026-11-02", 60),
                    named(9, "2026-11-03", 60),
                ],
                2,
            ),
        ];
        for (names, dropped) in table {
            assert_eq!(expired(names, &limits, today).len(), dropped, "{names:?}");
        }
    }
}
