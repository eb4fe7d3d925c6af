//! What the value of a field says, read the way a person would read it.

use std::borrow::Cow;

use super::{Field, Lines, yaml};
use crate::problem::ProblemCode;

/// The text of a value and what was wrong with how it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decoded<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) problem: Option<ProblemCode>,
}

impl<'a> Decoded<'a> {
    fn fine(text: Cow<'a, str>) -> Self {
        Self {
            text,
            problem: None,
        }
    }
}

/// Reads the value of `field` as one text.
///
/// A plain value on one line, which nearly all are, is taken as it stands without a YAML parser:
/// YAML would drop everything after ` #` and refuse a second colon, and people write both. Quoted,
/// multi-line and nested values go through YAML; what it refuses is taken as it stands.
pub(crate) fn decode<'a>(bytes: &'a [u8], field: &Field) -> Decoded<'a> {
    let raw = &bytes[field.value.clone()];
    let first = raw.first().copied().unwrap_or(b' ');
    match first {
        b'"' | b'\'' => {
            if let Some(text) = simple_quoted(raw, first).filter(|_| !field.continued) {
                return Decoded::fine(text);
            }
            through_yaml(bytes, field, ProblemCode::InvalidValue)
        }
        b'|' | b'>' | b'&' | b'!' => through_yaml(bytes, field, ProblemCode::InvalidValue),
        _ if field.continued => through_yaml(bytes, field, ProblemCode::UnquotedValue),
        b'[' | b'{' => {
            let problem = (!yaml::is_valid(bytes, field)).then_some(ProblemCode::UnquotedValue);
            Decoded {
                text: String::from_utf8_lossy(raw),
                problem,
            }
        }
        _ => {
            let problem = plain_needs_quotes(raw).then_some(ProblemCode::UnquotedValue);
            Decoded {
                text: String::from_utf8_lossy(raw),
                problem,
            }
        }
    }
}

/// Whether the value is YAML's plain null.
pub(crate) fn is_null(bytes: &[u8], field: &Field) -> bool {
    let raw = &bytes[field.value.clone()];
    !field.continued && matches!(raw, b"" | b"~" | b"null" | b"Null" | b"NULL")
}

/// The text without a trailing YAML comment, for values that are one word.
pub(crate) fn without_comment(text: &str) -> &str {
    text.find(" #")
        .or_else(|| text.find("\t#"))
        .map_or(text, |at| text[..at].trim_end())
}

/// A quoted value on one line with nothing in it to unescape.
fn simple_quoted(raw: &[u8], quote: u8) -> Option<Cow<'_, str>> {
    let inside = raw.strip_prefix(&[quote])?.strip_suffix(&[quote])?;
    let plain = match quote {
        b'"' => memchr::memchr2(b'"', b'\\', inside).is_none(),
        _ => memchr::memchr(b'\'', inside).is_none(),
    };
    plain.then(|| String::from_utf8_lossy(inside))
}

fn through_yaml<'a>(bytes: &'a [u8], field: &Field, otherwise: ProblemCode) -> Decoded<'a> {
    if let Some(mut text) = yaml::text(bytes, field) {
        if matches!(bytes.get(field.value.start), Some(b'|' | b'>')) {
            // A block value ends with a line end that nobody means.
            text.truncate(text.trim_end_matches('\n').len());
        }
        return Decoded::fine(Cow::Owned(text));
    }
    if yaml::is_valid(bytes, field) {
        // A list or map where a text was asked for: its source is what a person sees.
        return Decoded::fine(joined(bytes, field));
    }
    Decoded {
        text: joined(bytes, field),
        problem: Some(otherwise),
    }
}

/// The lines of the value, trimmed and joined by single spaces.
fn joined<'a>(bytes: &'a [u8], field: &Field) -> Cow<'a, str> {
    let first = String::from_utf8_lossy(&bytes[field.value.clone()]);
    if !field.continued {
        return first;
    }
    let mut text = match first.as_ref() {
        // The mark of a block value is not part of its text.
        mark if is_block_mark(mark) => String::new(),
        _ => first.into_owned(),
    };
    for line in Lines::from(&bytes[..field.lines.end], field.lines.start, 1).skip(1) {
        let line = String::from_utf8_lossy(line.text.trim_ascii());
        if !line.is_empty() {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&line);
        }
    }
    Cow::Owned(text)
}

fn is_block_mark(text: &str) -> bool {
    let mut chars = text.chars();
    matches!(chars.next(), Some('|' | '>'))
        && chars.all(|next| matches!(next, '+' | '-' | '0'..='9'))
}

/// Whether YAML would cut, refuse or change this plain text.
pub(super) fn plain_needs_quotes(raw: &[u8]) -> bool {
    let Some(&first) = raw.first() else {
        return false;
    };
    let blank_or_end = |at: usize| raw.get(at).is_none_or(|next| matches!(next, b' ' | b'\t'));
    if matches!(first, b'`' | b'@' | b'%' | b'*' | b'#' | b',' | b']' | b'}') {
        return true;
    }
    if matches!(first, b'-' | b'?' | b':') && blank_or_end(1) {
        return true;
    }
    memchr::memchr2_iter(b':', b'#', raw).any(|at| match raw[at] {
        b':' => blank_or_end(at + 1),
        _ => matches!(raw[at - 1], b' ' | b'\t'),
    })
}
