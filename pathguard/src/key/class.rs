//! What a single character means in a key.

use crate::reason::TraversalReason;

/// What a byte of UTF-8 means in a key.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum ByteClass {
    Ordinary,
    Separator,
    Percent,
    /// The first byte of a character outside ASCII.
    Wide,
    Refused,
}

/// One look-up per byte decides everything about ASCII.
pub(super) const BYTE_CLASS: [ByteClass; 256] = {
    let mut table = [ByteClass::Ordinary; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'/' => ByteClass::Separator,
            b'%' => ByteClass::Percent,
            0..=0x1f | 0x7f | b'\\' | b':' => ByteClass::Refused,
            0x80.. => ByteClass::Wide,
            _ => ByteClass::Ordinary,
        };
        byte += 1;
    }
    table
};

/// The reason for a byte of class [`ByteClass::Refused`].
pub(super) fn byte_reason(byte: u8) -> TraversalReason {
    match byte {
        0 => TraversalReason::Nul,
        b'\\' => TraversalReason::Backslash,
        b':' => TraversalReason::Colon,
        _ => TraversalReason::ControlCharacter,
    }
}

/// What a character outside ASCII means in a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CharClass {
    /// An ordinary character.
    Plain,
    /// Some file system or reader skips it (`Default_Ignorable_Code_Point`).
    Ignorable,
    /// Compatibility normalisation makes full stops of it, and nothing else.
    Dots,
    /// Compatibility normalisation makes a percent sign of it.
    Percent,
    /// It never belongs into a key.
    Refused(TraversalReason),
}

pub(super) fn char_class(c: char) -> CharClass {
    match c {
        // Kana, ideographs, Hangul syllables: the bulk of keys outside Latin scripts. The
        // neighbouring blocks hold look-alikes, so the ranges end where the scripts do.
        '\u{3041}'..='\u{3163}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => {
            CharClass::Plain
        }
        _ => rare_char_class(c),
    }
}

fn rare_char_class(c: char) -> CharClass {
    use CharClass::{Dots, Ignorable, Percent, Plain, Refused};
    match c {
        '\0' => Refused(TraversalReason::Nul),
        '\\' => Refused(TraversalReason::Backslash),
        ':' => Refused(TraversalReason::Colon),
        '\u{1}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => Refused(TraversalReason::ControlCharacter),
        '\u{2028}' | '\u{2029}' => Refused(TraversalReason::LineSeparator),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Refused(TraversalReason::BidiControl),
        '\u{feff}' => Refused(TraversalReason::ByteOrderMark),
        '\u{fdd0}'..='\u{fdef}' => Refused(TraversalReason::Noncharacter),
        // The look-alikes: every code point whose compatibility form (NFKC, Unicode 17) holds a
        // full stop, a slash, a backslash or a percent sign. A test compares this table with the
        // normaliser. A character that *is* a full stop or a separator under NFKC is refused; one
        // that holds full stops beside other characters ("⒈", "㏘") is a word to its writer and
        // harmless; an ellipsis is legal too, but counts as dots, so that "…" is no component.
        '\u{2024}' | '\u{fe52}' | '\u{ff0e}' | '\u{2100}' | '\u{2101}' | '\u{2105}'
        | '\u{2106}' | '\u{ff0f}' | '\u{fe68}' | '\u{ff3c}' => Refused(TraversalReason::Lookalike),
        '.' | '\u{2025}' | '\u{2026}' | '\u{fe19}' | '\u{fe30}' => Dots,
        '%' | '\u{fe6a}' | '\u{ff05}' => Percent,
        // Default_Ignorable_Code_Point of Unicode's DerivedCoreProperties.txt, without those
        // refused above.
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fff8}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' => Ignorable,
        _ if u32::from(c) & 0xfffe == 0xfffe => Refused(TraversalReason::Noncharacter),
        '\u{e0000}'..='\u{e0fff}' => Ignorable,
        _ => Plain,
    }
}

#[cfg(test)]
mod tests {
    use unicode_normalization::UnicodeNormalization;

    use super::*;

    /// Look-alikes that are legal inside a name, because other characters stand beside the full
    /// stops of their compatibility form.
    const WORDS: &[(char, char)] = &[
        ('\u{2488}', '\u{249b}'),
        ('\u{33c2}', '\u{33c2}'),
        ('\u{33c7}', '\u{33c7}'),
        ('\u{33d8}', '\u{33d8}'),
        ('\u{1f100}', '\u{1f100}'),
    ];

    #[test]
    fn the_look_alike_table_is_what_the_normaliser_says() {
        let mut found = 0;
        for c in '\u{80}'..=char::MAX {
            let form: String = std::iter::once(c).nfkc().collect();
            let class = char_class(c);
            let word = WORDS.iter().any(|&(from, to)| (from..=to).contains(&c));
            if form.contains(['/', '\\']) || form == "." {
                assert_eq!(
                    class,
                    CharClass::Refused(TraversalReason::Lookalike),
                    "{c:?}"
                );
            } else if form.contains('%') {
                assert_eq!(class, CharClass::Percent, "{c:?}");
            } else if form.contains('.') && form.chars().all(|c| c == '.') {
                assert_eq!(class, CharClass::Dots, "{c:?}");
            } else if form.contains('.') {
                assert!(word && class == CharClass::Plain, "{c:?}");
            } else {
                assert!(!word, "{c:?}");
                assert!(
                    !matches!(
                        class,
                        CharClass::Dots
                            | CharClass::Percent
                            | CharClass::Refused(TraversalReason::Lookalike)
                    ),
                    "{c:?} is in the table for nothing"
                );
                continue;
            }
            found += 1;
        }
        assert_eq!(found, 40, "the table of 40 code points");
    }

    #[test]
    fn noncharacters_are_refused_in_every_plane() {
        let expected = CharClass::Refused(TraversalReason::Noncharacter);
        for plane in 0..=16_u32 {
            for low in [0xfffe, 0xffff] {
                let c = char::from_u32(plane << 16 | low).expect("noncharacters are scalar values");
                assert_eq!(char_class(c), expected, "{c:?}");
            }
        }
    }
}
