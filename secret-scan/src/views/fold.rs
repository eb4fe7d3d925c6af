//! The view without escapes: percent, backslash, entities and quoted-printable decoded, invisible
//! characters taken out, full-width and other styled letters and typographic hyphens folded to
//! ASCII.
//!
//! All at once, because a text that mixes them is one trick, not several; applied to its own
//! result, it undoes an escaped escape.

use super::runs::{self, ESCAPE, SHORTEST_TOKEN, TOKEN};
use super::units::{Unit, unit_at};
use super::view::View;
use crate::text::Span;

/// The visible characters of a text from some place on, escapes decoded.
#[derive(Clone)]
pub(crate) struct Characters<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Characters<'a> {
    pub(crate) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// Where the next character is read.
    pub(crate) fn at(&self) -> usize {
        self.at
    }
}

/// Each character, as its byte and where its notation ends.
impl Iterator for Characters<'_> {
    type Item = (u8, usize);

    fn next(&mut self) -> Option<(u8, usize)> {
        while let Some(&plain) = self.bytes.get(self.at) {
            let (byte, len) = match unit_at(self.bytes, self.at) {
                Unit::Plain => (Some(plain), 1),
                Unit::Means { byte, len } => (Some(byte), len),
                Unit::Invisible { len } => (None, len),
            };
            self.at += len;
            if let Some(byte) = byte {
                return Some((byte, self.at));
            }
        }
        None
    }
}

/// Decodes all of `part` of `bytes`.
pub(super) fn fold_all(bytes: &[u8], part: Span) -> View {
    let mut view = View::with_capacity(part.len());
    let mut characters = Characters::new(&bytes[..part.end], part.start);
    loop {
        let start = characters.at();
        let Some((byte, end)) = characters.next() else {
            return view;
        };
        view.push(byte, start..end);
    }
}

/// Decodes `run` of `bytes`, or returns `None` where that brings nothing to light.
pub(super) fn fold(bytes: &[u8], run: Span) -> Option<View> {
    let part = &bytes[..run.end];
    let next_escape = |from: usize| {
        part[from..]
            .iter()
            .position(|&byte| runs::is(byte, ESCAPE))
            .map_or(run.end, |length| from + length)
    };
    let next_unit = |from: usize| {
        let mut at = next_escape(from);
        while at < run.end {
            match unit_at(part, at) {
                Unit::Plain => at = next_escape(at + 1),
                unit => return Some((at, unit)),
            }
        }
        None
    };

    let mut unit = next_unit(run.start);
    unit.as_ref()?;
    let mut view = View::with_capacity(run.len());
    let mut worth = Worth::default();
    let mut copied = run.start;
    while let Some((at, found)) = unit {
        view.copy(part, copied..at);
        worth.copy(&part[copied..at]);
        copied = match found {
            Unit::Means { byte, len } => {
                view.push(byte, at..at + len);
                worth.decode(byte, len);
                at + len
            }
            Unit::Invisible { len } => {
                worth.is_decoded = true;
                at + len
            }
            Unit::Plain => at + 1,
        };
        unit = next_unit(copied);
    }
    view.copy(part, copied..run.end);
    worth.copy(&part[copied..run.end]);
    worth.settle();
    (worth.longest >= SHORTEST_TOKEN
        || worth.separator_decoded && view.bytes().len() >= SHORTEST_TOKEN)
        .then_some(view)
}

/// Finds out whether a decoded text could show a token that the text itself does not.
#[derive(Default)]
struct Worth {
    /// Token characters in a row up to here, and whether one of them was decoded.
    stretch: usize,
    is_decoded: bool,
    /// The longest stretch with something decoded in it.
    longest: usize,
    separator_decoded: bool,
}

impl Worth {
    fn copy(&mut self, plain: &[u8]) {
        let leading = runs::leading(plain, TOKEN);
        self.stretch += leading;
        if leading < plain.len() {
            self.settle();
            self.is_decoded = false;
            self.stretch = runs::trailing(plain, TOKEN);
        }
    }

    fn decode(&mut self, byte: u8, len: usize) {
        // A line end inside a token is for the joining view to take out.
        if runs::is(byte, TOKEN) || byte == b'\n' {
            self.stretch += 1;
            self.is_decoded = true;
            return;
        }
        self.separator_decoded |= len > 2;
        self.settle();
        self.is_decoded = false;
        self.stretch = 0;
    }

    fn settle(&mut self) {
        if self.is_decoded {
            self.longest = self.longest.max(self.stretch);
        }
    }
}
