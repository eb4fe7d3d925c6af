//! What can go wrong; everything that is wrong with a single file is data instead.

use std::fmt;

/// What an [`Error`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The memory folder cannot be listed: it was removed, replaced, or access is denied.
    Folder,
}

/// Why nothing could be recalled at all.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    source: pathguard::Error,
}

impl Error {
    pub(crate) fn folder(source: pathguard::Error) -> Self {
        Self {
            kind: ErrorKind::Folder,
            source,
        }
    }

    /// Returns what the error is about.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ErrorKind::Folder => f.write_str("cannot list the memory folder"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}
