//! How fast sessions are read, beside what any reader has to do at least.
//!
//! The baselines run over the same bytes: finding the line ends and checking UTF-8; and building and keeping
//! a `serde_json::Value` of every line, which is what a plain JSON-lines reader does before it has looked
//! for the conversation.
#![allow(missing_docs, reason = "criterion's macros write a public function")]

use std::hint::black_box;

use agent_transcript::{Options, Pictures, Transcript};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde_json::{Value, json};

/// A day of work: 400 turns with thoughts, two parallel calls, large results that the file holds twice as
/// Claude Code writes them, and the hook lines that swamp some versions.
fn claude_session() -> String {
    let mut lines: Vec<Value> = Vec::new();
    let mut last: Option<String> = None;
    let mut count = 0;
    let mut push = |mut line: Value, last: &mut Option<String>| {
        let uuid = format!("00000000-0000-4000-8000-{count:012}");
        count += 1;
        for (key, value) in [
            ("parentUuid", json!(last)),
            ("isSidechain", json!(false)),
            ("userType", json!("external")),
            ("cwd", json!("/home/dev/projects/teapot")),
            ("sessionId", json!("7d0f2c1e-6b58-4b7e-9a53-2f1d9c0b4a10")),
            ("version", json!("2.1.39")),
            ("gitBranch", json!("main")),
            ("uuid", json!(uuid)),
            ("timestamp", json!("2026-11-20T09:00:01.000Z")),
        ] {
            line[key] = value;
        }
        lines.push(line);
        *last = Some(uuid);
    };
    let source =
        "fn main() {\n    let words = [\"zwölf\", \"日本語\"];\n    println!(\"{words:?}\");\n}\n";
    for turn in 0..400 {
        let user = json!({ "type": "user", "message": { "role": "user", "content": format!("Turn {turn}: fix it") } });
        push(user, &mut last);
        let usage =
            json!({ "input_tokens": 3, "output_tokens": 40, "cache_read_input_tokens": 18_000 });
        let mut answer = |block: Value, last: &mut Option<String>| {
            let message = json!({ "id": format!("msg_{turn}"), "model": "claude-opus-5-5", "role": "assistant",
                "content": [block], "usage": usage });
            push(json!({ "type": "assistant", "message": message }), last);
        };
        answer(
            json!({ "type": "thinking", "thinking": "The person wants it fixed. ".repeat(20), "signature": "s".repeat(300) }),
            &mut last,
        );
        answer(
            json!({ "type": "text", "text": "Let me look at both files." }),
            &mut last,
        );
        for call in 0..2 {
            answer(
                json!({ "type": "tool_use", "id": format!("toolu_{turn}_{call}"), "name": "Read", "input": { "file_path": "/src/main.rs" } }),
                &mut last,
            );
        }
        for _ in 0..6 {
            push(
                json!({ "type": "progress", "data": { "type": "hook_progress", "hookEvent": "PreToolUse", "command": "hook" } }),
                &mut last,
            );
        }
        for call in 0..2 {
            let text = source.repeat(60);
            let result = json!({ "type": "tool_result", "tool_use_id": format!("toolu_{turn}_{call}"), "content": text });
            push(
                json!({ "type": "user", "message": { "role": "user", "content": [result] },
                "toolUseResult": { "type": "text", "file": { "content": text, "numLines": 240 } } }),
                &mut last,
            );
        }
        let message = json!({ "id": format!("end_{turn}"), "model": "claude-opus-5-5", "role": "assistant",
            "content": [{ "type": "text", "text": "Done: both are fixed. ".repeat(10) }] });
        push(
            json!({ "type": "assistant", "message": message }),
            &mut last,
        );
    }
    to_lines(&lines)
}

fn codex_session() -> String {
    let wrap = |kind: &str, payload: Value| json!({ "timestamp": "2026-11-20T09:00:01.000Z", "type": kind, "payload": payload });
    let mut lines = vec![wrap(
        "session_meta",
        json!({ "id": "s", "cwd": "/p", "model_provider": "openai" }),
    )];
    for turn in 0..400 {
        let text = format!("Turn {turn}: fix it");
        let content = json!([{ "type": "input_text", "text": text }]);
        lines.push(wrap(
            "response_item",
            json!({ "type": "message", "role": "user", "content": content }),
        ));
        lines.push(wrap(
            "event_msg",
            json!({ "type": "user_message", "message": text, "images": [] }),
        ));
        for call in 0..3 {
            let id = format!("call_{turn}_{call}");
            lines.push(wrap("event_msg", json!({ "type": "token_count", "info": { "last_token_usage": { "input_tokens": 9 } } })));
            lines.push(wrap("response_item", json!({ "type": "function_call", "name": "exec_command", "arguments": "{\"cmd\":\"cat src/main.rs\"}", "call_id": id })));
            lines.push(wrap("response_item", json!({ "type": "function_call_output", "call_id": id, "output": "a line of output\n".repeat(300) })));
        }
    }
    to_lines(&lines)
}

fn to_lines(lines: &[Value]) -> String {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    lines.join("\n") + "\n"
}

fn reading(criterion: &mut Criterion) {
    for (name, text) in [("claude", claude_session()), ("codex", codex_session())] {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.sample_size(20);
        group.bench_function("baseline: line ends and UTF-8", |bench| {
            bench.iter(|| {
                let lines = black_box(text.as_bytes()).split(|byte| *byte == b'\n');
                lines
                    .filter(|line| std::str::from_utf8(line).is_ok())
                    .count()
            });
        });
        group.bench_function("baseline: serde_json values, kept", |bench| {
            bench.iter(|| {
                let lines = black_box(text.as_bytes()).split(|byte| *byte == b'\n');
                let values = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
                values.collect::<Vec<Value>>().len()
            });
        });
        group.bench_function("transcript", |bench| {
            let options = Options::default().with_pictures(Pictures::Omit);
            bench.iter(|| {
                let transcript = Transcript::read(black_box(text.as_bytes()), &options);
                transcript
                    .expect("the session is well formed")
                    .entries()
                    .len()
            });
        });
        group.finish();
    }
}

criterion_group!(benches, reading);
criterion_main!(benches);
