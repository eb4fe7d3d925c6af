//! What happened last: memories given to a model, extraction, the worker, the log of the hooks.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use memstrata::SESSION_MEMO_FOLDER;
use memstrata::extract::Lease;
use memstrata::memdir::{Clock, Store, Timestamp};
use memstrata::pathguard::{ListLimits, MemoryRoot, PathKeyRef, RootOptions};

use super::Finding;
use crate::cli::Global;
use crate::clock::SystemClock;
use crate::commands::hook::state::HookState;
use crate::commands::worker::queue::{Queue, Waiting};
use crate::context::{self, Context};
use crate::environment::Environment;
use crate::exit::chain;
use crate::terminal::counted;

/// How far back the log of the hooks is read, in bytes and in days.
const LOG_BYTES: u64 = 64 << 10;
const LOG_DAYS: i64 = 7;

/// A job that has waited for so long was forgotten by its worker, in seconds.
const WAITS_LONG: i64 = 3_600;

/// The newest file of a folder below a state folder, by the time it was written.
fn newest(root: &MemoryRoot, folder: &str) -> Option<Timestamp> {
    let key = PathKeyRef::parse(folder).ok()?;
    let listing = root.open_sub(key).ok()?.list(&ListLimits::new()).ok()?;
    let times = listing.entries.iter().filter_map(|entry| entry.metadata);
    let newest = times.map(|metadata| metadata.modified_ns).max()?;
    Some(Timestamp::from_nanoseconds(newest))
}

fn ago(time: Timestamp) -> String {
    let seconds = (SystemClock.now().nanoseconds() - time.nanoseconds()) / 1_000_000_000;
    let (count, one, many) = match seconds {
        ..60 => return "less than a minute ago".to_owned(),
        60..3_600 => (seconds / 60, "minute", "minutes"),
        3_600..172_800 => (seconds / 3_600, "hour", "hours"),
        _ => (seconds / 86_400, "day", "days"),
    };
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    format!("{} ago", counted(count, one, many))
}

/// When memories were last given to a model by a hook.
pub(super) fn injection(context: &Context) -> Finding {
    let options = RootOptions::default();
    let state = MemoryRoot::open(context.location.state_dir(), &options).ok();
    let last = state.and_then(|state| newest(&state, SESSION_MEMO_FOLDER));
    match last {
        Some(time) => Finding::ok("injection", format!("last {}", ago(time))),
        None => Finding::ok(
            "injection",
            "no hook has given a memory to a model in this project yet",
        ),
    }
}

/// When something was last extracted, or looked at for extraction.
pub(super) fn extraction(store: &Store) -> Finding {
    let last = store
        .state_root()
        .ok()
        .and_then(|root| newest(root, "decisions").max(newest(root, "cursor")));
    match last {
        Some(time) => Finding::ok("extraction", format!("last {}", ago(time))),
        None => Finding::ok(
            "extraction",
            "no session of this project has been looked at yet",
        ),
    }
}

/// Whether an extraction died.
pub(super) fn lease(store: &Store) -> Finding {
    let lease = match Lease::current(store) {
        Ok(lease) => lease,
        Err(error) => {
            return Finding::fail(
                "lease",
                chain(&error),
                "you should be able to read the state folder (`memstrata where`); a lease.json in it that is damaged \
                 can be removed while no extraction is running",
            );
        }
    };
    match lease {
        None => Finding::ok("lease", "free"),
        Some(lease) if lease.is_held(SystemClock.now()) => Finding::ok(
            "lease",
            format!("held by {} for session {}", lease.owner, lease.session),
        ),
        Some(lease) if lease.is_released => Finding::ok("lease", "free"),
        Some(lease) => Finding::warn(
            "lease",
            format!(
                "an extraction of session {} ended without a word ({})",
                lease.session,
                ago(lease.heartbeat)
            ),
            "nothing is lost: the next extraction of that session looks again at what it had not finished",
        ),
    }
}

/// Turns that no worker has looked at.
pub(super) fn waiting(context: &Context) -> Finding {
    let Some(state) = HookState::open(&context.location) else {
        return Finding::ok("worker", "nothing waits");
    };
    let waiting = match Queue::new(&state).waiting() {
        Ok(waiting) => waiting,
        Err(error) => {
            return Finding::fail(
                "worker",
                error.to_string(),
                "see the folder `hook` of the state folder",
            );
        }
    };
    let now = SystemClock.now().nanoseconds();
    let is_old = |time: &str| {
        let time: Option<Timestamp> = time.parse().ok();
        time.is_none_or(|time| now - time.nanoseconds() > i128::from(WAITS_LONG) * 1_000_000_000)
    };
    let old = waiting.iter().filter(|one| is_old(&one.job.time)).count();
    let count = counted(waiting.len() as u64, "session waits", "sessions wait");
    match (waiting.len(), old) {
        (0, _) => Finding::ok("worker", "nothing waits"),
        (_, 0) => Finding::ok("worker", count),
        _ => Finding::warn(
            "worker",
            format!("{count} to be looked at, {old} of them for over an hour"),
            format!(
                "the next turn of an agent with hooks takes them up, `memstrata extract {}` does the oldest now; {} \
                 says why it did not happen",
                oldest(&waiting),
                log_path(context.location.home().path()).display()
            ),
        ),
    }
}

/// The transcript that has waited longest.
fn oldest(waiting: &[Waiting]) -> String {
    let first = waiting.iter().min_by_key(|one| &one.job.time);
    first.map_or_else(String::new, |one| one.job.transcript.display().to_string())
}

/// The log of the hooks.
fn log_path(home: &Path) -> PathBuf {
    home.join("memstrata").join("hook.log")
}

/// What went wrong in hooks in the last days.
pub(super) fn hook_log(global: &Global, environment: &Environment) -> Finding {
    let Ok(home) = context::home(global, environment) else {
        return Finding::ok("hook-log", "not looked at");
    };
    let path = log_path(home.path());
    let Some(text) = end_of(&path) else {
        return Finding::ok("hook-log", "empty");
    };
    let oldest = SystemClock.now().nanoseconds() - i128::from(LOG_DAYS) * 86_400_000_000_000;
    let recent: Vec<&str> = text
        .lines()
        .filter(|line| {
            let time: Option<Timestamp> = line.split(' ').next().and_then(|time| time.parse().ok());
            time.is_some_and(|time| time.nanoseconds() >= oldest)
        })
        .collect();
    match recent.last() {
        None => Finding::ok("hook-log", "no error in the last 7 days"),
        Some(last) => Finding::warn(
            "hook-log",
            format!(
                "{} in the last 7 days, the last: {last}",
                counted(recent.len() as u64, "error", "errors")
            ),
            format!("read {}", path.display()),
        ),
    }
}

/// The end of a log; nothing when there is none or it is no regular file.
fn end_of(path: &std::path::Path) -> Option<String> {
    let metadata = path.symlink_metadata().ok()?;
    metadata.is_file().then_some(())?;
    let mut file = std::fs::File::open(path).ok()?;
    file.seek(SeekFrom::Start(metadata.len().saturating_sub(LOG_BYTES)))
        .ok()?;
    let mut bytes = Vec::new();
    file.take(LOG_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
