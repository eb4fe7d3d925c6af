//! Small things about text.

/// Returns the longest beginning of at most so many bytes that ends between characters.
pub(crate) fn cut(text: &str, max_bytes: usize) -> &str {
    if text.len() <= max_bytes {
        return text;
    }
    let mut end = max_bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Returns a text with each run of white space as one space, and none at the ends.
pub(crate) fn spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// How much a text says: letters and digits, an ideograph as three.
pub(crate) fn weight(text: &str) -> usize {
    let weigh = |character: char| if u32::from(character) >= 0x2E80 { 3 } else { 1 };
    text.chars()
        .filter(|character| character.is_alphanumeric())
        .map(weigh)
        .sum()
}

/// Returns letters and digits only, in lower case: what two ways of writing the same have in common.
pub(crate) fn letters(text: &str) -> String {
    let letters = text.chars().filter(|character| character.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// The words of a text: runs of letters and digits, and single characters of scripts without blanks.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|character: char| !character.is_alphanumeric());
        let first = rest.chars().next()?;
        let end = if is_ideograph(first) {
            first.len_utf8()
        } else {
            let stops = |character: char| !character.is_alphanumeric() || is_ideograph(character);
            rest.find(stops).unwrap_or(rest.len())
        };
        let word = &rest[..end];
        rest = &rest[end..];
        Some(word)
    })
}

/// A line as its words in lower case: two lines that differ in marks, blanks and case only are the same.
pub(crate) fn even(line: &str) -> String {
    let words: Vec<String> = words(line).map(str::to_lowercase).collect();
    words.join(" ")
}

/// Whether a character stands for a syllable or word by itself, in a script without blanks.
fn is_ideograph(character: char) -> bool {
    matches!(u32::from(character), 0x2E80..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

/// Returns one line for a person: no control characters, at most so many characters.
pub(crate) fn one_line(text: &str, max_chars: usize) -> String {
    let line = spaced(text);
    let mut characters = line.chars().filter(|character| !character.is_control());
    let mut out: String = characters.by_ref().take(max_chars).collect();
    if characters.next().is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_letters_and_single_ideographs() {
        let table: [(&str, &[&str]); 5] = [
            ("", &[]),
            ("--", &[]),
            ("Run *all* tests-now!", &["Run", "all", "tests", "now"]),
            ("用pnpm装", &["用", "pnpm", "装"]),
            ("v2 是 ok。", &["v2", "是", "ok"]),
        ];
        for (text, expected) in table {
            assert_eq!(words(text).collect::<Vec<_>>(), expected, "{text}");
        }
        assert_eq!(even("- **Run** all  TESTS."), "run all tests");
    }

    #[test]
    fn a_cut_never_splits_a_character() {
        for (text, bytes, expected) in [
            ("abc", 5, "abc"),
            ("日本", 4, "日"),
            ("日本", 2, ""),
            ("", 0, ""),
        ] {
            assert_eq!(cut(text, bytes), expected);
        }
    }

    #[test]
    fn lines_are_single_and_bounded() {
        for (text, chars, expected) in [
            ("  a \n\t b  ", 10, "a b"),
            ("日本語です", 3, "日本語…"),
            ("a\u{7}b", 10, "ab"),
        ] {
            assert_eq!(one_line(text, chars), expected);
        }
    }

    #[test]
    fn ideographs_weigh_more() {
        assert_eq!(weight("use pnpm!"), 7);
        assert_eq!(weight("以后用"), 9);
    }
}
