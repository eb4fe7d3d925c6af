//! Tells the script of a character beyond ASCII, as finely as token costs differ.
//!
//! Ranges are those of Unicode's `Blocks.txt` (16.0), rounded to sixteen code points. A character in
//! the wrong class costs a fraction of a token, never more.

use crate::han;

/// What a class is to the scanner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Letter,
    Number,
    Symbol,
    Space,
}

macro_rules! classes {
    ($($name:ident $kind:ident,)*) => {
        /// Characters that cost about the same.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub(crate) enum Class { $($name,)* }

        impl Class {
            /// Every class, in the order of the weights.
            #[allow(dead_code, reason = "read by the fitting example and the tests")]
            pub(crate) const ALL: &[Class] = &[$(Class::$name,)*];
            /// Number of classes.
            pub(crate) const COUNT: usize = [$(Class::$name,)*].len();
            const KINDS: [Kind; Class::COUNT] = [$(Kind::$kind,)*];
        }
    };
}

classes! {
    Latin Letter,
    Greek Letter,
    Cyrillic Letter,
    Armenian Letter,
    Hebrew Letter,
    Arabic Letter,
    Devanagari Letter,
    Bengali Letter,
    Gurmukhi Letter,
    Gujarati Letter,
    Tamil Letter,
    Telugu Letter,
    Kannada Letter,
    Malayalam Letter,
    Sinhala Letter,
    Thai Letter,
    Myanmar Letter,
    Georgian Letter,
    Khmer Letter,
    Hiragana Letter,
    Katakana Letter,
    // Syllables that are one token by themselves, and the others.
    HangulCommon Letter,
    Hangul Letter,
    // Characters that often merge with a neighbour, that stand alone, that take several tokens.
    HanJoining Letter,
    HanSingle Letter,
    Han Letter,
    Mark Letter,
    // Letters of every other script: three bytes or fewer, four bytes.
    OtherLetter Letter,
    AstralLetter Letter,
    OtherNumber Number,
    Space Space,
    LatinSign Symbol,
    GeneralPunctuation Symbol,
    CjkPunctuation Symbol,
    FullWidth Symbol,
    Box Symbol,
    Sign Symbol,
    Emoji Symbol,
    OtherSymbol Symbol,
}

impl Class {
    pub(crate) fn kind(self) -> Kind {
        Class::KINDS[self as usize]
    }

    /// Whether the script has capitals, which end a word that has small letters before them.
    pub(crate) fn has_case(self) -> bool {
        matches!(
            self,
            Class::Latin | Class::Greek | Class::Cyrillic | Class::Armenian
        )
    }
}

/// First code points of the ranges below U+10000 and the class up to the next entry.
const RANGES: &[(u32, Class)] = &[
    (0x0080, Class::OtherSymbol),
    (0x00a0, Class::LatinSign),
    (0x00c0, Class::Latin),
    (0x02b0, Class::OtherLetter),
    (0x0300, Class::Mark),
    (0x0370, Class::Greek),
    (0x0400, Class::Cyrillic),
    (0x0530, Class::Armenian),
    (0x0590, Class::Hebrew),
    (0x0600, Class::Arabic),
    (0x0700, Class::OtherLetter),
    (0x0750, Class::Arabic),
    (0x0780, Class::OtherLetter),
    (0x08a0, Class::Arabic),
    (0x0900, Class::Devanagari),
    (0x0980, Class::Bengali),
    (0x0a00, Class::Gurmukhi),
    (0x0a80, Class::Gujarati),
    (0x0b00, Class::OtherLetter),
    (0x0b80, Class::Tamil),
    (0x0c00, Class::Telugu),
    (0x0c80, Class::Kannada),
    (0x0d00, Class::Malayalam),
    (0x0d80, Class::Sinhala),
    (0x0e00, Class::Thai),
    (0x0e80, Class::OtherLetter),
    (0x1000, Class::Myanmar),
    (0x10a0, Class::Georgian),
    (0x1100, Class::OtherLetter),
    (0x1780, Class::Khmer),
    (0x1800, Class::OtherLetter),
    (0x1c90, Class::Georgian),
    (0x1cc0, Class::OtherLetter),
    (0x1e00, Class::Latin),
    (0x1f00, Class::Greek),
    (0x2000, Class::GeneralPunctuation),
    (0x2070, Class::OtherNumber),
    (0x20a0, Class::Sign),
    (0x2150, Class::OtherNumber),
    (0x2190, Class::Sign),
    (0x2460, Class::OtherNumber),
    (0x2500, Class::Box),
    (0x25a0, Class::Sign),
    (0x2600, Class::Emoji),
    (0x27c0, Class::Sign),
    (0x2b00, Class::Emoji),
    (0x2c00, Class::OtherLetter),
    (0x2e00, Class::OtherSymbol),
    (0x3000, Class::CjkPunctuation),
    (0x3040, Class::Hiragana),
    (0x30a0, Class::Katakana),
    (0x3100, Class::OtherLetter),
    (0x3200, Class::OtherSymbol),
    (0x3400, Class::Han),
    (0xa000, Class::OtherLetter),
    (0xac00, Class::Hangul),
    (0xd7b0, Class::OtherLetter),
    (0xe000, Class::OtherSymbol),
    (0xf900, Class::Han),
    (0xfb00, Class::OtherLetter),
    (0xfb50, Class::OtherLetter),
    (0xfe00, Class::Mark),
    (0xfe10, Class::FullWidth),
    (0xfe70, Class::OtherLetter),
    (0xff00, Class::FullWidth),
    (0xff20, Class::OtherLetter),
    (0xff60, Class::Katakana),
    (0xffa0, Class::OtherLetter),
    (0xffe0, Class::OtherSymbol),
];

/// [`RANGES`] spread out: one entry for sixteen code points.
static BLOCKS: [Class; 4096] = {
    let mut table = [Class::OtherSymbol; 4096];
    let mut range = 0;
    while range < RANGES.len() {
        let mut block = (RANGES[range].0 >> 4) as usize;
        let end = if range + 1 < RANGES.len() {
            (RANGES[range + 1].0 >> 4) as usize
        } else {
            4096
        };
        while block < end {
            table[block] = RANGES[range].1;
            block += 1;
        }
        range += 1;
    }
    table
};

/// The class of the character that starts at byte `at`, whether it is a capital, and where it
/// ends. `bytes` is valid UTF-8 and `at` the first byte of a character beyond ASCII.
pub(crate) fn at(bytes: &[u8], at: usize) -> (Class, bool, usize) {
    let low = |i: usize| u32::from(bytes.get(at + i).copied().unwrap_or(0x80) & 0x3f);
    let lead = bytes[at];
    let (code, length) = match lead {
        0xe0..0xf0 => (u32::from(lead & 0x0f) << 12 | low(1) << 6 | low(2), 3),
        0xf0.. => (
            u32::from(lead & 0x07) << 18 | low(1) << 12 | low(2) << 6 | low(3),
            4,
        ),
        _ => (u32::from(lead & 0x1f) << 6 | low(1), 2),
    };
    let class = class(code);
    let upper = class.has_case() && is_capital(code);
    (class, upper, (at + length).min(bytes.len()))
}

/// Number of Cyrillic symbols; their pair table has the square of it.
pub(crate) const CYRILLIC_SYMBOLS: usize = 38;

/// The symbol of the Cyrillic letter at byte `at`, in either case: 1–32 are а–я, 33 is ё, the rest
/// are letters that Russian does not have, grouped by the languages that do.
pub(crate) fn cyrillic_symbol(bytes: &[u8], at: usize) -> u8 {
    let low = bytes.get(at + 1).copied().unwrap_or(0x80) & 0x3f;
    match u32::from(bytes[at] & 0x1f) << 6 | u32::from(low) {
        code @ 0x410..=0x42f => (code - 0x410 + 1) as u8,
        code @ 0x430..=0x44f => (code - 0x430 + 1) as u8,
        0x401 | 0x451 => 33,
        0x406 | 0x456 => 34,
        0x404 | 0x407 | 0x454 | 0x457 | 0x490 | 0x491 => 35,
        0x492..=0x4ff => 36,
        _ => 37,
    }
}

fn class(code: u32) -> Class {
    let Some(&class) = BLOCKS.get((code >> 4) as usize) else {
        return astral(code);
    };
    match class {
        Class::Han => han::class(code),
        Class::Hangul if han::is_common_syllable(code) => Class::HangulCommon,
        Class::LatinSign => match code {
            0xa0 => Class::Space,
            // Ordinal signs and micro are letters.
            0xaa | 0xb5 | 0xba => Class::Latin,
            0xb2 | 0xb3 | 0xb9 | 0xbc..=0xbe => Class::OtherNumber,
            _ => class,
        },
        Class::Latin if matches!(code, 0xd7 | 0xf7) => Class::LatinSign,
        Class::GeneralPunctuation => match code {
            0x2000..=0x200a | 0x2028 | 0x2029 | 0x202f | 0x205f => Class::Space,
            _ => class,
        },
        Class::CjkPunctuation => match code {
            0x3000 => Class::Space,
            0x3005 | 0x3006 => Class::HanSingle,
            0x3007 | 0x3021..=0x3029 => Class::OtherNumber,
            _ => class,
        },
        Class::Katakana if matches!(code, 0x30a0 | 0x30fb | 0xff60..=0xff65) => {
            Class::CjkPunctuation
        }
        Class::FullWidth if matches!(code, 0xff10..=0xff19) => Class::OtherNumber,
        Class::OtherLetter if matches!(code, 0xff20 | 0xff3b..=0xff40 | 0xff5b..=0xff5f) => {
            Class::FullWidth
        }
        Class::Arabic if matches!(code, 0x60c | 0x61b | 0x61f | 0x66a..=0x66d | 0x6d4) => {
            Class::OtherSymbol
        }
        Class::Arabic if matches!(code, 0x660..=0x669 | 0x6f0..=0x6f9) => Class::OtherNumber,
        Class::Devanagari if matches!(code, 0x964 | 0x965) => Class::OtherSymbol,
        // The byte order mark.
        Class::OtherLetter if code == 0xfeff => Class::OtherSymbol,
        _ => class,
    }
}

fn astral(code: u32) -> Class {
    match code {
        0x1f000..=0x1faff => Class::Emoji,
        0x20000..=0x3ffff => Class::Han,
        0x10000..=0x1cfff | 0x1d400..=0x1d7ff | 0x1e000..=0x1efff => Class::AstralLetter,
        // Variation selectors.
        0xe0100..=0xe01ef => Class::Mark,
        _ => Class::OtherSymbol,
    }
}

/// Capitals of the scripts that have case. In the extended Latin and Cyrillic blocks capitals and
/// small letters alternate: capitals are even, but for two stretches of Latin where they are odd.
fn is_capital(code: u32) -> bool {
    match code {
        0xc0..=0xde | 0x178 | 0x386..=0x3ab | 0x400..=0x42f | 0x531..=0x556 => true,
        0x139..=0x148 | 0x179..=0x17e => code & 1 == 1,
        0x100..=0x24f | 0x460..=0x52f | 0x1e00..=0x1eff => code & 1 == 0,
        _ => false,
    }
}
