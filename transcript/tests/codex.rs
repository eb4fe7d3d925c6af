//! Codex rollouts, on lines written for the case at hand.

use agent_model::{Block, Image, Vendor};
use agent_transcript::{Entry, FileRole, Origin, SkipReason};
use serde_json::{Value, json};

use crate::support::{file, origins, read};

fn wrap(kind: &str, payload: Value) -> Value {
    json!({ "timestamp": "2026-11-20T09:00:00.000Z", "type": kind, "payload": payload })
}

fn meta() -> Value {
    wrap(
        "session_meta",
        json!({ "id": "s", "cwd": "/p", "model_provider": "openai" }),
    )
}

fn said(role: &str, text: &str) -> Value {
    let kind = if role == "assistant" {
        "output_text"
    } else {
        "input_text"
    };
    let content = json!([{ "type": kind, "text": text }]);
    wrap(
        "response_item",
        json!({ "type": "message", "role": role, "content": content }),
    )
}

fn event(text: &str) -> Value {
    wrap(
        "event_msg",
        json!({ "type": "user_message", "message": text }),
    )
}

fn call(id: &str) -> Value {
    wrap(
        "response_item",
        json!({ "type": "function_call", "name": "run", "call_id": id, "arguments": "{\"a\":1}" }),
    )
}

fn output(id: &str, output: Value) -> Value {
    wrap(
        "response_item",
        json!({ "type": "function_call_output", "call_id": id, "output": output }),
    )
}

fn texts(lines: &[Value]) -> Vec<(Origin, String)> {
    let transcript = read(file(lines));
    transcript
        .entries()
        .iter()
        .map(|e| (e.origin, e.message.text()))
        .collect()
}

#[test]
fn an_event_tells_which_item_the_person_typed() {
    let lines = [
        meta(),
        said("user", "project rules that look like words"),
        said("user", "<environment_context>x</environment_context>"),
        said("user", "fix the test"),
        event("fix the test"),
        said("user", "a skill that was put in afterwards"),
        said("assistant", "done"),
    ];
    let origin = |text: &str| {
        let found = texts(&lines).into_iter().find(|(_, own)| own == text);
        found.unwrap().0
    };
    assert_eq!(origin("fix the test"), Origin::Person);
    assert_eq!(
        origin("project rules that look like words"),
        Origin::Injected
    );
    assert_eq!(
        origin("a skill that was put in afterwards"),
        Origin::Injected
    );
    assert_eq!(
        origin("<environment_context>x</environment_context>"),
        Origin::Injected
    );
}

#[test]
fn an_event_finds_its_item_across_developer_messages_and_by_likeness() {
    let lines = [
        meta(),
        said("user", "look at this"),
        said("developer", "mode: careful"),
        // The event holds the words alone, the item a picture's wrapping too.
        event("look"),
        said("assistant", "ok"),
    ];
    assert_eq!(
        texts(&lines)[0],
        (Origin::Person, "look at this".to_owned())
    );
}

#[test]
fn an_event_may_come_before_its_item_or_without_one() {
    let before = [
        meta(),
        event("fix it"),
        said("user", "fix it"),
        said("assistant", "ok"),
    ];
    assert_eq!(
        texts(&before),
        [
            (Origin::Person, "fix it".to_owned()),
            (Origin::Assistant, "ok".to_owned())
        ]
    );
    let without = [
        meta(),
        event("fix it"),
        said("assistant", "ok"),
        event("and that"),
    ];
    assert_eq!(
        texts(&without),
        [
            (Origin::Person, "fix it".to_owned()),
            (Origin::Assistant, "ok".to_owned()),
            (Origin::Person, "and that".to_owned()),
        ]
    );
}

#[test]
fn without_events_the_text_itself_has_to_tell() {
    let lines = [
        meta(),
        said("user", "# AGENTS.md instructions for /p\nuse pnpm"),
        said("user", "fix the test"),
        said("assistant", "done"),
    ];
    let found: Vec<Origin> = texts(&lines)
        .into_iter()
        .map(|(origin, _)| origin)
        .collect();
    assert_eq!(found, [Origin::Injected, Origin::Person, Origin::Assistant]);
}

#[test]
fn what_the_model_says_in_a_row_is_one_answer() {
    let reasoning = |summary: Value, hidden: Value| {
        wrap(
            "response_item",
            json!({ "type": "reasoning", "summary": summary, "encrypted_content": hidden }),
        )
    };
    let usage = json!({ "input_tokens": 100, "cached_input_tokens": 60, "output_tokens": 7 });
    let lines = [
        meta(),
        wrap(
            "turn_context",
            json!({ "model": "gpt-5.5", "cwd": "/p/sub" }),
        ),
        said("user", "go"),
        reasoning(
            json!([{ "type": "summary_text", "text": "plan" }]),
            json!("gAAA"),
        ),
        wrap(
            "event_msg",
            json!({ "type": "agent_message", "message": "working" }),
        ),
        said("assistant", "working"),
        call("c1"),
        call("c2"),
        wrap(
            "event_msg",
            json!({ "type": "token_count", "info": { "last_token_usage": usage } }),
        ),
        output("c1", json!("one")),
        output("c2", json!({ "content": "two", "success": false })),
        reasoning(json!([]), json!("gBBB")),
        said("assistant", "done"),
    ];
    let transcript = read(file(&lines));
    assert_eq!(
        origins(&transcript),
        [
            Origin::Person,
            Origin::Assistant,
            Origin::Tool,
            Origin::Tool,
            Origin::Assistant
        ]
    );
    let [_, answer, one, two, last] = transcript.entries() else {
        panic!("five")
    };
    assert_eq!(answer.message.content.len(), 4);
    assert_eq!(answer.model.as_deref(), Some("gpt-5.5"));
    assert_eq!(answer.place.cwd.as_deref(), Some("/p/sub"));
    let usage = answer.usage.unwrap();
    assert_eq!((usage.input, usage.cache_read, usage.output), (40, 60, 7));
    assert_eq!(
        answer.message.tool_uses().next().unwrap().input,
        json!({ "a": 1 })
    );
    assert_eq!(
        one.message.tool_results().next().unwrap().joined_text(),
        "one"
    );
    assert!(two.message.tool_results().next().unwrap().is_error);
    assert_eq!(
        last.message.content[0],
        Block::RedactedThinking {
            data: "gBBB".into()
        }
    );
    assert_eq!(
        transcript.session().cwd.as_deref(),
        Some("/p"),
        "where the session began"
    );
}

#[test]
fn calls_of_every_kind_are_calls() {
    let item = |payload: Value| wrap("response_item", payload);
    let lines = [
        meta(),
        item(
            json!({ "type": "custom_tool_call", "call_id": "1", "name": "apply_patch", "input": "*** Begin Patch" }),
        ),
        item(
            json!({ "type": "function_call", "call_id": "2", "name": "run", "arguments": "not json" }),
        ),
        item(
            json!({ "type": "local_shell_call", "call_id": "3", "action": { "command": ["ls"] } }),
        ),
        item(json!({ "type": "web_search_call", "action": { "query": "rust" } })),
        item(json!({ "type": "function_call", "name": "no id", "arguments": "{}" })),
        item(json!({ "type": "later_kind", "call_id": "6" })),
    ];
    let transcript = read(file(&lines));
    let calls: Vec<(String, String, Value)> = transcript.entries()[0]
        .message
        .tool_uses()
        .map(|call| (call.id.clone(), call.name.clone(), call.input.clone()))
        .collect();
    let call = |id: &str, name: &str, input: Value| (id.to_owned(), name.to_owned(), input);
    assert_eq!(
        calls,
        [
            call("1", "apply_patch", json!("*** Begin Patch")),
            call("2", "run", json!("not json")),
            call("3", "local_shell", json!({ "command": ["ls"] })),
            call("line-5", "web_search", json!({ "query": "rust" })),
        ]
    );
    assert_eq!(transcript.report().by_reason()[&SkipReason::NoMessage], 1);
    assert_eq!(transcript.report().unknown, 1);
}

#[test]
fn outputs_of_every_form_are_results() {
    let lines = [
        meta(),
        output("1", json!("text")),
        output(
            "2",
            json!([{ "type": "input_text", "text": "part" }, { "type": "input_image", "image_url": "data:image/png;base64,AA" }]),
        ),
        output("3", json!({ "success": true, "body": 1 })),
        output("4", json!(7)),
    ];
    let transcript = read(file(&lines));
    let results: Vec<_> = transcript
        .entries()
        .iter()
        .flat_map(|entry| entry.message.tool_results())
        .collect();
    assert_eq!(results[0].joined_text(), "text");
    assert_eq!(results[1].content.len(), 2);
    assert_eq!(results[2].joined_text(), r#"{"body":1,"success":true}"#);
    assert_eq!(results.len(), 3, "a number is no output");
}

#[test]
fn pictures_come_inline_or_by_address() {
    let content = json!([
        { "type": "input_text", "text": "see" },
        { "type": "input_image", "image_url": "data:image/png;base64,iVBO" },
        { "type": "input_image", "image_url": "https://x.example/a.png" },
        { "type": "input_image", "file_id": "f" },
    ]);
    let lines = [
        meta(),
        wrap(
            "response_item",
            json!({ "type": "message", "role": "user", "content": content }),
        ),
    ];
    let transcript = read(file(&lines));
    let blocks = &transcript.entries()[0].message.content;
    let inline = Image::Base64 {
        media_type: "image/png".into(),
        data: "iVBO".into(),
    };
    assert_eq!(blocks[1], Block::Image(inline));
    assert_eq!(
        blocks[2],
        Block::Image(Image::Url("https://x.example/a.png".into()))
    );
    assert_eq!(
        blocks[3],
        Block::Other(json!({ "type": "input_image", "file_id": "f" }))
    );
}

#[test]
fn a_compaction_divides_and_brings_its_summary() {
    let compacted = |message: &str| {
        let history = json!([{ "type": "message", "role": "user", "content": [] }]);
        wrap(
            "compacted",
            json!({ "message": message, "replacement_history": history, "window_id": 3 }),
        )
    };
    let lines = [
        meta(),
        said("user", "one"),
        said("assistant", "two"),
        compacted("what was said"),
        said("assistant", "three"),
        compacted(""),
        said("assistant", "four"),
    ];
    let transcript = read(file(&lines));
    let at: Vec<usize> = transcript
        .boundaries()
        .iter()
        .map(|boundary| boundary.at)
        .collect();
    assert_eq!(at, [2, 4], "an empty summary brings no message");
    assert_eq!(transcript.entries()[2].origin, Origin::CompactSummary);
    assert_eq!(transcript.live().len(), 1);
}

#[test]
fn what_the_person_took_back_is_gone() {
    let back = |turns: u32| {
        wrap(
            "event_msg",
            json!({ "type": "thread_rolled_back", "num_turns": turns }),
        )
    };
    let turn = |text: &str| [said("user", text), event(text), said("assistant", "reply")];
    let mut lines = vec![meta(), said("user", "rules that were put in")];
    for text in ["one", "two", "three"] {
        lines.extend(turn(text));
    }
    lines.push(back(2));
    lines.extend(turn("four"));
    let transcript = read(file(&lines));
    let words: Vec<String> = transcript
        .entries()
        .iter()
        .map(Entry::person_text)
        .filter(|t| !t.is_empty())
        .collect();
    assert_eq!(words, ["one", "four"]);
    assert_eq!(transcript.report().off_thread, 4);
    lines.push(back(99));
    let transcript = read(file(&lines));
    assert_eq!(
        origins(&transcript),
        [Origin::Injected],
        "what stands before the first turn stays"
    );
}

#[test]
fn a_sub_agents_rollout_is_one_and_has_no_person() {
    for head in [
        json!({ "id": "s", "thread_source": "subagent" }),
        json!({ "id": "s", "source": { "subagent": { "thread_spawn": {} } } }),
    ] {
        let lines = [
            wrap("session_meta", head),
            said("user", "do it"),
            event("do it"),
            said("assistant", "ok"),
        ];
        let transcript = read(file(&lines));
        assert_eq!(transcript.session().role, FileRole::SubAgent { id: None });
        assert_eq!(origins(&transcript), [Origin::Injected, Origin::Assistant]);
    }
}

#[test]
fn a_fork_keeps_its_own_identity() {
    let parent = wrap(
        "session_meta",
        json!({ "id": "parent", "model_provider": "other" }),
    );
    let transcript = read(file(&[meta(), parent, said("user", "x")]));
    assert_eq!(transcript.session().id.as_deref(), Some("s"));
    let provider = transcript.session().provider.as_ref().unwrap();
    assert_eq!(provider.vendor(), &Vendor::OpenAi);
}
