//! Decides whether a pattern matches at a literal that the searcher has found.

use crate::checks;
use crate::class::{ALNUM, ByteClass};
use crate::finding::Confidence;
use crate::rules::{Pattern, Shape, Step};
use crate::text::{Span, Text};

/// A token that is broken over lines is followed this far beyond what its pattern asks for. The
/// longest tokens have some 520 characters.
const LONGEST_WRAPPED: usize = 576;

/// Where a pattern matched, and how sure that is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) span: Span,
    pub(crate) confidence: Confidence,
}

/// Matches `pattern`, whose literal may stand at `at`.
pub(crate) fn match_at(text: &Text<'_>, at: usize, pattern: &Pattern) -> Option<Match> {
    if !text.starts_with_at(at, pattern.literal) {
        return None;
    }
    let literal = at..at + pattern.literal.len();
    let body = literal.end;
    let span = match &pattern.shape {
        Shape::Steps { before, after } => {
            let start = match_before(text, literal.start, before)?;
            let end = match_steps(text, start, literal.end, after)?;
            start..end
        }
        Shape::Custom(locate) => locate(text, literal)?,
    };
    if pattern.left_boundary && !text.starts_word(span.start)
        || pattern.right_boundary && !text.ends_word(span.end)
    {
        return None;
    }

    let matched = &text.bytes()[span.clone()];
    if pattern.check.is_some_and(|check| !check(matched)) {
        return None;
    }
    let verified = pattern.crc_suffix && checks::crc_suffix_holds(&text.bytes()[body..span.end]);
    if !verified {
        // Tokens differ from placeholders within far less than this, and a bound keeps a text full of
        // near misses at linear cost.
        let tested = &matched[..matched.len().min(checks::LONGEST_TESTED)];
        if pattern.min_entropy > 0 && checks::entropy(tested) < pattern.min_entropy
            || pattern.placeholders && checks::is_placeholder(tested)
        {
            return None;
        }
    }
    Some(Match {
        span: settle(text, span, pattern),
        confidence: if verified {
            Confidence::High
        } else {
            Confidence::Medium
        },
    })
}

/// The span to report: without the marks of emphasis around it, with all of an overlong token.
fn settle(text: &Text<'_>, span: Span, pattern: &Pattern) -> Span {
    let span = without_emphasis(text, span);
    if pattern.right_boundary || matches!(pattern.shape, Shape::Custom(_)) {
        return span;
    }
    // A token that is longer than its format says is still one token, and redaction must leave
    // none of it behind.
    let end = text.run_end(span.end, &ALNUM);
    let end = match text.joint_after(span.end - 1) {
        Some(joint) => end.min(joint.max(span.end)),
        None => end,
    };
    span.start..end
}

/// Gives back underscores at the end of a match to the ones before it: `_token_` is a token in
/// italics, although tokens may hold underscores.
fn without_emphasis(text: &Text<'_>, span: Span) -> Span {
    const MOST_MARKS: usize = 3;
    let marks = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .take(MOST_MARKS)
            .take_while(|&&byte| byte == b'_')
            .count()
    };
    let before = marks(&text.bytes()[..span.start]);
    let after = marks(&text.bytes()[span.clone()]);
    span.start..span.end - before.min(after)
}

fn match_before(
    text: &Text<'_>,
    literal_start: usize,
    before: &[(usize, &'static ByteClass)],
) -> Option<usize> {
    let mut start = literal_start;
    for &(count, class) in before.iter().rev() {
        let from = start.checked_sub(count)?;
        if class.run(&text.bytes()[from..start]) < count {
            return None;
        }
        start = from;
    }
    Some(start)
}

/// The end of the match of `steps` from `at`, in a match that starts at `start`.
fn match_steps(text: &Text<'_>, start: usize, at: usize, steps: &[Step]) -> Option<usize> {
    let mut end = at;
    for (index, step) in steps.iter().enumerate() {
        end = match step {
            Step::Literal(literal) => text
                .starts_with_at(end, literal)
                .then_some(end + literal.len())?,
            Step::Run { class, min, max } => {
                let run = match_run(text, end, class, *max);
                let least = end + min;
                if run < least {
                    return None;
                }
                // A literal that follows says where the run ends.
                let is_last = steps[index + 1..]
                    .iter()
                    .all(|step| matches!(step, Step::Maybe(_)));
                if is_last {
                    open_end(text, start, least, run)?
                } else {
                    run
                }
            }
            Step::Maybe(steps) => match_steps(text, start, end, steps).unwrap_or(end),
            Step::OneOf(choices) => choices
                .iter()
                .find_map(|steps| match_steps(text, start, end, steps))?,
        };
    }
    Some(end)
}

/// The end of the run of at most `max` bytes of `class` at `at`.
fn match_run(text: &Text<'_>, at: usize, class: &'static ByteClass, max: usize) -> usize {
    // Fixed counts are short: measuring the whole run, which may be long, would be a waste.
    if max <= 128 {
        let rest = text.bytes().get(at..).unwrap_or_default();
        at + class.run(&rest[..rest.len().min(max)])
    } else {
        text.run_end(at, class).min(at.saturating_add(max))
    }
}

/// The end of the open body of a match that starts at `start`, must reach `least` and may run to
/// `end`.
///
/// In a view that joins lines, such a body runs on into the next line, whatever stands there. It
/// goes on only where that looks like more of the token: where pieces of the same length came
/// before, or by its characters, which must be beyond doubt after a line that is complete by itself.
pub(crate) fn open_end(text: &Text<'_>, start: usize, least: usize, end: usize) -> Option<usize> {
    if end < least {
        return None;
    }
    let mut before = 0;
    let mut piece_start = start;
    let mut joints = text.joints_after(start).iter().map(|&joint| joint as usize);
    let mut joint = joints.next();
    while let Some(at) = joint.filter(|&at| at < end) {
        joint = joints.next();
        let piece = at - piece_start;
        if at >= least {
            let next_end = joint.map_or(end, |next| next.min(end));
            let next = &text.bytes()[at..next_end];
            let goes_on = match before {
                0 => checks::is_random(next),
                _ => piece == before || checks::looks_random(next),
            };
            if next.len() > piece || !goes_on || at - least > LONGEST_WRAPPED {
                return Some(at);
            }
        }
        before = piece;
        piece_start = at;
    }
    Some(end)
}
