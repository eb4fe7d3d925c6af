//! What may stand in the middle of a token and not belong to it: a line end with what the notation
//! around it puts there, the end of one string and the start of the next, Markdown marks, tags,
//! colours of a terminal.

use super::runs::{self, ESCAPE, TOKEN, WORD};
use crate::text::Span;

/// The most bytes of white space, quote marks and line prefixes that count as one gap.
pub(super) const LONGEST_GAP: usize = 64;

/// Escaping doubles backslashes, so these are four times.
const MOST_SLASHES: usize = 16;

/// The gap that starts at `at`: between two characters of a token, either of which may be hidden
/// by another view.
pub(super) fn gap_at(bytes: &[u8], at: usize) -> Option<Span> {
    if !ends_piece(&bytes[..at]) {
        return None;
    }
    let rest = &bytes[at..bytes.len().min(at + LONGEST_GAP)];
    let line = || line_gap(bytes, at, rest);
    let len = match *rest.first()? {
        b'*' | b'~' => marks(rest).or_else(line)?,
        b'`' => inline(rest).or_else(line).or_else(|| marks(rest))?,
        // Padding of base64, not a soft line break.
        b'=' if bytes[..at].ends_with(b"=") => return None,
        _ => inline(rest).or_else(line)?,
    };
    between(bytes, at, len)
}

/// The gap of these bytes, if the character after it may be one of a token.
fn between(bytes: &[u8], at: usize, len: usize) -> Option<Span> {
    let next = *bytes.get(at + len)?;
    runs::is(next, TOKEN | ESCAPE).then_some(at..at + len)
}

/// The length of the gap without a line end at the start of `rest`.
fn inline(rest: &[u8]) -> Option<usize> {
    match *rest.first()? {
        b'"' | b'\'' | b'`' => string_gap(rest),
        b'\\' => string_gap(rest).or_else(|| spelled_line_gap(rest)),
        b'<' => tags(rest),
        ESCAPE_CHARACTER => colours(rest),
        _ => None,
    }
}

/// The gap around the line end at `line_end`, if it stands between two token characters.
pub(super) fn gap_around(bytes: &[u8], line_end: usize) -> Option<Span> {
    let reach = &bytes[line_end.saturating_sub(LONGEST_GAP / 2)..line_end];
    let mut before = reach.strip_suffix(b"\r").unwrap_or(reach);
    // Nearly all lines end with punctuation or a word; this must be quick to say so.
    while let [rest @ .., last] = before
        && is_line_closing(*last)
    {
        let start = line_end - reach.len() + rest.len();
        if let Some(gap) = gap_at(bytes, start)
            && gap.contains(&line_end)
        {
            return Some(gap);
        }
        before = rest;
    }
    // A plain line end, perhaps after a sign that may end a token as well.
    let start = line_end - usize::from(reach.ends_with(b"\r"));
    gap_at(bytes, start)
}

/// The gaps in `bytes` from `from` on, in order, apart from Markdown marks and those around a line
/// feed.
pub(super) fn inline_gaps(bytes: &[u8], from: usize) -> Vec<Span> {
    let part = &bytes[from..];
    let signs = memchr::memchr3_iter(b'"', b'\'', b'`', part)
        .chain(memchr::memchr3_iter(b'<', b'\\', ESCAPE_CHARACTER, part))
        .map(|at| from + at)
        .filter(|&at| may_start_gap(&bytes[at..]) && at > 0 && ends_piece(&bytes[..at]))
        .filter_map(|at| {
            let rest = &bytes[at..bytes.len().min(at + LONGEST_GAP)];
            between(bytes, at, inline(rest)?)
        });
    // Line ends of old, and what overwrites a line of a terminal.
    let lines = memchr::memchr_iter(b'\r', part)
        .map(|at| from + at)
        .filter(|&at| bytes.get(at + 1) != Some(&b'\n'))
        .filter_map(|at| gap_around(bytes, at));
    let mut gaps: Vec<Span> = signs.chain(lines).collect();
    gaps.sort_unstable_by_key(|gap| gap.start);
    gaps
}

/// A quick look at a sign that rules most of them out.
fn may_start_gap(rest: &[u8]) -> bool {
    let Some((&next, after)) = rest[1..].split_first() else {
        return false;
    };
    match rest[0] {
        b'<' => next.is_ascii_alphabetic() || matches!(next, b'/' | b'!'),
        ESCAPE_CHARACTER => next == b'[',
        b'\\' => matches!(next, b'"' | b'\'' | b'`' | b'\\' | b'n' | b'r'),
        quote => {
            let goes_on = |byte| {
                byte == quote
                    || matches!(
                        byte,
                        b' ' | b'\t' | b'\\' | b'+' | b'.' | b'&' | b'|' | b'<'
                    )
            };
            let is_blank = matches!(next, b' ' | b'\t');
            goes_on(next) && (!is_blank || after.first().is_some_and(|&byte| goes_on(byte)))
        }
    }
}

pub(super) fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Whether a byte before a line end may belong to the gap.
pub(super) fn is_line_closing(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\\' | b'=' | b'"' | b'\'' | b'`' | b'+' | b'.' | b'|' | b'^' | b'&'
    )
}

/// Whether `before` ends with a character of a token, an invisible character or an entity.
pub(super) fn ends_piece(before: &[u8]) -> bool {
    const LONGEST_ENTITY: usize = 10;
    match before {
        [.., last] if runs::is(*last, TOKEN) => true,
        [.., 0x80..=0xBF] => true,
        [rest @ .., b';'] => {
            let reach = &rest[rest.len().saturating_sub(LONGEST_ENTITY)..];
            let name = runs::trailing(reach, WORD);
            matches!(reach[..reach.len() - name], [.., b'&'] | [.., b'&', b'#'])
        }
        _ => false,
    }
}

/// The length of `*`, `**`, `***`, `` ` `` or `~~` at the start of `rest`.
fn marks(rest: &[u8]) -> Option<usize> {
    let mark = rest[0];
    let count = rest.iter().take_while(|&&byte| byte == mark).count();
    match (mark, count) {
        (b'~', 2) | (b'*' | b'`', 1..=3) => Some(count),
        _ => None,
    }
}

/// The length of the end of one string, an operator that concatenates, and the start of the next
/// string, all on one line; the quote marks may be escaped. Without an operator, both quote marks
/// must be the same: two strings in a row, or an empty one inside a word of a shell.
fn string_gap(rest: &[u8]) -> Option<usize> {
    const OPERATORS: [&[u8]; 7] = [b"++", b"+", b"..", b".", b"&", b"||", b"<>"];
    let mut end = slashes(rest);
    let quote = quote_at(rest, end)?;
    end += 1;
    end += blanks(rest, end);
    let operator = OPERATORS
        .iter()
        .find(|operator| rest[end..].starts_with(operator));
    if let Some(operator) = operator {
        end += operator.len();
        end += blanks(rest, end);
    }
    end += slashes(&rest[end..]);
    let next = quote_at(rest, end)?;
    (operator.is_some() || next == quote).then_some(end + 1)
}

fn slashes(rest: &[u8]) -> usize {
    let slashes = rest.iter().take(MOST_SLASHES);
    slashes.take_while(|&&byte| byte == b'\\').count()
}

fn quote_at(rest: &[u8], at: usize) -> Option<u8> {
    let quote = *rest.get(at)?;
    matches!(quote, b'"' | b'\'' | b'`').then_some(quote)
}

/// The length of the tags and comments at the start of `rest` that HTML renders without a space.
fn tags(rest: &[u8]) -> Option<usize> {
    const INLINE: [&[u8]; 17] = [
        b"a", b"b", b"bdi", b"br", b"code", b"del", b"em", b"font", b"i", b"ins", b"kbd", b"mark",
        b"s", b"span", b"strong", b"u", b"wbr",
    ];
    let mut end = 0;
    while let Some(tag) = rest[end..].strip_prefix(b"<") {
        let close = if tag.starts_with(b"!--") {
            memchr::memmem::find(&tag[3..], b"-->")? + 3 + 2
        } else {
            let name = tag.strip_prefix(b"/").unwrap_or(tag);
            let letters = name.iter().take_while(|byte| byte.is_ascii_alphabetic());
            let (name, rest) = name.split_at(letters.count());
            let is_inline = INLINE
                .iter()
                .any(|inline| name.eq_ignore_ascii_case(inline))
                && matches!(rest.first(), Some(b'>' | b'/' | b' '));
            if !is_inline {
                return None;
            }
            tag.iter().position(|&byte| byte == b'>')?
        };
        end += 1 + close + 1;
    }
    (end > 0).then_some(end)
}

/// Starts a sequence of ECMA-48.
const ESCAPE_CHARACTER: u8 = 0x1B;

/// The length of the control sequences at the start of `rest`, such as those in which `grep` and
/// `ls` colour what they print.
fn colours(rest: &[u8]) -> Option<usize> {
    let mut end = 0;
    while let [ESCAPE_CHARACTER, b'[', sequence @ ..] = &rest[end..] {
        let parameters = sequence
            .iter()
            .position(|byte| !matches!(byte, b'0'..=b'?'))?;
        if !sequence[parameters].is_ascii_alphabetic() {
            return None;
        }
        end += 2 + parameters + 1;
    }
    (end > 0).then_some(end)
}

/// The length of a line end at `at` of `bytes`, where `rest` starts, with a continuation sign, white
/// space, a closing quote mark or cell before it, and what its notation puts at the start of the
/// next line.
fn line_gap(bytes: &[u8], at: usize, rest: &[u8]) -> Option<usize> {
    let byte = |index: usize| rest.get(index).copied().unwrap_or(0);
    let mut end = 0;
    let mut quote = None;
    match byte(0) {
        closing @ (b'"' | b'\'' | b'`') => {
            end += 1;
            end += blanks(rest, end);
            if matches!(byte(end), b'+' | b'.' | b'&') {
                end += 1;
            }
            // Before a line end, PowerShell continues a line with a backtick.
            if closing != b'`' || !is_line_end(byte(end)) {
                quote = Some(closing);
            }
        }
        // A soft line break of RFC 2045, the continuation sign of cmd.exe.
        b'=' | b'^' => end += 1,
        _ => {}
    }
    end += blanks(rest, end);
    if matches!(byte(end), b'|' | b'\\') && is_line_end_after(rest, end + 1) {
        end += 1;
        end += blanks(rest, end);
    }
    end += line_end(rest, end)?;
    end += prefix(rest, end, || line_sign(bytes, at));
    if let Some(quote) = quote {
        if matches!(byte(end), b'+' | b'.' | b'&') {
            end += 1;
            end += blanks(rest, end);
        }
        // Python writes the kind of a string before its quote mark.
        let kind = rest[end.min(rest.len())..].iter().take(2);
        end += kind.take_while(|byte| b"bfrBFR".contains(byte)).count();
        if byte(end) != quote {
            return None;
        }
        end += 1;
    }
    Some(end)
}

fn blanks(rest: &[u8], from: usize) -> usize {
    let rest = rest[from.min(rest.len())..].iter();
    rest.take_while(|&&byte| matches!(byte, b' ' | b'\t'))
        .count()
}

fn is_line_end_after(rest: &[u8], at: usize) -> bool {
    let end = at + blanks(rest, at);
    rest.get(end).is_some_and(|&byte| is_line_end(byte))
}

/// The length of a line end at `at`: a line feed, a carriage return, or both.
fn line_end(rest: &[u8], at: usize) -> Option<usize> {
    match rest.get(at..)? {
        [b'\r', b'\n', ..] => Some(2),
        [b'\n' | b'\r', ..] => Some(1),
        _ => None,
    }
}

/// The length of a line end that is spelled out, with the indent of the next line. Without that,
/// the folding view shows the token.
fn spelled_line_gap(rest: &[u8]) -> Option<usize> {
    let end = spelled_line_end(rest);
    let indent = prefix(rest, end, || None);
    (end > 0 && indent > 0).then_some(end + indent)
}

/// The length of `\n` or `\r\n`, spelled out as in a string of JSON.
fn spelled_line_end(rest: &[u8]) -> usize {
    let one = |from: usize, letter: u8| {
        let slashes = slashes(&rest[from..]);
        if slashes > 0 && rest.get(from + slashes) == Some(&letter) {
            slashes + 1
        } else {
            0
        }
    };
    let carriage_return = one(0, b'r');
    match one(carriage_return, b'n') {
        0 => 0,
        line_feed => carriage_return + line_feed,
    }
}

/// The length of what a notation puts before the text of a line that starts at `at`: indent, quote,
/// list and comment signs, cells, the numbers of a listing, and the sign of a patch if the line
/// before has the same.
pub(super) fn prefix(rest: &[u8], at: usize, line_sign: impl FnOnce() -> Option<u8>) -> usize {
    let mut end = at;
    if let Some([sign @ (b'+' | b'-'), next, ..]) = rest.get(at..)
        && (*sign, *next) != (b'-', b'-')
        && line_sign() == Some(*sign)
    {
        end += 1;
    }
    // A number after a cell's border is what the cell holds.
    let mut may_be_numbered = true;
    while let Some(line) = rest.get(end..) {
        end += match line {
            [b'|', ..] => {
                may_be_numbered = false;
                1
            }
            [b' ' | b'\t' | b'>' | b'#' | b'*', ..] => 1,
            [b'/', b'/', ..] => 2,
            [b'-', b'-', b' ', ..] => 3,
            [b'0'..=b'9', ..] if may_be_numbered => match gutter(line) {
                0 => break,
                length => {
                    may_be_numbered = false;
                    length
                }
            },
            _ => break,
        };
    }
    end.min(rest.len()) - at.min(rest.len())
}

/// The length of a line number and the sign after it, as `cat -n`, editors and agents' tools print
/// them.
fn gutter(line: &[u8]) -> usize {
    let digits = line.iter().take(6).take_while(|byte| byte.is_ascii_digit());
    let digits = digits.count();
    match &line[digits..] {
        [b'\t' | b'|', ..] => digits + 1,
        [b' ', b'|', ..] => digits + 2,
        [0xE2, 0x86, 0x92, ..] | [0xE2, 0x94, 0x82, ..] => digits + 3,
        [b' ', 0xE2, 0x94, 0x82, ..] => digits + 4,
        _ => 0,
    }
}

/// The first byte of the line that holds `at`.
pub(super) fn line_sign(bytes: &[u8], at: usize) -> Option<u8> {
    const LONGEST_LINE: usize = 256;
    let reach = &bytes[at.saturating_sub(LONGEST_LINE)..at];
    match memchr::memrchr(b'\n', reach) {
        Some(line_feed) => reach.get(line_feed + 1).copied(),
        None if reach.len() == at => reach.first().copied(),
        None => None,
    }
}
