//! The one error of this crate.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a whole file could not be read. A bad line is no error; see [`Report`](crate::Report).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file could not be opened or read.
    Io,
    /// The path leads to a folder, a device or a pipe.
    NotAFile,
    /// No line looks like one of the formats.
    UnknownFormat,
    /// The file is compressed; unpack it first.
    Compressed,
    /// A file that is one JSON document is longer than
    /// [`Options::max_line_bytes`](crate::Options::max_line_bytes).
    TooLong,
    /// A stored cursor could not be read.
    BadCursor,
}

/// Why a whole file could not be read. Neither `Display` nor `Debug` holds contents.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    path: Option<PathBuf>,
    source: Option<io::Error>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind) -> Self {
        Self(Box::new(Inner {
            kind,
            path: None,
            source: None,
        }))
    }

    pub(crate) fn with_path(mut self, path: &Path) -> Self {
        self.0.path = Some(path.to_owned());
        self
    }

    /// Returns what went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the file, where it was opened by path.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }
}

impl From<io::Error> for Error {
    fn from(source: io::Error) -> Self {
        let mut error = Self::new(ErrorKind::Io);
        error.0.source = Some(source);
        error
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0.kind {
            ErrorKind::Io => "the transcript cannot be read",
            ErrorKind::NotAFile => "the transcript is no regular file",
            ErrorKind::UnknownFormat => "no line looks like a session of a known agent",
            ErrorKind::Compressed => "the transcript is compressed",
            ErrorKind::TooLong => "the session is one JSON document that is too long",
            ErrorKind::BadCursor => "the stored cursor cannot be read",
        })?;
        match &self.0.path {
            Some(path) => write!(f, ": {}", path.display()),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("path", &self.0.path)
            .field("source", &self.0.source)
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_ref().map(|source| source as _)
    }
}
