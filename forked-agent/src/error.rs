//! The one error type of this crate.

use std::borrow::Cow;
use std::fmt;

/// The class of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A program is not installed where it is looked for.
    ProgramMissing,
    /// A process or a pipe failed.
    Io,
    /// The system cannot do this.
    Unsupported,
}

/// What this crate could not do.
///
/// What a command or a call asked for and did not get is no error but an answer to the model: see
/// [`Refusal`](crate::shell::Refusal).
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: Cow<'static, str>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            kind,
            message: message.into(),
            source: None,
        }
    }

    #[cfg_attr(not(unix), allow(dead_code, reason = "only Unix runs commands"))]
    pub(crate) fn with(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Returns the class of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let source = self.source.as_deref()?;
        Some(source)
    }
}
