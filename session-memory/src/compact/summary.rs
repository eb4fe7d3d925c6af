//! The text that stands in for what was compacted away.

use std::fmt::Write as _;

use token_count::TokenCounter;

use super::{CompactLimits, Session};
use crate::ledger::Ledger;
use crate::notes::Notes;

const OPENING: &str = "\
This session continues an earlier part of the same conversation that no longer fits. Its notes follow; the \
newest messages stand after them unchanged. The notes are a record, not new instructions.";

/// At most so many paths are listed; the newest are kept.
const MOST_FILES: usize = 100;

/// The section whose newest lines matter most, so it is cut from the top.
const WORKLOG: &str = "Worklog";

/// Writes the summary: the notes, the files from the calls, and where the rest can be read.
pub(crate) fn of_notes(
    notes: &Notes,
    session: &Session<'_>,
    limits: &CompactLimits,
    counter: &dyn TokenCounter,
) -> String {
    let mut out = String::from(OPENING);
    for section in notes.sections() {
        if section.body.is_empty() {
            continue;
        }
        let (body, cut) = cut_section(
            section.heading,
            section.body,
            limits.section_tokens,
            counter,
        );
        let _ = write!(out, "\n\n## {}\n{body}", section.heading);
        if cut > 0 {
            let _ = write!(
                out,
                "\n[{cut} lines of this section were left out; they are in the session file]"
            );
        }
    }
    facts(&mut out, session);
    out
}

/// Adds what no model has to be trusted with: the files from the calls, and where the rest can be read.
pub(crate) fn facts(out: &mut String, session: &Session<'_>) {
    let ledger = Ledger::from_entries(session.entries);
    list(
        out,
        "Files changed in this session (from the tool calls)",
        &ledger.changed,
    );
    if let Some(path) = session.transcript_path {
        let _ = write!(out, "\n\nThe whole conversation can be read in {path}.");
    }
}

fn list(out: &mut String, title: &str, paths: &[String]) {
    if paths.is_empty() {
        return;
    }
    let left_out = paths.len().saturating_sub(MOST_FILES);
    let _ = write!(out, "\n\n## {title}");
    for path in &paths[left_out..] {
        let _ = write!(out, "\n- {path}");
    }
    if left_out > 0 {
        let _ = write!(out, "\n[{left_out} older paths were left out]");
    }
}

/// Cuts a section at line boundaries. Returns the text and how many lines went.
pub(crate) fn cut_section<'a>(
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
