//! Soft failures: what was wrong with a text that could still be read.

use std::fmt;

/// One thing that was wrong with a memory file, found while reading it.
///
/// Reading a memory never fails: what could be read is in the [`Memory`](crate::Memory) or
/// [`Header`](crate::Header), and what was wrong stands beside it as a list of these. A message
/// names keys and kinds, never the text of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// What kind of problem it is.
    pub code: ProblemCode,
    /// The line it is on, counted from 1; 1 when it concerns the file as a whole.
    pub line: usize,
    /// One sentence for a person, lower case, without full stop.
    pub message: String,
}

impl Problem {
    pub(crate) fn new(code: ProblemCode, line: usize, message: impl Into<String>) -> Self {
        Self {
            code,
            line,
            message: message.into(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: {}", self.line, self.message)
    }
}

/// The kinds of [`Problem`]; [`as_str`](Self::as_str) gives the stable text form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ProblemCode {
    /// The file has no bytes, or only blank lines.
    Empty,
    /// Some bytes are not UTF-8; they are shown as U+FFFD and kept as they are on disk.
    NotUtf8,
    /// The file starts with a byte order mark, which many readers take for text.
    ByteOrderMark,
    /// Only the first part of the file was read.
    Cut,
    /// There is no front matter.
    FrontMatterMissing,
    /// The front matter is not closed by a line of three dashes.
    FrontMatterUnclosed,
    /// Blank lines stand before the front matter, so that strict readers do not see it.
    FrontMatterLate,
    /// A line of the front matter could not be understood.
    FrontMatterLine,
    /// A field is indented where YAML wants none, or with a tab.
    FieldIndented,
    /// A key occurs more than once; the last one counts.
    DuplicateKey,
    /// A value is not valid YAML and was taken as it stands.
    InvalidValue,
    /// A plain value would be cut or refused by a YAML reader and needs quotes.
    UnquotedValue,
    /// There is no `name`.
    NameMissing,
    /// There is no `description`.
    DescriptionMissing,
    /// There is no `type`.
    TypeMissing,
    /// The `type` is none of the four.
    TypeUnknown,
    /// The `modified` value is not a time.
    ModifiedInvalid,
}

impl ProblemCode {
    /// The stable text form, used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::NotUtf8 => "not-utf8",
            Self::ByteOrderMark => "byte-order-mark",
            Self::Cut => "cut",
            Self::FrontMatterMissing => "front-matter-missing",
            Self::FrontMatterUnclosed => "front-matter-unclosed",
            Self::FrontMatterLate => "front-matter-late",
            Self::FrontMatterLine => "front-matter-line",
            Self::FieldIndented => "field-indented",
            Self::DuplicateKey => "duplicate-key",
            Self::InvalidValue => "invalid-value",
            Self::UnquotedValue => "unquoted-value",
            Self::NameMissing => "name-missing",
            Self::DescriptionMissing => "description-missing",
            Self::TypeMissing => "type-missing",
            Self::TypeUnknown => "type-unknown",
            Self::ModifiedInvalid => "modified-invalid",
        }
    }
}
