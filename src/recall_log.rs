//! What was recalled, when and why, and whether it still held: one bounded file per session.
//!
//! A person asks later why a memory came up, or never does. The log holds paths, reasons and claims, and no text
//! of memories; what is purged is taken out by [`purge`](crate::purge).

use memdir::{SessionLog, SessionRecord, Store, Timestamp};
use recall::Recalled;
use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};

const VERSION: u32 = 1;

const LOG: SessionLog<LoggedRecall> = SessionLog::new("recalls")
    .with_max_records(MAX_RECALLS)
    .with_max_sessions(MAX_RECALL_LOGS);

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
        let new: Vec<LoggedRecall> = shown
            .iter()
            .map(|memory| LoggedRecall {
                time,
                session: session.to_owned(),
                turn,
                path: memory.path.as_str().to_owned(),
                why: cut(&memory.why.to_string()),
                score: memory.score,
                verified: memory.verified.as_ref().map(verification),
            })
            .collect();
        LOG.add(store.state_root()?, session, &new).map_err(failed)
    }

    /// What was recalled in a session, oldest first.
    ///
    /// # Errors
    ///
    /// As [`RecallLog::add`].
    pub fn of_session(store: &Store, session: &str) -> Result<Vec<LoggedRecall>, Error> {
        LOG.of_session(store.state_root()?, session).map_err(failed)
    }

    /// When a memory was recalled in all sessions that are remembered, newest first. `path` is relative to the
    /// memory folder.
    ///
    /// # Errors
    ///
    /// As [`RecallLog::add`].
    pub fn about(store: &Store, path: &str) -> Result<Vec<LoggedRecall>, Error> {
        let is_about = |one: &LoggedRecall| is_about(one, path);
        LOG.about(store.state_root()?, is_about).map_err(failed)
    }

    /// Takes out everything about a memory: for memories that are purged. Returns how much that was.
    ///
    /// # Errors
    ///
    /// As [`RecallLog::add`].
    pub fn forget(store: &Store, path: &str) -> Result<usize, Error> {
        let is_about = |one: &LoggedRecall| is_about(one, path);
        LOG.forget(store.state_root()?, is_about).map_err(failed)
    }

    /// Reads the stored form, one JSON object a line; what is none is skipped. Any bytes are fine.
    pub fn from_bytes(bytes: &[u8]) -> Vec<LoggedRecall> {
        SessionLog::parse(bytes)
    }
}

impl SessionRecord for LoggedRecall {
    fn to_line(&self) -> String {
        print(self)
    }

    fn from_line(line: &str) -> Option<Self> {
        parse(line)
    }

    fn moment(&self) -> (Timestamp, u64) {
        (self.time, self.turn)
    }
}

fn failed(error: memdir::Error) -> Error {
    Error::new(ErrorKind::Recall, "the log of recalls cannot be used").with_source(error)
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
