//! Everything that happens in a session, as data: for timelines, logs and tests.

use std::collections::VecDeque;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use memdir::{Modes, SecretFinding, Timestamp, WriteDecision};
use memdir_extract::Decided;
use recall::{Dropped, NearMiss, Recalled};

/// How many events wait for the host; the oldest go first.
pub const MAX_EVENTS: usize = 2_000;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// When, by the session's clock.
    pub time: Timestamp,
    /// In which turn: user messages are counted from 1 by [`Session::recall`](super::Session::recall); 0 is
    /// before the first.
    pub turn: u64,
    /// What.
    pub happened: Happened,
}

/// What happened.
///
/// [`Happened::name`] is a short stable name for JSON. Nothing here holds a credential.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Happened {
    /// The session started.
    Started {
        /// The folder of the memories.
        memory_dir: PathBuf,
        /// What each layer may do.
        modes: Modes,
        /// What was found odd on the way: settings that were ignored, an operation that was left half done.
        warnings: Vec<String>,
    },
    /// Memories were recalled for a message; none is the usual answer.
    Recalled {
        /// What was shown, best first, each with its score, why, age and verification.
        memories: Vec<Recalled>,
        /// What fits and was left out, and why: seen already, a tool in use, superseded.
        dropped: Vec<Dropped>,
        /// What was not good enough.
        near_misses: Vec<NearMiss>,
        /// Tokens of the block.
        tokens: usize,
        /// Whether a model chose.
        by_model: bool,
    },
    /// Extraction decided about a memory or a turn: created, updated, proposed, skipped, refused or failed,
    /// each with its reason, and a memory with the words it rests on.
    Memory(Decided),
    /// The session file was brought up to date.
    SessionFile(SessionFileUpdated),
    /// The conversation was compacted.
    Compacted(Kept),
    /// A write to the memory folder was looked at.
    WriteChecked {
        /// The file, relative to the memory folder, where its name is allowed.
        path: Option<String>,
        /// What the host is to do.
        decision: WriteDecision,
        /// Why; empty when there is nothing to tell.
        reason: String,
        /// Credentials that were found: rule and line, never the value.
        secrets: Vec<SecretFinding>,
    },
    /// A write by the host's own tools was taken into the history.
    Written {
        /// Files that were made.
        created: Vec<String>,
        /// Files that were changed.
        changed: Vec<String>,
        /// Files that were deleted.
        removed: Vec<String>,
    },
    /// Something was left out because of a mode or a switch.
    Skipped {
        /// Which part of the session.
        part: Part,
        /// Why.
        reason: String,
    },
    /// Something failed. The session goes on.
    Failed {
        /// Which part of the session.
        part: Part,
        /// Why, with the causes.
        reason: String,
    },
    /// A model could not do its work. The rules did it.
    ModelFailed {
        /// What the model was asked for.
        part: Part,
        /// Why: no answer in time, a budget that is used up, a refusal, … Without contents.
        reason: String,
    },
    /// The team's memories and the server were brought together, as far as that was possible.
    Team {
        /// What was done: key and action, such as `pulled` or `conflict`.
        done: Vec<(String, String)>,
        /// What was not done: key and reason.
        notes: Vec<(String, String)>,
    },
    /// The session ended.
    Ended {
        /// Whether everything that ran came to its end in time.
        finished: bool,
    },
}

impl Happened {
    /// A short stable name, such as `session-file`, for logs and JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Started { .. } => "started",
            Self::Recalled { .. } => "recalled",
            Self::Memory(_) => "memory",
            Self::SessionFile(_) => "session-file",
            Self::Compacted(_) => "compacted",
            Self::WriteChecked { .. } => "write-checked",
            Self::Written { .. } => "written",
            Self::Skipped { .. } => "skipped",
            Self::Failed { .. } => "failed",
            Self::ModelFailed { .. } => "model-failed",
            Self::Team { .. } => "team",
            Self::Ended { .. } => "ended",
        }
    }
}

/// A part of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// The memory prompt.
    Prompt,
    /// Recall.
    Recall,
    /// The session file.
    SessionFile,
    /// Extraction.
    Extraction,
    /// Compaction.
    Compaction,
    /// The guard of writes.
    Guard,
    /// The team layer.
    Team,
}

impl Part {
    /// A short stable name, such as `session-file`, for logs and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Recall => "recall",
            Self::SessionFile => "session-file",
            Self::Extraction => "extraction",
            Self::Compaction => "compaction",
            Self::Guard => "guard",
            Self::Team => "team",
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What an update did to the session file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionFileUpdated {
    /// Grows with each commit.
    pub revision: u64,
    /// Who wrote it: `ledger`, `model` or `person`.
    pub author: &'static str,
    /// The sections that say something else now, each with its whole body.
    pub changed: Vec<(String, String)>,
    /// Tokens of the file.
    pub tokens: usize,
    /// Tokens of the context at that time.
    pub context_tokens: u64,
}

/// What a compaction kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kept {
    /// Tokens of the live conversation before.
    pub tokens_before: usize,
    /// Tokens of the list.
    pub tokens_after: usize,
    /// Messages behind the summary.
    pub messages: usize,
    /// Messages of the person among them.
    pub instructions: usize,
    /// Where the summary comes from.
    pub summary: SummarySource,
}

/// Where the summary of a compaction comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SummarySource {
    /// The session file.
    SessionFile,
    /// Notes that were made of the conversation for this once, without a model.
    Ledger,
    /// A summary that a model wrote for this once.
    Model,
}

impl SummarySource {
    /// A short stable name, such as `session-file`, for logs and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SessionFile => "session-file",
            Self::Ledger => "ledger",
            Self::Model => "model",
        }
    }
}

/// Events that the host has not taken yet.
#[derive(Debug, Default)]
pub(super) struct Log(Mutex<VecDeque<Event>>);

impl Log {
    pub(super) fn push(&self, event: Event) {
        tracing::debug!(
            turn = event.turn,
            event = event.happened.name(),
            "session.event"
        );
        let mut events = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if events.len() == MAX_EVENTS {
            events.pop_front();
        }
        events.push_back(event);
    }

    pub(super) fn take(&self) -> Vec<Event> {
        let mut events = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        events.drain(..).collect()
    }
}
