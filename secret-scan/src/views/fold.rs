//! The view without escapes: percent, backslash, entities and quoted-printable decoded, invisible
//! characters taken out, full-width letters and typographic hyphens folded to ASCII.
//!
//! All at once, because a text that mixes them is one trick, not several; applied to its own
//! result, it undoes an escaped escape.

use super::runs::{self, ESCAPE, SHORTEST_TOKEN, TOKEN};
use super::view::View;
use crate::text::Span;

/// What stands at one place of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Nothing to decode.
    Plain,
    /// `len` bytes that mean one ASCII character.
    Means { byte: u8, len: usize },
    /// `len` bytes that are not visible.
    Invisible { len: usize },
}

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

/// Reads the unit at `at`, which is inside `bytes`.
pub(super) fn unit_at(bytes: &[u8], at: usize) -> Unit {
    let rest = &bytes[at..];
    match rest[0] {
        b'%' => percent(rest),
        b'\\' => backslash(rest),
        b'&' => entity(rest),
        b'=' => quoted_printable(rest),
        0xC2.. => character(rest),
        _ => Unit::Plain,
    }
}

/// `%41`, and `%u0041` as old scripts write it.
fn percent(rest: &[u8]) -> Unit {
    match rest {
        [_, b'u' | b'U', digits @ ..] => hex_unit(digits, 4, 2),
        _ => byte_units(rest, b"%"),
    }
}

/// `\u0041`, `\u{41}`, `\U00000041`, `\x41`, `\x{41}`, `\101`, `\n`, and `\` before punctuation.
/// Escaped backslashes before it belong to it: text that was escaped twice.
fn backslash(rest: &[u8]) -> Unit {
    const MOST_SLASHES: usize = 4;
    let slashes = rest
        .iter()
        .take(MOST_SLASHES)
        .take_while(|&&byte| byte == b'\\')
        .count();
    let Some(&kind) = rest.get(slashes) else {
        return Unit::Plain;
    };
    let body = &rest[slashes + 1..];
    let len = slashes + 1;
    match kind {
        b'u' | b'x' if body.first() == Some(&b'{') => {
            let digits = hex_digits(&body[1..], 6);
            match body.get(digits + 1) {
                Some(b'}') => hex_unit(&body[1..], digits, len + 1).lengthened(1),
                _ => Unit::Plain,
            }
        }
        b'u' => hex_unit(body, 4, len),
        b'U' => hex_unit(body, 8, len),
        b'x' => byte_units(&rest[slashes - 1..], br"\x").lengthened(slashes - 1),
        b'0'..=b'3' => match body {
            [middle @ b'0'..=b'7', last @ b'0'..=b'7', ..] => {
                let code = u32::from(kind - b'0') << 6
                    | u32::from(middle - b'0') << 3
                    | u32::from(last - b'0');
                code_unit(code, len + 2)
            }
            _ => Unit::Plain,
        },
        b'n' => Unit::Means { byte: b'\n', len },
        b'r' => Unit::Means { byte: b'\r', len },
        b't' => Unit::Means { byte: b'\t', len },
        _ if kind.is_ascii_punctuation() => Unit::Means { byte: kind, len },
        _ => Unit::Plain,
    }
}

/// `&#65;`, `&#x41;` and the names HTML gives to characters of tokens and to invisible ones. The
/// semicolon may be missing after a number, as browsers allow.
fn entity(rest: &[u8]) -> Unit {
    /// From the list of named character references of the HTML standard.
    const NAMES: [(&[u8], Option<u8>); 27] = [
        (b"amp;", Some(b'&')),
        (b"apos;", Some(b'\'')),
        (b"ast;", Some(b'*')),
        (b"bsol;", Some(b'\\')),
        (b"colon;", Some(b':')),
        (b"commat;", Some(b'@')),
        (b"dash;", Some(b'-')),
        (b"equals;", Some(b'=')),
        (b"grave;", Some(b'`')),
        (b"gt;", Some(b'>')),
        (b"hyphen;", Some(b'-')),
        (b"lowbar;", Some(b'_')),
        (b"lt;", Some(b'<')),
        (b"minus;", Some(b'-')),
        (b"nbsp;", Some(b' ')),
        (b"ndash;", Some(b'-')),
        (b"num;", Some(b'#')),
        (b"percnt;", Some(b'%')),
        (b"period;", Some(b'.')),
        (b"plus;", Some(b'+')),
        (b"quot;", Some(b'"')),
        (b"sol;", Some(b'/')),
        (b"NewLine;", Some(b'\n')),
        (b"shy;", None),
        (b"zwj;", None),
        (b"zwnj;", None),
        (b"ZeroWidthSpace;", None),
    ];
    let body = &rest[1..];
    match body {
        [b'#', b'x' | b'X', digits @ ..] => {
            let count = hex_digits(digits, 8);
            let closed = usize::from(digits.get(count) == Some(&b';'));
            hex_unit(digits, count, 3).lengthened(closed)
        }
        [b'#', digits @ ..] => {
            let count = digits
                .iter()
                .take(8)
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            if count == 0 {
                return Unit::Plain;
            }
            let code = digits[..count]
                .iter()
                .fold(0, |code, &digit| code * 10 + u32::from(digit - b'0'));
            let closed = usize::from(digits.get(count) == Some(&b';'));
            code_unit(code, 2 + count + closed)
        }
        [first, ..] if first.is_ascii_alphabetic() => NAMES
            .iter()
            .find(|(name, _)| body.starts_with(name))
            .map_or(Unit::Plain, |&(name, byte)| match byte {
                Some(byte) => Unit::Means {
                    byte,
                    len: 1 + name.len(),
                },
                None => Unit::Invisible {
                    len: 1 + name.len(),
                },
            }),
        _ => Unit::Plain,
    }
}

/// `=41` and `=5F`. Only capitals, and only printable ASCII, line ends and whole UTF-8 characters:
/// `key=dapi…` and `id=AB…` are far more often what they seem to be.
fn quoted_printable(rest: &[u8]) -> Unit {
    let capital = |byte: &u8| matches!(byte, b'0'..=b'9' | b'A'..=b'F');
    match rest {
        [_, high, low, ..] if capital(high) && capital(low) => match byte_units(rest, b"=") {
            Unit::Means { byte, len: 3 } if byte < b' ' && !matches!(byte, b'\r' | b'\n') => {
                Unit::Plain
            }
            unit => unit,
        },
        _ => Unit::Plain,
    }
}

/// A character whose UTF-8 bytes are written with `prefix` and two hexadecimal digits each.
fn byte_units(rest: &[u8], prefix: &[u8]) -> Unit {
    let each = prefix.len() + 2;
    let byte_at = |index: usize| {
        let digits = rest.get(index * each..)?.strip_prefix(prefix)?;
        (hex_digits(digits, 2) == 2).then(|| hex_value(&digits[..2]) as u8)
    };
    let Some(first) = byte_at(0) else {
        return Unit::Plain;
    };
    let mut character = [first, 0, 0, 0];
    let len = match first {
        ..0x80 => return code_unit(first.into(), each),
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return Unit::Plain,
    };
    for (index, byte) in character.iter_mut().enumerate().take(len).skip(1) {
        match byte_at(index) {
            Some(next) => *byte = next,
            None => return Unit::Plain,
        }
    }
    match self::character(&character) {
        Unit::Plain => Unit::Plain,
        Unit::Means { byte, .. } => Unit::Means {
            byte,
            len: len * each,
        },
        Unit::Invisible { .. } => Unit::Invisible { len: len * each },
    }
}

/// Invisible characters, full-width forms and hyphens, by their UTF-8 bytes.
fn character(rest: &[u8]) -> Unit {
    let code = match *rest {
        [0xC2, last @ 0x80..=0xBF, ..] => 0x80 | u32::from(last & 0x3F),
        [0xCD, last @ 0x80..=0xBF, ..] => 0x340 | u32::from(last & 0x3F),
        [
            first @ 0xE1..=0xEF,
            middle @ 0x80..=0xBF,
            last @ 0x80..=0xBF,
            ..,
        ] => u32::from(first & 0x0F) << 12 | u32::from(middle & 0x3F) << 6 | u32::from(last & 0x3F),
        [
            0xF3,
            second @ 0x80..=0xBF,
            third @ 0x80..=0xBF,
            last @ 0x80..=0xBF,
            ..,
        ] => {
            3 << 18
                | u32::from(second & 0x3F) << 12
                | u32::from(third & 0x3F) << 6
                | u32::from(last & 0x3F)
        }
        _ => return Unit::Plain,
    };
    let len = match code {
        0..0x800 => 2,
        0x800..0x10000 => 3,
        _ => 4,
    };
    code_unit(code, len)
}

/// The unit of the character `code`, written with `len` bytes.
fn code_unit(code: u32, len: usize) -> Unit {
    match code {
        0x00..=0x7F => Unit::Means {
            byte: code as u8,
            len,
        },
        // Full-width forms of `!` to `~`.
        0xFF01..=0xFF5E => Unit::Means {
            byte: (code - 0xFF01) as u8 + b'!',
            len,
        },
        // Hyphens, the en dash that typography makes of a hyphen, the minus sign.
        0x2010..=0x2013 | 0x2212 | 0xFE63 => Unit::Means { byte: b'-', len },
        // Soft hyphen, combining grapheme joiner, Mongolian vowel separator, zero-width and
        // direction characters, joiners, variation selectors, byte order mark, tags.
        0xAD
        | 0x34F
        | 0x180E
        | 0x200B..=0x200F
        | 0x202A..=0x202E
        | 0x2060..=0x206F
        | 0xFE00..=0xFE0F
        | 0xFEFF
        | 0xE0000..=0xE007F
        | 0xE0100..=0xE01EF => Unit::Invisible { len },
        _ => Unit::Plain,
    }
}

/// The character whose code is written in `count` hexadecimal digits, after `before` bytes of
/// introduction.
fn hex_unit(digits: &[u8], count: usize, before: usize) -> Unit {
    if count == 0 || hex_digits(digits, count) < count {
        return Unit::Plain;
    }
    code_unit(hex_value(&digits[..count]), before + count)
}

/// The value of at most eight hexadecimal digits.
fn hex_value(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |value, &digit| {
        value << 4 | char::from(digit).to_digit(16).unwrap_or(0)
    })
}

/// The number of leading hexadecimal digits, at most `most`.
fn hex_digits(bytes: &[u8], most: usize) -> usize {
    bytes
        .iter()
        .take(most)
        .take_while(|byte| byte.is_ascii_hexdigit())
        .count()
}

impl Unit {
    fn lengthened(self, more: usize) -> Self {
        match self {
            Self::Plain => Self::Plain,
            Self::Means { byte, len } => Self::Means {
                byte,
                len: len + more,
            },
            Self::Invisible { len } => Self::Invisible { len: len + more },
        }
    }
}
