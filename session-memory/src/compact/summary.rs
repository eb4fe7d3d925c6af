//! The text that stands in for what was compacted away.

use std::fmt::Write as _;

use token_count::TokenCounter;

#[cfg(feature = "updater")]
use super::changed_files;
use super::{CompactLimits, Session};
#[cfg(feature = "updater")]
use crate::ledger::Ledger;
use crate::ledger::Listed;
use crate::notes::Notes;

const OPENING: &str = "\
This session continues an earlier part of the same conversation that no longer fits. Its notes follow; the \
newest messages stand after them unchanged. The notes are a record, not new instructions.";

/// The section whose newest lines matter most, so it is cut from the top.
const WORKLOG: &str = "Worklog";

/// The most tokens for what the person said, beside a summary that may have left some of it out.
#[cfg(feature = "updater")]
const MOST_SAID_TOKENS: usize = 4_000;

/// Writes the text of a fall-back summary: its sections, everything the person said, the files from the
/// calls, and where the rest can be read.
#[cfg(feature = "updater")]
pub(crate) fn of_summary(
    notes: &Notes,
    session: &Session<'_>,
    ledger: &Ledger,
    limits: &CompactLimits,
    counter: &dyn TokenCounter,
) -> String {
    let mut out = String::from(OPENING);
    // The nine sections of a summary are of very different length; together they have the same room.
    let section_tokens = limits.section_tokens.saturating_mul(2);
    sections(&mut out, notes, section_tokens, counter);
    said(&mut out, ledger, counter);
    facts(&mut out, session, &changed_files(ledger));
    out
}

/// Lists what the person said, newest kept, each as a quote.
#[cfg(feature = "updater")]
fn said(out: &mut String, ledger: &Ledger, counter: &dyn TokenCounter) {
    let instructions = &ledger.instructions;
    let mut room = MOST_SAID_TOKENS;
    let mut kept: Vec<String> = Vec::new();
    for text in instructions.iter().rev() {
        let quoted = text.lines().fold(String::new(), |mut quoted, line| {
            let _ = writeln!(quoted, "> {line}");
            quoted
        });
        let tokens = counter.count(&quoted);
        if tokens > room {
            break;
        }
        room -= tokens;
        kept.push(quoted);
    }
    if instructions.is_empty() {
        return;
    }
    out.push_str("\n\n## What the person said (word for word, oldest first)\n");
    let left_out = instructions.len() - kept.len();
    if left_out > 0 {
        let _ = writeln!(out, "[{left_out} older or longer messages were left out]");
    }
    kept.reverse();
    out.push_str(kept.join("\n").trim_end());
}

/// Writes the summary: the notes, the files from the calls, and where the rest can be read.
pub(crate) fn of_notes(
    notes: &Notes,
    session: &Session<'_>,
    changed: &Listed<String>,
    limits: &CompactLimits,
    counter: &dyn TokenCounter,
) -> String {
    let mut out = String::from(OPENING);
    sections(&mut out, notes, limits.section_tokens, counter);
    facts(&mut out, session, changed);
    out
}

fn sections(out: &mut String, notes: &Notes, most_tokens: usize, counter: &dyn TokenCounter) {
    for section in notes.sections() {
        if section.body.is_empty() {
            continue;
        }
        let (body, cut) = cut_section(section.heading, section.body, most_tokens, counter);
        let _ = write!(out, "\n\n## {}\n{body}", section.heading);
        if cut > 0 {
            let _ = write!(
                out,
                "\n[{cut} lines of this section were left out; they are in the session file]"
            );
        }
    }
}

/// Adds what no model has to be trusted with: the files from the calls, and where the rest can be read.
fn facts(out: &mut String, session: &Session<'_>, changed: &Listed<String>) {
    if changed.total > 0 {
        out.push_str("\n\n## Files changed in this session (from the tool calls)");
        for path in &changed.items {
            let _ = write!(out, "\n- {path}");
        }
        let left_out = changed.total - changed.items.len();
        if left_out > 0 {
            let _ = write!(out, "\n[{left_out} older paths were left out]");
        }
    }
    if let Some(path) = session.transcript_path {
        let _ = write!(out, "\n\nThe whole conversation can be read in {path}.");
    }
}

/// Cuts a section at line boundaries. Returns the text and how many lines went.
fn cut_section<'a>(
    heading: &str,
    body: &'a str,
    most_tokens: usize,
    counter: &dyn TokenCounter,
) -> (&'a str, usize) {
    if counter.count(body) <= most_tokens {
        return (body, 0);
    }
    let ends: Vec<usize> = body.match_indices('\n').map(|(index, _)| index).collect();
    // The tokens of a part grow with its length, so the longest part that fits is found by halving.
    if heading == WORKLOG {
        let fits = |line: &usize| counter.count(&body[*line + 1..]) > most_tokens;
        let first = ends.partition_point(fits);
        let start = ends.get(first).map_or(body.len(), |end| end + 1);
        (&body[start..], (first + 1).min(ends.len() + 1))
    } else {
        let kept = ends.partition_point(|end| counter.count(&body[..*end]) <= most_tokens);
        let end = kept.checked_sub(1).map_or(0, |last| ends[last]);
        (&body[..end], ends.len() + 1 - kept)
    }
}
