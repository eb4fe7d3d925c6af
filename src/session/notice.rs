//! What a host should tell its person, or append to its conversation.

use std::fmt;

use super::event::Part;

/// Something worth a line to the person.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// Memories were saved or wait in the inbox, or extraction has stopped.
    Extraction(memdir_extract::Notice),
    /// A model could not do its work and the rules did it instead. Said once for each part and reason.
    Model {
        /// What the model was asked for.
        part: Part,
        /// Why it did not, such as a budget that is used up. Without contents.
        reason: String,
    },
    /// A part of the session does not work; the rest goes on. Said once for each part and reason.
    Trouble {
        /// Which part.
        part: Part,
        /// Why. Without contents.
        reason: String,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Extraction(notice) => notice.fmt(f),
            Self::Model { part, reason } => {
                write!(
                    f,
                    "The model was of no help with {} ({reason}); rules did it instead",
                    words(*part)
                )
            }
            Self::Trouble { part, reason } => {
                write!(f, "Memory: {} does not work now ({reason})", words(*part))
            }
        }
    }
}

fn words(part: Part) -> &'static str {
    match part {
        Part::Prompt => "the memory prompt",
        Part::Recall => "recall",
        Part::SessionFile => "the session file",
        Part::Extraction => "learning from the conversation",
        Part::Compaction => "the compaction",
        Part::Guard => "the check of a write",
        Part::Team => "the team's memory",
    }
}
