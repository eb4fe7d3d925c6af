//! The lines of a day's file: one JSON object per event, appended and never changed.

use serde::{Deserialize, Serialize};

use super::book::Purpose;
use super::budget::Planned;
use crate::reply::Usage;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    Open,
    Closed,
    Failed,
}

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) id: u64,
    pub(super) state: State,
    pub(super) purpose: Purpose,
    pub(super) model: String,
    pub(super) usage: Usage,
    pub(super) micros: Option<u64>,
}

impl Entry {
    pub(super) fn open(id: u64, purpose: &Purpose, model: &str, planned: Planned) -> Self {
        Self::new(id, State::Open, purpose, model, planned)
    }

    pub(super) fn close(
        id: u64,
        purpose: &Purpose,
        model: &str,
        spent: Planned,
        failed: bool,
    ) -> Self {
        let state = if failed { State::Failed } else { State::Closed };
        Self::new(id, state, purpose, model, spent)
    }

    fn new(id: u64, state: State, purpose: &Purpose, model: &str, cost: Planned) -> Self {
        Self {
            id,
            state,
            purpose: purpose.clone(),
            model: model.to_owned(),
            usage: cost.usage,
            micros: cost.micros,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Line {
    v: u32,
    id: u64,
    state: State,
    purpose: String,
    model: String,
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    micros: Option<u64>,
}

const VERSION: u32 = 1;

/// Returns the bytes to append to `before`. After a crash in the middle of a line a line break goes
/// first, so that only the torn line is lost.
pub(super) fn line(before: &[u8], entry: &Entry) -> Vec<u8> {
    let line = Line {
        v: VERSION,
        id: entry.id,
        state: entry.state,
        purpose: entry.purpose.as_str().to_owned(),
        model: entry.model.clone(),
        input: entry.usage.input,
        output: entry.usage.output,
        cache_read: entry.usage.cache_read,
        cache_write: entry.usage.cache_write,
        micros: entry.micros,
    };
    let mut bytes = Vec::new();
    if before.last().is_some_and(|last| *last != b'\n') {
        bytes.push(b'\n');
    }
    let json = serde_json::to_vec(&line);
    bytes
        .extend(json.expect("numbers and strings always serialise, because no writer is involved"));
    bytes.push(b'\n');
    bytes
}

/// Splits a file into lines that are not blank.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.trim_ascii().is_empty())
}

/// Reads a line; `None` for one that is damaged or of a later version.
pub(super) fn read(line: &[u8]) -> Option<Entry> {
    let line: Line = serde_json::from_slice(line).ok()?;
    let usage = Usage::new(line.input, line.output).with_cache(line.cache_read, line.cache_write);
    (line.v == VERSION).then(|| Entry {
        id: line.id,
        state: line.state,
        purpose: Purpose::from_name(&line.purpose),
        model: line.model,
        usage,
        micros: line.micros,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Entry {
        let spent = Planned {
            usage: Usage::new(1, 2).with_cache(3, 4),
            micros: Some(5),
        };
        Entry::close(7, &Purpose::Dream, "m\n\"x", spent, false)
    }

    #[test]
    fn the_file_form_stays_what_it_is() {
        let text = String::from_utf8(line(b"", &entry())).unwrap();
        let frozen = concat!(
            r#"{"v":1,"id":7,"state":"closed","purpose":"dream","model":"m\n\"x","#,
            r#""input":1,"output":2,"cache_read":3,"cache_write":4,"micros":5}"#,
            "\n"
        );
        assert_eq!(text, frozen);
        assert_eq!(read(frozen.as_bytes()), Some(entry()));
    }

    #[test]
    fn a_torn_line_costs_itself_only() {
        let mut file = line(b"", &entry());
        file.truncate(file.len() / 2);
        let more = line(&file, &entry());
        file.extend(more);
        let read: Vec<Option<Entry>> = lines(&file).map(read).collect();
        assert_eq!(read, [None, Some(entry())]);
    }

    #[test]
    fn later_versions_and_other_json_are_not_read() {
        for text in ["{}", "[]", "null", r#"{"v":2,"id":1}"#, "\u{0}"] {
            assert_eq!(read(text.as_bytes()), None, "{text}");
        }
    }
}
