//! A bounded log of records for each session: one JSON object, or any other text, a line.

use std::marker::PhantomData;
use std::time::Duration;

use pathguard::{AppendOptions, FolderLock, LockWait, MemoryRoot, PathKey, PathKeyRef, SyncPolicy};

use crate::error::Error;
use crate::files;
use crate::limits::{SESSION_LOG_MAX_BYTES, SESSION_LOG_MAX_RECORDS};
use crate::session_files::{SessionFiles, write_key};
use crate::timestamp::Timestamp;

/// A log is never held for longer than it takes to write it once, except by a purge.
const LOCK_ATTEMPTS: u32 = 100;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// A record of a [`SessionLog`].
pub trait SessionRecord: Sized {
    /// The record as one line. A line feed in it becomes a space.
    fn to_line(&self) -> String;

    /// Reads one line; `None` for anything else. Any text is fine.
    fn from_line(line: &str) -> Option<Self>;

    /// When it happened: the time, and a number that orders what happened at the same time.
    fn moment(&self) -> (Timestamp, u64);
}

/// A log with one bounded file for each session, in a folder of the state folder.
///
/// For what a person may ask later: why something was remembered, when it came up. A record is appended;
/// when a file is full, its oldest records go; when there are too many files, the oldest sessions go.
/// Nothing waits for the disk: after a crash of the machine the last records may be missing.
///
/// Processes that add to one log at once lose nothing of each other: they take the lock
/// `<folder>.lock` in turn. A line that a dying process or a full disk cut short is passed over, and what is
/// added after it begins on a line of its own. Files may hold any bytes.
///
/// ```
/// use memdir::pathguard::MemoryRoot;
/// use memdir::{SessionLog, SessionRecord, Timestamp};
///
/// struct Visit(Timestamp, String);
///
/// impl SessionRecord for Visit {
///     fn to_line(&self) -> String {
///         format!("{} {}", self.0, self.1)
///     }
///     fn from_line(line: &str) -> Option<Self> {
///         let (time, page) = line.split_once(' ')?;
///         Some(Self(time.parse().ok()?, page.to_owned()))
///     }
///     fn moment(&self) -> (Timestamp, u64) {
///         (self.0, 0)
///     }
/// }
///
/// const VISITS: SessionLog<Visit> = SessionLog::new("visits").with_max_records(2);
///
/// let scratch = tempfile::tempdir()?;
/// let state = MemoryRoot::open(scratch.path(), &Default::default())?;
/// for (time, page) in [("09:00", "a"), ("09:05", "b"), ("09:10", "c")] {
///     let visit = Visit(format!("2026-03-05T{time}:00Z").parse()?, page.to_owned());
///     VISITS.add(&state, "5c0375b4", &[visit])?;
/// }
/// let pages = |visits: &[Visit]| visits.iter().map(|visit| visit.1.clone()).collect::<Vec<_>>();
/// assert_eq!(pages(&VISITS.of_session(&state, "5c0375b4")?), ["b", "c"]);
/// assert_eq!(pages(&VISITS.about(&state, |_| true)?), ["c", "b"]);
///
/// assert_eq!(VISITS.forget(&state, |visit| visit.1 == "c")?, 1);
/// assert_eq!(pages(&VISITS.of_session(&state, "5c0375b4")?), ["b"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SessionLog<R> {
    files: SessionFiles,
    max_records: usize,
    record: PhantomData<fn() -> R>,
}

impl<R: SessionRecord> SessionLog<R> {
    /// A log in the files `<folder>/<session>.jsonl`, within [`SESSION_LOG_MAX_RECORDS`],
    /// [`SESSION_LOG_MAX_BYTES`] and [`SESSION_FILES_MAX`](crate::limits::SESSION_FILES_MAX).
    pub const fn new(folder: &'static str) -> Self {
        Self {
            files: SessionFiles::new(folder, "jsonl").with_max_bytes(SESSION_LOG_MAX_BYTES),
            max_records: SESSION_LOG_MAX_RECORDS,
            record: PhantomData,
        }
    }

    /// Sets how many records of a session are kept; the oldest go first.
    #[must_use]
    pub const fn with_max_records(mut self, max_records: usize) -> Self {
        self.max_records = max_records;
        self
    }

    /// Sets how many sessions have a log; those not heard of for the longest time go first.
    #[must_use]
    pub const fn with_max_sessions(mut self, max_sessions: usize) -> Self {
        self.files = self.files.with_max_files(max_sessions);
        self
    }

    /// Sets how large a session's file may become, in bytes; the oldest records go first.
    #[must_use]
    pub const fn with_max_bytes(mut self, max_bytes: u64) -> Self {
        self.files = self.files.with_max_bytes(max_bytes);
        self
    }

    /// The file of a session, relative to the state folder.
    pub fn key(&self, session: &str) -> PathKey {
        self.files.key(session)
    }

    /// Adds records to the log of a session. Nothing is written when there are none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`](crate::ErrorKind::Busy) when another process holds the log for longer than a
    /// second, [`ErrorKind::TooLarge`](crate::ErrorKind::TooLarge) for a record that has no room in a file,
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) or [`ErrorKind::Refused`](crate::ErrorKind::Refused) when the
    /// log cannot be read or written.
    pub fn add(&self, state: &MemoryRoot, session: &str, new: &[R]) -> Result<(), Error> {
        if new.is_empty() {
            return Ok(());
        }
        let key = self.files.key(session);
        let lines: Vec<String> = new
            .iter()
            .map(|record| record.to_line().replace('\n', " "))
            .collect();
        if lines
            .iter()
            .any(|line| bytes_of(line) > self.files.max_bytes())
        {
            return Err(Error::too_large("a record is larger than its log").with_path(key.as_str()));
        }
        let _lock = self.lock(state)?;
        let stored = self.files.read_key(state, key.as_ref())?;
        let is_first = stored.is_none();
        let stored = stored.unwrap_or_default();
        if !is_first && self.has_room(&stored, &lines) {
            append(state, key.as_ref(), &stored, &lines)?;
        } else {
            let text = self.newest(&stored, lines);
            write_key(state, key.as_ref(), text.as_bytes(), SyncPolicy::None)?;
        }
        if is_first {
            self.files.prune(state);
        }
        Ok(())
    }

    /// The records of a session, oldest first.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) or [`ErrorKind::Refused`](crate::ErrorKind::Refused) when the
    /// log cannot be read. A missing one is empty.
    pub fn of_session(&self, state: &MemoryRoot, session: &str) -> Result<Vec<R>, Error> {
        let bytes = self.files.read(state, session)?;
        Ok(Self::parse(&bytes.unwrap_or_default()))
    }

    /// The records of all sessions that `is_about` picks, newest first.
    ///
    /// # Errors
    ///
    /// As [`SessionLog::of_session`].
    pub fn about(
        &self,
        state: &MemoryRoot,
        is_about: impl Fn(&R) -> bool,
    ) -> Result<Vec<R>, Error> {
        let mut found = Vec::new();
        for key in self.files.keys(state)? {
            // One that was pruned meanwhile is empty.
            let bytes = self.files.read_key(state, key.as_ref())?;
            let records = Self::parse(&bytes.unwrap_or_default());
            found.extend(records.into_iter().filter(|record| is_about(record)));
        }
        found.sort_by_key(|record| std::cmp::Reverse(record.moment()));
        Ok(found)
    }

    /// Takes the records that `is_about` picks out of all sessions, for what is purged, and says how many that
    /// were. What cannot be read as a record goes as well, since it may hold what shall be gone. Waits for the
    /// disk.
    ///
    /// # Errors
    ///
    /// As [`SessionLog::add`]. Some logs may have been cleaned; once more goes on with the others.
    pub fn forget(
        &self,
        state: &MemoryRoot,
        is_about: impl Fn(&R) -> bool,
    ) -> Result<usize, Error> {
        let keys = self.files.keys(state)?;
        if keys.is_empty() {
            return Ok(0);
        }
        let _lock = self.lock(state)?;
        let mut count = 0;
        for key in keys {
            let Some(stored) = self.files.read_key(state, key.as_ref())? else {
                // Too large to be ours, or pruned since the list was made.
                drop(state.remove(key.as_ref()));
                continue;
            };
            let mut left = String::with_capacity(stored.len());
            for line in lines(&stored) {
                match R::from_line(&line) {
                    Some(record) if is_about(&record) => count += 1,
                    Some(_) => push_line(&mut left, &line),
                    None => {}
                }
            }
            if left.as_bytes() != stored {
                write_key(state, key.as_ref(), left.as_bytes(), SyncPolicy::Full)?;
            }
        }
        Ok(count)
    }

    /// Reads the stored form, one record a line; what is none is passed over. Any bytes are fine.
    pub fn parse(bytes: &[u8]) -> Vec<R> {
        lines(bytes)
            .filter_map(|line| R::from_line(&line))
            .collect()
    }

    fn lock(&self, state: &MemoryRoot) -> Result<FolderLock, Error> {
        let name = format!("{}.lock", self.files.folder());
        let failed = |error| files::error(error, &name);
        let key = PathKey::parse(&name).map_err(failed)?;
        let wait = LockWait::new(LOCK_ATTEMPTS, LOCK_PAUSE);
        state.lock(key.as_ref(), &wait).map_err(failed)
    }

    fn has_room(&self, stored: &[u8], new: &[String]) -> bool {
        let bytes = stored.len() as u64 + 1 + new.iter().map(|line| bytes_of(line)).sum::<u64>();
        let records = lines(stored).count() + new.len();
        bytes <= self.files.max_bytes() && records <= self.max_records
    }

    /// The newest records that have room, as the text of the file.
    fn newest(&self, stored: &[u8], new: Vec<String>) -> String {
        // Lines are kept as they stand: another version may have written more into them than this one reads.
        let mut kept: Vec<String> = lines(stored)
            .filter(|line| R::from_line(line).is_some())
            .collect();
        kept.extend(new);
        let mut bytes = 0;
        let fit = kept.iter().rev().take_while(|line| {
            bytes += bytes_of(line);
            bytes <= self.files.max_bytes()
        });
        let count = fit.count().min(self.max_records);
        let mut text = String::new();
        for line in &kept[kept.len() - count..] {
            push_line(&mut text, line);
        }
        text
    }
}

/// One write to the end, so that a reader without the lock sees whole records and at most one that is cut.
fn append(
    state: &MemoryRoot,
    key: PathKeyRef<'_>,
    stored: &[u8],
    new: &[String],
) -> Result<(), Error> {
    let mut text = String::new();
    if stored.last().is_some_and(|last| *last != b'\n') {
        text.push('\n');
    }
    for line in new {
        push_line(&mut text, line);
    }
    let options = AppendOptions::new()
        .with_create_parents(true)
        .with_sync(SyncPolicy::None);
    let appended = state.append(key, text.as_bytes(), &options);
    appended
        .map(drop)
        .map_err(|error| files::error(error, key.as_str()))
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = String> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines
        .filter(|line| !line.is_empty())
        .map(|line| String::from_utf8_lossy(line).into_owned())
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// The bytes of a line in a file, with its line feed.
fn bytes_of(line: &str) -> u64 {
    line.len() as u64 + 1
}
