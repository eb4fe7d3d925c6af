//! Mends what can be mended without a decision of a person.

use std::collections::{BTreeMap, HashSet};

use pathguard::fold_key;

use super::header::same_value;
use super::prose::LineCounter;
use super::{Code, Finding, Input, MemoryFile, Snapshot, index as index_lint, unicode};
use crate::date::find_relative_dates;
use crate::format::{self, BYTE_ORDER_MARK};
use crate::index::{INDEX_FILE, Index, IndexItem, type_of};
use crate::memory::Memory;
use crate::timestamp::Date;

/// New contents for some files of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fixes {
    /// The files that change, by path; the index among them.
    pub files: Vec<FixedFile>,
}

/// One file with its new contents.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FixedFile {
    /// Its path relative to the folder.
    pub path: String,
    /// Its new bytes.
    pub bytes: Vec<u8>,
    /// How many findings are mended by them.
    pub mended: usize,
}

impl std::fmt::Debug for FixedFile {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            out,
            "{} ({} bytes, {} mended)",
            self.path,
            self.bytes.len(),
            self.mended
        )
    }
}

/// Says how to mend the given findings of [`check`](super::check) on the same input; those that
/// are not fixable are left out, so that a caller may pass any selection.
///
/// Nothing is written. Only certain relative dates are replaced, only keys that occur twice with
/// the same value are merged, and no text of a person is dropped: lines of the index go only when
/// their file is gone or an earlier line points to it.
pub fn fix(input: &Input<'_>, findings: &[Finding]) -> Fixes {
    let snapshot = Snapshot::new(input);
    let mut by_path: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in findings.iter().filter(|finding| finding.is_fixable) {
        // A missing line is mended in the index.
        let path = if finding.code == Code::NotInIndex {
            INDEX_FILE
        } else {
            &finding.path
        };
        by_path.entry(path).or_default().push(finding);
    }
    let mut files = Vec::new();
    for (path, findings) in by_path {
        let old = match path {
            INDEX_FILE => input.index.map(|file| file.bytes),
            _ => input
                .files
                .iter()
                .find(|file| file.path == path)
                .map(|file| file.bytes),
        };
        let memory = snapshot.memories.iter().find(|file| file.file.path == path);
        let bytes = match memory {
            _ if path == INDEX_FILE => fix_index(&snapshot, &findings),
            Some(file) => fix_memory(file, &findings),
            None => without_hidden(old.unwrap_or_default(), &findings),
        };
        if old != Some(bytes.as_slice()) {
            files.push(FixedFile {
                path: path.to_owned(),
                bytes,
                mended: findings.len(),
            });
        }
    }
    Fixes { files }
}

fn fix_memory(file: &MemoryFile<'_>, findings: &[&Finding]) -> Vec<u8> {
    let has = |code: Code| findings.iter().any(|finding| finding.code == code);
    let mut memory = file.memory.clone();
    // From the bottom of the file to its top, so that the lines of the findings stay true.
    if has(Code::RelativeDate) {
        fix_dates(&mut memory, file, findings);
    }
    let mut unquoted: Vec<usize> = findings
        .iter()
        .filter(|finding| finding.code == Code::UnquotedValue)
        .map(|finding| finding.line)
        .collect();
    unquoted.sort_unstable();
    for line in unquoted.into_iter().rev() {
        memory.quote_value(line);
    }
    if has(Code::TypeCase)
        && let Some(kind) = memory.memory_type()
    {
        memory.set_value("type", kind.as_str());
    }
    if has(Code::DuplicateKey) {
        drop_repeated_keys(&mut memory, file, findings);
    }
    if has(Code::FrontMatterInvalid) {
        unindent_fields(&mut memory);
    }
    if has(Code::FrontMatterUnclosed) {
        memory.close_front_matter();
    }
    if has(Code::NameMissing) {
        memory.set_name(file.stem());
    }
    if has(Code::TypeMissing)
        && let Some(kind) = type_of(file.file.path)
    {
        memory.set_type(kind);
    }
    let mut bytes = without_hidden(memory.as_bytes(), findings);
    if has(Code::FrontMatterLate) {
        let start = format::find(&bytes, usize::MAX).start;
        let blank = bytes[start..]
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        bytes.drain(start..start + blank);
    }
    if has(Code::ByteOrderMark) && bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    bytes
}

/// Replaces the certain dates on the lines of the findings.
fn fix_dates(memory: &mut Memory, file: &MemoryFile<'_>, findings: &[&Finding]) {
    let Some(base) = file.date() else {
        return;
    };
    let lines: HashSet<usize> = findings
        .iter()
        .filter(|finding| finding.code == Code::RelativeDate)
        .map(|finding| finding.line)
        .collect();
    let body = memory.body().to_owned();
    let mut counter = LineCounter::new(&body, memory.body_line());
    let body = replaced(&body, base, |at| lines.contains(&counter.line_at(at)));
    memory.replace_body_text(&body);
    let line = memory.place("description").map(|place| place.line());
    if line.is_some_and(|line| lines.contains(&line)) {
        let description = replaced(memory.description(), base, |_| true);
        memory.set_description(&description);
    }
}

/// The text with its certain dates written out where `is_meant` says so of their offset.
fn replaced(text: &str, base: Date, mut is_meant: impl FnMut(usize) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for found in find_relative_dates(text, base) {
        if found.is_certain && is_meant(found.range.start) {
            out.push_str(&text[from..found.range.start]);
            out.push_str(&found.replacement);
            from = found.range.end;
        }
    }
    out.push_str(&text[from..]);
    out
}

/// Removes all but the last field of a key whose values are all the same.
fn drop_repeated_keys(memory: &mut Memory, file: &MemoryFile<'_>, findings: &[&Finding]) {
    let repeated = findings
        .iter()
        .filter(|finding| finding.code == Code::DuplicateKey && same_value(file, finding.line));
    let keys: HashSet<(bool, Vec<u8>)> = repeated
        .filter_map(|finding| {
            file.memory
                .fields()
                .iter()
                .find(|field| field.line == finding.line)
        })
        .map(|field| {
            (
                field.nested,
                field.key(file.memory.as_bytes()).to_ascii_lowercase(),
            )
        })
        .collect();
    for (nested, key) in keys {
        loop {
            let bytes = memory.as_bytes();
            let mut same = memory.fields().iter().filter(|field| {
                field.nested == nested && field.key(bytes).eq_ignore_ascii_case(&key)
            });
            let (Some(first), Some(_)) = (same.next(), same.next()) else {
                break;
            };
            let lines = first.lines.clone();
            memory.remove_bytes(lines);
        }
    }
}

/// Takes the indentation off all fields of the top level.
fn unindent_fields(memory: &mut Memory) {
    let indents: Vec<std::ops::Range<usize>> = memory
        .fields()
        .iter()
        .filter(|field| !field.nested && field.indent > 0)
        .map(|field| field.lines.start..field.lines.start + field.indent)
        .collect();
    for indent in indents.into_iter().rev() {
        memory.remove_bytes(indent);
    }
}

fn without_hidden(bytes: &[u8], findings: &[&Finding]) -> Vec<u8> {
    let lines: HashSet<usize> = findings
        .iter()
        .filter(|finding| {
            matches!(
                finding.code,
                Code::InvisibleUnicode | Code::DirectionUnicode
            )
        })
        .map(|finding| finding.line)
        .collect();
    let Ok(text) = std::str::from_utf8(bytes) else {
        return bytes.to_vec();
    };
    if lines.is_empty() {
        return bytes.to_vec();
    }
    // Other fixes may have moved lines; what is hidden anywhere in the file is taken out.
    let cleaned: Vec<String> = text
        .split('\n')
        .enumerate()
        .map(|(at, line)| unicode::cleaned(line, at == 0))
        .collect();
    cleaned.join("\n").into_bytes()
}

fn fix_index(snapshot: &Snapshot<'_>, findings: &[&Finding]) -> Vec<u8> {
    let lines = |code: Code| -> HashSet<usize> {
        findings
            .iter()
            .filter(|finding| finding.code == code)
            .map(|finding| finding.line)
            .collect()
    };
    let mut index = snapshot.index.clone().unwrap_or_else(|| Index::parse(b""));
    let (dead, duplicates) = (lines(Code::IndexDeadLine), lines(Code::IndexDuplicate));
    let entries = index.entries();
    let gone = (0..entries.len()).filter(|at| {
        let line = entries[*at].line();
        let is_dead = dead.contains(&line) && !index_lint::exists(&entries[*at], snapshot);
        (is_dead || duplicates.contains(&line)) && index_lint::is_removable(&index, *at)
    });
    let gone: Vec<usize> = gone.map(|at| entries[at].line()).collect();
    index.remove_lines(&gone);
    let missing: HashSet<String> = findings
        .iter()
        .filter(|finding| finding.code == Code::NotInIndex)
        .map(|finding| fold_key(&finding.path))
        .collect();
    let all = findings
        .iter()
        .any(|finding| finding.code == Code::IndexMissing);
    let items: Vec<IndexItem> = snapshot
        .memories
        .iter()
        .filter(|file| all || missing.contains(&fold_key(file.file.path)))
        .filter(|file| file.memory.has_front_matter())
        .map(|file| {
            let memory = &file.memory;
            IndexItem::new(
                file.file.path,
                memory.name(),
                memory.description(),
                memory.memory_type(),
            )
        })
        .collect();
    index.add_missing(&items);
    let mut bytes = without_hidden(index.as_bytes(), findings);
    if findings
        .iter()
        .any(|finding| finding.code == Code::ByteOrderMark)
        && bytes.starts_with(BYTE_ORDER_MARK)
    {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    bytes
}
