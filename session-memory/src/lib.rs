//! Keeps the ten-section session file and turns it into a compaction summary.
//!
//! Where the file is kept and which model rewrites it is left to the caller: everything here is a pure
//! function over text, numbers and messages.
//!
//! # The parts
//!
//! - [`due`] says from an [`Activity`] whether the session file is due for an update.
//! - [`Notes`] is a session file with an intact structure: ten sections in a fixed order, each with a hint
//!   line that never changes. [`Notes::repair`] reads what a model or a person wrote and mends what is
//!   certain; a [`Structure`] comes from our template or the user's.
//! - [`Ledger`] is the session file without a model: files read and changed, commands with their outcome,
//!   failures and what followed, the person's instructions.
//! - [`compact`] puts the notes in the place of most of the conversation, and [`check_messages`] says whether
//!   the API would accept a list of messages.
//! - [`fill_template`] fills `{{name}}` places once.
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
//! // Everything up to the reply of round 35 is in the notes.
//! let session = Session {
//!     entries: &entries,
//!     notes: Some(&notes),
//!     covered: Some(71),
//!     transcript_path: None,
//! };
//! let compacted = compact(&session, &CompactLimits::default(), &Estimator::new()).expect("a result");
//! assert!(compacted.tokens_after < compacted.tokens_before);
//! assert!(check_messages(&compacted.messages).is_ok());
//! assert!(compacted.messages.iter().any(|message| message.text() == "step 39"));
//! ```
//!
//! # Hostile input
//!
//! Session files and messages may hold anything. Nothing panics; work and memory grow with the input; a
//! session file over [`NotesLimits::file_bytes`] is refused before it is read. Headings inside code fences are
//! text. A compaction that would lose something, gain nothing or be refused gives a [`WhyNot`] instead of a
//! list: more tokens behind the cursor than may be kept, a cursor from another branch, untouched notes.
//!
//! # Limits
//!
//! Images are not scaled: what is over the request budgets is replaced by a sentence, oldest first. Token
//! figures are those of the counter that is passed in.

pub use breaker::Breaker;
pub use compact::{
    Boundary, CompactLimits, Compacted, Entry, Fault, FaultKind, MOST_IMAGES, MOST_REQUEST_BYTES,
    PutBack, Session, WhyNot, check_messages, compact, mend,
};
#[cfg(feature = "store")]
pub use config::Config;
#[cfg(feature = "store")]
pub use error::{Error, ErrorKind};
pub use ledger::{CommandRun, Failure, Ledger, LedgerText, MOST_ERROR_CHARS, Outcome};
pub use notes::{
    Notes, NotesLimits, Repair, Section, Structure, TemplateFault, Violation, ViolationKind,
};
#[cfg(feature = "store")]
pub use offline::update_offline;
pub use prompt::UpdatePrompt;
pub use recorded::{context_tokens, entries_of};
#[cfg(feature = "store")]
pub use store::{
    Author, Committed, Condition, Cursor, Draft, LOCK_FILE, LockedFile, NOTES_FILE, SIDE_CAR_FILE,
    SessionFile, read_pair,
};
pub use template::fill_template;
pub use trigger::{Activity, Due, Thresholds, due};
#[cfg(feature = "updater")]
pub use updater::{Compaction, Triggered, Turn, Updater, UpdaterOptions};

// Pure: over text, numbers and messages.
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

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
