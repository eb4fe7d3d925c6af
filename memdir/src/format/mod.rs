//! The text form of a memory file: YAML front matter that real folders get wrong in many ways,
//! and a Markdown body.
//!
//! Everything here works on byte ranges of the original file. Reading finds where things are,
//! writing splices new bytes into place, so that what nobody touched cannot change.

mod fields;
mod front_matter;
mod print;
mod value;
mod yaml;

pub(crate) use fields::{Field, FieldItem, Fields};
pub(crate) use front_matter::{Extent, State, find};
pub(crate) use print::{field_line, flow_pair, key_text, scalar};
pub(crate) use value::{decode, is_null, without_comment};
pub(crate) use yaml::{flow_pairs, strict_error};

/// The byte order mark in UTF-8.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// One line of a text: where it is, and how to go on after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// Counted from 1.
    pub(crate) number: usize,
    /// Offset of its first byte.
    pub(crate) start: usize,
    /// Its bytes without the line end (LF or CRLF).
    pub(crate) text: &'a [u8],
    /// Offset of the next line.
    pub(crate) next: usize,
}

/// Iterates over the lines of `bytes` from an offset on; a last line without line end counts.
#[derive(Debug, Clone)]
pub(crate) struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    number: usize,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self::from(bytes, 0, 1)
    }

    /// Starts at offset `at`, which is the start of line `number`.
    pub(crate) fn from(bytes: &'a [u8], at: usize, number: usize) -> Self {
        Self { bytes, at, number }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let start = self.at;
        let (text, next) = match memchr::memchr(b'\n', rest) {
            Some(end) => (&rest[..end], start + end + 1),
            None => (rest, self.bytes.len()),
        };
        let line = Line {
            number: self.number,
            start,
            text: text.strip_suffix(b"\r").unwrap_or(text),
            next,
        };
        self.at = next;
        self.number += 1;
        Some(line)
    }
}

/// Spaces and tabs at the start of a line.
pub(crate) fn indentation(line: &[u8]) -> usize {
    line.iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count()
}

pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}
