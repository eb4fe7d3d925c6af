//! What the engine asks of a connection; tests put faults in between.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use crate::tag::Tag;

/// A future that can be sent to another thread.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What is done with the one resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verb {
    /// Read.
    Get,
    /// Change.
    Put,
    /// Ask for something to be done that is neither.
    Post,
}

/// One request about a repository.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ask {
    /// What is done.
    pub verb: Verb,
    /// What is asked below the one resource, such as `/history`; empty for the resource itself.
    pub path: String,
    /// Parameters besides the repository.
    pub query: Vec<(&'static str, String)>,
    /// `If-Match`.
    pub if_match: Option<Tag>,
    /// `If-None-Match` with a tag.
    pub if_none_match: Option<Tag>,
    /// `If-None-Match: *`.
    pub if_absent: bool,
    /// How long the server was asked to hold its answer back, on top of the usual time limits.
    pub patience: Duration,
    /// The JSON body of a change.
    pub body: Vec<u8>,
}

impl Ask {
    pub(crate) fn get() -> Self {
        Self {
            verb: Verb::Get,
            path: String::new(),
            query: Vec::new(),
            if_match: None,
            if_none_match: None,
            if_absent: false,
            patience: Duration::ZERO,
            body: Vec::new(),
        }
    }

    pub(crate) fn post(path: &str, body: Vec<u8>) -> Self {
        Self {
            verb: Verb::Post,
            path: path.to_owned(),
            body,
            ..Self::get()
        }
    }

    pub(crate) fn put(body: Vec<u8>) -> Self {
        Self {
            verb: Verb::Put,
            body,
            ..Self::get()
        }
    }
}

impl fmt::Debug for Ask {
    /// Without the body: it holds contents.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Ask")
            .field("verb", &self.verb)
            .field("path", &self.path)
            .field("query", &self.query)
            .field("bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

/// An answer, read whole.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The tag, if one came.
    pub tag: Option<Tag>,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    /// The body.
    pub body: Vec<u8>,
}

impl Answer {
    /// An answer with a status and a body.
    pub fn new(status: u16, body: Vec<u8>) -> Self {
        Self {
            status,
            tag: None,
            retry_after: None,
            body,
        }
    }

    /// Sets the tag.
    #[must_use]
    pub fn with_tag(mut self, tag: Option<Tag>) -> Self {
        self.tag = tag;
        self
    }

    /// Sets the wait.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Option<Duration>) -> Self {
        self.retry_after = wait;
        self
    }
}

impl fmt::Debug for Answer {
    /// Without the body: it holds contents.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Answer")
            .field("status", &self.status)
            .field("tag", &self.tag)
            .field("bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

/// No answer came: no connection, a torn one, or none in time. Whether the request was carried out is not
/// known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransportError {
    why: String,
    again: bool,
}

impl TransportError {
    /// A failure that another try may not meet.
    pub fn new(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            again: true,
        }
    }

    /// A failure that every try meets, such as an answer without end.
    pub fn hopeless(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            again: false,
        }
    }

    /// Whether another try may succeed.
    pub fn may_pass(&self) -> bool {
        self.again
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.why)
    }
}

impl std::error::Error for TransportError {}

/// A connection to the server of one repository.
pub trait Transport: Send + Sync {
    /// Sends one request and reads its answer, within a time limit of its own.
    fn send(&self, ask: Ask) -> BoxFuture<'_, Result<Answer, TransportError>>;

    /// Names whom the server takes us for, so that a new token or address can be told from the old one.
    ///
    /// Stored in plain text: no secret may be found out from it. The default names nobody.
    fn identity(&self) -> String {
        String::new()
    }
}
