//! Relative dates become absolute ones, counted from the day on which a memory was last changed.

use memdir::{Date, Memory, find_relative_dates};
use pathguard::PathKey;

use super::plan::Draft;
use super::snapshot::Snapshot;

/// Writes out the certain dates of one memory of the copy. Returns what was replaced by what.
pub(super) fn fix(draft: &mut Draft<'_>, path: &PathKey) -> Vec<(String, String)> {
    let Some(bytes) = draft.read(path) else {
        return Vec::new();
    };
    let (memory, replaced) = dated(bytes, file_day(draft.snapshot, path));
    if !replaced.is_empty() {
        draft.write(path, memory.print());
    }
    replaced
}

/// The day of a file that does not say itself when it was changed.
pub(super) fn file_day(snapshot: &Snapshot, path: &PathKey) -> Date {
    let file = snapshot.memories.get(path);
    file.map_or(snapshot.today, |file| {
        file.modified.date(snapshot.offset_seconds)
    })
}

/// A memory with its certain dates written out, and what was replaced by what.
pub(super) fn dated(bytes: &[u8], file_day: Date) -> (Memory, Vec<(String, String)>) {
    let memory = Memory::parse(bytes);
    // What the file says itself goes first, as `check` counts.
    let day = memory.modified().map_or(file_day, |time| time.date(0));
    let mut replaced = Vec::new();
    let body = written_out(memory.body(), day, &mut replaced);
    let description = written_out(memory.description(), day, &mut replaced);
    if replaced.is_empty() || std::str::from_utf8(bytes).is_err() {
        return (memory, Vec::new());
    }
    // The body is the end of the file, so its bytes can be exchanged without touching anything else.
    let mut bytes = bytes[..bytes.len() - memory.body().len()].to_vec();
    bytes.extend_from_slice(body.as_bytes());
    let mut memory = Memory::parse(&bytes);
    if memory.description() != description {
        memory.set_description(&description);
    }
    (memory, replaced)
}

fn written_out(text: &str, day: Date, replaced: &mut Vec<(String, String)>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for found in find_relative_dates(text, day) {
        if found.is_certain {
            replaced.push((
                text[found.range.clone()].to_owned(),
                found.replacement.clone(),
            ));
            out.push_str(&text[from..found.range.start]);
            out.push_str(&found.replacement);
            from = found.range.end;
        }
    }
    out.push_str(&text[from..]);
    out
}
