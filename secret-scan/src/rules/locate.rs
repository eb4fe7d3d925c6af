//! The patterns that steps cannot express: matches around a marker, and private keys.

use super::example::{self, Letters};
use crate::class::{ALNUM, BASE64, UPPER, WORD_DASH};
use crate::matcher;
use crate::text::{Span, Text};
use crate::views::base64;

/// Base64 of `OpenAI`, which every key of that issuer carries in its middle.
pub(super) const OPENAI_MARKER: &str = "T3BlbkFJ";

/// Characters on either side of the marker.
const OPENAI_HALF: usize = 16;

/// How far before the marker a key may start: keys seen have 20 to 80 characters there.
const OPENAI_LOOK_BACK: usize = 256;

/// `sk-`, an optional word and hyphen, 16 or more characters, the marker, 16 or more characters.
pub(super) fn openai_key(text: &Text<'_>, marker: Span) -> Option<Span> {
    let bytes = text.bytes();
    let reach = &bytes[marker.start.saturating_sub(OPENAI_LOOK_BACK)..marker.start];
    let run = reach
        .iter()
        .rev()
        .take_while(|&&byte| WORD_DASH.contains(byte))
        .count();
    let from = marker.start - run;
    let last = marker.start.checked_sub(OPENAI_HALF + "sk-".len())?;
    let starts = || (from..=last).filter(|&at| text.starts_with_at(at, "sk-"));
    // `task-…` holds `sk-` too; a start at a word boundary is the better reading.
    let start = starts()
        .find(|&at| text.starts_word(at))
        .or_else(|| starts().next())?;

    let end = text.run_end(marker.end, &WORD_DASH);
    let end = matcher::open_end(text, start, marker.end + OPENAI_HALF, end)?;
    Some(start..end)
}

pub(super) fn openai_example() -> String {
    let mut letters = Letters::new(b"openai");
    [
        "sk-proj-",
        &letters.text(74, &ALNUM),
        OPENAI_MARKER,
        &letters.text(74, &ALNUM),
    ]
    .concat()
}

/// Amazon's documentation ends its made-up ids with this word.
pub(super) fn is_no_aws_example(matched: &[u8]) -> bool {
    !matched.ends_with(b"EXAMPLE")
}

/// Grafana's legacy keys are JSON with the members `k`, `n` and `id`. Links into Power BI start
/// with the same bytes, but hold `k` and `t`.
pub(super) fn is_grafana_json(matched: &[u8]) -> bool {
    let decoded = base64::decode(&matched[..matched.len().min(512)]);
    decoded.windows(4).any(|window| window == br#""n":"#)
}

pub(super) fn grafana_example() -> String {
    let key = Letters::new(b"grafana").text(32, &ALNUM);
    example::base64(&format!(r#"{{"k":"{key}","n":"deploy","id":1}}"#))
}

/// Part of every label of a private key, and rarer in text than `-----BEGIN`.
pub(super) const PRIVATE_KEY_MARKER: &str = "PRIVATE KEY";

/// Base64 characters that make a key of a label. A label alone is prose.
const KEY_LEAST: usize = 50;

/// Shorter runs of base64 characters are words; lines of a key have 64 or more.
const KEY_LINE_LEAST: usize = 16;

/// From the label to the end of the base64 body, and over the closing label where there is one.
pub(super) fn private_key(text: &Text<'_>, marker: Span) -> Option<Span> {
    let bytes = text.bytes();
    let start = label_start(bytes, marker.start)?;
    let mut at = marker.end;
    if text.starts_with_at(at, " BLOCK") {
        at += " BLOCK".len();
    }
    at += count_while(&bytes[at..], |byte| byte == b' ');
    let dashes = count_while(&bytes[at..], |byte| byte == b'-');
    if !(4..=5).contains(&dashes) {
        return None;
    }
    at += dashes;
    at = skip_headers(bytes, at);

    let mut found = 0;
    let mut end = at;
    loop {
        let line_start = end + skip_separators(&bytes[end..]);
        let line = BASE64.run(&bytes[line_start..]);
        if line == 0 || line < KEY_LINE_LEAST && found + line < KEY_LEAST {
            break;
        }
        found += line;
        end = line_start + line;
        end += count_while(&bytes[end..], |byte| byte == b'=').min(2);
        if line < KEY_LINE_LEAST {
            break;
        }
    }
    if found < KEY_LEAST || distinct(&bytes[at..end]) < 12 {
        return None;
    }
    Some(start..closing_label(bytes, end).unwrap_or(end))
}

pub(super) fn private_key_example() -> String {
    let mut letters = Letters::new(b"private-key");
    let dashes = "-----";
    let (begin, end) = ("BEGIN ", "END ");
    let marker = PRIVATE_KEY_MARKER;
    let lines: Vec<_> = (0..12).map(|_| letters.text(64, &BASE64)).collect();
    format!(
        "{dashes}{begin}RSA {marker}{dashes}\n{}\n{dashes}{end}RSA {marker}{dashes}",
        lines.join("\n")
    )
}

/// The start of `-----BEGIN … ` before the marker: four or five hyphens, an optional space,
/// `BEGIN`, and words in capitals.
fn label_start(bytes: &[u8], marker_start: usize) -> Option<usize> {
    const LONGEST_KIND: usize = 64;
    let reach = &bytes[marker_start.saturating_sub(LONGEST_KIND)..marker_start];
    let begin = reach.windows(5).rposition(|window| window == b"BEGIN")?;
    let kind = &reach[begin + 5..];
    if !kind.iter().all(|&byte| {
        UPPER.contains(byte) || byte.is_ascii_digit() || matches!(byte, b' ' | b'-' | b'_')
    }) {
        return None;
    }
    let before = &reach[..begin];
    let before = before.strip_suffix(b" ").unwrap_or(before);
    let dashes = before
        .iter()
        .rev()
        .take_while(|&&byte| byte == b'-')
        .take(5)
        .count();
    (dashes >= 4).then(|| marker_start - reach.len() + before.len() - dashes)
}

/// Skips header lines such as `Proc-Type: 4,ENCRYPTED` or `Comment: …` after the label.
fn skip_headers(bytes: &[u8], mut at: usize) -> usize {
    const MOST_HEADERS: usize = 8;
    const LONGEST_HEADER: usize = 200;
    for _ in 0..MOST_HEADERS {
        let name_start = at + skip_separators(&bytes[at..]);
        let name = count_while(&bytes[name_start..], |byte| {
            byte.is_ascii_alphabetic() || byte == b'-'
        });
        let rest = &bytes[name_start + name..];
        if name == 0 || name > 32 || !rest.starts_with(b": ") {
            break;
        }
        let line = &rest[..rest.len().min(LONGEST_HEADER)];
        let line_end = line
            .windows(2)
            .position(|pair| pair[0] == b'\n' || pair == br"\n" || pair == br"\r");
        match line_end {
            Some(end) => at = name_start + name + end,
            None => break,
        }
    }
    at
}

/// The number of bytes that stand between two lines of a key: white space, quote marks, comment
/// and list signs, and line ends that are spelled out by an escape.
fn skip_separators(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(length) = separator(&bytes[at..], at > 0) {
        at += length;
    }
    at
}

/// The length of the separator at the start of `rest`; `inside` is whether another one stands
/// before it.
fn separator(rest: &[u8], inside: bool) -> Option<usize> {
    match rest {
        [first, ..] if b" \t\r\n>|\"'#*,;`".contains(first) => Some(1),
        // String concatenation; elsewhere a plus sign is base64.
        [b'+', b' ' | b'\r' | b'\n', ..] if inside => Some(1),
        [b'\\', b'\\', ..] | [b'=', b'\r' | b'\n', ..] => Some(1),
        [b'\\', b'n' | b'r' | b't' | b'"' | b'\r' | b'\n', ..] => Some(2),
        [b'/', b'/', b' ', ..]
        | [b'%', b'0', b'A' | b'a' | b'D' | b'd', ..]
        | [b'%', b'2', b'0', ..]
        // Zero-width characters.
        | [0xE2, 0x80, 0x8B..=0x8F, ..] => Some(3),
        [b'&', b'#', code @ ..] => Some(2 + numeric_line_end(code)?),
        [b'<', b'b', b'r', tail @ ..] => {
            let closing = count_while(tail, |byte| matches!(byte, b' ' | b'/' | b'>'));
            Some(3 + closing.min(3))
        }
        _ => None,
    }
}

/// The length of `10;`, `13;`, `xA;` or `xD;`, leading zeros allowed.
fn numeric_line_end(rest: &[u8]) -> Option<usize> {
    let end = rest.iter().take(8).position(|&byte| byte == b';')?;
    let digits = std::str::from_utf8(&rest[..end]).ok()?;
    let code = match digits.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    matches!(code, Ok(10 | 13 | 32)).then_some(end + 1)
}

/// The end of the closing label, if it follows a body that ends at `at`; a checksum line as in
/// RFC 4880, `=` and four characters, may stand between.
fn closing_label(bytes: &[u8], at: usize) -> Option<usize> {
    const LONGEST_LABEL: usize = 96;
    let mut at = at + skip_separators(&bytes[at..]);
    if bytes[at..].starts_with(b"=") && BASE64.run(&bytes[at + 1..]) == 4 {
        at += 5;
        at += skip_separators(&bytes[at..]);
    }
    let rest = &bytes[at..bytes.len().min(at + LONGEST_LABEL)];
    let dashes = count_while(rest, |byte| byte == b'-');
    let label = &rest[dashes..];
    let label = label.strip_prefix(b" ").unwrap_or(label);
    if dashes < 4 || !label.starts_with(b"END") {
        return None;
    }
    let marker = rest
        .windows(PRIVATE_KEY_MARKER.len())
        .position(|window| window == PRIVATE_KEY_MARKER.as_bytes())?;
    let tail = &rest[marker..];
    let closing = tail.iter().position(|&byte| byte == b'-')?;
    Some(at + marker + closing + count_while(&tail[closing..], |byte| byte == b'-').min(5))
}

fn distinct(bytes: &[u8]) -> usize {
    let mut seen = [false; 256];
    bytes
        .iter()
        .filter(|&&byte| !std::mem::replace(&mut seen[usize::from(byte)], true))
        .count()
}

fn count_while(bytes: &[u8], mut keep: impl FnMut(u8) -> bool) -> usize {
    bytes
        .iter()
        .position(|&byte| !keep(byte))
        .unwrap_or(bytes.len())
}
