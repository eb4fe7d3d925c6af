//! What a host is told.

use std::fmt;

/// What became of one memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Action {
    /// It was written as a new file.
    Created,
    /// A file that existed was changed.
    Updated,
    /// It waits in the inbox for a person.
    Proposed,
    /// It was left alone: it is known already, or nothing was worth keeping.
    Skipped,
    /// It was refused by a rule.
    Refused,
    /// It could not be written.
    Failed,
}

impl Action {
    /// A short stable name, such as `created`, for logs and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Proposed => "proposed",
            Self::Skipped => "skipped",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }

    /// Returns the action with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [
            Self::Created,
            Self::Updated,
            Self::Proposed,
            Self::Skipped,
            Self::Refused,
            Self::Failed,
        ]
        .into_iter()
        .find(|action| action.as_str() == name)
    }

    /// Whether something was written or proposed.
    pub fn is_write(self) -> bool {
        matches!(self, Self::Created | Self::Updated | Self::Proposed)
    }
}

/// A memory that a run wrote; the index is left out, for it follows the memories.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SavedFile {
    /// The file, relative to the memory folder.
    pub path: String,
    /// What was done: created, updated or proposed.
    pub action: Action,
}

/// The memories that a run wrote, to be appended to the main conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemorySaved {
    /// The session that they were learned in.
    pub session: String,
    /// The files, each once, in the order of writing; never empty.
    pub files: Vec<SavedFile>,
}

impl MemorySaved {
    pub(crate) fn new(session: &str, written: impl Iterator<Item = SavedFile>) -> Option<Self> {
        let mut files: Vec<SavedFile> = Vec::new();
        for file in written {
            if !files.iter().any(|known| known.path == file.path) {
                files.push(file);
            }
        }
        (!files.is_empty()).then(|| Self {
            session: session.to_owned(),
            files,
        })
    }
}

impl fmt::Display for MemorySaved {
    /// One line, such as `Saved 2 memories: user_role.md, feedback_tests.md`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (proposed, saved): (Vec<_>, Vec<_>) = self
            .files
            .iter()
            .partition(|file| file.action == Action::Proposed);
        let mut list = |verb: &str, files: &[&SavedFile], lead: &str| {
            let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
            let noun = if files.len() == 1 {
                "memory"
            } else {
                "memories"
            };
            write!(
                f,
                "{lead}{verb} {} {noun}: {}",
                files.len(),
                paths.join(", ")
            )
        };
        if !saved.is_empty() {
            list("Saved", &saved, "")?;
        }
        if !proposed.is_empty() {
            let lead = if saved.is_empty() { "" } else { ". " };
            list("Put into the inbox", &proposed, lead)?;
        }
        Ok(())
    }
}

/// Something a host should tell its user or its conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// Memories were written.
    Saved(MemorySaved),
    /// Extraction failed so many times in a row that it waits for the next session.
    Stopped {
        /// How many times.
        failures: u32,
        /// Why the last time, without contents.
        reason: String,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Saved(saved) => saved.fmt(f),
            Self::Stopped { failures, reason } => write!(
                f,
                "Learning from this session has stopped after {failures} failures in a row ({reason}); it \
                 begins again with the next session"
            ),
        }
    }
}
