//! Where the front matter of a file begins and ends.

use super::fields::{KeyRule, key_of};
use super::{BYTE_ORDER_MARK, Line, Lines, indentation, is_blank};
use crate::limits::FRONT_MATTER_MAX_BYTES;

/// How the front matter ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// There is none.
    Missing,
    /// By a closing fence.
    Closed,
    /// The closing fence is missing; the fields end where prose begins.
    Unclosed,
    /// The line limit came first.
    Cut,
}

/// The places in a file that delimit its front matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) state: State,
    /// Bytes before everything: 3 with a byte order mark, else 0.
    pub(crate) start: usize,
    /// Blank lines before the opening fence.
    pub(crate) late: bool,
    /// First byte after the opening fence, and the number of that line.
    pub(crate) fields: usize,
    pub(crate) fields_line: usize,
    /// One past the last byte of the fields: the start of the closing fence when there is one.
    pub(crate) fields_end: usize,
    /// First byte after the closing fence, and the number of that line.
    pub(crate) body: usize,
    pub(crate) body_line: usize,
}

/// Finds the front matter within the first `max_lines` lines.
///
/// The first line that is not blank must be a fence, and the first one below it must look like a
/// field (or close the fence): a Markdown file may also begin with a horizontal rule. A line of
/// prose after a blank line ends the fields even when a fence follows further down, because that
/// fence is then a rule in the body of a file whose front matter was never closed.
pub(crate) fn find(bytes: &[u8], max_lines: usize) -> Extent {
    let start = if bytes.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    };
    let missing = Extent {
        state: State::Missing,
        start,
        late: false,
        fields: start,
        fields_line: 1,
        fields_end: start,
        body: start,
        body_line: 1,
    };
    let mut lines = Lines::from(bytes, start, 1);
    let Some(fence) = lines
        .by_ref()
        .take(max_lines)
        .find(|line| !is_blank(line.text))
    else {
        return missing;
    };
    if !is_fence(fence.text) {
        return missing;
    }
    let at_end = |state, end: usize, body: usize, body_line| Extent {
        state,
        late: fence.number > 1,
        fields: fence.next,
        fields_line: fence.number + 1,
        fields_end: end,
        body,
        body_line,
        ..missing
    };
    let mut watch = Watch::default();
    let mut last = fence.number + 1;
    for line in lines {
        last = line.number + 1;
        if line.number > max_lines || line.start - fence.next > FRONT_MATTER_MAX_BYTES {
            let state = if watch.seen_key {
                State::Cut
            } else {
                State::Missing
            };
            return at_end(state, line.start, line.start, line.number);
        }
        if is_fence(line.text) || line.text.trim_ascii_end() == b"..." {
            return at_end(State::Closed, line.start, line.next, line.number + 1);
        }
        match watch.see(line) {
            Seen::Field => {}
            Seen::NotFrontMatter => return missing,
            Seen::Prose { end, number } => return at_end(State::Unclosed, end, end, number),
        }
    }
    if !watch.seen_key {
        return missing;
    }
    let (end, number) = watch.odd.or(watch.blank).unwrap_or((bytes.len(), last));
    at_end(State::Unclosed, end, end, number)
}

/// A line of exactly three dashes; spaces after them do not count.
pub(crate) fn is_fence(line: &[u8]) -> bool {
    line.trim_ascii_end() == b"---"
}

/// What was seen of the lines below the opening fence.
#[derive(Default)]
struct Watch {
    seen_key: bool,
    /// The first blank line since the last field: its offset and number.
    blank: Option<(usize, usize)>,
    /// The first line since the last field that is neither field nor continuation.
    odd: Option<(usize, usize)>,
}

enum Seen {
    Field,
    NotFrontMatter,
    Prose { end: usize, number: usize },
}

impl Watch {
    fn see(&mut self, line: Line<'_>) -> Seen {
        if is_blank(line.text) {
            self.blank = self.blank.or(Some((line.start, line.number)));
            return Seen::Field;
        }
        let content = &line.text[indentation(line.text)..];
        if key_of(content, KeyRule::Strict).is_some() {
            self.seen_key = true;
            self.blank = None;
            self.odd = None;
            return Seen::Field;
        }
        if content.starts_with(b"#") && self.blank.is_none() {
            return Seen::Field;
        }
        if !self.seen_key {
            return Seen::NotFrontMatter;
        }
        let indented = content.len() < line.text.len();
        match self.blank {
            Some(blank) if !indented => {
                let (end, number) = self.odd.unwrap_or(blank);
                return Seen::Prose { end, number };
            }
            None if !indented && !content.starts_with(b"- ") => {
                self.odd = self.odd.or(Some((line.start, line.number)));
            }
            _ => {}
        }
        Seen::Field
    }
}
