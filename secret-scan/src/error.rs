//! Why an allow list was not accepted.

use std::fmt;

/// Why an allow list, or an entry for one, was not accepted.
///
/// Scanning and redaction cannot fail; any bytes are an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    line: Option<u64>,
    field: Option<&'static str>,
}

/// What is wrong with an allow list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A field is missing or empty. An entry without a reason or an author is none.
    MissingField,
    /// A field holds a tab, a line end or another control character.
    InvalidCharacter,
    /// A fingerprint is not 64 hexadecimal digits.
    MalformedFingerprint,
    /// A line is longer than [`AllowList::MAX_LINE_BYTES`](crate::AllowList::MAX_LINE_BYTES).
    LineTooLong,
    /// There are more entries than [`AllowList::MAX_ENTRIES`](crate::AllowList::MAX_ENTRIES).
    TooManyEntries,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind) -> Self {
        Self {
            kind,
            line: None,
            field: None,
        }
    }

    pub(crate) fn in_field(mut self, field: &'static str) -> Self {
        self.field = Some(field);
        self
    }

    pub(crate) fn at_line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// What is wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The line of the list, counted from 1, if the error is in a list that was read.
    pub fn line(&self) -> Option<u64> {
        self.line
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("allow list")?;
        if let Some(line) = self.line {
            write!(formatter, " line {line}")?;
        }
        if let Some(field) = self.field {
            write!(formatter, ", {field}")?;
        }
        formatter.write_str(match self.kind {
            ErrorKind::MissingField => ": missing",
            ErrorKind::InvalidCharacter => ": holds a control character",
            ErrorKind::MalformedFingerprint => ": not 64 hexadecimal digits",
            ErrorKind::LineTooLong => ": too long",
            ErrorKind::TooManyEntries => ": too many entries",
        })
    }
}

impl std::error::Error for Error {}
