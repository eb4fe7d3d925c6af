//! Lines and columns.

use crate::finding::Position;

/// Counts lines and characters from the start of the input onwards.
pub(crate) struct Cursor {
    offset: usize,
    line: u64,
    column: u64,
}

impl Default for Cursor {
    fn default() -> Self {
        Self {
            offset: 0,
            line: 1,
            column: 1,
        }
    }
}

impl Cursor {
    pub(crate) fn position(&self) -> Position {
        Position {
            line: self.line,
            column: self.column,
        }
    }

    /// Moves on to `to`; `bytes` starts at offset `base` of the input. Never moves back.
    pub(crate) fn advance(&mut self, bytes: &[u8], base: usize, to: usize) {
        if to <= self.offset {
            return;
        }
        let passed = &bytes[self.offset - base..to - base];
        let line_start = match memchr::memrchr(b'\n', passed) {
            Some(last) => {
                self.line += memchr::memchr_iter(b'\n', passed).count() as u64;
                self.column = 1;
                last + 1
            }
            None => 0,
        };
        self.column += characters(&passed[line_start..]);
        self.offset = to;
    }
}

/// The number of bytes that are not UTF-8 continuation bytes.
fn characters(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u64
}
