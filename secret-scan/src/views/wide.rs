//! The view of UTF-16 text.

use super::view::View;
use crate::finding::Wide;

/// Pairs of a NUL and a printable ASCII character in a row that make a text UTF-16.
const PAIRS: u32 = 12;

/// How UTF-16 text stands in some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) order: Wide,
    /// Whether the units start at odd offsets.
    odd: bool,
}

/// The forms in which parts of `bytes` are UTF-16 text. The order of the bytes shows in where the
/// NUL of each pair stands, so no byte order mark is needed and one in the middle of a file does no
/// harm.
pub(super) fn forms(bytes: &[u8]) -> impl Iterator<Item = Form> + use<> {
    // Indexed by whether the NUL stands at an odd offset.
    let mut last = [usize::MAX; 2];
    let mut pairs = [0_u32; 2];
    let mut first = [0; 2];
    let mut found = [None; 2];
    for nul in memchr::memchr_iter(0, bytes) {
        let odd = nul % 2;
        let next = nul + 1 - 2 * odd;
        let printable = bytes.get(next).is_some_and(|&byte| is_printable(byte));
        if !printable {
            pairs[odd] = 0;
        } else if pairs[odd] > 0 && last[odd].wrapping_add(2) == nul {
            pairs[odd] += 1;
        } else {
            pairs[odd] = 1;
            first[odd] = nul;
        }
        last[odd] = nul;
        if pairs[odd] == PAIRS && found[odd].is_none() {
            found[odd] = Some(first[odd]);
            if found.iter().all(Option::is_some) {
                break;
            }
        }
    }
    let little = found[1].map(|_| Form {
        order: Wide::LittleEndian,
        odd: false,
    });
    // A NUL at an even offset is the first byte of a big-endian unit, or the second byte of a
    // little-endian one at an odd offset; then a character stands before the first of them.
    let other = found[0].map(|first: usize| {
        let shifted = first
            .checked_sub(1)
            .is_some_and(|at| is_printable(bytes[at]));
        Form {
            order: if shifted {
                Wide::LittleEndian
            } else {
                Wide::BigEndian
            },
            odd: shifted,
        }
    });
    little.into_iter().chain(other)
}

fn is_printable(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r')
}

/// The text in UTF-8. What is no character becomes `?`.
pub(super) fn view(bytes: &[u8], form: Form) -> View {
    let unit = |at: usize| match form.order {
        Wide::LittleEndian => u16::from_le_bytes([bytes[at], bytes[at + 1]]),
        Wide::BigEndian => u16::from_be_bytes([bytes[at], bytes[at + 1]]),
    };
    let mut view = View::with_capacity(bytes.len());
    let mut at = usize::from(form.odd);
    let end = bytes.len() - (bytes.len() - at) % 2;
    while at < end {
        let units = (at..end).step_by(2).take(2).map(unit);
        let character = char::decode_utf16(units).next().and_then(Result::ok);
        let character = character.unwrap_or('?');
        let source = at..at + character.len_utf16() * 2;
        for &byte in character.encode_utf8(&mut [0; 4]).as_bytes() {
            view.push(byte, source.clone());
        }
        at = source.end;
    }
    // Where a big-endian text is read from its second byte on, its last character stands alone.
    if form.order == Wide::LittleEndian
        && let Some(&last) = bytes.get(end)
        && is_printable(last)
    {
        view.push(last, end..end + 1);
    }
    view
}
