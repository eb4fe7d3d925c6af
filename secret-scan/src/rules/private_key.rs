//! Private keys: a label, perhaps header lines, and enough base64 to be a key (RFC 7468 and what
//! came before it).
//!
//! Keys are pasted in more ways than any other credential, so everything is read through the
//! escapes and invisible characters that other rules leave to the views.

use super::example::Letters;
use crate::class::BASE64;
use crate::text::{Span, Text};
use crate::views::Characters;

/// Words of every label. Either is enough, so that a label with one of them broken up is seen.
pub(super) const LABEL_WORDS: [&str; 2] = ["BEGIN", "PRIVATE KEY"];

/// How far before one of its words a label may start.
const LOOK_BACK: usize = 128;

/// The most characters between the hyphens of a label.
const LONGEST_LABEL: usize = 64;

/// Base64 characters that make a key of a label. A label alone is prose.
const KEY_LEAST: usize = 50;

/// Shorter runs of base64 characters are words; lines of a key have 64 or more.
const LINE_LEAST: usize = 16;

/// Different characters in a key. What has fewer is a placeholder.
const DIFFERENT_LEAST: usize = 12;

/// From the label to the end of the body, and over the closing label where there is one.
pub(super) fn locate(text: &Text<'_>, word: Span) -> Option<Span> {
    let bytes = text.bytes();
    let start = last_hyphens(bytes, word.start)?;
    let label = read_label(bytes, start)?;
    if !label.begins || word.start > label.end {
        return None;
    }
    let body = skip_headers(bytes, label.end);
    let mut key = Body::default();
    let end = key.read(bytes, body);
    if key.characters < KEY_LEAST || key.different() < DIFFERENT_LEAST {
        return None;
    }
    Some(start..closing_label(bytes, end).unwrap_or(end))
}

/// How much of `rest`, which follows what was seen of a key, still belongs to it.
pub(crate) fn tail(rest: &[u8]) -> usize {
    let mut key = Body {
        characters: KEY_LEAST,
        goes_on: true,
        ..Body::default()
    };
    let end = key.read(rest, 0);
    closing_label(rest, end).unwrap_or(end)
}

/// Whether a key may go on after `rest`: it holds nothing but the start of what may follow.
pub(crate) fn tail_is_open(rest: &[u8]) -> bool {
    let start = skip_separators(rest, 0);
    rest.len() - start <= LOOK_BACK && matches!(rest.get(start), None | Some(b'-'))
}

pub(super) fn example() -> String {
    let mut letters = Letters::new(b"private-key");
    let dashes = "-----";
    let [begin, marker] = LABEL_WORDS;
    let lines: Vec<_> = (0..12).map(|_| letters.text(64, &BASE64)).collect();
    format!(
        "{dashes}{begin} RSA {marker}{dashes}\n{}\n{dashes}END RSA {marker}{dashes}",
        lines.join("\n")
    )
}

/// Where the last four or five hyphens before `before` start.
fn last_hyphens(bytes: &[u8], before: usize) -> Option<usize> {
    let from = before.saturating_sub(LOOK_BACK);
    let reach = &bytes[from..before];
    let last = reach.windows(4).rposition(|window| window == b"----")?;
    let fifth = last > 0 && reach[last - 1] == b'-';
    Some(from + last - usize::from(fifth))
}

/// A label, from its hyphens on.
struct Label {
    /// `BEGIN`, as opposed to `END`.
    begins: bool,
    end: usize,
}

/// Reads the label of a private key that starts at `start`: hyphens, `BEGIN` or `END`, the kind of
/// key, `PRIVATE KEY`, perhaps `BLOCK`, and hyphens.
fn read_label(bytes: &[u8], start: usize) -> Option<Label> {
    let mut characters = Characters::new(bytes, start);
    let mut name = Vec::with_capacity(LONGEST_LABEL);
    let mut hyphens = 0;
    while hyphens < 4 || name.is_empty() {
        match characters.next()?.0 {
            b'-' => hyphens += 1,
            byte @ (b'A'..=b'Z' | b'0'..=b'9' | b' ' | b'_') => {
                hyphens = 0;
                if name.len() == LONGEST_LABEL {
                    return None;
                }
                name.push(byte);
            }
            _ => return None,
        }
    }
    let fifth = characters.clone().next();
    if let Some((b'-', _)) = fifth {
        characters.next();
    }
    let name = name.trim_ascii();
    let name = name.strip_suffix(b" BLOCK").unwrap_or(name);
    let kind = name.strip_suffix(LABEL_WORDS[1].as_bytes())?;
    let begins = kind.starts_with(LABEL_WORDS[0].as_bytes());
    (begins || kind.starts_with(b"END")).then_some(Label {
        begins,
        end: characters.at(),
    })
}

/// The end of the closing label, if it follows a body that ends at `at`; a checksum line as in
/// RFC 4880, `=` and four characters, may stand between.
fn closing_label(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = skip_separators(bytes, at);
    if bytes[at..].starts_with(b"=") && BASE64.run(&bytes[at + 1..]) == 4 {
        at = skip_separators(bytes, at + 5);
    }
    let label = read_label(bytes, at)?;
    (!label.begins).then_some(label.end)
}

/// Skips header lines such as `Proc-Type: 4,ENCRYPTED` or `Comment: …` after the label.
fn skip_headers(bytes: &[u8], mut at: usize) -> usize {
    const MOST_HEADERS: usize = 8;
    const LONGEST_NAME: usize = 32;
    const LONGEST_HEADER: usize = 200;
    for _ in 0..MOST_HEADERS {
        let start = skip_separators(bytes, at);
        let name = bytes[start..]
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'-')
            .count();
        let rest = &bytes[start + name..];
        if name == 0 || name > LONGEST_NAME || !rest.starts_with(b": ") {
            break;
        }
        let line = &rest[..rest.len().min(LONGEST_HEADER)];
        let line_end = line
            .windows(2)
            .position(|pair| pair[0] == b'\n' || pair == br"\n" || pair == br"\r");
        match line_end {
            Some(end) => at = start + name + end,
            None => break,
        }
    }
    at
}

/// The base64 of a key, as far as it has been read.
#[derive(Clone)]
struct Body {
    characters: usize,
    /// Whether the next line may be short, because it is the rest of one.
    goes_on: bool,
    seen: [bool; 256],
}

impl Default for Body {
    fn default() -> Self {
        Self {
            characters: 0,
            goes_on: false,
            seen: [false; 256],
        }
    }
}

impl Body {
    /// Reads lines from `at` on, and returns where the last of them ends.
    fn read(&mut self, bytes: &[u8], at: usize) -> usize {
        let mut end = at;
        loop {
            let start = skip_separators(bytes, end);
            let (line, mut line_end) = self.read_line(bytes, start);
            let goes_on = std::mem::take(&mut self.goes_on);
            let is_short = line < LINE_LEAST && !goes_on;
            if line == 0 && !goes_on || is_short && self.characters + line < KEY_LEAST {
                return end;
            }
            let padding = bytes[line_end..]
                .iter()
                .take(2)
                .take_while(|&&byte| byte == b'=')
                .count();
            line_end += padding;
            if is_short && padding == 0 {
                let next = skip_separators(bytes, line_end);
                // A short line is the last one, or a piece of one that was wrapped anew; after a
                // key that has no end, it is the first word of other text.
                let is_last = next == bytes.len() || closing_label(bytes, line_end).is_some();
                let is_piece = self.clone().read_line(bytes, next).0 >= LINE_LEAST;
                if !is_last && !is_piece {
                    return end;
                }
            }
            self.characters += line;
            end = line_end;
        }
    }

    /// The number of base64 characters at `start`, and where they end.
    fn read_line(&mut self, bytes: &[u8], start: usize) -> (usize, usize) {
        let mut characters = Characters::new(bytes, start);
        let mut count = 0;
        let mut end = start;
        while let Some((byte, after)) = characters.next()
            && BASE64.contains(byte)
        {
            self.seen[usize::from(byte)] = true;
            count += 1;
            end = after;
        }
        (count, end)
    }

    fn different(&self) -> usize {
        self.seen.iter().filter(|&&seen| seen).count()
    }
}

/// Skips what stands between two lines of a key: white space, quote marks, comment and list signs,
/// each as it is or spelled out by an escape.
fn skip_separators(bytes: &[u8], at: usize) -> usize {
    let mut characters = Characters::new(bytes, at);
    loop {
        let start = characters.at();
        let rest = &bytes[start..];
        let inside = start > at;
        match characters.next() {
            Some((byte, _)) if b" \t\r\n>|\"'#*~,;`\\".contains(&byte) => {}
            // String concatenation; elsewhere a plus sign is base64.
            Some((b'+', _)) if inside && matches!(rest.get(1), Some(b' ' | b'\r' | b'\n')) => {}
            // A soft line break of RFC 2045.
            Some((b'=', _)) if matches!(rest.get(1), Some(b'\r' | b'\n')) => {}
            _ if rest.starts_with(b"// ") => characters = Characters::new(bytes, start + 3),
            _ if rest.starts_with(b"<br") => {
                let closing = rest[3..].iter().take(3);
                let closing = closing.take_while(|byte| matches!(byte, b' ' | b'/' | b'>'));
                characters = Characters::new(bytes, start + 3 + closing.count());
            }
            _ => return start,
        }
    }
}
