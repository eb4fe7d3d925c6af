//! What a compaction works on: the session's messages with the marks that the API never sees.

use agent_model::Message;

/// One entry of a session, in the order of the conversation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Entry {
    /// A message that the model sees.
    Message(Message),
    /// A message of the person that must survive whole when it is the newest of its kind. Tool results
    /// and injected context are plain [`Entry::Message`]s although they stand in the user's turn.
    Instruction(Message),
    /// Everything above this line was compacted away; the model no longer sees it.
    Boundary(Boundary),
    /// The summary that an earlier compaction put in place of what it took away. It is never summarised
    /// again.
    Summary(Message),
}

impl Entry {
    /// Returns the message of an entry that has one.
    pub fn message(&self) -> Option<&Message> {
        match self {
            Entry::Message(message) | Entry::Instruction(message) | Entry::Summary(message) => {
                Some(message)
            }
            Entry::Boundary(_) => None,
        }
    }
}

/// What a compaction did to the size of the context, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Boundary {
    /// Tokens of the context before.
    pub tokens_before: Option<u64>,
    /// Tokens of the context after.
    pub tokens_after: Option<u64>,
}

impl Boundary {
    /// Returns a boundary with its two sizes.
    pub fn new(tokens_before: u64, tokens_after: u64) -> Self {
        Boundary {
            tokens_before: Some(tokens_before),
            tokens_after: Some(tokens_after),
        }
    }
}

/// Returns what the model still sees: the entries after the last boundary.
pub(crate) fn live(entries: &[Entry]) -> &[Entry] {
    let after = entries
        .iter()
        .rposition(|entry| matches!(entry, Entry::Boundary(_)));
    &entries[after.map_or(0, |boundary| boundary + 1)..]
}
