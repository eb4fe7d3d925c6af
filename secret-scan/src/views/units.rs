//! What stands at one place of a text: a character as it is, the notation of one, or nothing that
//! can be seen.

use super::runs::is_hidden_control;

/// How often escapes may be escaped inside one notation: `%252541`, `&amp;amp;#65;`. What was
/// escaped more often is left to the next view.
const MOST_NESTED: usize = 4;

/// Escaping doubles backslashes, so these are four times.
const MOST_SLASHES: usize = 16;

/// Zeros before the digits of a number.
const MOST_ZEROS: usize = 32;

/// What stands at one place of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// Nothing to decode.
    Plain,
    /// `len` bytes that mean one ASCII character.
    Means { byte: u8, len: usize },
    /// `len` bytes that are not visible.
    Invisible { len: usize },
}

/// Reads the unit at `at`, which is inside `bytes`.
pub(super) fn unit_at(bytes: &[u8], at: usize) -> Unit {
    let rest = &bytes[at..];
    match rest[0] {
        b'%' => percent(rest),
        b'\\' => backslash(rest),
        b'&' => entity(rest),
        b'=' => quoted_printable(rest),
        0xC2.. => character(rest).map_or(Unit::Plain, |(code, len)| code_unit(code, len)),
        control if is_hidden_control(control) => Unit::Invisible { len: 1 },
        _ => Unit::Plain,
    }
}

/// `%41`, `%u0041` as old scripts write it, and `%2541`.
fn percent(rest: &[u8]) -> Unit {
    let pairs = rest[1..].chunks_exact(2).take(MOST_NESTED);
    let nested = pairs.take_while(|pair| pair == b"25").count();
    let unit = |nested: usize| {
        let (introduction, body) = rest.split_at(1 + 2 * nested);
        match body {
            [b'u' | b'U', digits @ ..] => hex_unit(digits, 4, introduction.len() + 1),
            _ => byte_units(rest, introduction),
        }
    };
    (0..=nested)
        .rev()
        .map(unit)
        .find(|unit| *unit != Unit::Plain)
        .unwrap_or(Unit::Plain)
}

/// `\u0041`, `\u{41}`, `\U00000041`, `\x41`, `\x{41}`, `\101`, `\0101`, `\o{101}`, `\n`, and `\`
/// before punctuation. Escaped backslashes before it belong to it: text that was escaped twice.
fn backslash(rest: &[u8]) -> Unit {
    let slashes = rest.iter().take(MOST_SLASHES);
    let slashes = slashes.take_while(|&&byte| byte == b'\\').count();
    let Some((&kind, body)) = rest[slashes..].split_first() else {
        return Unit::Plain;
    };
    let len = slashes + 1;
    match kind {
        b'u' | b'x' if body.first() == Some(&b'{') => {
            let zeros = zeros(&body[1..]);
            let digits = hex_digits(&body[1 + zeros..], 8);
            match body.get(1 + zeros + digits) {
                Some(b'}') if zeros + digits > 0 => code_unit(
                    hex_value(&body[1 + zeros..][..digits]),
                    len + zeros + digits + 2,
                ),
                _ => Unit::Plain,
            }
        }
        b'u' => utf16_unit(rest, slashes),
        b'U' => hex_unit(body, 8, len),
        b'x' => byte_units(&rest[slashes - 1..], br"\x").lengthened(slashes - 1),
        b'o' => match *body {
            [b'{', high, middle, low, b'}', ..] => octal_unit([high, middle, low], len + 5),
            [b'{', high, low, b'}', ..] => octal_unit([b'0', high, low], len + 4),
            _ => Unit::Plain,
        },
        b'0'..=b'3' => match *body {
            // The shell writes a zero first. Three digits alone would be a control character.
            [b'0' | b'1', middle, low, ..] if kind == b'0' && is_octal(middle) && is_octal(low) => {
                octal_unit([body[0], middle, low], len + 3)
            }
            [middle, low, ..] => octal_unit([kind, middle, low], len + 2),
            _ => Unit::Plain,
        },
        b'n' => Unit::Means { byte: b'\n', len },
        b'r' => Unit::Means { byte: b'\r', len },
        b't' => Unit::Means { byte: b'\t', len },
        _ if kind.is_ascii_punctuation() => Unit::Means { byte: kind, len },
        _ => Unit::Plain,
    }
}

/// `\u0041` with this many backslashes, with more than one `u` as Java allows, and a character in
/// two of them, as JSON writes what has no 16 bits.
fn utf16_unit(rest: &[u8], slashes: usize) -> Unit {
    let read = |part: &[u8]| {
        let letters = part[slashes..].iter().take(MOST_ZEROS);
        let letters = letters.take_while(|&&byte| byte == b'u').count();
        let digits = &part[slashes + letters..];
        (letters > 0 && hex_digits(digits, 4) == 4)
            .then(|| (hex_value(&digits[..4]), slashes + letters + 4))
    };
    let Some((first, len)) = read(rest) else {
        return Unit::Plain;
    };
    if !(0xD800..0xDC00).contains(&first) {
        return code_unit(first, len);
    }
    let second = &rest[len..];
    let is_next = second.len() > slashes && second[..slashes].iter().all(|&byte| byte == b'\\');
    match is_next.then(|| read(second)).flatten() {
        Some((low @ 0xDC00..=0xDFFF, more)) => code_unit(
            0x10000 + ((first - 0xD800) << 10) + (low - 0xDC00),
            len + more,
        ),
        _ => Unit::Plain,
    }
}

/// `&#65;`, `&#x41;` and the names HTML gives to characters of tokens and to invisible ones, also
/// after `&amp;` in place of the ampersand. The semicolon may be missing after a number, as
/// browsers allow.
fn entity(rest: &[u8]) -> Unit {
    const AMPERSAND: &[u8] = b"amp;";
    let mut introduction = 1;
    for _ in 0..MOST_NESTED {
        if rest[introduction..].starts_with(AMPERSAND) {
            introduction += AMPERSAND.len();
        }
    }
    match reference(&rest[introduction..]).lengthened(introduction) {
        Unit::Plain if introduction > 1 => Unit::Means {
            byte: b'&',
            len: 1 + AMPERSAND.len(),
        },
        unit => unit,
    }
}

/// What stands after an ampersand.
fn reference(body: &[u8]) -> Unit {
    /// From the list of named character references of the HTML standard.
    const NAMES: [(&[u8], Option<u8>); 41] = [
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
        (b"midast;", Some(b'*')),
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
        (b"Tab;", Some(b'\t')),
        (b"UnderBar;", Some(b'_')),
        (b"af;", None),
        (b"ic;", None),
        (b"it;", None),
        (b"lrm;", None),
        (b"rlm;", None),
        (b"shy;", None),
        (b"zwj;", None),
        (b"zwnj;", None),
        (b"ApplyFunction;", None),
        (b"InvisibleComma;", None),
        (b"InvisibleTimes;", None),
        (b"NegativeMediumSpace;", None),
        (b"NegativeThickSpace;", None),
        (b"NegativeThinSpace;", None),
        (b"NoBreak;", None),
        (b"ZeroWidthSpace;", None),
    ];
    let number = |digits: &[u8], introduction: usize, radix: u32, most: usize| {
        let zeros = zeros(digits);
        let significant = digits[zeros..].iter().take(most);
        let values = significant.map_while(|&digit| char::from(digit).to_digit(radix));
        let (count, code) = values.fold((0, 0_u32), |(count, code), value| {
            (count + 1, code.saturating_mul(radix).saturating_add(value))
        });
        if zeros + count == 0 {
            return Unit::Plain;
        }
        let end = zeros + count;
        let closed = usize::from(digits.get(end) == Some(&b';'));
        code_unit(code, introduction + end + closed)
    };
    match body {
        [b'#', b'x' | b'X', digits @ ..] => number(digits, 2, 16, 8),
        [b'#', digits @ ..] => number(digits, 1, 10, 8),
        [first, ..] if first.is_ascii_alphabetic() => NAMES
            .iter()
            .find(|(name, _)| body.starts_with(name))
            .map_or(Unit::Plain, |&(name, byte)| match byte {
                Some(byte) => Unit::Means {
                    byte,
                    len: name.len(),
                },
                None => Unit::Invisible { len: name.len() },
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
    if first < 0x80 {
        return code_unit(first.into(), each);
    }
    let mut bytes = [first, 0, 0, 0];
    for (index, byte) in bytes.iter_mut().enumerate().skip(1) {
        *byte = byte_at(index).unwrap_or(0);
    }
    character(&bytes).map_or(Unit::Plain, |(code, len)| code_unit(code, len * each))
}

/// The character of several bytes that `rest` starts with, and how many they are. Overlong forms
/// are taken for what they mean.
fn character(rest: &[u8]) -> Option<(u32, usize)> {
    let (first, len) = match *rest.first()? {
        byte @ 0xC2..=0xDF => (byte & 0x1F, 2),
        byte @ 0xE0..=0xEF => (byte & 0x0F, 3),
        byte @ 0xF0..=0xF4 => (byte & 0x07, 4),
        _ => return None,
    };
    let more = rest.get(1..len)?;
    let is_whole = more.iter().all(|byte| matches!(byte, 0x80..=0xBF));
    let append = |code: u32, byte: &u8| code << 6 | u32::from(byte & 0x3F);
    is_whole.then(|| (more.iter().fold(u32::from(first), append), len))
}

/// The unit of the character `code`, written with `len` bytes.
fn code_unit(code: u32, len: usize) -> Unit {
    let letter = |index: u32| {
        let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        letters[index as usize % letters.len()]
    };
    let byte = match code {
        0x00..=0x7F => code as u8,
        // Line and paragraph separators.
        0x85 | 0x2028 | 0x2029 => b'\n',
        // Hyphens, the en dash that typography makes of a hyphen, the minus sign.
        0x2010..=0x2013 | 0x2212 | 0xFE63 => b'-',
        // Full-width forms of `!` to `~`.
        0xFF01..=0xFF5E => (code - 0xFF01) as u8 + b'!',
        // Circled digits and letters.
        0x2460..=0x2468 => (code - 0x2460) as u8 + b'1',
        0x24EA => b'0',
        0x24B6..=0x24E9 => letter(code - 0x24B6),
        // Mathematical letters and digits: alphabets of 52 and of 10 in a row.
        0x1D400..=0x1D6A3 => letter(code - 0x1D400),
        0x1D7CE..=0x1D7FF => ((code - 0x1D7CE) % 10) as u8 + b'0',
        _ if is_invisible(code) => return Unit::Invisible { len },
        _ => return Unit::Plain,
    };
    Unit::Means { byte, len }
}

/// Whether a character shows nothing of its own: control characters, marks that combine with the
/// character before, and what Unicode calls default ignorable code points
/// (DerivedCoreProperties.txt), such as the soft hyphen, zero-width and direction characters,
/// joiners, fillers, variation selectors and tags.
fn is_invisible(code: u32) -> bool {
    matches!(
        code,
        0x80..=0x9F
            | 0xAD
            | 0x300..=0x36F
            | 0x61C
            | 0x115F..=0x1160
            | 0x17B4..=0x17B5
            | 0x180B..=0x180F
            | 0x200B..=0x200F
            | 0x202A..=0x202E
            | 0x2060..=0x206F
            | 0x3164
            | 0xFE00..=0xFE0F
            | 0xFEFF
            | 0xFFA0
            | 0xFFF0..=0xFFFB
            | 0x1BCA0..=0x1BCA3
            | 0x1D173..=0x1D17A
            | 0xE0000..=0xE0FFF
    )
}

/// The character whose code is written in `count` hexadecimal digits, after `before` bytes of
/// introduction.
fn hex_unit(digits: &[u8], count: usize, before: usize) -> Unit {
    if hex_digits(digits, count) < count {
        return Unit::Plain;
    }
    code_unit(hex_value(&digits[..count]), before + count)
}

fn octal_unit(digits: [u8; 3], len: usize) -> Unit {
    if !digits.iter().all(|&digit| is_octal(digit)) {
        return Unit::Plain;
    }
    let append = |code: u32, digit: &u8| code << 3 | u32::from(digit - b'0');
    code_unit(digits.iter().fold(0, append), len)
}

fn is_octal(digit: u8) -> bool {
    matches!(digit, b'0'..=b'7')
}

/// The number of leading zeros.
fn zeros(digits: &[u8]) -> usize {
    let zeros = digits.iter().take(MOST_ZEROS);
    zeros.take_while(|&&digit| digit == b'0').count()
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
    /// The same with `more` bytes before or after it.
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
