//! What a run has done.

use crate::key::TeamKey;
use crate::plan::HoldReason;

/// What was done about a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Done {
    /// Taken from the server.
    Pulled,
    /// Sent to the server.
    Pushed,
    /// Both sides had changed; the merged text is on both now.
    Merged,
    /// Both sides had changed and did not merge; the server's text lies beside it.
    Conflict,
    /// Removed here because it was deleted there.
    RemovedHere,
    /// Deleted there because it was deleted here.
    DeletedThere,
    /// Renamed here to the server's spelling.
    Renamed,
}

impl Done {
    /// A short stable name for JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pulled => "pulled",
            Self::Pushed => "pushed",
            Self::Merged => "merged",
            Self::Conflict => "conflict",
            Self::RemovedHere => "removed-here",
            Self::DeletedThere => "deleted-there",
            Self::Renamed => "renamed",
        }
    }
}

/// Why something was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// The planner held it back.
    Held(HoldReason),
    /// A file here may not be sent, for this reason.
    BlockedHere(String),
    /// An entry of the server was refused, for this reason.
    RefusedThere(String),
    /// The file changed while it was being replaced; the next run looks again.
    ChangedMeanwhile,
    /// The file could not be read or written here, for this reason; the next run tries again.
    Trouble(String),
    /// The server did not take it, for this reason.
    NotTaken(String),
}

/// Why nothing is sent any more: the server has refused a change for a reason that no repetition mends.
///
/// It holds until a file is deleted, the token or the address changes, or a run is
/// [fresh](super::SyncOptions::fresh). Taking goes on meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Suppression {
    /// The HTTP status.
    pub status: u16,
    /// Cause and remedy, for people.
    pub detail: String,
}

/// The outcome of a run, key by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyncReport {
    /// What was done.
    pub done: Vec<(TeamKey, Done)>,
    /// What was not done, and why; the key as it came when it is not a legal one.
    pub notes: Vec<(String, Note)>,
    /// Requests that were sent.
    pub requests: u64,
    /// Why nothing is sent, when a server has refused for good.
    pub suppressed: Option<Suppression>,
    /// Whether something waits for a next run: a conflict that kept returning, or an operation whose
    /// answer did not come.
    pub pending: bool,
}

impl SyncReport {
    pub(crate) fn note(&mut self, key: impl Into<String>, note: Note) {
        let entry = (key.into(), note);
        if !self.notes.contains(&entry) {
            self.notes.push(entry);
        }
    }
}
