//! What was considered, saved, skipped and why: one bounded file per session.
//!
//! Quotes are a person's words, so credentials are taken out before they are written, and
//! [`DecisionLog::forget`] takes out what is said about a memory that is purged.

use memdir::{MemoryType, SessionLog, SessionRecord, Store, Timestamp};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::notice::Action;
use crate::text::{cut, one_line};

const VERSION: u32 = 1;

const LOG: SessionLog<Decided> = SessionLog::new("decisions")
    .with_max_records(MAX_DECISIONS)
    .with_max_sessions(MAX_LOGS);

/// How many decisions of a session are kept; the oldest go first.
pub const MAX_DECISIONS: usize = 400;

/// How many sessions have a log; the oldest go first.
pub const MAX_LOGS: usize = 200;

/// A longer quote is cut.
const MAX_QUOTE_BYTES: usize = 600;
const MAX_WORDS_CHARS: usize = 400;

/// What was decided about a memory, or about a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decided {
    /// When.
    pub time: Timestamp,
    /// The session.
    pub session: String,
    /// The number of the turn, counted from 1 in the process that decided.
    pub turn: u64,
    /// What was done.
    pub action: Action,
    /// Why, in a word: the name of a [`Refusal`](crate::Refusal) or
    /// [`SkipReason`](crate::SkipReason), or `saved`.
    pub code: String,
    /// Why, in a sentence.
    pub why: String,
    /// The file, relative to the memory folder.
    pub path: Option<String>,
    /// The memory's title.
    pub name: Option<String>,
    /// Its type.
    pub memory_type: Option<MemoryType>,
    /// The message its evidence stands in.
    pub message_id: Option<String>,
    /// The words it rests on, without credentials.
    pub quote: Option<String>,
}

impl Decided {
    pub(crate) fn new(action: Action, code: &str, why: impl Into<String>) -> Self {
        Self {
            time: Timestamp::from_seconds(0),
            session: String::new(),
            turn: 0,
            action,
            code: code.to_owned(),
            why: why.into(),
            path: None,
            name: None,
            memory_type: None,
            message_id: None,
            quote: None,
        }
    }

    /// Whether it is about this memory: its file, file stem or title.
    pub fn is_about(&self, name: &str) -> bool {
        let same =
            |text: &str| pathguard::fold_key(text.trim()) == pathguard::fold_key(name.trim());
        let by_path = self.path.as_deref().is_some_and(|path| {
            let file = path.rsplit('/').next().unwrap_or(path);
            same(path) || same(file) || file.strip_suffix(".md").is_some_and(same)
        });
        by_path || self.name.as_deref().is_some_and(same)
    }
}

#[derive(Serialize, Deserialize)]
struct Form {
    v: u32,
    time: String,
    session: String,
    turn: u64,
    action: String,
    code: String,
    why: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    memory_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    quote: Option<String>,
}

impl SessionRecord for Decided {
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

fn print(decided: &Decided) -> String {
    let clean = |text: &str| one_line(&secret_scan::redact(text), MAX_WORDS_CHARS);
    let form = Form {
        v: VERSION,
        time: decided.time.to_string(),
        session: decided.session.clone(),
        turn: decided.turn,
        action: decided.action.as_str().to_owned(),
        code: decided.code.clone(),
        why: clean(&decided.why),
        path: decided.path.clone(),
        name: decided.name.as_deref().map(clean),
        memory_type: decided.memory_type.map(|kind| kind.as_str().to_owned()),
        message_id: decided.message_id.clone(),
        quote: decided
            .quote
            .as_deref()
            .map(|quote| cut(&secret_scan::redact(quote), MAX_QUOTE_BYTES).to_owned()),
    };
    serde_json::to_string(&form).expect("JSON because the form holds texts and numbers only")
}

/// Reads one line; `None` for anything else.
fn parse(line: &str) -> Option<Decided> {
    let form: Form = serde_json::from_str(line).ok()?;
    (form.v == VERSION).then_some(())?;
    Some(Decided {
        time: form.time.parse().ok()?,
        session: form.session,
        turn: form.turn,
        action: Action::from_name(&form.action)?,
        code: form.code,
        why: form.why,
        path: form.path,
        name: form.name,
        memory_type: form.memory_type.and_then(|word| MemoryType::parse(&word)),
        message_id: form.message_id,
        quote: form.quote,
    })
}

/// The decisions of extraction in a memory folder.
///
/// ```
/// # use memdir::{FixedClock, Store, StoreOptions};
/// # let scratch = tempfile::tempdir()?;
/// # let clock = FixedClock::new("2026-03-05T14:02:11Z".parse()?, 0);
/// # let store = Store::open(&scratch.path().join("memory"), StoreOptions::new(clock))?;
/// use memdir_extract::DecisionLog;
///
/// assert!(DecisionLog::of_session(&store, "5c0375b4")?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DecisionLog;

impl DecisionLog {
    /// Reads the stored form, one JSON object a line; what is no decision is skipped. Any bytes are fine.
    pub fn from_bytes(bytes: &[u8]) -> Vec<Decided> {
        SessionLog::parse(bytes)
    }

    /// What was decided in a session, oldest first.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::State`](crate::ErrorKind::State) or
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the state folder cannot be read.
    pub fn of_session(store: &Store, session: &str) -> Result<Vec<Decided>, Error> {
        LOG.of_session(store.state_root()?, session).map_err(failed)
    }

    /// What was decided about a memory in all sessions that are remembered, newest first.
    ///
    /// `name` is its file, file stem or title.
    ///
    /// # Errors
    ///
    /// As [`DecisionLog::of_session`].
    pub fn about(store: &Store, name: &str) -> Result<Vec<Decided>, Error> {
        let is_about = |decided: &Decided| decided.is_about(name);
        LOG.about(store.state_root()?, is_about).map_err(failed)
    }

    /// Takes out everything that is said about a memory. For memories that are purged.
    ///
    /// # Errors
    ///
    /// As [`DecisionLog::of_session`]; also when a log cannot be written.
    pub fn forget(store: &Store, name: &str) -> Result<usize, Error> {
        let is_about = |decided: &Decided| decided.is_about(name);
        LOG.forget(store.state_root()?, is_about).map_err(failed)
    }

    /// Adds decisions to the log of their session.
    pub(crate) fn add(store: &Store, session: &str, new: &[Decided]) -> Result<(), Error> {
        LOG.add(store.state_root()?, session, new).map_err(failed)
    }
}

fn failed(error: memdir::Error) -> Error {
    Error::state("log of decisions", error)
}
