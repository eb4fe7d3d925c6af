//! Gives coding agents a memory that people can read, edit and trust.
//!
//! This is the facade: it puts the crates of the workspace together and re-exports each under its bare name.
//! What it leaves to others are the decisions, every one of which stands in one of those crates; whoever needs
//! a single part depends on that crate alone.
//!
//! # Three layers
//!
//! | layer | lives for | where | filled |
//! |---|---|---|---|
//! | session file | one session | `<home>/projects/<key>/<session>/session-memory.md` | after replies, when thresholds are met |
//! | persistent memory | a project, until deleted | `<home>/projects/<key>/memory/` | at the end of turns, in the background |
//! | team memory | everybody on one repository | `memory/team/` and a server | by a watcher, seconds after a change |
//!
//! All of it is Markdown: people read, edit, version and delete it with the tools they have, and every change,
//! by whomever, is in a history that takes it back.
//!
//! # A host in one screen
//!
//! [`Session`] is the whole life of a session behind a handful of calls. It works by rules, without a network,
//! a key or a runtime; models can be added (feature `session-model`) and never become a condition.
#![cfg_attr(
    feature = "session",
    doc = r#"
```
use memstrata::Session;
use memstrata::model::Message;

# let scratch = tempfile::tempdir()?;
# let (home, project) = (scratch.path().join("home"), scratch.path().join("app"));
# std::fs::create_dir(&project)?;
# fn ask(_: &[Message]) -> Message { Message::assistant("I will.") }
// Start: finds the project's memory, reads the settings, repairs what a crash left.
let session = Session::builder().project(&project).home(&home).start()?;
// Once, into the system prompt: how memory works, and its index.
let prompt = session.prompt();

// Each message of the person: what is worth remembering for it, dated and checked against the repository.
let said = "From now on, run the tests with nextest, plain cargo test hangs on CI.";
let recalled = session.recall(said);
let mut messages = vec![Message::user(format!("{}{said}", recalled.text))];

// Each reply; and when it calls no tool, the turn is over and is learned from, in the background.
messages.push(ask(&messages));
session.after_reply(&messages);
session.end_of_turn(&messages);

// A tool wants to write: into the memory folder only what may stand there.
let file = session.store().dir().join("feedback_key.md");
let verdict = session.check_write(&file, b"no credential here");
assert!(verdict.is_allowed);

// The end waits for what runs, at most a minute.
for notice in session.end().notices {
    println!("{notice}"); // Saved 1 memory: feedback_run_the_tests_with_nextest.md
}
# assert!(prompt.is_some());
# Ok::<(), Box<dyn std::error::Error>>(())
```
"#
)]
//!
//! `examples/host_loop.rs` is the same as a program, `custom_model.rs` adds a model of your own, `two_homes.rs`
//! a team with a server in the same process.
//!
//! # The life of a session
//!
//! 1. **Start.** [`Place`] reads the settings with their trust levels and finds the folder of the project; the
//!    store opens and finishes what a crash left half done; a team is pulled.
//! 2. **Each message.** `recall` ranks, a gate decides whether anything is good enough, claims are checked
//!    against the repository, ages are named; what the session has seen does not come again.
//! 3. **Each reply.** `session-memory` says whether an update of the session file is worth its price.
//! 4. **End of a turn.** `extract` looks at what is new: what a person really said, with the quote as evidence.
//! 5. **A write to the memory.** Path, mode and credentials are checked first; afterwards the edit is in the
//!    history, and the index is true again.
//! 6. **Compaction.** The session file and the newest messages take the place of the conversation.
//! 7. **End.** What runs is waited for, with a limit; the team is sent what is unsent.
//!
//! What happened is told twice: [`session::Event`] is everything, for timelines, logs and tests;
//! [`session::Notice`] is what a person should read.
//!
//! # The parts
//!
//! | module | what it does |
//! |---|---|
//! | [`session`] | the life of a session as one object |
//! | `pathguard` | decides which paths may be touched, and touches them through a held directory handle |
//! | `secret_scan` | finds credentials in text and names the rule, never the value |
//! | `token_count` | counts or estimates model tokens without a network |
//! | `memdir` | reads, writes, indexes, journals and describes a folder of Markdown memories |
//! | `recall` | picks the few memories that matter for a query, says how fresh they are, and checks what they claim |
//! | `model` | conversation types, the `Model` trait and its back ends |
//! | `transcript` | reads the transcripts that existing agents write, into conversation types |
//! | `forked_agent` | runs a bounded side agent with its own tools behind a permission gate |
//! | `extract` | writes persistent memories from a finished turn, in the background; distils daily logs |
//! | `session_memory` | keeps the ten-section session file and turns it into a compaction summary |
//! | `memory_tool` | answers the commands of the Anthropic memory tool on a folder |
//! | `team_sync` | keeps `memory/team/` and a server in step without losing an edit |
//!
//! [`purge`] removes a memory from all of them at once, [`instruction_files`] reads what need not be learned,
//! [`SystemClock`] and [`ManualClock`] are the clocks, [`RecallLog`] answers when something was recalled,
//! [`SessionMemo`] which memories a session has seen.
//!
//! # Guarantees on hostile input
//!
//! They are those of the parts, and of putting them together:
//!
//! - No call of a [`Session`] fails its host. What does not work is an event and a notice; only
//!   [`Session::check_write`] is strict, and refuses what it cannot check.
//! - Settings inside a repository can lower what is done, and nothing else: they name no folder, no model, no
//!   server and no budget.
//! - Text of messages, memories, teammates and models is data. It is fenced where a model reads it, bounded
//!   everywhere, and searched for credentials before it is kept; no error, event or notice shows one.
//! - Environment, home folder and clock are arguments. Nothing is read from the process.
//!
//! # Limits
//!
//! A session blocks for file access, some milliseconds at a time; an async host calls it where blocking is
//! allowed. [`session::MAX_EVENTS`] events wait for a host that does not ask.
//!
//! # Features
//!
//! By default everything that needs no network and no runtime: `pathguard`, `secret-scan`, `token-count`,
//! `memdir`, `recall`, `model`, `transcript`, `session-memory`, `extract`, `team-sync`, `memory-tool`, `session`.
//!
//! | feature | brings | needs |
//! |---|---|---|
//! | `session-model` | `Models` for the work of a session, with the rules behind them | a runtime, which it brings |
//! | `model-settings` | models as `memstrata.toml` names them: Anthropic, OpenAI-compatible, a program | a network |
//! | `session-team` | the team layer of a session | a network |
//! | `forked-agent` | side agents, and extraction by them | tokio |
//! | `session-updater` | the session file, updated by a side agent | tokio |
//! | `team-client`, `team-watch` | the client of team memory, and its watcher | a network, tokio |

#[cfg(feature = "session")]
pub use self::{
    clock::{ManualClock, SystemClock},
    error::{Error, ErrorKind},
    instructions::instruction_files,
    place::{Place, PlaceOptions},
    purge::{RECALL_FOLDER, purge, recall_folder},
    recall_log::{LoggedRecall, LoggedVerification, MAX_RECALL_LOGS, MAX_RECALLS, RecallLog},
    session::{SESSION_MEMO_FOLDER, Session, SessionBuilder, SessionMemo},
};

#[cfg(feature = "session-model")]
pub use self::models::{ModelBackend, Models, ledger_folder};
#[cfg(feature = "model-settings")]
pub use self::models::{ModelSettings, RECURSION_VARIABLE};

#[cfg(feature = "session")]
pub mod session;

#[cfg(feature = "session")]
mod clock;
#[cfg(feature = "session")]
mod error;
#[cfg(feature = "session")]
mod instructions;
#[cfg(feature = "session-model")]
mod models;
#[cfg(feature = "session")]
mod place;
#[cfg(feature = "session")]
mod purge;
#[cfg(feature = "session")]
mod recall_log;

#[cfg(feature = "model")]
pub use agent_model as model;
#[cfg(feature = "transcript")]
pub use agent_transcript as transcript;
#[cfg(feature = "forked-agent")]
pub use forked_agent;
#[cfg(feature = "memdir")]
pub use memdir;
#[cfg(feature = "extract")]
pub use memdir_extract as extract;
#[cfg(feature = "pathguard")]
pub use pathguard;
#[cfg(feature = "recall")]
pub use recall;
#[cfg(feature = "secret-scan")]
pub use secret_scan;
#[cfg(feature = "session-memory")]
pub use session_memory;
#[cfg(feature = "team-sync")]
pub use team_sync;
#[cfg(feature = "token-count")]
pub use token_count;

#[cfg(feature = "memory-tool")]
pub mod memory_tool;
