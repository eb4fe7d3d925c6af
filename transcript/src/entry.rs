//! One message of a session, with what the file says about it.

use std::sync::Arc;

use agent_model::{Block, Message, Usage};

use crate::origin::{Origin, person_words};
use crate::time::Timestamp;

/// One message of a session.
///
/// `Debug` shows no contents, as with [`Message`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Entry {
    /// The message. Its `id` is the identity of its first line, its `parent` that of the entry before it
    /// on the same thread.
    pub message: Message,
    /// Who wrote it.
    pub origin: Origin,
    /// Whether the model sees it, or saw it before a compaction. Errors that the agent shows to the person
    /// in the model's place are not seen.
    pub model_visible: bool,
    /// When it was written.
    pub time: Option<Timestamp>,
    /// The model that wrote it.
    pub model: Option<String>,
    /// The provider's identity of the answer; the lines of one answer share it.
    pub answer_id: Option<String>,
    /// What the answer cost, as far as the file says.
    pub usage: Option<Usage>,
    /// Where the session stood.
    pub place: Arc<Place>,
    /// The number of its first line, from 1; 0 for a message that came from no file.
    pub line: u64,
    /// Where its first line begins in the file.
    pub offset: u64,
    /// Whether a tool result in it was shortened.
    pub cut: bool,
    /// The identities of all its lines, in file order.
    pub(crate) ids: Vec<String>,
}

impl Entry {
    /// Returns an entry for a message of the host's own, seen by the model; what only a file can say is
    /// absent. A message without an identity gets none, so no cursor can find it again.
    ///
    /// ```
    /// use agent_model::Message;
    /// use agent_transcript::{Entry, Origin};
    ///
    /// let entry = Entry::new(Message::user("use pnpm").with_id("m1"));
    /// assert_eq!(entry.origin, Origin::Person);
    /// assert_eq!(entry.person_text(), "use pnpm");
    /// assert!(entry.has_id("m1"));
    /// ```
    pub fn new(message: Message) -> Self {
        Self {
            origin: Origin::of(&message),
            model_visible: true,
            time: None,
            model: None,
            answer_id: None,
            usage: None,
            place: Arc::default(),
            line: 0,
            offset: 0,
            cut: false,
            ids: message.id.iter().cloned().collect(),
            message,
        }
    }

    /// Tells whether one of its lines has this identity.
    pub fn has_id(&self, id: &str) -> bool {
        self.ids.iter().any(|own| own == id)
    }

    /// Returns the identity of its last line.
    pub fn last_id(&self) -> Option<&str> {
        self.ids.last().map(String::as_str)
    }

    /// Returns the identities of its lines, in file order: an answer is often written in several.
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// Returns what the person typed: the text of a message from a person, without reminders, IDE context
    /// and other text that the agent put into it. Empty for every other origin.
    pub fn person_text(&self) -> String {
        if self.origin != Origin::Person {
            return String::new();
        }
        let texts = self.message.content.iter().filter_map(Block::as_text);
        let words: Vec<_> = texts.filter_map(person_words).collect();
        words.join("\n")
    }
}

/// Where a session stood when a message was written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Place {
    /// The working folder, as written: on Windows with backslashes.
    pub cwd: Option<String>,
    /// The git branch.
    pub branch: Option<String>,
    /// The agent's version.
    pub version: Option<String>,
}
