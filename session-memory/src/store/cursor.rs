//! Up to where the notes cover the conversation.

use agent_model::Message;
use memdir::ContentHash;

use crate::compact::Entry;

/// The last message that the notes cover, and the size of the context at that time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    message_id: String,
    digest: ContentHash,
    context_tokens: u64,
}

impl Cursor {
    pub(super) fn from_parts(message_id: String, digest: ContentHash, context_tokens: u64) -> Self {
        Cursor {
            message_id,
            digest,
            context_tokens,
        }
    }

    /// Returns the cursor at the last message of a conversation that has an id, and the context's size in
    /// tokens. `None` when no message has one.
    pub fn at_end(entries: &[Entry], context_tokens: u64) -> Option<Self> {
        let mut messages = entries.iter().rev().filter_map(Entry::message);
        messages.find_map(|message| Self::at(message, context_tokens))
    }

    /// Returns the cursor at a message; `None` when it has no id.
    pub fn at(message: &Message, context_tokens: u64) -> Option<Self> {
        let id = message.id.as_deref().filter(|id| !id.is_empty())?;
        Some(Cursor {
            message_id: id.to_owned(),
            digest: digest(message),
            context_tokens,
        })
    }

    /// Returns the id of the message.
    pub fn message_id(&self) -> &str {
        &self.message_id
    }

    /// Returns the digest of the message's role and content.
    pub fn digest(&self) -> ContentHash {
        self.digest
    }

    /// Returns the tokens of the context when the notes were written.
    pub fn context_tokens(&self) -> u64 {
        self.context_tokens
    }

    /// Returns the index of the last entry that the notes cover.
    ///
    /// A message of that id with other contents has grown or was changed since: what lies before it is
    /// covered, it is not. `None` where there is no such message: the conversation was rewound, took
    /// another branch, or is another one.
    pub fn find(&self, entries: &[Entry]) -> Option<usize> {
        let is_named = |entry: &Entry| {
            let id = entry.message().and_then(|message| message.id.as_deref());
            id == Some(self.message_id.as_str())
        };
        let is_same = |entry: &Entry| {
            is_named(entry)
                && entry
                    .message()
                    .is_some_and(|message| digest(message) == self.digest)
        };
        let same = entries.iter().rposition(is_same);
        same.or_else(|| entries.iter().position(is_named)?.checked_sub(1))
    }
}

fn digest(message: &Message) -> ContentHash {
    let mut text = String::from(message.role.as_str());
    for block in &message.content {
        text.push('\n');
        text.push_str(&block.to_json().to_string());
    }
    ContentHash::of(text.as_bytes())
}
