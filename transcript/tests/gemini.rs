//! Gemini CLI sessions, on records written for the case at hand.

use agent_model::Block;
use agent_transcript::{FileRole, Format, Options, Origin, Pictures};
use serde_json::{Value, json};

use crate::support::{file, ids, origins, read, read_with};

fn head() -> Value {
    json!({ "sessionId": "g", "projectHash": "h", "startTime": "2026-11-20T09:00:00.000Z", "kind": "main" })
}

fn user(id: &str, text: &str) -> Value {
    json!({ "id": id, "type": "user", "timestamp": "2026-11-20T09:00:01.000Z", "content": [{ "text": text }] })
}

fn reply(id: &str, text: &str) -> Value {
    json!({ "id": id, "type": "gemini", "content": text, "model": "gemini-3-pro" })
}

#[test]
fn a_later_record_takes_the_place_of_an_earlier_one() {
    let lines = [
        head(),
        user("1", "go"),
        reply("2", "wor"),
        user("3", "more"),
        reply("2", "working"),
    ];
    let transcript = read(file(&lines));
    assert_eq!(ids(&transcript), ["1", "2", "3"]);
    assert_eq!(transcript.entries()[1].message.text(), "working");
    assert_eq!(transcript.session().format, Some(Format::GeminiCli));
}

#[test]
fn a_message_that_becomes_a_notice_is_gone() {
    let notice = json!({ "id": "2", "type": "info", "content": "cancelled" });
    let transcript = read(file(&[head(), user("1", "go"), reply("2", "wor"), notice]));
    assert_eq!(ids(&transcript), ["1"]);
}

#[test]
fn a_rewind_takes_a_message_and_all_behind_it_away() {
    let rewind = |id: &str| json!({ "$rewindTo": id });
    let lines = [
        head(),
        user("1", "a"),
        reply("2", "b"),
        user("3", "c"),
        reply("4", "d"),
        rewind("3"),
        user("5", "e"),
    ];
    let transcript = read(file(&lines));
    assert_eq!(ids(&transcript), ["1", "2", "5"]);
    assert_eq!(transcript.report().off_thread, 2);
    let unknown = [head(), user("1", "a"), rewind("lost"), reply("2", "b")];
    assert_eq!(
        ids(&read(file(&unknown))),
        ["1", "2"],
        "a bad line is no reason to lose the rest"
    );
}

#[test]
fn set_changes_facts_and_a_list_in_it_replaces_all() {
    let lines = [
        head(),
        user("1", "old"),
        json!({ "$set": { "summary": "Use pnpm", "memoryScratchpad": {} } }),
        json!({ "$set": { "messages": [user("7", "new"), reply("8", "fine")] } }),
        json!({ "$set": { "messages": [] } }),
        user("9", "after"),
    ];
    let transcript = read(file(&lines));
    assert_eq!(ids(&transcript), ["7", "8", "9"]);
    assert_eq!(transcript.session().title.as_deref(), Some("Use pnpm"));
    assert_eq!(transcript.report().off_thread, 1);
}

#[test]
fn calls_thoughts_and_results_are_read() {
    let calls = json!([
        { "id": "t1", "name": "read_file", "args": { "path": "a" }, "status": "success",
          "result": [{ "functionResponse": { "response": { "output": "text" } } }] },
        { "id": "t2", "name": "run", "args": {}, "status": "error",
          "result": [{ "functionResponse": { "response": { "error": "denied" } } }] },
        { "id": "t3", "name": "run", "args": {}, "status": "executing" },
        { "id": "t4", "name": "odd", "result": { "x": 1 } },
        { "name": "no id" }, "odd", null,
    ]);
    let record = json!({
        "id": "2", "type": "gemini", "content": "", "toolCalls": calls,
        "thoughts": [{ "subject": "Plan", "description": "first" }, {}, 7],
        "tokens": { "input": 100, "output": 5, "cached": 80, "thoughts": 3, "tool": 0, "total": 108 },
    });
    let transcript = read(file(&[head(), user("1", "go"), record]));
    assert_eq!(
        origins(&transcript),
        [Origin::Person, Origin::Assistant, Origin::Tool]
    );
    let [_, answer, results] = transcript.entries() else {
        panic!("three")
    };
    assert_eq!(ids(&transcript)[2], "2/results");
    let thought = Block::Thinking {
        text: "Plan\nfirst".into(),
        signature: None,
    };
    assert_eq!(answer.message.content[0], thought);
    assert_eq!(answer.message.tool_uses().count(), 4);
    let usage = answer.usage.unwrap();
    assert_eq!((usage.input, usage.cache_read, usage.output), (20, 80, 8));
    let results: Vec<_> = results.message.tool_results().collect();
    assert_eq!(results.len(), 3, "one is still under way");
    assert_eq!(
        (results[0].joined_text().as_str(), results[0].is_error),
        ("text", false)
    );
    assert_eq!(
        (results[1].joined_text().as_str(), results[1].is_error),
        ("denied", true)
    );
}

#[test]
fn parts_are_text_pictures_or_kept_whole() {
    let content = json!([
        "bare", { "text": "part" }, { "inlineData": { "mimeType": "image/png", "data": "AAAA" } },
        { "fileData": { "fileUri": "u" } },
    ]);
    let record = json!({ "id": "1", "type": "user", "content": content });
    let transcript = read(file(&[head(), record.clone()]));
    let blocks = &transcript.entries()[0].message.content;
    assert_eq!(transcript.entries()[0].person_text(), "bare\npart");
    assert!(matches!(blocks[2], Block::Image(_)));
    assert_eq!(
        blocks[3],
        Block::Other(json!({ "fileData": { "fileUri": "u" } }))
    );
    let options = Options::default().with_pictures(Pictures::Omit);
    let omitted = read_with(file(&[head(), record]), &options);
    assert_eq!(omitted.report().omitted_pictures, 1);
}

#[test]
fn one_object_with_all_messages_is_read_too_on_one_line_or_many() {
    let mut document = head();
    document["messages"] =
        json!([user("1", "go"), reply("2", "done"), { "id": "3", "type": "info", "content": "x" }]);
    let pretty = serde_json::to_string_pretty(&document).unwrap();
    for text in [
        document.to_string(),
        format!("{document}\n"),
        pretty.clone(),
        format!("\u{FEFF}{pretty}\r\n"),
    ] {
        let transcript = read(&text);
        assert_eq!(ids(&transcript), ["1", "2"], "{text}");
        assert_eq!(transcript.session().format, Some(Format::GeminiCli));
    }
}

#[test]
fn a_sub_agents_session_has_no_person() {
    let mut head = head();
    head["kind"] = json!("subagent");
    let transcript = read(file(&[head, user("1", "go")]));
    assert_eq!(origins(&transcript), [Origin::Injected]);
    assert_eq!(transcript.session().role, FileRole::SubAgent { id: None });
}
