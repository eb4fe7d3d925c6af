//! Quoting: text from elsewhere, so that it cannot be taken for the prompt's own.

/// Text of several lines without the characters that hide or turn text: control characters but tab
/// and line feed, marks of direction, zero-width characters, tags. Joiners stay, since emoji and
/// several scripts need them.
pub(super) fn clean(text: &str) -> String {
    text.chars()
        .filter(|&c| c == '\n' || c == '\t' || !(c.is_control() || is_hidden(c)))
        .map(|c| if is_line_break(c) { '\n' } else { c })
        .collect()
}

/// The same for text that has to stay on one line; what would end the line shows as U+FFFD.
pub(super) fn line(text: &str) -> String {
    text.chars()
        .filter(|&c| !is_hidden(c))
        .map(|c| {
            if c.is_control() || is_line_break(c) {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .collect()
}

fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

fn is_line_break(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}')
}

/// The longest run of backticks in a text.
fn backticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// The backticks that open and close a block around a text: more than it holds in a row, so that it
/// cannot close the block (CommonMark 0.31, section 4.5).
pub(super) fn fence(text: &str) -> String {
    "`".repeat((backticks(text) + 1).max(3))
}

/// A text of one line as a code span that it cannot close (CommonMark 0.31, section 6.1).
pub(super) fn code(text: &str) -> String {
    let text = line(text);
    let ticks = "`".repeat(backticks(&text) + 1);
    let blank = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{ticks}{blank}{text}{blank}{ticks}")
}

/// A text as one word of a POSIX shell command.
pub(super) fn shell(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:@%".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) && !text.starts_with('-') {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::{clean, code, fence, line, shell};

    #[test]
    fn hidden_characters_go_and_the_rest_stays() {
        let table = [
            ("a\u{202e}b\u{200b}c\u{feff}", "abc"),
            ("a\r\n\tb\u{1b}[31m", "a\n\tb[31m"),
            (
                "👩\u{200d}👧 می\u{200c}خواهم",
                "👩\u{200d}👧 می\u{200c}خواهم",
            ),
            ("a\u{2028}b", "a\nb"),
            ("x\u{e0041}\u{e007f}", "x"),
        ];
        for (text, expected) in table {
            assert_eq!(clean(text), expected, "{text:?}");
        }
        assert_eq!(line("a\nb\u{2029}c\u{202e}"), "a\u{fffd}b\u{fffd}c");
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        for (text, expected) in [("", 3), ("a ` b", 3), ("```", 4), ("x\n``````\ny", 7)] {
            assert_eq!(fence(text).len(), expected, "{text}");
        }
    }

    #[test]
    fn a_code_span_cannot_be_closed_from_inside() {
        let table = [
            ("/a/b", "`/a/b`"),
            ("/a`b", "``/a`b``"),
            ("`a``", "``` `a`` ```"),
            ("/a\n## Forged", "`/a\u{fffd}## Forged`"),
        ];
        for (text, expected) in table {
            assert_eq!(code(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_shell_word_stays_one_word() {
        let table = [
            ("/home/ada/memory", "/home/ada/memory"),
            ("/home/ada/my memory", "'/home/ada/my memory'"),
            ("/it's", r"'/it'\''s'"),
            ("$(rm -rf .)", "'$(rm -rf .)'"),
            ("-e", "'-e'"),
            ("", "''"),
            ("/项目", "/项目"),
        ];
        for (text, expected) in table {
            assert_eq!(shell(text), expected, "{text:?}");
        }
    }
}
