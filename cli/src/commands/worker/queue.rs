//! The transcripts that wait for a worker: one small file for each call.
//!
//! A file is never changed: a hook makes a new one, the worker removes those it has seen before it began.
//! So no lock is needed between them, and no call is lost, whenever either of them dies.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use memstrata::memdir::Timestamp;
use memstrata::memdir::plain_name;
use memstrata::pathguard::{
    Error, ErrorKind, ListLimits, MemoryRoot, PathKey, SyncPolicy, WriteMode, WriteOptions,
};
use serde::{Deserialize, Serialize};

use crate::commands::hook::state::{HookState, key};

/// The folder in the folder of the hooks.
const FOLDER: &str = "queue";

/// A larger file is none of ours.
const MAX_BYTES: u64 = 16 << 10;

/// Files that may wait. Should workers never come to it, the oldest go.
const MAX_FILES: usize = 1_000;

/// A job that fails for so long is given up. The next turn of its session brings a new one.
const MAX_SECONDS: u64 = 24 * 3_600;

/// A transcript that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Job {
    pub(crate) agent: String,
    pub(crate) session: String,
    pub(crate) transcript: PathBuf,
    /// Whether the conversation is about to be compacted, so that its notes should be complete.
    #[serde(default)]
    pub(crate) before_compaction: bool,
    pub(crate) time: String,
}

impl Job {
    /// Whether it has waited for so long that what stands in its way will not go, or says that it comes from
    /// the future.
    pub(super) fn is_old(&self, now: Timestamp) -> bool {
        let time = Timestamp::parse_lenient(&self.time);
        time.is_none_or(|time| now.seconds().abs_diff(time.seconds()) > MAX_SECONDS)
    }
}

/// Jobs about one transcript, as one.
#[derive(Clone, Debug)]
pub(crate) struct Waiting {
    pub(crate) job: Job,
    /// The files that it stands for.
    pub(crate) files: Vec<PathKey>,
}

/// The queue of a project.
#[derive(Debug)]
pub(crate) struct Queue<'a> {
    hooks: &'a MemoryRoot,
}

/// Whether it is the machine that refuses, and not the file that is of no use.
fn is_trouble(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Io | ErrorKind::Denied | ErrorKind::Busy | ErrorKind::Changed
    )
}

impl<'a> Queue<'a> {
    pub(crate) fn new(state: &'a HookState) -> Self {
        Queue {
            hooks: state.root(),
        }
    }

    /// Adds a job.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn add(&self, job: &Job) -> Result<(), Error> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        // Texts and a path always serialise, and the path was UTF-8 in the call.
        let bytes = serde_json::to_vec(job).unwrap_or_default();
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let time = job.time.replace([':', '.'], "-").to_ascii_lowercase();
        let time = plain_name(&time);
        let name = format!("{FOLDER}/{time}-{}-{number}.json", std::process::id());
        // Synced: it is all that is known about the turn.
        let options = WriteOptions::new()
            .with_sync(SyncPolicy::Full)
            .with_mode(WriteMode::CreateOrReplace)
            .with_create_parents(true);
        self.hooks.write(key(&name).as_ref(), &bytes, &options)?;
        Ok(())
    }

    /// The jobs that wait, oldest first; those about one transcript are one.
    pub(crate) fn waiting(&self) -> Result<Vec<Waiting>, Error> {
        let folder = match self.hooks.open_sub(key(FOLDER).as_ref()) {
            Ok(folder) => folder,
            Err(error) if error.is_not_found() => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let limits = ListLimits::new().with_max_depth(1).with_extension("json");
        let mut entries: Vec<_> = folder
            .list(&limits)?
            .entries
            .into_iter()
            .filter_map(|entry| Some((entry.metadata?.modified_ns, entry.key)))
            .collect();
        entries.sort();
        let superfluous = entries.len().saturating_sub(MAX_FILES);
        let mut waiting: Vec<Waiting> = Vec::new();
        for (number, (_, file)) in entries.into_iter().enumerate() {
            let job = match folder.read(file.as_ref(), MAX_BYTES) {
                Ok(read) => serde_json::from_slice::<Job>(&read.bytes).ok(),
                // Another time it may be read.
                Err(error) if is_trouble(&error) => continue,
                Err(_) => None,
            };
            let Some(job) = job.filter(|_| number >= superfluous) else {
                // Damaged, or too old: nobody can use it.
                let _ = folder.remove(file.as_ref());
                continue;
            };
            let same = waiting.iter_mut().find(|known| {
                known.job.transcript == job.transcript && known.job.session == job.session
            });
            match same {
                Some(known) => {
                    known.job.before_compaction |= job.before_compaction;
                    known.job.time = job.time;
                    known.files.push(file);
                }
                None => waiting.push(Waiting {
                    job,
                    files: vec![file],
                }),
            }
        }
        Ok(waiting)
    }

    /// Removes what has been done.
    pub(crate) fn remove(&self, done: &Waiting) -> Result<(), Error> {
        let folder = self.hooks.open_sub(key(FOLDER).as_ref())?;
        for file in &done.files {
            match folder.remove(file.as_ref()) {
                Err(error) if !error.is_not_found() => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}
