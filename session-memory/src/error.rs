//! What can go wrong around the session file, told apart as far as a caller can act on it.

use std::error::Error as StdError;
use std::fmt;

use crate::notes::Violation;

/// What kind of failure an [`Error`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The session has no folder, or the folder no file.
    NotFound,
    /// Another process holds the session file's lock.
    Busy,
    /// A person changed the Markdown while an update was being made; theirs stays.
    EditedMeanwhile,
    /// The new text breaks the structure or a limit; [`Error::violations`] says how.
    Invalid,
    /// A newer version of this crate wrote the side-car; it is left alone.
    TooNew,
    /// A file that is a link, a device or a folder, or a folder that was exchanged.
    Refused,
    /// Input or output failed: a full disk, a missing permission.
    Io,
    /// A side agent did not do its work; the message says why.
    Update,
    /// Three failures in a row; nothing is tried any more until it is reset.
    Tripped,
}

impl ErrorKind {
    /// Returns a short stable name, such as `edited-meanwhile`, for logs and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotFound => "not-found",
            Self::Busy => "busy",
            Self::EditedMeanwhile => "edited-meanwhile",
            Self::Invalid => "invalid",
            Self::TooNew => "too-new",
            Self::Refused => "refused",
            Self::Io => "io",
            Self::Update => "update",
            Self::Tripped => "tripped",
        }
    }
}

/// The error of the session file and its updater. Its text names files and sections, never contents.
pub struct Error {
    inner: Box<Inner>,
}

struct Inner {
    kind: ErrorKind,
    message: String,
    violations: Vec<Violation>,
    source: Option<memdir::pathguard::Error>,
}

impl Error {
    #[cold]
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error {
            inner: Box::new(Inner {
                kind,
                message: message.into(),
                violations: Vec::new(),
                source: None,
            }),
        }
    }

    pub(crate) fn invalid(message: impl Into<String>, violations: Vec<Violation>) -> Self {
        let mut error = Error::new(ErrorKind::Invalid, message);
        error.inner.violations = violations;
        error
    }

    /// A failure of the file layer; its own text names the file.
    pub(crate) fn file(source: memdir::pathguard::Error) -> Self {
        use memdir::pathguard::ErrorKind as Kind;
        let (kind, message) = match source.kind() {
            Kind::NotFound => (ErrorKind::NotFound, "the session has no such file"),
            Kind::Busy => (
                ErrorKind::Busy,
                "another process is updating this session file",
            ),
            Kind::Io | Kind::Denied | Kind::Unsupported => {
                (ErrorKind::Io, "the session file cannot be read or written")
            }
            _ => (ErrorKind::Refused, "the session file is not touched"),
        };
        let mut error = Error::new(kind, message);
        error.inner.source = Some(source);
        error
    }

    /// Returns what kind of failure this is.
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// Returns what is wrong with a text, for [`ErrorKind::Invalid`].
    pub fn violations(&self) -> &[Violation] {
        &self.inner.violations
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.inner.message)?;
        for (index, violation) in self.inner.violations.iter().take(3).enumerate() {
            let separator = if index == 0 { ": " } else { ", " };
            write!(f, "{separator}{violation}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.inner.kind)
            .field("message", &self.inner.message)
            .field("violations", &self.inner.violations)
            .field("source", &self.inner.source)
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.inner
            .source
            .as_ref()
            .map(|source| source as &(dyn StdError + 'static))
    }
}
