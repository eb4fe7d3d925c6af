//! The line reader: which fields a front matter has, and on which bytes they stand.

use std::ops::Range;

use super::{Extent, Line, Lines, indentation, is_blank};

/// One field: a key with its value, which may go on over further lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) key: Range<usize>,
    /// Whether it stands under `metadata:`.
    pub(crate) nested: bool,
    /// Its first line, counted from 1.
    pub(crate) line: usize,
    /// All its lines, line ends included.
    pub(crate) lines: Range<usize>,
    /// The value on its first line, without surrounding blanks.
    pub(crate) value: Range<usize>,
    /// Whether more lines belong to it.
    pub(crate) continued: bool,
    /// Blanks before the key.
    pub(crate) indent: usize,
}

impl Field {
    pub(crate) fn key<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.key.clone()]
    }
}

/// What a line of the front matter turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FieldItem {
    Field(Field),
    /// A line that belongs to no field; its number.
    Unreadable(usize),
}

/// Iterates over the fields of a front matter, without allocating.
///
/// A field under `metadata:` follows its parent, whose own range covers it. Indented lines under
/// any other key belong to that key.
pub(crate) struct Fields<'a> {
    bytes: &'a [u8],
    rest: Lines<'a>,
    nested: Option<Lines<'a>>,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(bytes: &'a [u8], extent: &Extent) -> Self {
        let bytes = &bytes[..extent.fields_end];
        Self {
            bytes,
            rest: Lines::from(bytes, extent.fields, extent.fields_line),
            nested: None,
        }
    }

    fn next_nested(&mut self) -> Option<FieldItem> {
        let lines = self.nested.as_mut()?;
        while let Some(line) = lines.next() {
            let indent = indentation(line.text);
            let Some(found) = key_of(&line.text[indent..], KeyRule::Lenient) else {
                continue;
            };
            let field = field_at(lines, line, indent, &found, true);
            return Some(FieldItem::Field(field));
        }
        self.nested = None;
        None
    }
}

impl Iterator for Fields<'_> {
    type Item = FieldItem;

    fn next(&mut self) -> Option<FieldItem> {
        if let Some(item) = self.next_nested() {
            return Some(item);
        }
        while let Some(line) = self.rest.next() {
            let indent = indentation(line.text);
            let content = &line.text[indent..];
            if is_blank(content) || content.starts_with(b"#") {
                continue;
            }
            let Some(found) = key_of(content, KeyRule::Lenient) else {
                return Some(FieldItem::Unreadable(line.number));
            };
            let field = field_at(&mut self.rest, line, indent, &found, false);
            let is_map = field.continued && field.value.is_empty();
            if is_map && field.key(self.bytes).eq_ignore_ascii_case(b"metadata") {
                let inside = &self.bytes[..field.lines.end];
                self.nested = Some(Lines::from(inside, line.next, line.number + 1));
            }
            return Some(FieldItem::Field(field));
        }
        None
    }
}

/// Builds the field that starts on `line` and moves `rest` past its last line.
fn field_at(
    rest: &mut Lines<'_>,
    line: Line<'_>,
    indent: usize,
    found: &FoundKey,
    nested: bool,
) -> Field {
    let mut end = line.next;
    // Blank lines belong to the field only when more of it follows.
    let mut ahead = rest.clone();
    while let Some(next) = ahead.next() {
        if is_blank(next.text) {
            continue;
        }
        let next_indent = indentation(next.text);
        // YAML allows the items of a list at the indentation of its key.
        let item = next_indent == indent && next.text[next_indent..].starts_with(b"- ");
        if next_indent <= indent && !item {
            break;
        }
        end = next.next;
        *rest = ahead.clone();
    }
    let content = line.start + indent;
    let value = line.text[indent + found.value..].trim_ascii();
    let value_start = if value.is_empty() {
        line.start + line.text.len()
    } else {
        let before = &line.text[indent + found.value..];
        content
            + found.value
            + before
                .iter()
                .take_while(|byte| byte.is_ascii_whitespace())
                .count()
    };
    Field {
        key: content + found.key.start..content + found.key.end,
        nested,
        line: line.number,
        lines: line.start..end,
        value: value_start..value_start + value.len(),
        continued: end > line.next,
        indent,
    }
}

/// How much a key may look like prose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyRule {
    /// No blanks in it: enough to tell a field from a sentence.
    Strict,
    /// Blanks inside are fine, as in `created at: …`.
    Lenient,
}

/// Where key and value stand in a line whose indentation is taken off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundKey {
    pub(crate) key: Range<usize>,
    /// First byte after the colon.
    pub(crate) value: usize,
}

const MAX_KEY_BYTES: usize = 64;

/// The keys this crate reads. For these a colon without a blank after it, or the full-width colon
/// that Chinese and Japanese keyboards type, is accepted too.
const KNOWN_KEYS: [&[u8]; 4] = [b"name", b"description", b"type", b"modified"];

const FULL_WIDTH_COLON: &[u8] = "：".as_bytes();

/// Reads the key at the start of `content`, if there is one.
///
/// A key is UTF-8: one that is not could be neither asked for nor written again.
pub(crate) fn key_of(content: &[u8], rule: KeyRule) -> Option<FoundKey> {
    let found = any_key(content, rule)?;
    let key = &content[found.key.clone()];
    (key.is_ascii() || std::str::from_utf8(key).is_ok()).then_some(found)
}

fn any_key(content: &[u8], rule: KeyRule) -> Option<FoundKey> {
    let first = *content.first()?;
    if matches!(first, b'"' | b'\'') {
        return quoted_key(content, first);
    }
    if !(first.is_ascii_alphanumeric() || first == b'_' || first >= 0x80) {
        return None;
    }
    let head = &content[..content.len().min(MAX_KEY_BYTES + FULL_WIDTH_COLON.len())];
    for (at, &byte) in head.iter().enumerate() {
        match byte {
            b':' => {
                let after = content.get(at + 1);
                if after.is_none_or(|next| matches!(next, b' ' | b'\t')) || is_known(&content[..at])
                {
                    let key = content[..at].trim_ascii_end();
                    return Some(FoundKey {
                        key: 0..key.len(),
                        value: at + 1,
                    });
                }
                return None;
            }
            b' ' | b'\t' if rule == KeyRule::Lenient => {}
            b' ' | b'\t' => {
                // `name : x` is valid YAML.
                let colon = content[at..].trim_ascii_start();
                if !colon.starts_with(b":") {
                    return None;
                }
            }
            b'_' | b'-' | b'.' | b'/' => {}
            0xEF if content[at..].starts_with(FULL_WIDTH_COLON) && is_known(&content[..at]) => {
                return Some(FoundKey {
                    key: 0..at,
                    value: at + FULL_WIDTH_COLON.len(),
                });
            }
            byte if byte.is_ascii_alphanumeric() || byte >= 0x80 => {}
            _ => return None,
        }
    }
    None
}

fn quoted_key(content: &[u8], quote: u8) -> Option<FoundKey> {
    let end = 1 + content[1..]
        .iter()
        .take(MAX_KEY_BYTES)
        .position(|&byte| byte == quote)?;
    let after = content[end + 1..].trim_ascii_start();
    let colon = content.len() - after.len();
    let value = after.strip_prefix(b":")?;
    let blank = value
        .first()
        .is_none_or(|next| matches!(next, b' ' | b'\t'));
    (blank && end > 1).then_some(FoundKey {
        key: 1..end,
        value: colon + 1,
    })
}

fn is_known(key: &[u8]) -> bool {
    let key = key.trim_ascii_end();
    KNOWN_KEYS
        .iter()
        .any(|known| known.eq_ignore_ascii_case(key))
}
