//! The one error of this crate.

use std::error::Error as StdError;
use std::fmt;

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The memory folder refused or could not be read or written.
    Memory,
    /// A file in the state folder could not be read or written.
    State,
    /// Somebody else is extracting into the same memory folder.
    Busy,
    /// The run was cancelled.
    Cancelled,
    /// The lease was lost: the run took longer than its heartbeat allowed, and another one has begun.
    LeaseLost,
    /// The model could not be asked, or gave up.
    Model,
    /// A bug: the run panicked, or its thread could not be started.
    Internal,
}

impl ErrorKind {
    /// A short stable name, such as `lease-lost`, for logs and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::State => "state",
            Self::Busy => "busy",
            Self::Cancelled => "cancelled",
            Self::LeaseLost => "lease-lost",
            Self::Model => "model",
            Self::Internal => "internal",
        }
    }
}

/// Why an extraction failed. Holds no contents of messages, memories or files.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// An error of a [`Backend`](crate::Backend).
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            source: None,
        }))
    }

    /// Adds what caused it.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    pub(crate) fn state(what: &str, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::new(ErrorKind::State, format!("cannot keep the {what}")).with_source(source)
    }

    pub(crate) fn cancelled() -> Self {
        Self::new(ErrorKind::Cancelled, "the run was cancelled")
    }

    /// Returns what went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }
}

impl From<memdir::Error> for Error {
    fn from(source: memdir::Error) -> Self {
        Self::new(ErrorKind::Memory, "the memory folder could not be used").with_source(source)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("message", &self.0.message)
            .field("source", &self.0.source)
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0
            .source
            .as_deref()
            .map(|source| source as &(dyn StdError + 'static))
    }
}
