//! Takes an input window by window and puts the matches together.
//!
//! An input is scanned in windows at fixed offsets, each with some bytes of its neighbours on both
//! sides, and a window reports what starts inside it. A window sees the same bytes whether the
//! input came whole or in chunks, so both give the same findings.

use std::cmp::Reverse;
use std::ops::Range;

use crate::engine::Hit;
use crate::finding::{Finding, Position};
use crate::position::Cursor;

/// Bytes whose findings one pass over a window reports.
pub(crate) const WINDOW: usize = 64 * 1024;

/// Bytes a window sees before and after its own. No token needs as many, encoded twice; a match
/// that is longer is followed by [`Sweep::extend_open`].
pub(crate) const REACH: usize = 8 * 1024;

/// A window, in offsets of the whole input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Window {
    /// What the window sees.
    pub(crate) seen: Range<usize>,
    /// Where the findings it reports start.
    pub(crate) own: Range<usize>,
    /// Whether nothing follows what it sees.
    pub(crate) last: bool,
}

impl Window {
    /// The window that starts at `base`, in an input of `len` bytes.
    pub(crate) fn at(base: usize, len: usize) -> Self {
        let own_end = len.min(base + WINDOW);
        let seen_end = len.min(base + WINDOW + REACH);
        Self {
            seen: base.saturating_sub(REACH)..seen_end,
            own: base..own_end,
            last: seen_end == len,
        }
    }
}

/// Matches of the windows so far, sorted, without overlaps.
#[derive(Default)]
pub(crate) struct Sweep {
    placed: Vec<Placed>,
    /// Whether the last match reaches the end of what its window saw.
    is_open: bool,
    /// How far positions are known.
    cursor: Cursor,
    /// The first match whose positions are not complete.
    unplaced: usize,
}

struct Placed {
    hit: Hit,
    start: Option<Position>,
    end: Option<Position>,
}

impl Sweep {
    /// Adds what a window reports: `hits` in offsets of the window's bytes, in any order.
    pub(crate) fn add(&mut self, window: &Window, bytes: &[u8], mut hits: Vec<Hit>) {
        self.extend_open(window, bytes);
        clip_joined(bytes, &mut hits);
        let base = window.seen.start;
        hits.retain_mut(|hit| {
            hit.span = hit.span.start + base..hit.span.end + base;
            window.own.contains(&hit.span.start)
        });
        hits.sort_by_key(|hit| (hit.span.start, Reverse(hit.span.end), !hit.allowed));
        for hit in hits {
            match self.placed.last_mut() {
                Some(last) if hit.span.start < last.hit.span.end => merge(&mut last.hit, hit),
                _ => self.placed.push(Placed {
                    hit,
                    start: None,
                    end: None,
                }),
            }
        }
        self.is_open = !window.last
            && self.placed.last().is_some_and(|last| {
                let seen_after = last.hit.span.end.checked_sub(base);
                let rest = seen_after.and_then(|after| bytes.get(after..));
                rest.is_some_and(|rest| last.hit.tail.is_open(rest))
            });
    }

    /// Lengthens a match that its window could not see the end of. Whatever it is, what follows
    /// without a break belongs to it and must be redacted with it.
    fn extend_open(&mut self, window: &Window, bytes: &[u8]) {
        if let Some(Placed { hit, .. }) = self.placed.last_mut()
            && self.is_open
        {
            // A match that ends before what this window sees has nothing left to grow into.
            let at = hit.span.end.checked_sub(window.seen.start);
            let rest = at.and_then(|at| bytes.get(at..)).unwrap_or_default();
            let more = hit.tail.length(rest);
            hit.span.end += more;
            // Only what was hashed is allowed.
            hit.allowed &= more == 0;
        }
    }

    /// Whether nothing has been found so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.placed.is_empty()
    }

    /// Works out lines and columns of the matches before `until`. `bytes` starts at `base` and
    /// holds everything from the place reached by the last call.
    pub(crate) fn place(&mut self, bytes: &[u8], base: usize, until: usize) {
        while let Some(placed) = self.placed.get_mut(self.unplaced) {
            let Range { start, end } = placed.hit.span;
            if placed.start.is_none() {
                if start >= until {
                    break;
                }
                self.cursor.advance(bytes, base, start);
                placed.start = Some(self.cursor.position());
            }
            if end > until {
                break;
            }
            self.cursor.advance(bytes, base, end);
            placed.end = Some(self.cursor.position());
            self.unplaced += 1;
        }
        self.cursor.advance(bytes, base, until);
    }

    /// Takes the findings whose positions are known.
    pub(crate) fn take(&mut self) -> Vec<Finding> {
        let complete = std::mem::take(&mut self.unplaced);
        self.placed
            .drain(..complete)
            .filter(|placed| !placed.hit.allowed)
            .filter_map(|placed| {
                Some(Finding {
                    rule: placed.hit.rule,
                    label: placed.hit.label,
                    range: placed.hit.span,
                    start: placed.start?,
                    end: placed.end?,
                    confidence: placed.hit.confidence,
                    wide: placed.hit.wide,
                    fingerprint: placed.hit.fingerprint,
                })
            })
            .collect()
    }
}

/// Ends matches that were joined over a line end where another one starts: the second of two
/// tokens on two lines is no part of the first.
fn clip_joined(bytes: &[u8], hits: &mut [Hit]) {
    if !hits.iter().any(|hit| hit.joined) {
        return;
    }
    let mut starts: Vec<usize> = hits
        .iter()
        .filter(|hit| !hit.joined)
        .map(|hit| hit.span.start)
        .collect();
    starts.sort_unstable();
    for hit in hits.iter_mut().filter(|hit| hit.joined) {
        let next = starts.partition_point(|&start| start <= hit.span.start);
        if let Some(&next) = starts.get(next)
            && next < hit.span.end
        {
            let gap = bytes[hit.span.start..next]
                .iter()
                .rev()
                .take_while(|byte| !byte.is_ascii_alphanumeric())
                .count();
            hit.span.end = next - gap;
        }
    }
}

/// Makes one match of two that overlap, named by the more specific rule. `kept` starts first or is
/// the longer one.
///
/// What lies inside an allowed match is part of it, and an allowed match inside another one does
/// not excuse the rest.
fn merge(kept: &mut Hit, other: Hit) {
    if kept.allowed && other.span.end <= kept.span.end {
        return;
    }
    let rank = |hit: &Hit| (!hit.allowed, hit.rule.rank(), hit.span.len());
    let start = kept.span.start.min(other.span.start);
    let end = kept.span.end.max(other.span.end);
    if rank(&other) > rank(kept) {
        *kept = other;
    }
    kept.span = start..end;
}
