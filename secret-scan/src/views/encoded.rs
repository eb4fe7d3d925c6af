//! The views of what is written in base64 or in hexadecimal digits.
//!
//! Most long runs of such characters are hashes, images and identifiers. Text has the highest bit
//! of every byte clear, and in either notation that can be seen in single characters without
//! decoding; so a run is tested by looking at a few of them.

use super::base64::VALUES;
use super::runs::{BASE64, HEX, Runs, SHORTEST_TOKEN};
use super::view::View;
use crate::text::Span;

/// Base64 characters of the shortest token.
const BASE64_LEAST: usize = (SHORTEST_TOKEN * 8).div_ceil(6);

/// Groups of four characters that lie whole inside the shortest token wherever it starts.
const GROUPS_LEAST: usize = BASE64_LEAST / 4 - 1;

/// Calls `visit` with a view of each stretch of text that is encoded in `run` of `bytes`, until it
/// returns false. Returns whether it never did.
pub(super) fn decode_run(bytes: &[u8], run: &Span, visit: &mut dyn FnMut(&View) -> bool) -> bool {
    let part = &bytes[run.clone()];
    let base64 = || Runs::new(part, BASE64, BASE64_LEAST);
    let hex = || Runs::new(part, HEX, 2 * SHORTEST_TOKEN);
    base64().all(|inner| decode_base64(bytes, &shifted(&inner.span, run.start), visit))
        && hex().all(|inner| decode_hex(bytes, &shifted(&inner.span, run.start), visit))
}

fn shifted(span: &Span, by: usize) -> Span {
    span.start + by..span.end + by
}

fn decode_base64(bytes: &[u8], run: &Span, visit: &mut dyn FnMut(&View) -> bool) -> bool {
    // A run need not start where the encoder started: a path or a name may stand before it.
    (0..4).all(|phase| {
        let groups = &bytes[(run.start + phase).min(run.end)..run.end];
        if reads_as_text(groups) {
            return visit_text(&base64_view(bytes, run.start + phase..run.end), visit);
        }
        let mut at = 0;
        while let Some(stretch) = clear_groups(groups, at) {
            // A group more on either side, where the text may begin or end.
            let from = run.start + phase + stretch.start.saturating_sub(4);
            let to = run.end.min(run.start + phase + stretch.end + 4);
            if !visit_text(&base64_view(bytes, from..to), visit) {
                return false;
            }
            at = stretch.end;
        }
        true
    })
}

/// Whether a run starts with UTF-8 text, of any script.
fn reads_as_text(groups: &[u8]) -> bool {
    const TESTED: usize = 24;
    let mut decoded = [0_u8; TESTED];
    let mut len = 0;
    for (group, bytes) in groups.chunks_exact(4).zip(decoded.chunks_exact_mut(3)) {
        let bits = group.iter().fold(0_u32, |bits, &byte| {
            bits << 6 | u32::from(VALUES[usize::from(byte)])
        });
        bytes.copy_from_slice(&bits.to_be_bytes()[1..]);
        // Nearly every run that is no text shows it in its first characters.
        if !bytes.iter().all(|&byte| is_text(byte)) {
            return false;
        }
        len += 3;
    }
    match std::str::from_utf8(&decoded[..len]) {
        Ok(text) => !text.is_empty(),
        // The last character may be cut.
        Err(error) => error.valid_up_to() > 0 && error.error_len().is_none(),
    }
}

fn is_text(byte: u8) -> bool {
    byte >= b' ' && byte != 0x7F || matches!(byte, b'\t' | b'\n' | b'\r')
}

/// The next stretch of at least [`GROUPS_LEAST`] groups of four characters, at or after `at`,
/// that decode to bytes below `0x80`; in bytes of `groups`.
fn clear_groups(groups: &[u8], mut at: usize) -> Option<Span> {
    let is_clear = |at: usize| {
        let value = |index: usize| VALUES[usize::from(groups[at + index])];
        value(0) & 0b10_0000 | value(1) & 0b00_1000 | value(2) & 0b00_0010 == 0
    };
    // As in `Runs`: the last group decides first.
    loop {
        let last = at + (GROUPS_LEAST - 1) * 4;
        if last + 4 > groups.len() {
            return None;
        }
        match (at..last + 4)
            .step_by(4)
            .rev()
            .find(|&group| !is_clear(group))
        {
            Some(set) => at = set + 4,
            None => break,
        }
    }
    let mut end = at + GROUPS_LEAST * 4;
    while end + 4 <= groups.len() && is_clear(end) {
        end += 4;
    }
    Some(at..end)
}

fn base64_view(bytes: &[u8], encoded: Span) -> View {
    let decoded = super::base64::decode(&bytes[encoded.clone()]);
    let padding = bytes[encoded.end..]
        .iter()
        .take(2)
        .take_while(|&&byte| byte == b'=')
        .count();
    // Characters that make no whole byte belong to nothing.
    let whole = encoded.start + (decoded.len() * 8).div_ceil(6);
    let end = if whole == encoded.end {
        whole + padding
    } else {
        whole
    };
    View::of_digits(decoded, encoded.start..end, 6)
}

fn decode_hex(bytes: &[u8], run: &Span, visit: &mut dyn FnMut(&View) -> bool) -> bool {
    (0..2).all(|phase| {
        let pairs = &bytes[run.start + phase..run.end];
        let is_clear = |pair: usize| pairs[pair * 2] < b'8';
        let count = pairs.len() / 2;
        let mut at = 0;
        while at + SHORTEST_TOKEN <= count {
            let window = at..at + SHORTEST_TOKEN;
            if let Some(set) = window.rev().find(|&pair| !is_clear(pair)) {
                at = set + 1;
                continue;
            }
            let end = (at..count).find(|&pair| !is_clear(pair)).unwrap_or(count);
            let start = run.start + phase + at * 2;
            if !visit_text(&hex_view(bytes, start..start + (end - at) * 2), visit) {
                return false;
            }
            at = end;
        }
        true
    })
}

fn hex_view(bytes: &[u8], encoded: Span) -> View {
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or(0) as u8;
    let decoded = bytes[encoded.clone()]
        .chunks_exact(2)
        .map(|pair| digit(pair[0]) << 4 | digit(pair[1]))
        .collect();
    View::of_digits(decoded, encoded, 4)
}

/// Visits a view if it holds enough text, of one byte or of two a character. What else it holds
/// does no harm: no pattern matches it.
fn visit_text(view: &View, visit: &mut dyn FnMut(&View) -> bool) -> bool {
    let readable = |byte: u8| is_text(byte) || byte == 0;
    let mut longest = 0;
    let mut run = 0;
    for &byte in view.bytes() {
        run = if readable(byte) { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest < SHORTEST_TOKEN || visit(view)
}
