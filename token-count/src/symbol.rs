//! The 64 symbols of the pair table: what one ASCII byte counts as.

/// The kind of one byte, which decides where a piece ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ByteKind {
    Lower,
    Upper,
    Digit,
    /// Printable ASCII that is neither letter nor digit, and control characters.
    Punctuation,
    /// Space, tab, vertical tab, form feed.
    Space,
    /// Line feed and carriage return.
    LineEnd,
    /// Part of a character beyond ASCII.
    High,
}

/// Number of symbols; the pair table has `COUNT * COUNT` weights.
pub(crate) const COUNT: usize = 64;
/// A Latin letter beyond ASCII, such as `ß` or `ő`.
pub(crate) const LATIN: u8 = 27;
/// One space.
pub(crate) const SPACE: u8 = 28;

/// Symbol 0 is the edge of a piece and any control character; 1–26 are the letters without regard
/// to case, 27 [`LATIN`], 28 space, 29 tab, 30 line feed, 31 carriage return, 32–63 the 32 ASCII
/// punctuation characters in code order.
const SYMBOLS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    let mut mark = 32;
    while byte < 128 {
        let b = byte as u8;
        if b.is_ascii_alphabetic() {
            table[byte] = b.to_ascii_lowercase() - b'a' + 1;
        } else if b.is_ascii_punctuation() {
            table[byte] = mark;
            mark += 1;
        }
        byte += 1;
    }
    table[b' ' as usize] = SPACE;
    table[b'\t' as usize] = 29;
    table[b'\n' as usize] = 30;
    table[b'\r' as usize] = 31;
    table
};

const KINDS: [ByteKind; 256] = {
    let mut table = [ByteKind::High; 256];
    let mut byte = 0;
    while byte < 128 {
        let b = byte as u8;
        table[byte] = match b {
            b'a'..=b'z' => ByteKind::Lower,
            b'A'..=b'Z' => ByteKind::Upper,
            b'0'..=b'9' => ByteKind::Digit,
            b'\n' | b'\r' => ByteKind::LineEnd,
            b' ' | b'\t' | 0x0b | 0x0c => ByteKind::Space,
            _ => ByteKind::Punctuation,
        };
        byte += 1;
    }
    table
};

pub(crate) fn kind(byte: u8) -> ByteKind {
    KINDS[byte as usize]
}

pub(crate) fn of(byte: u8) -> u8 {
    SYMBOLS[byte as usize]
}

/// The symbol of an ASCII letter, which is its place in the alphabet in either case.
pub(crate) fn of_letter(byte: u8) -> u8 {
    byte & 0x1f
}
