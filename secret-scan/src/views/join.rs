//! The view with tokens put together again that something breaks: see [`super::gaps`].

use super::gaps::{LONGEST_GAP, ends_piece, gap_around, gap_at, inline_gaps, is_line_closing};
use super::gaps::{line_sign, prefix};
use super::runs::{self, GAP, HIDING, MARK, SHORTEST_TOKEN, WORD};
use super::view::View;
use crate::text::Span;

/// How far before a gap a token may have begun. Longer pieces are found as they are.
const LOOK_BACK: usize = 1024;

/// The parts of `bytes` in which something breaks what could be a token, if any of it is in
/// `within`.
pub(super) fn broken_parts(bytes: &[u8], within: Span) -> Vec<Span> {
    let mut chains = Chains {
        bytes,
        parts: Vec::new(),
        chain: None,
    };
    let inline = inline_gaps(bytes, within.start);
    let mut inline = inline.into_iter().peekable();
    let from = &bytes[within.start..];
    for line_end in memchr::memchr_iter(b'\n', from) {
        let line_end = within.start + line_end;
        if line_end >= within.end && chains.end() + LONGEST_GAP < line_end {
            break;
        }
        while let Some(gap) = inline.next_if(|gap| gap.start < line_end) {
            chains.add(&gap);
        }
        if may_break_token(bytes, line_end, chains.end())
            && let Some(gap) = gap_around(bytes, line_end)
        {
            chains.add(&gap);
        }
    }
    while let Some(gap) = inline.next_if(|gap| gap.start <= within.end.max(chains.end())) {
        chains.add(&gap);
    }
    chains.parts.extend(chains.chain.take());
    chains.parts
}

/// Gaps that follow each other so closely that a token may go on over several of them.
struct Chains<'a> {
    bytes: &'a [u8],
    parts: Vec<Span>,
    chain: Option<Span>,
}

impl Chains<'_> {
    /// How far the last chain goes, up to the next gap.
    fn end(&self) -> usize {
        self.chain.as_ref().map_or(0, |chain| chain.end)
    }

    /// Adds the next gap.
    fn add(&mut self, gap: &Span) {
        let end = gap.end + runs::leading(&self.bytes[gap.end..], HIDING);
        match &mut self.chain {
            // What stands between two gaps is one run, so the token may go on over both.
            Some(chain) if chain.end >= gap.start => {
                chain.end = end.max(chain.end);
            }
            _ => {
                self.parts.extend(self.chain.take());
                let reach = &self.bytes[gap.start.saturating_sub(LOOK_BACK)..gap.start];
                self.chain = Some(gap.start - runs::trailing(reach, HIDING)..end);
            }
        }
    }
}

/// A quick look at a line end that rules most of them out: between two short words, or after
/// punctuation. `chain_end` is where the last broken token may go on to.
fn may_break_token(bytes: &[u8], line_end: usize, chain_end: usize) -> bool {
    let line = bytes[..line_end]
        .strip_suffix(b"\r")
        .unwrap_or(&bytes[..line_end]);
    let Some(&last) = line.last() else {
        return false;
    };
    if !runs::is(last, WORD) {
        return last >= 0x80
            || is_line_closing(last)
            || matches!(last, b'~' | b'/')
            || last == b';' && ends_piece(line);
    }
    if chain_end >= line.len() {
        return true;
    }
    let next = &bytes[line_end + 1..];
    let next = &next[..next.len().min(LONGEST_GAP)];
    let next = &next[prefix(next, 0, || line_sign(bytes, line.len()))..];
    let after = runs::leading(&next[..next.len().min(SHORTEST_TOKEN)], HIDING);
    let before = &line[line.len().saturating_sub(SHORTEST_TOKEN - after)..];
    // A word that fills its line may be the middle of a token.
    after > 0
        && (after + runs::trailing(before, HIDING) >= SHORTEST_TOKEN || ends_line(&next[after..]))
}

/// Whether only what may belong to a gap stands before the end of a line.
fn ends_line(rest: &[u8]) -> bool {
    rest.iter()
        .take(LONGEST_GAP / 2)
        .find(|&&byte| !is_line_closing(byte) || byte == b'.')
        .is_some_and(|byte| matches!(byte, b'\r' | b'\n'))
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
