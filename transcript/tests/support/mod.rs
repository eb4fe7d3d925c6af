//! Builders of lines, and shorthand for what was read.

use agent_transcript::{Entry, Options, Origin, Transcript};
use serde_json::{Value, json};

pub(crate) fn read(file: impl AsRef<[u8]>) -> Transcript {
    read_with(file, &Options::default())
}

pub(crate) fn read_with(file: impl AsRef<[u8]>, options: &Options) -> Transcript {
    let transcript = Transcript::read(file.as_ref(), options).unwrap();
    check_invariants(&transcript);
    transcript
}

/// What holds for every transcript, whatever the file.
pub(crate) fn check_invariants(transcript: &Transcript) {
    let report = transcript.report();
    assert_eq!(
        report.lines,
        report.messages + report.notes + report.unknown + report.skipped_total(),
        "every line is counted once: {report}"
    );
    let threads = transcript
        .sub_agents()
        .iter()
        .map(|agent| &agent.entries[..]);
    for thread in std::iter::once(transcript.entries()).chain(threads) {
        let mut before: Option<&Entry> = None;
        for entry in thread {
            let parent = before.and_then(|entry| entry.message.id.as_deref());
            assert_eq!(
                entry.message.parent.as_deref(),
                parent,
                "links run along the thread"
            );
            assert_eq!(
                entry.message.id.as_deref(),
                entry.ids().first().map(String::as_str)
            );
            before = Some(entry);
        }
    }
    for agent in transcript.sub_agents() {
        let person = |entry: &Entry| entry.origin == Origin::Person;
        assert!(
            !agent.entries.iter().any(person),
            "no person talks to a sub-agent"
        );
    }
    let live = transcript.live().len();
    assert!(live <= transcript.entries().len());
    for boundary in transcript.boundaries() {
        assert!(boundary.at <= transcript.entries().len());
    }
}

/// Lines, each ended.
pub(crate) fn file(lines: &[Value]) -> String {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    lines.join("\n") + if lines.is_empty() { "" } else { "\n" }
}

/// A line of Claude Code's: kind, identity, parent, content.
pub(crate) fn line(kind: &str, uuid: &str, parent: Option<&str>, content: Value) -> Value {
    json!({
        "type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "cwd": "/p",
        "message": { "role": kind, "content": content },
    })
}

pub(crate) fn user(uuid: &str, parent: Option<&str>, text: &str) -> Value {
    line("user", uuid, parent, json!(text))
}

pub(crate) fn assistant(uuid: &str, parent: Option<&str>, text: &str) -> Value {
    line(
        "assistant",
        uuid,
        parent,
        json!([{ "type": "text", "text": text }]),
    )
}

/// One line of an answer that shares an id with others.
pub(crate) fn part(uuid: &str, parent: Option<&str>, answer: &str, block: Value) -> Value {
    let mut line = line("assistant", uuid, parent, json!([block]));
    line["message"]["id"] = json!(answer);
    line
}

pub(crate) fn call(id: &str) -> Value {
    json!({ "type": "tool_use", "id": id, "name": "Run", "input": { "of": id } })
}

pub(crate) fn result(uuid: &str, parent: Option<&str>, id: &str) -> Value {
    let block =
        json!({ "type": "tool_result", "tool_use_id": id, "content": format!("from {id}") });
    line("user", uuid, parent, json!([block]))
}

/// Sets keys of a line.
pub(crate) fn with(mut line: Value, keys: Value) -> Value {
    for (key, value) in keys.as_object().unwrap() {
        line[key] = value.clone();
    }
    line
}

/// Identities of the main thread, joined answers as `a+b`.
pub(crate) fn ids(transcript: &Transcript) -> Vec<String> {
    let joined = |entry: &Entry| entry.ids().join("+");
    transcript.entries().iter().map(joined).collect()
}

pub(crate) fn origins(transcript: &Transcript) -> Vec<Origin> {
    transcript
        .entries()
        .iter()
        .map(|entry| entry.origin)
        .collect()
}
