//! Findings in the text of one memory: relative dates, secrets, characters, orders.

use super::{Code, Finding, Findings, Input, MemoryFile, Severity, SourceFile, injection, unicode};
use crate::date::{RelativeDate, find_relative_dates};
use crate::timestamp::Date;
use secret_scan::Level;

pub(super) fn check(file: &MemoryFile<'_>, input: &Input<'_>, findings: &mut Findings) {
    dates(file, input.today, findings);
    text(&file.file, input, findings);
}

/// What is looked for in every text file, memory or not.
pub(super) fn text(file: &SourceFile<'_>, input: &Input<'_>, findings: &mut Findings) {
    for secret in input.scanner.scan(file.bytes) {
        let line = usize::try_from(secret.line()).unwrap_or(usize::MAX);
        let message = format!(
            "this looks like a credential: {} ({})",
            secret.label(),
            secret.rule()
        );
        let severity = match secret.level() {
            Level::Secret if input.is_shared => Severity::Error,
            Level::Secret => Severity::Warning,
            _ => Severity::Info,
        };
        findings
            .add(Code::Secret, file.path, line, message)
            .severity(severity);
    }
    unicode::check(file, findings);
    if input.is_shared {
        injection::check(file, findings);
    }
}

fn dates(file: &MemoryFile<'_>, today: Date, findings: &mut Findings) {
    let memory = &file.memory;
    let date = file.date();
    let base = date.unwrap_or(today);
    for found in find_relative_dates(memory.description(), base) {
        let line = memory.place("description").map_or(1, |place| place.line());
        add(file, &found, memory.description(), line, date, findings);
    }
    let body = memory.body();
    let mut lines = LineCounter::new(body, memory.body_line());
    for found in find_relative_dates(body, base) {
        let line = lines.line_at(found.range.start);
        add(file, &found, body, line, date, findings);
    }
}

/// Counts lines while going forward through a text.
pub(super) struct LineCounter<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> LineCounter<'a> {
    /// Starts at the start of the text, which is on line `first`.
    pub(super) fn new(text: &'a str, first: usize) -> Self {
        Self {
            text,
            at: 0,
            line: first,
        }
    }

    /// The line of an offset that is not before the last one asked for.
    pub(super) fn line_at(&mut self, at: usize) -> usize {
        self.line += memchr::memchr_iter(b'\n', &self.text.as_bytes()[self.at..at]).count();
        self.at = at;
        self.line
    }
}

fn add<'a>(
    file: &MemoryFile<'_>,
    found: &RelativeDate,
    text: &str,
    line: usize,
    date: Option<Date>,
    findings: &'a mut Findings,
) -> &'a mut Finding {
    let phrase = &text[found.range.clone()];
    let message = match date {
        Some(date) if found.is_certain => {
            format!(
                "\"{phrase}\" is a relative date; counted from {date} it is {}",
                shown(found)
            )
        }
        Some(date) => format!(
            "\"{phrase}\" is a relative date; counted from {date} it may be {}",
            shown(found)
        ),
        None => format!(
            "\"{phrase}\" is a relative date, and the file does not say when it was written"
        ),
    };
    let fixable = found.is_certain && date.is_some() && file.is_editable();
    findings
        .add(Code::RelativeDate, file.file.path, line, message)
        .fixable(fixable)
}

fn shown(found: &RelativeDate) -> &str {
    ["on ", "in "]
        .iter()
        .find_map(|preposition| found.replacement.strip_prefix(preposition))
        .unwrap_or(&found.replacement)
}
