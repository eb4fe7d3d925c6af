//! A project and a home in a temporary folder, and a clock that the test moves.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use memstrata::memdir::{MemoryType, Origin, SaveRequest, Timestamp};
use memstrata::model::{Block, Message, Role, ToolResult, ToolUse};
use memstrata::session::{Event, Happened};
use memstrata::{ManualClock, Session, SessionBuilder};
use serde_json::json;

pub(crate) const RULE: &str = "From now on, ask before you add a dependency, we got burned by one.";
pub(crate) const ROLE: &str = "I'm a data scientist with ten years of R and new to Rust.";

/// One home with one project.
pub(crate) struct Scratch {
    folder: tempfile::TempDir,
    pub(crate) clock: Arc<ManualClock>,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir_all(folder.path().join("app/src")).expect("a project");
        let clock = Arc::new(ManualClock::new(time("2026-03-05T09:00:00Z"), 0));
        Self { folder, clock }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("app")
    }

    /// Writes a file of the home.
    pub(crate) fn set(&self, name: &str, text: &str) {
        write(&self.home().join(name), text);
    }

    /// Writes a file of the project.
    pub(crate) fn put(&self, name: &str, text: &str) {
        write(&self.project().join(name), text);
    }

    pub(crate) fn builder(&self, id: &str) -> SessionBuilder {
        Session::builder()
            .project(self.project())
            .home(self.home())
            .managed_settings(None)
            .clock(self.clock.clone())
            .id(id)
            .wait_for_background(true)
    }

    pub(crate) fn session(&self, id: &str) -> Session {
        self.builder(id).start().expect("a session")
    }

    pub(crate) fn later(&self, time_text: &str) {
        self.clock.set(time(time_text));
    }
}

fn write(path: &Path, text: &str) {
    let folder = path.parent().expect("a folder");
    std::fs::create_dir_all(folder).expect("its folder");
    std::fs::write(path, text).expect("a file");
}

pub(crate) fn time(text: &str) -> Timestamp {
    text.parse().expect("a time")
}

/// Saves a memory as a person would.
pub(crate) fn save(session: &Session, name: &str, description: &str, body: &str) {
    let request = SaveRequest::new(MemoryType::Feedback, name, description, body);
    let me = Origin::person("test");
    session.store().save(&request, &me).expect("saved");
}

/// A turn in which somebody says something and gets an answer.
pub(crate) fn said(text: &str) -> Vec<Message> {
    vec![Message::user(text), Message::assistant("Understood.")]
}

/// A call of a tool and its result.
pub(crate) fn called(id: &str, name: &str, path: &str) -> Vec<Message> {
    let call = ToolUse::new(
        id,
        name,
        json!({ "file_path": path, "command": "cargo test" }),
    );
    vec![
        Message::new(Role::Assistant, vec![Block::ToolUse(call)]),
        Message::new(
            Role::User,
            vec![Block::ToolResult(ToolResult::text(id, "done"))],
        ),
    ]
}

/// A conversation that is long enough for a session file and a compaction.
pub(crate) fn long(rounds: usize) -> Vec<Message> {
    let mut messages = Vec::new();
    for round in 0..rounds {
        messages.push(Message::user(format!(
            "step {round}: make the parser faster"
        )));
        messages.extend(called(
            &format!("c{round}"),
            "Edit",
            &format!("/app/src/part_{round}.rs"),
        ));
        let reply = "the step is done, here is what changed and why. ".repeat(100);
        messages.push(Message::assistant(format!("{round}: {reply}")));
    }
    messages
}

/// The names of what happened.
pub(crate) fn names(events: &[Event]) -> Vec<&'static str> {
    events.iter().map(|event| event.happened.name()).collect()
}

/// Why things were skipped.
pub(crate) fn skipped(events: &[Event]) -> Vec<String> {
    let reasons = events.iter().filter_map(|event| match &event.happened {
        Happened::Skipped { part, reason } => Some(format!("{part}: {reason}")),
        _ => None,
    });
    reasons.collect()
}
