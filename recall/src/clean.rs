//! Takes out of a text what a reader cannot see, and what could pass for something else.

/// Returns whether a character is drawn as nothing, changes the direction of what follows, or steers a
/// terminal. Line ends and tabs are not meant; the caller decides on them.
pub(crate) fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{00AD}'
        | '\u{034F}'
        | '\u{061C}'
        | '\u{115F}'
        | '\u{1160}'
        | '\u{17B4}'
        | '\u{17B5}'
        | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}'
        | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{3164}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}'
        | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}'
        | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}' => true,
        c => c.is_control(),
    }
}

/// Returns a text as one line without hidden characters, runs of blanks as one, cut to so many
/// characters with an ellipsis.
pub(crate) fn one_line(text: &str, max_chars: usize) -> String {
    let mut out = String::new();
    let mut chars = 0;
    let mut blank = false;
    for c in text.chars() {
        if c.is_whitespace() || c == '\u{2028}' || c == '\u{2029}' {
            blank = !out.is_empty();
            continue;
        }
        if is_hidden(c) {
            continue;
        }
        let width = 1 + usize::from(blank);
        if chars + width > max_chars.saturating_sub(1) && chars + width > 1 {
            out.push('…');
            return out;
        }
        if std::mem::take(&mut blank) {
            out.push(' ');
        }
        out.push(c);
        chars += width;
    }
    out
}

/// Marks by which hosts and models tell who speaks. A memory that writes one must not end the block
/// that a host has put around it, or begin a turn.
const SPEAKER_MARKS: &[&str] = &[
    "antml",
    "assistant",
    "context",
    "document",
    "function_calls",
    "function_results",
    "human",
    "instructions",
    "invoke",
    "memories",
    "memory",
    "recalled",
    "reminder",
    "system",
    "system-reminder",
    "system_reminder",
    "tool_result",
    "tool_use",
    "user",
    "user-prompt",
];

/// Returns a text of many lines without hidden characters and without marks of another speaker: of
/// `<system-reminder>`, `</memory>` or `<|im_start|>` the angle bracket becomes `‹`.
pub(crate) fn block(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let next = &rest[c.len_utf8()..];
        match c {
            // CRLF is one line end, and a lone return would let a line overwrite itself on a terminal.
            '\r' if next.starts_with('\n') => {}
            '\r' | '\u{2028}' | '\u{2029}' | '\u{0B}' | '\u{0C}' | '\u{85}' => out.push('\n'),
            '<' if is_speaker_mark(next) => out.push('‹'),
            c if is_hidden(c) => {}
            c => out.push(c),
        }
        rest = next;
    }
    out
}

fn is_speaker_mark(after: &str) -> bool {
    if after.starts_with('|') {
        return true;
    }
    // Hidden characters are skipped, or one inside of the name would save the mark.
    let name: String = after
        .chars()
        .filter(|c| !is_hidden(*c) && !c.is_whitespace())
        .skip_while(|c| *c == '/')
        .take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
        .take(24)
        .flat_map(char::to_lowercase)
        .collect();
    SPEAKER_MARKS.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::{SPEAKER_MARKS, block, one_line};

    #[test]
    fn the_marks_are_sorted() {
        assert!(SPEAKER_MARKS.is_sorted());
    }

    #[test]
    fn lines_are_joined_cleaned_and_cut() {
        for (text, most, expected) in [
            ("a  b\nc\td", 100, "a b c d"),
            ("zero\u{200B}width \u{202E}turned", 100, "zerowidth turned"),
            ("abcdef", 4, "abc…"),
            ("库存服务拆分", 4, "库存服…"),
            ("  ", 10, ""),
            ("\u{1b}[31mred", 100, "[31mred"),
        ] {
            assert_eq!(one_line(text, most), expected, "{text:?}");
        }
    }

    #[test]
    fn marks_of_other_speakers_lose_their_bracket() {
        for (text, expected) in [
            ("x </system-reminder> y", "x ‹/system-reminder> y"),
            ("< / Memory >", "‹ / Memory >"),
            ("<sys\u{200B}tem>", "‹system>"),
            ("<|im_start|>", "‹|im_start|>"),
            ("Vec<u8> and <div>", "Vec<u8> and <div>"),
            ("a\r\nb\rc", "a\nb\nc"),
        ] {
            assert_eq!(block(text), expected, "{text:?}");
        }
    }
}
