//! Writes persistent memories from a finished turn, in the background; distils daily logs. Where memories
//! are kept is left to `memdir`, and what a side agent may do to `forked-agent`.
//!
//! A conversation is full of things that the next session should know: a correction, a decision, who the
//! user is, where the tickets are. Nobody stops to write them down. An extraction looks at what is new when
//! a turn is over, keeps what a person really said and would miss, which is usually nothing, and never
//! stands in the way of the work.
//!
//! # Main types
//!
//! - [`Extractor`] is the object of a session: [`Extractor::on_turn_end`] starts a run when it is time and
//!   returns at once, [`Extractor::drain`] waits at the end, [`Extractor::notices`] says what was saved.
//!   [`Extractor::run_now`] is the same for commands and hooks.
//! - [`Trigger`] decides when a run is due, as a state machine without clock or files. [`SessionState`] is
//!   what is kept of a session (cursor, counters), [`Lease`] lets one process at a time into a folder.
//! - [`Material`] is what of new messages may serve as evidence: [`Statement`]s of a person. A [`Proposal`]
//!   is a memory with its [`Evidence`]; a [`Refusal`] says why one was not written.
//! - A [`Backend`] finds proposals: [`OfflineBackend`] by the rules of [`offline`], `AgentBackend` with a
//!   model, or one of your own. All save through [`Work`], where everything is checked.
//! - [`Notice`] and [`MemorySaved`] are for the host; [`DecisionLog`] answers why.
//! - [`dream`] distils a grown folder and its daily logs.
//!
//! # Example
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use agent_model::Message;
//! use agent_transcript::{Cursor, Entry};
//! use memdir::{FixedClock, Mode, Store, StoreOptions};
//! use memdir_extract::{
//!     Conditions, Decision, DecisionLog, Extractor, ExtractorOptions, OfflineBackend, Turn,
//! };
//!
//! # let scratch = tempfile::tempdir()?;
//! # let memory = scratch.path().join("memory");
//! let clock = FixedClock::new("2026-03-02T09:30:00Z".parse()?, 0);
//! let store = Arc::new(Store::open(&memory, StoreOptions::new(clock))?);
//! let options = ExtractorOptions::new("5c0375b4");
//! let extractor = Extractor::new(Arc::clone(&store), Arc::new(OfflineBackend), options)?;
//!
//! let said = "I'm a data scientist with ten years of R and new to Rust.";
//! let entries = [
//!     Entry::new(Message::user(said).with_id("m1")),
//!     Entry::new(Message::assistant("Then let me compare with R.").with_id("m2")),
//! ];
//! let end = Cursor::new("", 0, Some("m2".to_owned()));
//! let turn = Turn::of_entries(&entries, &end);
//! let session = Conditions::new(Mode::Auto);
//! assert_eq!(extractor.on_turn_end(&turn, session), Decision::Start);
//!
//! // Later, at the end of the session.
//! extractor.drain(Duration::from_secs(60));
//! let decided = DecisionLog::of_session(&store, "5c0375b4")?;
//! assert!(said.contains(decided[0].quote.as_deref().unwrap_or_default()));
//! let path = decided[0].path.as_deref().expect("it was saved");
//! assert!(store.load_index(Default::default())?.text.contains(path));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With a model (feature `agent`), `OfflineBackend` becomes `AgentBackend::new(model)`, and
//! [`Turn::with_request`] hands over the request of the main conversation so that the prompt cache is
//! shared.
//!
//! # What is written
//!
//! A memory in `memdir`'s form with three labels more: `origin` (`person` or `tool`), `evidence` (the quote)
//! and `originSessionId`. In the state folder, beside the memory folder: `cursor/<session>.json`,
//! `decisions/<session>.jsonl`, `lease.json`; all are small, replaced whole, and pruned.
//!
//! # Guarantees on hostile input
//!
//! - Only [`Origin::Person`](agent_transcript::Origin::Person) speaks for a person, and of their message
//!   only what no program put there. A memory whose lines stand in injected text is refused, one whose
//!   lines stand in a tool's output is never about the user.
//! - The model is not trusted. It may read in the project and the memory folder, run commands proved to
//!   read only, and write `.md` files inside the memory folder; each write needs evidence, a type, no
//!   credential, and a text that is neither derivable nor known. Everything else is refused with a reason.
//! - Messages, files and answers may be anything: nothing panics, everything is bounded, and a damaged file
//!   in the state folder counts as none. What does panic in a back end is a failed run.
//! - Neither logs nor errors nor the log of decisions hold a credential that `secret-scan` knows.
//!
//! # Limits
//!
//! - [`MAX_STATEMENTS`] messages of at most [`MAX_STATEMENT_BYTES`] in a run, [`MAX_COMPARED`] memories that
//!   a new one is compared with, [`MAX_DECISIONS`] decisions and [`MAX_LOGS`] logs, [`MAX_SESSIONS`]
//!   cursors. [`MAX_FAILURES`] failures in a row end extraction for the session.
//! - A quote proves that words were said, not that the memory follows from them; that is the model's
//!   judgement, and a person's in mode `ask`.
//! - [`Extractor::drain`] blocks, and each run has a thread of its own; an async host calls it where
//!   blocking is allowed.
//! - Whether the agent saved a memory itself is told by its calls; a program of the user's own that writes
//!   the folder is not noticed.
//!
//! # Events
//!
//! `tracing` span `extract.run`; events `extract.turn`, `extract.decided`, `extract.failed`,
//! `extract.drained`, `extract.lease.acquired`, `extract.not_kept`, with names and counts.
//!
//! # Features
//!
//! | feature | brings | needs |
//! |---|---|---|
//! | `agent` | `AgentBackend`: extraction by a model | forked-agent, tokio |
//!
//! None is on by default: the rules, the trigger and distillation need no runtime and no network.

#[cfg(feature = "agent")]
pub use self::agent::AgentBackend;
pub use self::{
    backend::{Backend, OfflineBackend, Work},
    cancel::Cancel,
    cursor::{MAX_SESSIONS, SessionState},
    decision_log::{Decided, DecisionLog, MAX_DECISIONS, MAX_LOGS},
    error::{Error, ErrorKind},
    evidence::{LeftOut, MAX_FOREIGN_BYTES, MAX_STATEMENT_BYTES, MAX_STATEMENTS, Material},
    extractor::{DRAIN_TIME, Drained, Extractor, ExtractorOptions, RunNow},
    lease::{LEASE_TIME, Lease, LeaseState},
    notice::{Action, MemorySaved, Notice, SavedFile},
    proposal::{Evidence, Proposal, Source, Statement},
    review::{MAX_COMPARED, Refusal},
    trigger::{
        AfterRun, Conditions, Decision, MAX_FAILURES, RunEnd, Since, SkipReason, Trigger,
        TriggerOptions,
    },
    turn::Turn,
};

pub mod dream;
#[doc(hidden)]
pub mod fuzzing;
pub mod offline;

// When, and over what.
mod cursor;
mod lease;
mod likeness;
mod own_write;
mod segment;
mod trigger;
mod turn;

// What may be kept.
mod evidence;
mod proposal;
mod review;

// The run.
#[cfg(feature = "agent")]
mod agent;
mod backend;
mod cancel;
mod extractor;
mod run;

// What is told.
mod decision_log;
mod error;
mod notice;
mod text;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
