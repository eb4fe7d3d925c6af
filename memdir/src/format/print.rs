//! The strict writer: fields that every YAML reader takes for the text that was meant.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::value::plain_needs_quotes;

/// `key: value` without line end.
pub(crate) fn field_line(key: &str, value: &str) -> String {
    format!("{}: {}", key_text(key), scalar(value))
}

/// `key: value` for a map in braces, where commas and brackets end a plain text.
pub(crate) fn flow_pair(key: &str, value: &str) -> String {
    let breaks = |text: &str| text.contains([',', '[', ']', '{', '}']);
    let key = if breaks(key) {
        Cow::Owned(double_quoted(key))
    } else {
        key_text(key)
    };
    let value = if breaks(value) {
        Cow::Owned(double_quoted(value))
    } else {
        scalar(value)
    };
    format!("{key}: {value}")
}

/// A key as it has to be written.
pub(crate) fn key_text(key: &str) -> Cow<'_, str> {
    let plain = super::fields::key_of(format!("{key}:").as_bytes(), super::fields::KeyRule::Strict)
        .is_some_and(|found| found.key == (0..key.len()));
    if plain && !reads_as_other_type(key) {
        return Cow::Borrowed(key);
    }
    Cow::Owned(double_quoted(key))
}

/// A value as it has to be written so that it reads back as this text: plain where that is safe
/// in every YAML version, in double quotes on one line otherwise.
pub(crate) fn scalar(value: &str) -> Cow<'_, str> {
    if is_plain(value) {
        return Cow::Borrowed(value);
    }
    Cow::Owned(double_quoted(value))
}

fn is_plain(value: &str) -> bool {
    let Some(first) = value.chars().next() else {
        return false;
    };
    // More than YAML asks for: a leading `-`, `?` or `:` is fine before a letter, and a person
    // would still stumble over it.
    if "-?:,[]{}#&*!|>'\"%@`=<~".contains(first) {
        return false;
    }
    let blank_edge = value.starts_with(char::is_whitespace) || value.ends_with(char::is_whitespace);
    !blank_edge
        && !plain_needs_quotes(value.as_bytes())
        && !value.chars().any(needs_escape)
        && !reads_as_other_type(value)
}

/// Words and numbers that some YAML version takes for something else than text.
fn reads_as_other_type(value: &str) -> bool {
    const WORDS: [&str; 14] = [
        "null", "true", "false", "yes", "no", "on", "off", "y", "n", ".nan", ".inf", "...", "---",
        "<<",
    ];
    if WORDS.iter().any(|word| value.eq_ignore_ascii_case(word)) {
        return true;
    }
    // Numbers in any base, dates, times and sexagesimals start like a number and go on with
    // digits, letters and these signs only.
    let first = value.as_bytes().first().copied().unwrap_or(b' ');
    (first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'.'))
        && value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-._:, ".contains(&byte))
        && value.bytes().any(|byte| byte.is_ascii_digit())
}

fn double_quoted(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 2);
    out.push('"');
    for character in value.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if needs_escape(character) => {
                let code = u32::from(character);
                let _ = match code {
                    0..=0xFF => write!(out, "\\x{code:02X}"),
                    0x100..=0xFFFF => write!(out, "\\u{code:04X}"),
                    _ => write!(out, "\\U{code:08X}"),
                };
            }
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}

/// Characters that may not stand in YAML, that end a line in it, or that nobody can see.
fn needs_escape(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}'
        )
}
