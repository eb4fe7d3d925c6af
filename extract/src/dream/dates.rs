//! Relative dates become absolute ones, counted from the day on which a memory was last changed.

use memdir::{Date, Memory, find_relative_dates};
use pathguard::PathKey;

use super::plan::Draft;

/// Writes out the certain dates of one memory of the copy. Returns what was replaced by what.
pub(super) fn fix(draft: &mut Draft<'_>, path: &PathKey) -> Vec<(String, String)> {
    let Some(bytes) = draft.read(path) else {
        return Vec::new();
    };
    let mut memory = Memory::parse(bytes);
    let file_day = draft
        .snapshot
        .memories
        .get(path)
        .map_or(draft.snapshot.today, |file| {
            file.modified.date(draft.snapshot.offset_seconds)
        });
    // What the file says itself goes first, as `check` counts.
    let day = memory.modified().map_or(file_day, |time| time.date(0));
    let mut replaced = Vec::new();
    let body = written_out(memory.body(), day, &mut replaced);
    let description = written_out(memory.description(), day, &mut replaced);
    if replaced.is_empty() {
        return replaced;
    }
    // The body is the end of the file, so its bytes can be exchanged without touching anything else.
    let mut bytes = memory.print();
    bytes.truncate(bytes.len() - memory.body().len());
    bytes.extend_from_slice(body.as_bytes());
    memory = Memory::parse(&bytes);
    if memory.description() != description {
        memory.set_description(&description);
    }
    draft.write(path, memory.print());
    replaced
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
