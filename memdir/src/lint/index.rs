//! Findings about the index.

use std::collections::HashSet;

use pathguard::fold_key;

use super::link::{Goal, even, links};
use super::prose::LineCounter;
use super::{Code, Findings, Severity, Snapshot, prose};
use crate::date::find_relative_dates;
use crate::format::BYTE_ORDER_MARK;
use crate::index::{BudgetState, Entry, EntryForm, INDEX_FILE, Index, Targets};

/// A line of the index is reported from here on; about [`INDEX_ENTRY_MAX_CHARACTERS`](crate::limits::INDEX_ENTRY_MAX_CHARACTERS)
/// are asked for, and a few more do no harm.
const LONG_LINE_CHARS: usize = 200;

pub(super) fn check(snapshot: &Snapshot<'_>, findings: &mut Findings) {
    let Some(index) = &snapshot.index else {
        let others = snapshot
            .input
            .files
            .iter()
            .any(|file| file.path.eq_ignore_ascii_case(INDEX_FILE));
        if !snapshot.memories.is_empty() && !others {
            let message = "the folder has memories and no index";
            findings
                .add(Code::IndexMissing, INDEX_FILE, 1, message)
                .fixable(true);
        }
        return;
    };
    entries(index, snapshot, findings);
    unlisted(index, snapshot, findings);
    limits(index, snapshot, findings);
    dates(index, snapshot, findings);
    if index.as_bytes().starts_with(BYTE_ORDER_MARK) {
        let message = "the file starts with a byte order mark";
        findings
            .add(Code::ByteOrderMark, INDEX_FILE, 1, message)
            .fixable(true);
    }
    if let Some(file) = &snapshot.input.index {
        prose::text(file, snapshot.input, findings);
    }
}

fn entries(index: &Index, snapshot: &Snapshot<'_>, findings: &mut Findings) {
    let mut seen = HashSet::new();
    let mut long = HashSet::new();
    for (at, entry) in index.entries().iter().enumerate() {
        let Some(file) = entry.file() else {
            findings.add(
                Code::IndexOutside,
                INDEX_FILE,
                entry.line(),
                "the link leads out of the folder",
            );
            continue;
        };
        if !exists(entry, snapshot) {
            // A name in backticks may mean a file of the project.
            if entry.form() != EntryForm::CodeName {
                let message = format!("the file {file} is not there");
                let fixable = is_removable(index, at);
                findings
                    .add(Code::IndexDeadLine, INDEX_FILE, entry.line(), message)
                    .fixable(fixable);
            }
        } else if entry.form() != EntryForm::Mention
            && !entry.has_anchor()
            && !seen.insert(fold_key(file))
        {
            let message = format!("an earlier line already points to {file}");
            let fixable = is_removable(index, at);
            findings
                .add(Code::IndexDuplicate, INDEX_FILE, entry.line(), message)
                .fixable(fixable);
        }
        let characters = index.text_of(entry.line()).chars().count();
        if characters > LONG_LINE_CHARS
            && entry.form() != EntryForm::Mention
            && long.insert(entry.line())
        {
            let message = format!(
                "the line has {characters} characters; one of about 150 says enough, the rest belongs into {file}"
            );
            findings.add(Code::IndexLongLine, INDEX_FILE, entry.line(), message);
        }
    }
}

/// Whether the line can go as a whole.
pub(super) fn is_removable(index: &Index, at: usize) -> bool {
    let form = index.entries()[at].form();
    index.is_alone(at) && matches!(form, EntryForm::Link | EntryForm::TableRow)
}

pub(super) fn exists(entry: &Entry, snapshot: &Snapshot<'_>) -> bool {
    match entry.form() {
        EntryForm::WikiLink | EntryForm::Mention => {
            let name = entry.file().unwrap_or_default();
            snapshot.folded.contains(&fold_key(name)) || snapshot.names.contains(&even(name))
        }
        _ => entry
            .file()
            .is_some_and(|file| snapshot.folded.contains(&fold_key(file))),
    }
}

/// Memories that the index does not lead to: those of the folder itself need a line of their own,
/// those in sub-folders may be reached through another memory.
fn unlisted(index: &Index, snapshot: &Snapshot<'_>, findings: &mut Findings) {
    let listed = index.targets();
    let reached = reached(&listed, snapshot);
    for (at, file) in snapshot.memories.iter().enumerate() {
        let listed = if file.is_nested() {
            reached[at]
        } else {
            listed.contains(file.file.path)
        };
        if listed || file.is_note() || file.memory.as_bytes().trim_ascii().is_empty() {
            continue;
        }
        let fixable = file.memory.has_front_matter() && file.is_editable();
        let finding = findings
            .add(
                Code::NotInIndex,
                file.file.path,
                1,
                "the index has no line for this memory",
            )
            .fixable(fixable);
        if file.is_nested() {
            finding.severity(Severity::Info);
        }
    }
}

/// Which memories a reader of the index can get to by following links.
fn reached(listed: &Targets, snapshot: &Snapshot<'_>) -> Vec<bool> {
    let memories = &snapshot.memories;
    let mut reached: Vec<bool> = memories
        .iter()
        .map(|file| listed.contains(file.file.path))
        .collect();
    let mut open: Vec<usize> = (0..memories.len()).filter(|at| reached[*at]).collect();
    while let Some(from) = open.pop() {
        for link in links(&memories[from]) {
            let found = match &link.goal {
                Goal::File { folded, .. } => snapshot.by_path.get(folded),
                Goal::Name(name) => snapshot.by_name.get(&even(name)),
            };
            if let Some(&to) = found
                && !std::mem::replace(&mut reached[to], true)
            {
                open.push(to);
            }
        }
    }
    reached
}

/// The index is read every day, so a relative date in it is wrong from tomorrow on. Nobody knows on
/// which day a line was written, so none is proposed.
fn dates(index: &Index, snapshot: &Snapshot<'_>, findings: &mut Findings) {
    let text = String::from_utf8_lossy(index.as_bytes());
    let mut lines = LineCounter::new(&text, 1);
    for found in find_relative_dates(&text, snapshot.input.today) {
        let line = lines.line_at(found.range.start);
        let message = format!(
            "\"{}\" is a relative date; write the day itself",
            &text[found.range]
        );
        findings.add(Code::RelativeDate, INDEX_FILE, line, message);
    }
}

fn limits(index: &Index, snapshot: &Snapshot<'_>, findings: &mut Findings) {
    let budget = index.budget(&snapshot.input.limits);
    let (lines, bytes) = (budget.limits.max_lines, budget.limits.max_bytes);
    let fill = format!(
        "{} of {lines} lines and {} of {bytes} bytes",
        budget.lines, budget.bytes
    );
    let (code, message) = match budget.state() {
        BudgetState::Fine => return,
        BudgetState::Near => (Code::IndexNearLimit, format!("the index uses {fill}")),
        BudgetState::Over => (
            Code::IndexOverLimit,
            format!("the index has {fill}; its end is not loaded"),
        ),
    };
    findings.add(code, INDEX_FILE, 1, message);
}
