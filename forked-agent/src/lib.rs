//! Runs a bounded side agent with its own tools behind a permission gate. It leaves the conversation
//! types and the model to `agent-model`, and what the side agent is for to its caller.
//!
//! A coding agent's main conversation is the best place to learn from and the worst place to do it in:
//! every extra turn costs the user time and context. A *fork* takes the conversation as it stands, adds
//! one task, and lets a side agent do it with a few tools, within limits, and with nobody's permission
//! but the gate's.
//!
//! # Main types
//!
//! - [`fork`] runs a [`SideAgent`] on a parent's request and returns an [`Outcome`]: why it
//!   [`Ended`], what was written, what was refused, what it cost.
//! - [`Workspace`] holds the folders the agent may touch; [`Toolbox`] binds the tools to them.
//! - [`Gate`] decides each [`Call`] and the text of each [`Change`]. [`Permissions`] is the table for an
//!   agent that writes memories, [`OnlyFile`] the one for an agent that keeps one file.
//! - [`Sink`] is where writes go: straight to the folder, or through a host's store.
//! - [`Limits`], [`Clock`] and [`Cancellation`] end a run that does not end by itself.
//! - [`shell`] vets and runs read-only shell commands; it needs nothing of the above.
//!
//! # Example
//!
//! An agent that may edit exactly one file:
//!
//! ```
//! use agent_model::{Block, Message, Reply, Request, ScriptedModel, ToolUse};
//! use forked_agent::{Ended, Limits, OnlyFile, SideAgent, Toolbox, Workspace, fork};
//! use pathguard::{MemoryRoot, RootOptions};
//! use serde_json::json;
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! # runtime.block_on(async {
//! let folder = tempfile::tempdir()?;
//! let notes = folder.path().join("notes.md");
//! std::fs::write(&notes, "# Current State\n\nnothing yet\n")?;
//! let root = |options| MemoryRoot::open(folder.path(), options);
//! let options = RootOptions::default();
//! let workspace = Workspace::new(root(&options)?).with_writable(root(&options)?);
//! let place = workspace.resolve("notes.md")?;
//! let (toolbox, gate) = (Toolbox::new(workspace), OnlyFile::new(&place));
//!
//! let call = |name, input| Block::ToolUse(ToolUse::new("id", name, input));
//! let model = ScriptedModel::new(vec![
//!     Reply::new(vec![call("Bash", json!({ "command": "rm notes.md" }))]),
//!     Reply::new(vec![call("Edit", json!({
//!         "file_path": notes, "old_string": "nothing yet", "new_string": "parser done, tests missing",
//!     }))]),
//! ]);
//! let agent = SideAgent::new(&model, &toolbox, &gate).with_limits(Limits::default().with_max_turns(2));
//!
//! // The parent's request, with what the model replied behind it.
//! let parent = Request::new(vec![Message::user("Write a parser."), Message::assistant("Done.")])
//!     .with_tools(toolbox.declarations());
//! let outcome = fork(&agent, parent, "Bring the notes up to date.").await;
//!
//! assert_eq!(outcome.ended, Ended::Written);
//! assert!(outcome.failed[0].reason.contains("`rm` is not one of the programs that may run"));
//! assert!(std::fs::read_to_string(&notes)?.contains("tests missing"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees on hostile input
//!
//! The model is not trusted: it may have read text that was written to turn it.
//!
//! - Paths become a held folder and a checked key before anything else; a gate can narrow what the
//!   workspace allows and never widen it.
//! - A write needs a writable folder, a gate that agrees with the call and with the resulting text, and
//!   a file that still holds what the agent saw. It is atomic, and one that has begun is finished even
//!   when the run is cancelled.
//! - Shell commands are decoded once, checked against lists, and run from the decoded words without a
//!   shell, without environment and without input: see [`shell`].
//! - Expressions that a model wrote run in linear time; every file, search, result, reply and wait has a
//!   limit, and what was cut says so.
//! - A call that is refused does nothing but tell the model why. Reasons, events and errors hold no file
//!   contents and no credentials; credentials in results from folders that may only be read are
//!   replaced by the name of the rule that found them.
//!
//! # Limits
//!
//! - Between the last look at a file and its replacement another process can change it; a [`Sink`] over a
//!   store with a lock closes that gap.
//! - Shell commands open paths by name; see [`shell`] for what that means.
//! - Files are text in UTF-8. Pictures and notebooks are not read.
//! - A run needs a tokio runtime with I/O and time.
//!
//! # Events
//!
//! `tracing` span `fork`; events `fork.turn`, `fork.write`, `fork.call_failed`, `fork.ended`, with counts
//! and names.
//!
//! # Features
//!
//! None.

pub mod shell;

pub use self::{
    cancellation::Cancellation,
    clock::{Clock, Sleep, TokioClock},
    error::{Error, ErrorKind},
    fork::{SideAgent, fork},
    gate::{Action, Call, Change, Gate, OnlyFile, Permissions, Verdict},
    limits::Limits,
    outcome::{CallFailed, Ended, FileWritten, Outcome},
    sink::{FolderSink, Sink},
    tools::{ToolKind, ToolLimits, Toolbox},
    workspace::{Place, Workspace},
};

mod fork;
mod prefix;

mod call;
mod gate;
mod sink;
mod tools;
mod workspace;

mod cancellation;
mod clock;
mod cost;
mod error;
mod limits;
mod outcome;
mod secrets;
mod text;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
