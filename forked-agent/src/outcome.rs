//! What a run came to.

use std::path::PathBuf;

use agent_model::{Message, Usage};

use crate::workspace::Place;

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Ended {
    /// The model replied without a call.
    Finished,
    /// Every call of the last reply was a write that succeeded.
    Written,
    /// [`Limits::max_turns`](crate::Limits::max_turns) replies were asked for.
    TurnLimit,
    /// Another reply would cost more than [`Limits::max_tokens`](crate::Limits::max_tokens).
    TokenLimit,
    /// [`Limits::time`](crate::Limits::time) is over.
    TimeLimit,
    /// The caller ended it.
    Cancelled,
    /// The model repeated a reply of which no call had succeeded.
    Stuck,
    /// The model or its provider refused to go on.
    Refused,
    /// The conversation does not fit into the model any more, or a reply was cut at its limit without
    /// a call that could be carried out.
    Cut,
    /// The model could not be asked; see [`Outcome::error`].
    ModelFailed,
}

impl Ended {
    /// Returns a short stable name, such as `turn-limit`, for logs and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Written => "written",
            Self::TurnLimit => "turn-limit",
            Self::TokenLimit => "token-limit",
            Self::TimeLimit => "time-limit",
            Self::Cancelled => "cancelled",
            Self::Stuck => "stuck",
            Self::Refused => "refused",
            Self::Cut => "cut",
            Self::ModelFailed => "model-failed",
        }
    }
}

/// A write that succeeded.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FileWritten {
    /// The file.
    pub place: Place,
    /// Whether it did not exist before.
    pub created: bool,
    /// Its size now.
    pub bytes: usize,
}

impl FileWritten {
    /// Returns the absolute path of the file.
    pub fn path(&self) -> PathBuf {
        self.place.path()
    }
}

/// A call that was not carried out, or failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallFailed {
    /// The tool's name as the model wrote it.
    pub tool: String,
    /// Whether somebody said no: the gate, the vetter, the workspace. Otherwise the tool failed.
    pub denied: bool,
    /// The reason, as the model was told.
    pub reason: String,
}

/// What a run came to.
///
/// Ending early is no error: what was written is written, and the outcome says all of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// Why the run ended.
    pub ended: Ended,
    /// The writes that succeeded, in order. A file that was written twice is here twice.
    pub writes: Vec<FileWritten>,
    /// The calls that were denied or failed, in order.
    pub failed: Vec<CallFailed>,
    /// What all replies cost.
    pub usage: Usage,
    /// How often the model replied.
    pub turns: u32,
    /// How many calls were carried out, the failed ones included.
    pub calls: u32,
    /// The text of the last reply.
    pub text: String,
    /// What the run added to the parent's messages: the task, replies, results.
    pub messages: Vec<Message>,
    /// Why the model could not be asked, when [`Outcome::ended`] says so.
    pub error: Option<agent_model::Error>,
}
