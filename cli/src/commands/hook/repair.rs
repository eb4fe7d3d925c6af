//! JSON as some agents write it: text that was cut in the middle of a character.
//!
//! JavaScript counts a character outside of the basic plane as two and lets anybody cut between them. What is
//! left is written as a lone `\ud83d`, which is no character and which no strict reader takes.

/// What stands for half of a character.
const REPLACEMENT: &[u8] = b"\\ufffd";

/// Returns the text with whole characters only; `None` when that was not what was wrong with it.
pub(super) fn repaired(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(bytes);
    let mut rest = text.as_bytes();
    let mut repaired: Vec<u8> = Vec::with_capacity(rest.len());
    while let Some(at) = memchr::memchr(b'\\', rest) {
        repaired.extend(&rest[..at]);
        rest = &rest[at..];
        let length = match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                repaired.extend(REPLACEMENT);
                rest = &rest[6..];
                continue;
            }
            (Some(_), _) => 6,
            // Some other escape, of two bytes; the second one may itself be a backslash.
            (None, _) => rest.len().min(2),
        };
        repaired.extend(&rest[..length]);
        rest = &rest[length..];
    }
    repaired.extend(rest);
    (repaired != bytes).then_some(repaired)
}

/// The number in `\uXXXX`, when the text begins with one.
fn unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    let digits = std::str::from_utf8(digits).ok()?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::repaired;

    #[test]
    fn only_halves_of_characters_are_replaced() {
        for (text, expected) in [
            (r"a\ud83db", r"a\ufffdb"),
            (r"\ude00\ud83d", r"\ufffd\ufffd"),
            (r"\ud83d\ud83d\ude00", r"\ufffd\ud83d\ude00"),
            (r"\ud83d\", r"\ufffd\"),
        ] {
            let found = repaired(text.as_bytes());
            assert_eq!(found.as_deref(), Some(expected.as_bytes()), "{text}");
        }
        for whole in [
            "",
            "a",
            r"\ud83d\ude00",
            r"\\ud83d",
            r"\u00e9",
            r"\u12",
            "\\",
        ] {
            assert_eq!(repaired(whole.as_bytes()), None, "{whole}");
        }
        let lossy = repaired(b"a\xffb");
        assert_eq!(lossy.as_deref(), Some("a\u{fffd}b".as_bytes()));
    }
}
