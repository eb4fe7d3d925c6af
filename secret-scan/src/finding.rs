//! What a scan reports.

use std::fmt;
use std::ops::Range;

use crate::allow::Fingerprint;
use crate::rules::RuleInfo;

/// A credential that was found: which rule, and where.
///
/// A finding never holds any part of the input, so it may be printed, logged and stored.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Finding {
    pub(crate) rule: &'static RuleInfo,
    pub(crate) label: &'static str,
    pub(crate) range: Range<usize>,
    pub(crate) start: Position,
    pub(crate) end: Position,
    pub(crate) confidence: Confidence,
    pub(crate) wide: Option<Wide>,
    pub(crate) fingerprint: Option<Fingerprint>,
}

/// A place in the input as people count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Position {
    pub(crate) line: u64,
    pub(crate) column: u64,
}

/// The byte order of a finding in UTF-16 text; redaction must write its label in the same form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Wide {
    LittleEndian,
    BigEndian,
}

/// What should follow from a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// Worth a look, not worth a refusal: the text assigns something random to a name such as
    /// `token`.
    Advisory,
    /// A credential. Whatever is about to store or send the text should refuse.
    Secret,
}

/// How sure a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Confidence {
    /// The form is generic, or the match had to be put together over line ends.
    Low,
    /// The form is right.
    Medium,
    /// The form is right and its checksum holds.
    High,
}

impl Finding {
    /// The id of the rule, such as `github-pat`. Ids are stable.
    pub fn rule(&self) -> &'static str {
        self.rule.id()
    }

    /// What was found, for people, such as `Slack app token`.
    pub fn label(&self) -> &'static str {
        self.label
    }

    /// The bytes of the input that hold the credential, half open.
    ///
    /// Where a credential was encoded or broken up, this is the range in the input as given, from
    /// the first to the last byte that takes part. In valid UTF-8, both ends are at character
    /// boundaries.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// The line of the first character, counted from 1. A line ends with a line feed.
    pub fn line(&self) -> u64 {
        self.start.line
    }

    /// The column of the first character, counted from 1 in Unicode characters. In bytes that are
    /// not UTF-8, every byte but `0x80..=0xBF` counts as a character.
    pub fn column(&self) -> u64 {
        self.start.column
    }

    /// The line of the place just after the last character.
    pub fn end_line(&self) -> u64 {
        self.end.line
    }

    /// The column of the place just after the last character, as SARIF counts it.
    pub fn end_column(&self) -> u64 {
        self.end.column
    }

    /// Whether this is a credential or a hint.
    pub fn level(&self) -> Level {
        self.rule.level()
    }

    /// A keyed hash of the rule and the value, for an entry of an [`AllowList`](crate::AllowList);
    /// present if the scanner has such a list.
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        self.fingerprint
    }

    /// How sure the finding is.
    pub fn confidence(&self) -> Confidence {
        self.confidence
    }
}

impl fmt::Debug for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Finding")
            .field("rule", &self.rule())
            .field("label", &self.label)
            .field("range", &self.range)
            .field("line", &self.line())
            .field("column", &self.column())
            .field("level", &self.level())
            .field("confidence", &self.confidence)
            .finish_non_exhaustive()
    }
}

/// Writes `LINE:COLUMN RULE (LABEL)`.
impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{}:{} {} ({})",
            self.line(),
            self.column(),
            self.rule(),
            self.label
        )
    }
}
