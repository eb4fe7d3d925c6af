//! Finds the long runs of bytes in which a token could hide, without reading most of the rest.

use crate::text::Span;

/// The shortest token of any rule: an AWS key id. Hidden ones are longer.
pub(super) const SHORTEST_TOKEN: usize = 20;

/// Member of a run: a token character, or part of something that a view decodes or takes out.
pub(super) const HIDING: u8 = 1;
/// May begin an escape, an entity or an invisible character.
pub(super) const ESCAPE: u8 = 2;
/// A Markdown mark.
pub(super) const MARK: u8 = 4;
/// A character of base64, standard or URL-safe.
pub(super) const BASE64: u8 = 8;
/// A hexadecimal digit.
pub(super) const HEX: u8 = 16;
/// A character of a token: base64, and what stands between its parts.
pub(super) const TOKEN: u8 = 32;

/// A letter, digit, hyphen or underscore: what a token ends with, and a line only if the break may
/// be inside of one.
pub(super) const WORD: u8 = 64;

/// What a break in a token may start with.
pub(super) const GAP: u8 = 128;

/// What each byte may be part of.
pub(super) static KINDS: [u8; 256] = kinds();

const fn kinds() -> [u8; 256] {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let this = byte as u8;
        kinds[byte] = match this {
            b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F' => HIDING | TOKEN | WORD | BASE64 | HEX,
            b'g'..=b'z' | b'G'..=b'Z' | b'-' | b'_' => HIDING | TOKEN | WORD | BASE64,
            b'+' | b'/' => HIDING | TOKEN | BASE64,
            b'.' => HIDING | TOKEN,
            b'~' => HIDING | TOKEN | MARK | GAP,
            b'=' => HIDING | TOKEN | ESCAPE | GAP,
            b'*' | b'`' => HIDING | MARK | GAP,
            // Signs of an escape, and first bytes of the UTF-8 forms of invisible characters,
            // hyphens and full-width letters. Those of most other characters are not members, so
            // that text in a script without spaces is no single run.
            b'\\' => HIDING | ESCAPE | GAP,
            b'%' | b'&' | 0xC2 | 0xCC | 0xCD | 0xD8 | 0xE1..=0xE3 | 0xEF | 0xF0 | 0xF3 => {
                HIDING | ESCAPE
            }
            _ if is_hidden_control(this) => HIDING | ESCAPE,
            // What stands inside an escape, and continuation bytes.
            b'#' | b';' | b'{' | b'}' | 0x80..=0xBF => HIDING,
            b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'\'' | b'<' | b'|' | b'^' | 0x1B => GAP,
            _ => 0,
        };
        byte += 1;
    }
    kinds
}

/// Whether a byte is a control character that no text separates anything with, such as backspace.
/// NUL is left to the view of UTF-16, and escape starts a sequence.
pub(super) const fn is_hidden_control(byte: u8) -> bool {
    matches!(byte, 0x01..=0x08 | 0x0E..=0x1A | 0x7F)
}

pub(super) fn is(byte: u8, kind: u8) -> bool {
    KINDS[usize::from(byte)] & kind != 0
}

/// The number of leading bytes of `bytes` that are of `kind`.
pub(super) fn leading(bytes: &[u8], kind: u8) -> usize {
    bytes
        .iter()
        .position(|&byte| !is(byte, kind))
        .unwrap_or(bytes.len())
}

/// The number of trailing bytes of `bytes` that are of `kind`.
pub(super) fn trailing(bytes: &[u8], kind: u8) -> usize {
    bytes
        .iter()
        .rev()
        .position(|&byte| !is(byte, kind))
        .unwrap_or(bytes.len())
}

/// Runs of at least `least` bytes of `kind`, in order.
pub(super) struct Runs<'a> {
    bytes: &'a [u8],
    kind: u8,
    least: usize,
    at: usize,
}

/// A run, and everything its bytes are.
pub(super) struct Run {
    pub(super) span: Span,
    pub(super) kinds: u8,
}

impl<'a> Runs<'a> {
    pub(super) fn new(bytes: &'a [u8], kind: u8, least: usize) -> Self {
        Self {
            bytes,
            kind,
            least,
            at: 0,
        }
    }
}

impl Iterator for Runs<'_> {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        // A run of `least` bytes that starts at or after `at` covers the last byte of the next
        // `least`, or starts after it; so most bytes need not be looked at.
        while let Some(window) = self.bytes.get(self.at..self.at + self.least) {
            if let Some(outside) = window.iter().rposition(|&byte| !is(byte, self.kind)) {
                self.at += outside + 1;
                continue;
            }
            let start = self.at;
            let mut kinds = 0;
            let mut end = start;
            for &byte in &self.bytes[start..] {
                let these = KINDS[usize::from(byte)];
                if these & self.kind == 0 {
                    break;
                }
                kinds |= these;
                end += 1;
            }
            self.at = end + 1;
            return Some(Run {
                span: start..end,
                kinds,
            });
        }
        None
    }
}
