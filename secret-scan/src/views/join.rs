//! The view with tokens put together again that a line end or a Markdown mark breaks.

use super::runs::{self, ESCAPE, GAP, HIDING, MARK, SHORTEST_TOKEN, TOKEN, WORD};
use super::view::View;
use crate::text::Span;

/// How far before a line end a token may have begun. Longer pieces are found as they are.
const LOOK_BACK: usize = 1024;

/// The most bytes that are joined into one view. A longer chain of lines is taken in parts.
const MOST_JOINED: usize = 8 * 1024;

/// Bytes that two parts of one chain share.
const SHARED: usize = 2 * 1024;

/// The most bytes of white space, quote marks and line prefixes that count as one break.
const LONGEST_GAP: usize = 64;

/// The parts of `bytes` in which a line end breaks something that could be a token, among the
/// line ends in `within`.
pub(super) fn broken_lines(bytes: &[u8], within: Span) -> Vec<Span> {
    let mut parts = Vec::new();
    let mut chain: Option<Span> = None;
    for line_feed in memchr::memchr_iter(b'\n', &bytes[within.clone()]) {
        let line_feed = within.start + line_feed;
        let chain_end = chain.as_ref().map_or(0, |chain| chain.end);
        if !may_break_token(bytes, line_feed, chain_end) {
            continue;
        }
        let Some(gap) = gap_around(bytes, line_feed) else {
            continue;
        };
        let end = gap.end + runs::leading(&bytes[gap.end..], HIDING);
        match &mut chain {
            // The line between two gaps is one run, so the token may go on over both.
            Some(chain) if chain.end >= gap.start => {
                if end - chain.start > MOST_JOINED {
                    parts.push(chain.clone());
                    chain.start = chain.start.max(gap.start.saturating_sub(SHARED));
                }
                chain.end = end;
            }
            _ => {
                parts.extend(chain.take());
                let reach = &bytes[gap.start.saturating_sub(LOOK_BACK)..gap.start];
                chain = Some(gap.start - runs::trailing(reach, HIDING)..end);
            }
        }
    }
    parts.extend(chain);
    parts
}

/// A quick look at a line end that rules most of them out: between two short words, or after
/// punctuation. `chain_end` is where the last broken token may go on to.
fn may_break_token(bytes: &[u8], line_feed: usize, chain_end: usize) -> bool {
    let line = bytes[..line_feed]
        .strip_suffix(b"\r")
        .unwrap_or(&bytes[..line_feed]);
    let Some(&last) = line.last() else {
        return false;
    };
    if !runs::is(last, WORD) {
        return last >= 0x80
            || last == b';' && ends_piece(line)
            || matches!(
                last,
                b' ' | b'\t' | b'\\' | b'=' | b'"' | b'\'' | b'`' | b'+' | b'.' | b'~' | b'/'
            );
    }
    if chain_end >= line.len() {
        return true;
    }
    let next = &bytes[line_feed + 1..];
    let prefix = next
        .iter()
        .take_while(|&&byte| matches!(byte, b' ' | b'\t' | b'>' | b'#' | b'*' | b'|' | b'/'))
        .count();
    let next = &next[prefix..];
    let after = runs::leading(&next[..next.len().min(SHORTEST_TOKEN)], HIDING);
    let before = &line[line.len().saturating_sub(SHORTEST_TOKEN - after)..];
    // A word that fills its line may be the middle of a token.
    after > 0
        && (after + runs::trailing(before, HIDING) >= SHORTEST_TOKEN || ends_line(&next[after..]))
}

/// Whether `run` of `bytes` holds a mark between two characters of a token.
pub(super) fn has_inner_mark(bytes: &[u8], run: Span) -> bool {
    let part = &bytes[..run.end];
    let inner = run.start + 1..run.end;
    inner
        .filter(|&at| runs::is(part[at], MARK))
        .any(|at| gap_at(part, at).is_some())
}

/// Joins `part` of `bytes`, or returns `None` if no join makes anything as long as a token.
pub(super) fn join(bytes: &[u8], part: Span) -> Option<View> {
    let bytes = &bytes[..part.end];
    let next_gap = |from: usize| {
        (from..part.end)
            .filter(|&at| runs::is(bytes[at], GAP))
            .find_map(|at| gap_at(bytes, at))
    };
    let mut view = View::with_capacity(part.len());
    let mut copied = part.start;
    let mut worth = false;
    let mut last_joint = None;
    loop {
        let gap = next_gap(copied);
        view.copy(
            bytes,
            copied..gap.as_ref().map_or(part.end, |gap| gap.start),
        );
        worth = worth || last_joint.is_some_and(|joint| spans_token(view.bytes(), joint));
        let Some(gap) = gap else {
            return worth.then_some(view);
        };
        last_joint = Some(view.bytes().len());
        view.mark_joint();
        copied = gap.end;
    }
}

/// Whether the run around `joint` is as long as a token.
fn spans_token(bytes: &[u8], joint: usize) -> bool {
    let before = &bytes[joint.saturating_sub(LOOK_BACK)..joint];
    let before = runs::trailing(before, HIDING);
    before + runs::leading(&bytes[joint..], HIDING) >= SHORTEST_TOKEN
}

/// The gap that starts at `at`: between two characters of a token, a line end with what belongs
/// to it, or Markdown marks. Either character may be hidden by another view.
fn gap_at(bytes: &[u8], at: usize) -> Option<Span> {
    if !ends_piece(&bytes[..at]) {
        return None;
    }
    let rest = &bytes[at..bytes.len().min(at + LONGEST_GAP)];
    let len = match rest.first()? {
        b'*' | b'`' | b'~' => marks(rest).or_else(|| line_gap(rest))?,
        // Padding of base64, not a soft line break.
        b'=' if bytes[..at].ends_with(b"=") => return None,
        byte if runs::is(*byte, GAP) => line_gap(rest)?,
        _ => return None,
    };
    let next = *bytes.get(at + len)?;
    runs::is(next, TOKEN | ESCAPE).then_some(at..at + len)
}

/// Whether `before` ends with a character of a token, an invisible character or an entity.
fn ends_piece(before: &[u8]) -> bool {
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

/// The length of a line end at the start of `rest`, with a continuation sign, white space or a
/// closing quote mark before it, and indent, quote or comment signs or an opening quote mark
/// after it.
fn line_gap(rest: &[u8]) -> Option<usize> {
    let at = |index: usize| rest.get(index).copied().unwrap_or(0);
    let blanks = |index: usize| {
        rest[index.min(rest.len())..]
            .iter()
            .take_while(|&&byte| matches!(byte, b' ' | b'\t'))
            .count()
    };
    let mut end = 0;
    let quote = match at(0) {
        quote @ (b'"' | b'\'' | b'`') => {
            end += 1;
            end += blanks(end);
            if matches!(at(end), b'+' | b'.') {
                end += 1;
            }
            Some(quote)
        }
        // A soft line break of RFC 2045.
        b'=' => {
            end += 1;
            None
        }
        _ => None,
    };
    end += blanks(end);
    if at(end) == b'\\' {
        end += 1;
        end += blanks(end);
    }
    end += usize::from(at(end) == b'\r');
    if at(end) != b'\n' {
        return None;
    }
    end += 1;
    loop {
        end += match (at(end), at(end + 1)) {
            (b' ' | b'\t' | b'>' | b'#' | b'*' | b'|', _) => 1,
            (b'/', b'/') => 2,
            _ => break,
        };
    }
    if let Some(quote) = quote {
        if matches!(at(end), b'+' | b'.') {
            end += 1;
            end += blanks(end);
        }
        if at(end) != quote {
            return None;
        }
        end += 1;
    }
    Some(end)
}

/// The gap around the line feed at `line_feed`, if it stands between two token characters.
fn gap_around(bytes: &[u8], line_feed: usize) -> Option<Span> {
    let reach = &bytes[line_feed.saturating_sub(LONGEST_GAP / 2)..line_feed];
    let mut before = reach.strip_suffix(b"\r").unwrap_or(reach);
    // Nearly all lines end with punctuation or a word; this must be quick to say so.
    match before.last()? {
        b' ' | b'\t' | b'\\' | b'=' | b'"' | b'\'' | b'`' | b'+' | b'.' => {
            while let [
                rest @ ..,
                b' ' | b'\t' | b'\\' | b'=' | b'"' | b'\'' | b'`' | b'+' | b'.',
            ] = before
            {
                let start = line_feed - reach.len() + rest.len();
                if let Some(gap) = gap_at(bytes, start)
                    && gap.contains(&line_feed)
                {
                    return Some(gap);
                }
                before = rest;
            }
            // A sign that may end a token as well, before a plain line end.
            let start = line_feed - usize::from(reach.ends_with(b"\r"));
            gap_at(bytes, start)
        }
        _ => gap_at(bytes, line_feed - reach.len() + before.len()),
    }
}

/// Whether only what may belong to a gap stands before the end of a line.
fn ends_line(rest: &[u8]) -> bool {
    rest.iter()
        .take(LONGEST_GAP / 2)
        .find(|byte| {
            !matches!(
                byte,
                b' ' | b'\t' | b'\\' | b'=' | b'"' | b'\'' | b'`' | b'+'
            )
        })
        .is_some_and(|byte| matches!(byte, b'\r' | b'\n'))
}
