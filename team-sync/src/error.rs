//! What can go wrong with keys, tags and bodies.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

/// What kind of failure an [`Error`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A key that must not travel: it could lead elsewhere, or some file system has no place for it.
    Key,
    /// A checksum that is not `sha256:` and 64 hexadecimal digits.
    Checksum,
    /// A body that is not of the wire form.
    Body,
    /// A body with more bytes, keys or levels than a peer may send.
    TooLarge,
    /// A remote address or name from which no repository name can be taken.
    Repository,
    /// The team folder cannot be read or written, or belongs to another repository.
    Folder,
    /// What is remembered between runs cannot be read or written.
    State,
    /// There is no room for what has to be written. Nothing is lost; the next run goes on.
    DiskFull,
    /// Another process syncs this folder.
    Busy,
    /// The server's address cannot be used.
    Address,
    /// The token cannot be used.
    Token,
    /// The server cannot be reached now; a later run tries again.
    Unavailable,
    /// The server refuses, and a repetition will not help.
    Refused,
    /// The server has no such extension.
    Unsupported,
}

impl ErrorKind {
    /// A short stable name for logs and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Checksum => "checksum",
            Self::Body => "body",
            Self::TooLarge => "too-large",
            Self::Repository => "repository",
            Self::Folder => "folder",
            Self::State => "state",
            Self::DiskFull => "disk-full",
            Self::Busy => "busy",
            Self::Address => "address",
            Self::Token => "token",
            Self::Unavailable => "unavailable",
            Self::Refused => "refused",
            Self::Unsupported => "unsupported",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// The error of every operation in this crate. Its text names the key and never the contents.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    text: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
    retry_after: Option<Duration>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, text: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            text: text.into(),
            source: None,
            retry_after: None,
        }))
    }

    pub(crate) fn with_source(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.0.source = Some(Box::new(source));
        self
    }

    #[cfg(feature = "client")]
    pub(crate) fn with_retry_after(mut self, wait: Option<Duration>) -> Self {
        self.0.retry_after = wait;
        self
    }

    /// How long the server asks to wait before the next try; at most 15 minutes.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.text)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("text", &self.0.text)
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        let source = self.0.source.as_deref()?;
        Some(source)
    }
}
