//! What was read, what was skipped, and why.

use std::collections::BTreeMap;
use std::fmt;

/// How many skipped lines are listed one by one; all are counted.
pub const MAX_LISTED_SKIPS: usize = 100;

/// How many different line types are counted by name; the rest is counted together.
pub const MAX_LISTED_TYPES: usize = 64;

/// The name under which further line types are counted.
const OTHER_TYPES: &str = "…";

/// Why a line was skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SkipReason {
    /// It is no JSON.
    NotJson,
    /// It is JSON that is cut off: somebody died while writing it, or is still writing.
    CutOff,
    /// It is JSON, but no object.
    NotAnObject,
    /// It nests deeper than 128 levels.
    TooDeep,
    /// It is not UTF-8.
    NotUtf8,
    /// It holds zero bytes only, as a crash of the file system leaves them.
    Zeros,
    /// It is longer than [`Options::max_line_bytes`](crate::Options::max_line_bytes), or a list in it has
    /// more than 100,000 items.
    TooLong,
    /// It should hold a message and does not, or one without content.
    NoMessage,
}

impl SkipReason {
    /// Returns the reason behind a failed attempt to read JSON.
    pub(crate) fn of(error: &serde_json::Error) -> Self {
        match error.classify() {
            serde_json::error::Category::Eof => Self::CutOff,
            serde_json::error::Category::Data => Self::NotAnObject,
            // serde has no kind for this one; the wording is checked by a test.
            _ if error.to_string().starts_with("recursion limit") => Self::TooDeep,
            _ => Self::NotJson,
        }
    }

    /// Returns the reason in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotJson => "no JSON",
            Self::CutOff => "cut off",
            Self::NotAnObject => "no JSON object",
            Self::TooDeep => "nested too deep",
            Self::NotUtf8 => "not UTF-8",
            Self::Zeros => "zero bytes",
            Self::TooLong => "too long",
            Self::NoMessage => "no message in it",
        }
    }
}

/// A line that was skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Skipped {
    /// The line's number, from 1.
    pub line: u64,
    /// Where it begins in the file.
    pub offset: u64,
    /// Why.
    pub reason: SkipReason,
}

/// What became of the lines of a file.
///
/// Every line is counted once: `lines` is the sum of `messages`, `notes`, `unknown` and all skipped ones.
/// `Display` is one line for people.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Report {
    /// Lines that are not blank. In a file that is one JSON document each record counts as a line.
    pub lines: u64,
    /// Blank lines.
    pub blank: u64,
    /// Lines that hold a message or a part of one.
    pub messages: u64,
    /// Lines that are understood and hold no message: snapshots, hook reports, titles, usage.
    pub notes: u64,
    /// Lines of a type that this version does not know.
    pub unknown: u64,
    /// Lines by their type, as the file names it.
    pub by_type: BTreeMap<String, u64>,
    /// Messages that were written twice, or repeat what another line of the same answer says.
    pub duplicates: u64,
    /// Messages on branches that the conversation left, by a rewind for example.
    pub off_thread: u64,
    /// Messages that were dropped because there were too many.
    pub dropped: u64,
    /// Tool results that were shortened.
    pub cut_results: u64,
    /// Pictures that a text has taken the place of.
    pub omitted_pictures: u64,
    /// Whether the links between messages were broken and file order had to do.
    pub file_order: bool,
    /// Whether the file ends in a line that is still being written; the cursor stands before it.
    pub unfinished: bool,
    skipped: Vec<Skipped>,
    by_reason: BTreeMap<SkipReason, u64>,
}

impl Report {
    /// Returns the skipped lines in order, at most [`MAX_LISTED_SKIPS`].
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// Returns how many lines were skipped for each reason.
    pub fn by_reason(&self) -> &BTreeMap<SkipReason, u64> {
        &self.by_reason
    }

    /// Returns how many lines were skipped.
    pub fn skipped_total(&self) -> u64 {
        self.by_reason.values().sum()
    }

    pub(crate) fn skip(&mut self, line: u64, offset: u64, reason: SkipReason) {
        *self.by_reason.entry(reason).or_default() += 1;
        if self.skipped.len() < MAX_LISTED_SKIPS {
            self.skipped.push(Skipped {
                line,
                offset,
                reason,
            });
        }
    }

    pub(crate) fn count_type(&mut self, name: &str) {
        // Names come from the file, so both their number and their length are bounded.
        if let Some(count) = self.by_type.get_mut(name) {
            *count += 1;
        } else {
            let fits = self.by_type.len() < MAX_LISTED_TYPES && name.len() <= 64;
            let name = if fits { name } else { OTHER_TYPES };
            *self.by_type.entry(name.to_owned()).or_default() += 1;
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} lines: {} with messages, {} notes, {} of unknown type, {} skipped",
            self.lines,
            self.messages,
            self.notes,
            self.unknown,
            self.skipped_total()
        )?;
        for (index, (reason, count)) in self.by_reason.iter().enumerate() {
            let lead = if index == 0 { " (" } else { ", " };
            write!(f, "{lead}{count} {}", reason.as_str())?;
        }
        if self.by_reason.is_empty() {
            Ok(())
        } else {
            f.write_str(")")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SkipReason;

    #[test]
    fn each_failure_has_its_reason() {
        let reason = |text: &str| {
            let error = serde_json::from_str::<serde_json::Value>(text).unwrap_err();
            SkipReason::of(&error)
        };
        assert_eq!(reason("{"), SkipReason::CutOff);
        assert_eq!(reason("{x"), SkipReason::NotJson);
        assert_eq!(reason(&"[".repeat(200)), SkipReason::TooDeep);
        let error = serde_json::from_str::<Vec<u8>>("{}").unwrap_err();
        assert_eq!(SkipReason::of(&error), SkipReason::NotAnObject);
    }
}
