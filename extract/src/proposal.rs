//! What a person said, and what is worth keeping of it.

use memdir::{MemoryType, Timestamp};

/// One message in which a person spoke: nothing that a tool, a file or the program put there.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statement {
    /// The id of the message in its transcript.
    pub message_id: Option<String>,
    /// When it was said; relative dates in it are resolved against this.
    pub time: Option<Timestamp>,
    /// The person's own words, as they stand in the transcript.
    pub text: String,
}

impl Statement {
    /// Something a person said.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            message_id: None,
            time: None,
            text: text.into(),
        }
    }

    /// Names the message it stands in.
    #[must_use]
    pub fn with_message_id(mut self, id: impl Into<String>) -> Self {
        self.message_id = Some(id.into());
        self
    }

    /// Says when it was said.
    #[must_use]
    pub fn with_time(mut self, time: Timestamp) -> Self {
        self.time = Some(time);
        self
    }
}

/// Where the words behind a memory come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// A person said it.
    Person,
    /// A tool printed it, or it stands in a file or on a page that was read. It may become `project` or
    /// `reference`, never `user` or `feedback`.
    Tool,
}

/// The words a memory rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Evidence {
    /// The id of the message the quote stands in.
    pub message_id: Option<String>,
    /// The words themselves, a piece of that message.
    pub quote: String,
    /// Who said them.
    pub source: Source,
}

impl Evidence {
    /// Words of a person.
    pub fn person(quote: impl Into<String>, message_id: Option<String>) -> Self {
        Self {
            message_id,
            quote: quote.into(),
            source: Source::Person,
        }
    }

    /// Words that came from a tool.
    pub fn tool(quote: impl Into<String>, message_id: Option<String>) -> Self {
        Self {
            message_id,
            quote: quote.into(),
            source: Source::Tool,
        }
    }
}

/// A memory that somebody proposes to write, with the words it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Proposal {
    /// What kind of memory it is.
    pub memory_type: MemoryType,
    /// Its name; the file name is derived from it.
    pub name: String,
    /// One line that says what it holds.
    pub description: String,
    /// The text below the front matter.
    pub body: String,
    /// The words it rests on.
    pub evidence: Evidence,
}

impl Proposal {
    /// A memory worth keeping.
    pub fn new(
        memory_type: MemoryType,
        name: impl Into<String>,
        description: impl Into<String>,
        body: impl Into<String>,
        evidence: Evidence,
    ) -> Self {
        Self {
            memory_type,
            name: name.into(),
            description: description.into(),
            body: body.into(),
            evidence,
        }
    }
}
