//! The one error of the facade.

use std::error::Error as StdError;
use std::fmt;

/// Which part failed. [`Error::source`](std::error::Error::source) has that part's own error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The settings or the memory folder: unreadable, refused, or not to be found.
    Memory,
    /// The session's id is no plain name.
    SessionId,
    /// The session file could not be read or written.
    SessionFile,
    /// Recall could not look at the memories.
    Recall,
    /// Extraction, its log or its state.
    Extraction,
    /// A conversation that cannot be compacted: there is nothing in it, or nothing would be gained.
    Compaction,
    /// The model's settings cannot be used, or the model could not be asked.
    Model,
    /// The team layer could not be set up or reached.
    Team,
}

impl ErrorKind {
    /// A short stable name, such as `session-file`, for logs and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::SessionId => "session-id",
            Self::SessionFile => "session-file",
            Self::Recall => "recall",
            Self::Extraction => "extraction",
            Self::Compaction => "compaction",
            Self::Model => "model",
            Self::Team => "team",
        }
    }
}

/// Why something of a session could not be done. Holds no contents of messages, memories or files.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            source: None,
        }))
    }

    pub(crate) fn with_source(
        mut self,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Returns which part failed.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the error with its causes, as one sentence.
    pub fn chain(&self) -> String {
        chain(self)
    }
}

/// An error with its causes, as one sentence.
pub(crate) fn chain(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
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
        self.0.source.as_deref().map(|source| source as _)
    }
}

#[cfg(feature = "memdir")]
impl From<memdir::Error> for Error {
    fn from(error: memdir::Error) -> Self {
        Self::new(ErrorKind::Memory, "the memory cannot be used").with_source(error)
    }
}

#[cfg(feature = "session-memory")]
impl From<session_memory::Error> for Error {
    fn from(error: session_memory::Error) -> Self {
        Self::new(ErrorKind::SessionFile, "the session file cannot be used").with_source(error)
    }
}
