//! The life of a session as one object: prompt, recall, session file, extraction, compaction, guard.
//!
//! A host calls [`Session`] at a handful of moments and never has to know which crate does what. Nothing of
//! it fails the host: what does not work is an [`Event`] and a [`Notice`], and the conversation goes on. Only
//! the guard is strict: what cannot be checked is refused.
//!
//! | moment | call | what happens |
//! |---|---|---|
//! | start | [`SessionBuilder::start`] | finds the project's memory, makes its folders, repairs what a crash left |
//! | before the first request | [`Session::prompt`] | the memory prompt, the same bytes for the whole session |
//! | each user message | [`Session::recall`] | up to five memories, dated, checked against the repository |
//! | after each model reply | [`Session::after_reply`] | the session file, when thresholds are met |
//! | reply without a tool call | [`Session::end_of_turn`] | extraction, in the background |
//! | before a tool writes a file | [`Session::check_write`] | path, mode and credentials; then [`Session::after_write`] |
//! | the context is full | [`Session::compact`] | the session file and the newest messages |
//! | now and then | [`Session::notices`] | what to tell the person |
//! | the end | [`Session::end`] | waits for what runs, with a limit |
//!
//! # Modes
//!
//! `modes.persistent`: `off` gives no prompt, recalls nothing and learns nothing; `read` recalls; `ask` puts
//! what is learned, and what the agent writes itself, into the inbox. `modes.session`: `off` neither reads nor
//! writes a session file; `read` compacts by one that is there; `ask` updates it on
//! [`Session::update_session_file`] only. `modes.team`: `off` keeps team memories out of prompt and recall.
//!
//! # Driving a replay
//!
//! A recorded session runs through the same object, with a clock that is set to each message's time and
//! with calls that return when their background work is done:
//!
//! ```
//! use std::sync::Arc;
//!
//! use memstrata::session::{Conversation, Happened};
//! use memstrata::transcript::{Options, Origin, Transcript};
//! use memstrata::{ManualClock, Session};
//!
//! # let scratch = tempfile::tempdir()?;
//! # let (home, project) = (scratch.path().join("home"), scratch.path().join("app"));
//! # std::fs::create_dir(&project)?;
//! let file = concat!(
//!     r#"{"type":"user","uuid":"a","parentUuid":null,"timestamp":"2026-03-02T09:30:00Z","message":{"role":"user","content":"From now on, ask before you add a dependency, we got burned by one."}}"#, "\n",
//!     r#"{"type":"assistant","uuid":"b","parentUuid":"a","timestamp":"2026-03-02T09:30:09Z","message":{"role":"assistant","content":[{"type":"text","text":"I will ask."}]}}"#, "\n",
//! );
//! let transcript = Transcript::read(file.as_bytes(), &Options::default())?;
//! let clock = Arc::new(ManualClock::new("2026-03-02T09:30:00Z".parse()?, 0));
//! let session = Session::builder()
//!     .project(&project)
//!     .home(&home)
//!     .clock(clock.clone())
//!     .wait_for_background(true)
//!     .start()?;
//!
//! let whole = Conversation::from(&transcript);
//! for (index, entry) in transcript.entries().iter().enumerate() {
//!     if let Some(time) = entry.time {
//!         clock.set(memstrata::memdir::Timestamp::from_nanoseconds(i128::from(time.as_millis()) * 1_000_000));
//!     }
//!     match entry.origin {
//!         Origin::Person => drop(session.recall(&entry.person_text())),
//!         Origin::Assistant => {
//!             let so_far = whole.up_to(index + 1);
//!             session.after_reply(so_far.clone());
//!             if entry.message.tool_uses().next().is_none() {
//!                 session.end_of_turn(so_far);
//!             }
//!         }
//!         _ => {}
//!     }
//! }
//! let ended = session.end();
//! let saved = ended.events.iter().find_map(|event| match &event.happened {
//!     Happened::Memory(decided) if decided.action.is_write() => Some((event.turn, decided)),
//!     _ => None,
//! });
//! let (turn, decided) = saved.expect("a memory");
//! assert_eq!(turn, 1);
//! assert!(decided.quote.as_deref().is_some_and(|quote| quote.contains("ask before you add")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! At a compaction of the recorded session, call [`Session::compact`] with what was there before it to learn
//! what ours would have kept. A later session over the same home starts with [`SessionBuilder::start`] again
//! and recalls what the earlier ones learned.

mod builder;
mod compaction;
mod conversation;
#[cfg(feature = "session-model")]
mod engine;
mod event;
mod growth;
mod keeping;
mod learning;
mod memo;
#[cfg(feature = "session-model")]
mod modelled;
mod notice;
mod prompting;
mod recalling;
mod redaction;
#[cfg(feature = "session-team")]
mod team;
#[cfg(not(feature = "session-model"))]
mod unmodelled;
mod writing;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use memdir::{Location, Mode, Modes, Origin, Store, StoreOptions, Writer};
use memdir_extract::Drained;

pub use builder::SessionBuilder;
pub use compaction::Compaction;
pub use conversation::Conversation;
pub use event::{Event, Happened, Kept, MAX_EVENTS, Part, SessionFileUpdated, SummarySource};
pub use keeping::AfterReply;
pub use learning::EndOfTurn;
pub use notice::Notice;
pub use recalling::Recollected;
pub use redaction::redact as redact_ledger;
#[cfg(feature = "session-team")]
pub use team::Connect;
pub use writing::WriteVerdict;

use crate::error::{Error, ErrorKind};
use crate::place::Place;
use builder::Options;
use event::Log;
use keeping::Keeper;
use learning::Learner;
pub use memo::{MAX_SURFACED, SESSION_MEMO_FOLDER, SessionMemo};
#[cfg(feature = "session-model")]
use modelled::Helpers;
use recalling::Recaller;
#[cfg(not(feature = "session-model"))]
use unmodelled::Helpers;

/// How many notices wait for the host; later ones are dropped, and stand in the events.
const MAX_NOTICES: usize = 100;

/// One session of an agent with its memory. The [module](self) says when to call what.
///
/// All calls take `&self` and may come from several threads. They block for file access; only extraction,
/// and updates by a model, go on in the background.
///
/// # Example
///
/// ```
/// use memstrata::Session;
/// use memstrata::model::Message;
///
/// # let scratch = tempfile::tempdir()?;
/// # let (home, project) = (scratch.path().join("home"), scratch.path().join("app"));
/// # std::fs::create_dir(&project)?;
/// let session = Session::builder().project(&project).home(&home).start()?;
/// assert!(session.prompt().is_some_and(|prompt| prompt.starts_with("# auto memory")));
///
/// let said = "I'm a data scientist with ten years of R and new to Rust.";
/// let mut messages = vec![Message::user(said)];
/// let recalled = session.recall(said);
/// assert!(recalled.text.is_empty(), "there is nothing to recall yet");
///
/// messages.push(Message::assistant("Then let me compare with R."));
/// session.after_reply(&messages);
/// session.end_of_turn(&messages);
///
/// // The next session knows.
/// session.end();
/// let next = Session::builder().project(&project).home(&home).start()?;
/// assert!(next.recall("what is my background, R or Rust?").text.contains("data scientist"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Session {
    id: String,
    host: String,
    location: Location,
    project: PathBuf,
    store: Arc<Store>,
    options: Options,
    log: Log,
    memo: Mutex<SessionMemo>,
    notices: Mutex<Vec<Notice>>,
    /// What was said once already.
    said: Mutex<HashSet<(Part, String)>>,
    prompt: OnceLock<Option<Arc<str>>>,
    recaller: Recaller,
    keeper: Keeper,
    learner: Learner,
    helpers: Helpers,
    #[cfg(feature = "session-team")]
    team: Mutex<Option<team::Team>>,
}

/// How a session ended.
#[derive(Debug)]
#[non_exhaustive]
pub struct Ended {
    /// Whether everything that ran came to its end in time. What was cut off is looked at again by the next
    /// session.
    pub finished: bool,
    /// The last notices.
    pub notices: Vec<Notice>,
    /// The last events.
    pub events: Vec<Event>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.id)
            .field("memory_dir", &self.store.dir())
            .field("modes", &self.modes())
            .finish_non_exhaustive()
    }
}

impl Session {
    /// A session that is not started yet.
    pub fn builder() -> SessionBuilder {
        SessionBuilder::default()
    }

    fn start(builder: SessionBuilder, place: Place) -> Result<Self, Error> {
        let helpers = Helpers::start(&builder);
        let backend = builder.backend.unwrap_or_else(|| helpers.backend(&place));
        let Place {
            location,
            decisions,
            project,
            ..
        } = place;
        let clock = builder.clock;
        let id = builder
            .id
            .unwrap_or_else(|| format!("s-{}", clock.now().nanoseconds()));
        let session_folder = location.session_folder(&id).map_err(|error| {
            Error::new(ErrorKind::SessionId, "the session's id is no plain name").with_source(error)
        })?;
        let options = StoreOptions::with_shared_clock(clock)
            .with_decisions(&decisions)
            .with_volatile(builder.options.is_volatile);
        let store = Arc::new(location.open(options)?);
        let memo = SessionMemo::of_store(&store, &id);
        let keeper = Keeper::new(
            session_folder,
            location.home().path(),
            builder.options.is_volatile,
        );
        let learner = Learner::new(backend);
        let session = Self {
            id,
            host: builder.host,
            location,
            project,
            store,
            options: builder.options,
            log: Log::default(),
            memo: Mutex::new(memo),
            notices: Mutex::default(),
            said: Mutex::default(),
            prompt: OnceLock::new(),
            recaller: Recaller::default(),
            keeper,
            learner,
            helpers,
            #[cfg(feature = "session-team")]
            team: Mutex::default(),
        };
        let mut warnings: Vec<String> = decisions
            .warnings
            .iter()
            .map(|warning| format!("{}: {}", warning.place, warning.message))
            .collect();
        let opened = session.store.open_report();
        warnings.extend(
            opened
                .read_only
                .iter()
                .map(|why| format!("the memory can only be read: {why}")),
        );
        warnings.extend(opened.unfinished.clone());
        session.happened(Happened::Started {
            memory_dir: session.store.dir().to_path_buf(),
            modes: session.modes(),
            warnings,
        });
        #[cfg(feature = "session-team")]
        if let Some(connect) = &builder.team {
            *lock(&session.team) = team::Team::start(&session.store, connect, session.modes().team);
            session.collect();
        }
        Ok(session)
    }

    /// The session's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What each layer may do in this session.
    pub fn modes(&self) -> Modes {
        self.store.options().modes()
    }

    /// Where the project's memory lies.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// The project's folder, as it was named.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// The memory folder, for everything that this object has no call for.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The turn: how many user messages there were.
    pub fn turn(&self) -> u64 {
        lock(&self.memo).turn
    }

    /// Takes what has happened since the last call, oldest first; of more than [`MAX_EVENTS`] the newest.
    pub fn events(&self) -> Vec<Event> {
        self.collect();
        self.log.take()
    }

    /// Takes what the person should be told, oldest first: memories that were saved, and what does not work.
    pub fn notices(&self) -> Vec<Notice> {
        self.collect();
        std::mem::take(&mut *lock(&self.notices))
    }

    /// Waits until nothing runs in the background, at most for `limit`; tells whether nothing does.
    pub fn settle(&self, limit: Duration) -> bool {
        let begin = Instant::now();
        let learned = self.settle_learning(limit);
        let settled = self.settle_models(limit.saturating_sub(begin.elapsed()));
        self.collect();
        learned && settled
    }

    /// Ends the session: waits for what runs, up to the drain time, then cancels the rest; makes the index
    /// true.
    ///
    /// It blocks: an async host calls it where blocking is allowed. A session that is dropped without this
    /// call loses nothing that is on disk; the next one looks again at what was not extracted.
    pub fn end(self) -> Ended {
        let (begin, limit) = (Instant::now(), self.options.drain_time);
        let drained = self.drain_learning(limit);
        let settled = self.settle_models(limit.saturating_sub(begin.elapsed()));
        self.mend_index();
        #[cfg(feature = "session-team")]
        let settled = self.end_team(begin, limit) && settled;
        let finished = drained == Drained::Finished && settled;
        self.happened(Happened::Ended { finished });
        Ended {
            finished,
            notices: self.notices(),
            events: self.events(),
        }
    }

    /// Takes over what the background has brought.
    fn collect(&self) {
        self.collect_learning();
        self.collect_models();
        #[cfg(feature = "session-team")]
        self.collect_team();
    }

    fn happened(&self, happened: Happened) {
        self.log.push(Event {
            time: self.store.options().clock().now(),
            turn: self.turn(),
            happened,
        });
    }

    fn skipped(&self, part: Part, reason: impl Into<String>) {
        let reason = reason.into();
        if self.is_new(part, &reason) {
            self.happened(Happened::Skipped { part, reason });
        }
    }

    /// Something does not work. The event stands each time, the notice once.
    fn failed(&self, part: Part, reason: String) {
        tracing::warn!(part = part.as_str(), reason, "session.failed");
        if self.is_new(part, &reason) {
            self.notice(Notice::Trouble {
                part,
                reason: reason.clone(),
            });
        }
        self.happened(Happened::Failed { part, reason });
    }

    /// Whether this was not said yet. Figures do not make it another thing: a budget is used up by a little
    /// more each time.
    fn is_new(&self, part: Part, reason: &str) -> bool {
        let words = reason.chars().filter(|character| !character.is_numeric());
        lock(&self.said).insert((part, words.collect()))
    }

    fn notice(&self, notice: Notice) {
        let mut notices = lock(&self.notices);
        if notices.len() < MAX_NOTICES {
            notices.push(notice);
        }
    }

    /// Who writes when the host's agent does.
    fn origin(&self) -> Origin {
        Origin::new(Writer::Host, &self.host).with_session(&self.id)
    }

    fn is_off(&self) -> bool {
        self.modes().persistent == Mode::Off
    }
}

/// A thread that panicked while it held something left it whole: each change is one assignment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
