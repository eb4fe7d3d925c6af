//! What was recalled, when and why, and whether it still held: one bounded file per session.
//!
//! A person asks later why a memory came up, or never does. The log holds paths, reasons and claims, and no text
//! of memories; what is purged is taken out by [`purge`](crate::purge).

use memdir::{ContentHash, Store, Timestamp};
use pathguard::{ListLimits, MemoryRoot, PathKey, SyncPolicy, WriteOptions};
use recall::Recalled;
use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};

const FOLDER: &str = "recalls";
const VERSION: u32 = 1;
const MAX_BYTES: u64 = 4 << 20;

/// How many recalls of a session are kept; the oldest go first.
pub const MAX_RECALLS: usize = 400;

/// How many sessions have a log; the oldest go first.
pub const MAX_RECALL_LOGS: usize = 200;

/// A longer reason or claim is cut.
const MAX_CHARS: usize = 300;

/// Claims of one memory that are kept.
const MAX_CLAIMS: usize = 20;

/// One memory that was shown for one message.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LoggedRecall {
    /// When, by the session's clock.
    pub time: Timestamp,
    /// The session.
    pub session: String,
    /// The user message, counted from 1.
    pub turn: u64,
    /// The file, relative to the memory folder.
    pub path: String,
    /// Which words were met, and by which gate it came through.
    pub why: String,
    /// What the order is made of; comparable within one answer only.
    pub score: f64,
    /// How the claims of the memory stood; `None` when they were not checked.
    pub verified: Option<LoggedVerification>,
}

/// How the claims of a memory stood when it was recalled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoggedVerification {
    /// Claims that held.
    pub holds: usize,
    /// Claims about what was gone or moved.
    pub gone: usize,
    /// Claims that could not be decided.
    pub unknown: usize,
    /// The verdict in one line, as it was shown.
    pub summary: String,
    /// What was gone, as the memory writes it.
    pub gone_claims: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Form {
    v: u32,
    time: String,
    session: String,
    turn: u64,
    path: String,
    why: String,
    score: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    verified: Option<VerifiedForm>,
}

#[derive(Serialize, Deserialize)]
struct VerifiedForm {
    holds: usize,
    gone: usize,
    unknown: usize,
    summary: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    gone_claims: Vec<String>,
}

/// The recalls of the sessions of a memory folder.
///
/// [`Session::recall`](crate::Session::recall) writes it; hosts with a recall of their own call
/// [`RecallLog::add`].
///
/// ```
/// use memstrata::{RecallLog, Session};
/// use memstrata::model::Message;
///
/// # let scratch = tempfile::tempdir()?;
/// # let (home, project) = (scratch.path().join("home"), scratch.path().join("app"));
/// # std::fs::create_dir(&project)?;
/// let start = || Session::builder().project(&project).home(&home).start();
/// let session = start()?;
/// let said = "Never push to main yourself, open a pull request.";
/// session.recall(said);
/// session.end_of_turn(&vec![Message::user(said), Message::assistant("I will not.")]);
/// session.end();
///
/// let session = start()?;
/// let recalled = session.recall("commit and push to main");
/// let path = recalled.memories[0].path.as_str();
/// let logged = RecallLog::about(session.store(), path)?;
/// assert_eq!((logged[0].session.as_str(), logged[0].turn), (session.id(), 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RecallLog;

impl RecallLog {
    /// Adds what was shown for a message. Nothing is written when nothing was shown.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Recall`] when the state folder cannot be read or written.
    pub fn add(
        store: &Store,
        session: &str,
        turn: u64,
        time: Timestamp,
        shown: &[Recalled],
    ) -> Result<(), Error> {
        if shown.is_empty() {
            return Ok(());
        }
        let root = store.state_root()?;
        let key = key(session);
        let mut logged = read(root, &key)?;
        let is_first = logged.is_empty();
        logged.extend(shown.iter().map(|memory| LoggedRecall {
            time,
            session: session.to_owned(),
            turn,
            path: memory.path.as_str().to_owned(),
            why: cut(&memory.why.to_string()),
            score: memory.score,
            verified: memory.verified.as_ref().map(verification),
        }));
        let surplus = logged.len().saturating_sub(MAX_RECALLS);
        logged.drain(..surplus);
        write(root, &key, &logged, SyncPolicy::None)?;
        if is_first {
            prune(root);
        }
        Ok(())
    }

    /// What was recalled in a session, oldest first.
    ///
    /// # Errors
    ///
    /// As [`RecallLog::add`].
    pub fn of_session(store: &Store, session: &str) -> Result<Vec<LoggedRecall>, Error> {
        read(store.state_root()?, &key(session))
    }

    /// When a memory was recalled in all sessions that are remembered, newest first. `path` is relative to the
    /// memory folder.
    ///
    /// # Errors
    ///
    /// As [`RecallLog::add`].
    pub fn about(store: &Store, path: &str) -> Result<Vec<LoggedRecall>, Error> {
        let root = store.state_root()?;
        let mut found = Vec::new();
        for (_, key) in files(root) {
            let logged = read(root, &key)?.into_iter();
            found.extend(logged.filter(|one| is_about(one, path)));
        }
        found.sort_by_key(|one| std::cmp::Reverse((one.time, one.turn)));
        Ok(found)
    }

    /// Takes out everything about a memory: for memories that are purged. Returns how much that was.
    ///
    /// # Errors
    ///
    /// As [`RecallLog::add`].
    pub fn forget(store: &Store, path: &str) -> Result<usize, Error> {
        let root = store.state_root()?;
        let mut count = 0;
        for (_, key) in files(root) {
            let mut logged = read(root, &key)?;
            let before = logged.len();
            logged.retain(|one| !is_about(one, path));
            if logged.len() < before {
                count += before - logged.len();
                write(root, &key, &logged, SyncPolicy::Full)?;
            }
        }
        Ok(count)
    }

    /// Reads the stored form, one JSON object a line; what is none is skipped. Any bytes are fine.
    pub fn from_bytes(bytes: &[u8]) -> Vec<LoggedRecall> {
        let text = String::from_utf8_lossy(bytes);
        text.lines().filter_map(parse).collect()
    }
}

fn is_about(one: &LoggedRecall, path: &str) -> bool {
    pathguard::fold_key(&one.path) == pathguard::fold_key(path)
}

fn verification(verified: &recall::Verification) -> LoggedVerification {
    let is_gone =
        |claim: &&recall::CheckedClaim| matches!(claim.outcome, recall::Outcome::Gone { .. });
    let gone = verified.claims.iter().filter(is_gone);
    LoggedVerification {
        holds: verified.holds(),
        gone: verified.gone(),
        unknown: verified.unknown(),
        summary: cut(&verified.to_string()),
        gone_claims: gone
            .take(MAX_CLAIMS)
            .map(|claim| cut(&claim.text))
            .collect(),
    }
}

/// One line, short, without credentials.
fn cut(text: &str) -> String {
    let line: String = secret_scan::redact(text).replace(['\n', '\r'], " ");
    match line.char_indices().nth(MAX_CHARS) {
        None => line,
        Some((end, _)) => format!("{}…", &line[..end]),
    }
}

fn print(one: &LoggedRecall) -> String {
    let form = Form {
        v: VERSION,
        time: one.time.to_string(),
        session: one.session.clone(),
        turn: one.turn,
        path: one.path.clone(),
        why: one.why.clone(),
        score: if one.score.is_finite() {
            one.score
        } else {
            0.0
        },
        verified: one.verified.as_ref().map(|verified| VerifiedForm {
            holds: verified.holds,
            gone: verified.gone,
            unknown: verified.unknown,
            summary: verified.summary.clone(),
            gone_claims: verified.gone_claims.clone(),
        }),
    };
    serde_json::to_string(&form).expect("JSON because the form holds texts and finite numbers only")
}

fn parse(line: &str) -> Option<LoggedRecall> {
    let form: Form = serde_json::from_str(line).ok()?;
    (form.v == VERSION).then_some(())?;
    Some(LoggedRecall {
        time: form.time.parse().ok()?,
        session: form.session,
        turn: form.turn,
        path: form.path,
        why: form.why,
        score: form.score,
        verified: form.verified.map(|verified| LoggedVerification {
            holds: verified.holds,
            gone: verified.gone,
            unknown: verified.unknown,
            summary: verified.summary,
            gone_claims: verified.gone_claims,
        }),
    })
}

/// The log's file. Ids are hashed: they may be anything, and file systems fold case.
fn key(session: &str) -> PathKey {
    let hash = ContentHash::of(session.as_bytes()).to_string();
    PathKey::parse(&format!("{FOLDER}/{}.jsonl", &hash[..32]))
        .expect("a legal key because a hash is made of digits and small letters")
}

/// A missing log, and one that is larger than ours ever are, count as empty.
fn read(root: &MemoryRoot, key: &PathKey) -> Result<Vec<LoggedRecall>, Error> {
    use pathguard::ErrorKind as Kind;
    match root.read(key.as_ref(), MAX_BYTES) {
        Ok(read) => Ok(RecallLog::from_bytes(&read.bytes)),
        Err(error) if matches!(error.kind(), Kind::NotFound | Kind::TooLarge) => Ok(Vec::new()),
        Err(error) => Err(failed(error)),
    }
}

fn write(
    root: &MemoryRoot,
    key: &PathKey,
    logged: &[LoggedRecall],
    sync: SyncPolicy,
) -> Result<(), Error> {
    let lines: String = logged.iter().map(|one| print(one) + "\n").collect();
    let mut options = WriteOptions::new().with_create_parents(true);
    options.sync = sync;
    let written = root.write(key.as_ref(), lines.as_bytes(), &options);
    written.map(drop).map_err(failed)
}

fn failed(error: pathguard::Error) -> Error {
    Error::new(ErrorKind::Recall, "the log of recalls cannot be used").with_source(error)
}

/// The logs with the time of their last change.
fn files(root: &MemoryRoot) -> Vec<(i128, PathKey)> {
    let folder = PathKey::parse(FOLDER).expect("a legal key because it is a constant");
    let Ok(sub) = root.open_sub(folder.as_ref()) else {
        return Vec::new();
    };
    let limits = ListLimits::new().with_max_depth(1).with_metadata(true);
    let Ok(listing) = sub.list(&limits) else {
        return Vec::new();
    };
    let found = listing.entries.into_iter().filter_map(|entry| {
        let modified = entry.metadata?.modified_ns;
        let key = PathKey::parse(&format!("{FOLDER}/{}", entry.key.as_str())).ok()?;
        Some((modified, key))
    });
    found.collect()
}

/// Keeps the newest logs. Failing is no harm: the next session tries again.
fn prune(root: &MemoryRoot) {
    let mut files = files(root);
    files.sort_unstable();
    let surplus = files.len().saturating_sub(MAX_RECALL_LOGS);
    for (_, key) in files.drain(..surplus) {
        drop(root.remove(key.as_ref()));
    }
}
