//! Who decides what a side agent may do.

use agent_model::ToolUse;

use crate::shell::Script;
use crate::workspace::Place;

mod permissions;
mod secrets;

pub use permissions::{OnlyFile, Permissions};

/// What a [`Gate`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The call may go on.
    Allow,
    /// It may not; the model is told why.
    Deny(String),
}

impl Verdict {
    /// Returns a refusal with this reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny(reason.into())
    }
}

/// A call that a model made, understood and resolved but not yet allowed.
#[derive(Debug)]
#[non_exhaustive]
pub struct Call<'a> {
    /// The call as the model wrote it.
    pub tool_use: &'a ToolUse,
    /// What it would do.
    pub action: Action<'a>,
}

/// What a call would do.
///
/// Whatever a gate allows, the tools themselves keep to the [`Workspace`](crate::Workspace): a gate can
/// only narrow what is possible.
#[derive(Debug)]
#[non_exhaustive]
pub enum Action<'a> {
    /// Read a file.
    Read(&'a Place),
    /// Search in the files below a place.
    Grep(&'a Place),
    /// List the files below a place.
    Glob(&'a Place),
    /// Run a command that was proved to read only.
    Shell(&'a Script),
    /// Replace a piece of a file.
    Edit(&'a Place),
    /// Write a whole file.
    Write(&'a Place),
    /// Call a tool that this crate does not have: an MCP server's, a sub-agent, the network. Allowing
    /// it changes nothing, since there is nothing to run.
    Other,
}

/// A write, worked out but not yet done.
///
/// `Debug` shows no contents.
#[non_exhaustive]
pub struct Change<'a> {
    /// The call as the model wrote it.
    pub tool_use: &'a ToolUse,
    /// The file.
    pub place: &'a Place,
    /// What it holds now; `None` when it does not exist.
    pub before: Option<&'a str>,
    /// What it would hold.
    pub after: &'a str,
}

impl std::fmt::Debug for Change<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Change")
            .field("place", &self.place.path())
            .field("before_bytes", &self.before.map(str::len))
            .field("after_bytes", &self.after.len())
            .finish_non_exhaustive()
    }
}

/// Decides each call of a side agent.
///
/// ```
/// use forked_agent::{Action, Call, Gate, Verdict};
///
/// /// Lets an agent look at files and nothing else.
/// struct Readers;
///
/// impl Gate for Readers {
///     fn decide(&self, call: &Call<'_>) -> Verdict {
///         match call.action {
///             Action::Read(_) | Action::Grep(_) | Action::Glob(_) => Verdict::Allow,
///             _ => Verdict::deny("this agent only reads"),
///         }
///     }
/// }
/// ```
pub trait Gate: Send + Sync {
    /// Decides whether a call may go on.
    fn decide(&self, call: &Call<'_>) -> Verdict;

    /// Decides about the text of a write that [`Gate::decide`] let through. Allows it by default.
    fn decide_change(&self, change: &Change<'_>) -> Verdict {
        let _ = change;
        Verdict::Allow
    }
}

impl<G: Gate + ?Sized> Gate for &G {
    fn decide(&self, call: &Call<'_>) -> Verdict {
        (**self).decide(call)
    }

    fn decide_change(&self, change: &Change<'_>) -> Verdict {
        (**self).decide_change(change)
    }
}
