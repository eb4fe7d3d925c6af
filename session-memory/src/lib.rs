//! Keeps the ten-section session file and turns it into a compaction summary. It leaves to the host which
//! model is asked, where the conversation is kept, and when a context is full.
//!
//! A long conversation ends at the window's edge, and what was learnt in it with it: the newest
//! instruction, what was tried and failed, the files that were touched. So a file is kept beside the
//! conversation while it grows, and when it no longer fits, that file takes the place of most of it.
//!
//! # Main types
//!
//! - [`Notes`] is the file: ten sections in a fixed order, each with a hint line that never changes, by our
//!   [`Structure`] or a user's. [`Notes::repair`] mends what a model or a person broke, where that is certain.
//! - [`Ledger`] writes it without a model: files, commands with their outcome, failures and what followed,
//!   the person's words. It keeps what others wrote beside it. [`LedgerReader`] keeps one of a conversation
//!   that grows, and reads each message once.
//! - [`due`] says from an [`Activity`] and [`Thresholds`] whether an update is worth its price.
//! - [`compact`] makes the list of messages to go on with, out of [`Entry`]s; [`check_messages`] says whether
//!   an API would accept a list, [`mend`] what has to be mended in one that stays whole.
//! - [`entries_of`] makes [`Entry`]s of a recorded session of `agent-transcript`, with the person's words marked
//!   as instructions; [`context_tokens`] gives its size.
//! - `SessionFile` (feature `store`) is the file on disk with its `Cursor`: locked, committed, repaired;
//!   `update_offline` keeps it up to date by the ledger, `Config` reads the user's template and prompt.
//! - `Updater` (feature `updater`) lets a side agent rewrite it in the background, and compacts, if need be
//!   by a nine-section summary.
//!
//! # Example
//!
//! ```
//! use agent_model::Message;
//! use session_memory::{CompactLimits, Entry, Ledger, Session, Structure, check_messages, compact};
//! use token_count::Estimator;
//!
//! let mut entries = Vec::new();
//! for round in 0..40 {
//!     let id = |kind| format!("{kind}{round}");
//!     entries.push(Entry::Instruction(Message::user(format!("step {round}")).with_id(id("u"))));
//!     let reply = "the step is done, here is what changed and why. ".repeat(100);
//!     entries.push(Entry::Message(Message::assistant(reply).with_id(id("a"))));
//! }
//! let notes = Ledger::from_entries(&entries).to_notes(&Structure::default());
//!
//! // The notes cover rounds 0 to 35, two entries each: 71 is the index of the last one. With a file on
//! // disk, its cursor tells (`Cursor::find`).
//! let session = Session {
//!     entries: &entries,
//!     notes: Some(&notes),
//!     covered: Some(71),
//!     transcript_path: None,
//! };
//! let compacted = compact(&session, &CompactLimits::default(), &Estimator::new())?;
//! assert!(compacted.tokens_after < compacted.tokens_before);
//! assert!(check_messages(&compacted.messages).is_ok());
//! assert!(compacted.messages.iter().any(|message| message.text() == "step 39"));
//!
//! // The record of the session only ever grows.
//! entries.extend(compacted.into_entries());
//! # Ok::<(), session_memory::WhyNot>(())
//! ```
#![cfg_attr(
    feature = "updater",
    doc = r#"
With a model and a file (features `store` and `updater`):

```
use std::sync::Arc;
use agent_model::{Block, Message, Reply, Request, ScriptedModel, ToolUse};
use memdir::Date;
use serde_json::json;
use session_memory::{Config, Entry, SessionFile, Triggered, Turn, Updater, UpdaterOptions};

# let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
# runtime.block_on(async {
let home = tempfile::tempdir()?;
// `memdir::Location::session_folder` names it.
let folder = home.path().join("projects/-app/session-1");
let config = Config::load(home.path());
let file = SessionFile::create(&folder, config.structure)?;

// What a model does with it: one edit below a hint line, in the copy that its prompt names.
let hint = "_Step by step, one short line each: what was done._";
let edit = ToolUse::new("c1", "Edit", json!({
    "file_path": folder.join("session-memory.update/session-memory.md"),
    "old_string": hint,
    "new_string": format!("{hint}

- wrote the lexer"),
}));
let model = ScriptedModel::new(vec![Reply::new(vec![Block::ToolUse(edit)])]);

let mut options = UpdaterOptions::default();
options.prompt = config.prompt;
let updater = Updater::new(file, Arc::new(model), options)?;

// After each reply of the main conversation:
let messages = vec![Message::user("write a lexer").with_id("1"), Message::assistant("Done.").with_id("2")];
let entries = vec![Entry::Instruction(messages[0].clone()), Entry::Message(messages[1].clone())];
let request = Request::new(messages);
let turn = Turn {
    request: &request,
    entries: &entries,
    context_tokens: 12_000,
    today: Date::new(2026, 3, 5).ok_or("a day")?,
};
assert_eq!(updater.after_reply(&turn), Triggered::Started);

// Before a compaction, or at the end: at most 15 s.
let committed = updater.settle().await?.ok_or("notes")?;
assert_eq!(committed.notes.body("Worklog"), Some("- wrote the lexer"));
# Ok::<(), Box<dyn std::error::Error>>(())
# })?;
# Ok::<(), Box<dyn std::error::Error>>(())
```
"#
)]
//!
//! # On disk
//!
//! A session's folder holds `session-memory.md`, for people, and `session-memory.json`, its side-car, with
//! the cursor, the digest and the committed text. The rename of the side-car is the commit. Whatever a crash
//! leaves behind, readers see the pair before or the pair after, and the next writer finishes it. An edit by
//! a person is told from a crash by its digest: it counts, and is never replaced unseen. A damaged Markdown
//! is kept aside as `session-memory.aside-*.md` and comes back as it was committed.
//!
//! # Guarantees on hostile input
//!
//! - Session files, side-cars, templates and messages may hold anything. Nothing panics; work and memory
//!   grow with the input; a file over [`NotesLimits::file_bytes`] is not read. Headings inside code fences
//!   are text. Links, devices and folders in a file's place are refused.
//! - A compaction that would lose something, gain nothing or be refused gives a [`WhyNot`] instead of a
//!   list: more behind the cursor than may be kept, a cursor from another branch, untouched notes.
//! - The side agent may edit one copy in a folder of its own, and nothing else; what it did is checked before
//!   it counts, and credentials are refused. The list of changed files comes from the calls, not from it.
//! - Runs are bounded: one at a time, 60 s, three turns; three failures in a row end all tries with the
//!   reason ([`Breaker`]).
//! - Values of a prompt's places are never looked at again ([`fill_template`]).
//!
//! # Limits
//!
//! Images are not scaled: what is over the request budgets is replaced by a sentence, oldest first. Token
//! figures are those of the counter that is passed in. Between the last look at the Markdown and its
//! replacement lie some microseconds in which an editor's save would be lost. A Markdown that was emptied
//! comes back; one that was deleted stays deleted.
//!
//! # Features
//!
//! None is on by default. What is then left works on text, numbers and messages, and touches no file.
//!
//! | feature | brings | needs |
//! |---|---|---|
//! | `store` | `SessionFile`, `update_offline`, `Config`: the file on disk | memdir |
//! | `updater` | `store`, and `Updater`: a side agent in the background | forked-agent, a tokio runtime with time |
//!
//! A host makes messages with `agent-model`, reads recorded sessions with `agent-transcript` and counts with
//! `token-count`: the three are dependencies of its own.

pub use breaker::Breaker;
pub use compact::{
    Boundary, CompactLimits, Compacted, Entry, Fault, FaultKind, MOST_IMAGES, MOST_REQUEST_BYTES,
    PutBack, Session, WhyNot, check_messages, compact, mend,
};
#[cfg(feature = "store")]
pub use config::Config;
#[cfg(feature = "store")]
pub use error::{Error, ErrorKind};
pub use ledger::{
    Clean, CommandRun, Failure, Ledger, LedgerReader, LedgerText, MOST_ERROR_CHARS, Outcome,
};
pub use notes::{
    MOST_SECTIONS, Notes, NotesLimits, Repair, Section, Structure, TemplateFault, Violation,
    ViolationKind,
};
#[cfg(feature = "store")]
pub use offline::{update_offline, update_offline_by, update_offline_with};
pub use prompt::UpdatePrompt;
pub use recorded::{context_tokens, entries_from, entries_of};
#[cfg(feature = "store")]
pub use store::{
    Author, Committed, Condition, Cursor, Draft, LOCK_FILE, LockedFile, NOTES_FILE, SIDE_CAR_FILE,
    SessionFile, read_pair,
};
pub use template::fill_template;
pub use trigger::{Activity, Due, Thresholds, due};
#[cfg(feature = "updater")]
pub use updater::{Compaction, Triggered, Turn, Updater, UpdaterOptions};

// Over text, numbers and messages; touches no file.
mod breaker;
mod compact;
mod ledger;
mod notes;
mod prompt;
mod recorded;
mod template;
mod trigger;

// On disk.
#[cfg(feature = "store")]
mod config;
#[cfg(feature = "store")]
mod error;
#[cfg(feature = "store")]
mod offline;
#[cfg(feature = "store")]
mod store;

// In the background.
#[cfg(feature = "updater")]
mod updater;

#[cfg(all(doctest, feature = "store"))]
#[doc = include_str!("../README.md")]
struct Readme;
