//! `session update`, `show` and `compact`, on transcripts of our own.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::harness::Home;

const ID: &str = "0b1c2d3e-0000-4000-8000-000000000001";

/// A recorded session: an instruction, calls that succeed and fail, and `rounds` long replies.
fn transcript(home: &Home, rounds: usize) -> PathBuf {
    let mut lines = Vec::new();
    let mut parent = Value::Null;
    let mut line = |kind: &str, content: Value| {
        let uuid = format!("line-{}", lines.len());
        let line = json!({
            "type": kind,
            "uuid": uuid,
            "parentUuid": parent,
            "sessionId": ID,
            "timestamp": "2026-03-05T10:00:00Z",
            "cwd": "/nowhere/at/all",
            "message": {"role": kind, "id": format!("reply-{}", lines.len()), "content": content},
        });
        parent = uuid.into();
        lines.push(line.to_string());
    };
    line("user", json!("make the parser accept tabs"));
    let call = |id: &str, name: &str, input: Value| json!([{"type": "tool_use", "id": id, "name": name, "input": input}]);
    let result = |id: &str, text: &str, failed: bool| json!([{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed}]);
    line(
        "assistant",
        call("c1", "Edit", json!({"file_path": "src/lexer.rs"})),
    );
    line("user", result("c1", "done", false));
    line(
        "assistant",
        call("c2", "Bash", json!({"command": "cargo test --all"})),
    );
    line("user", result("c2", "error[E0308]: mismatched types", true));
    for round in 0..rounds {
        line("user", json!(format!("instruction {round}")));
        let words = "what was done, and why it was done in this way. ".repeat(80);
        line("assistant", json!([{"type": "text", "text": words}]));
    }
    line("user", json!("and form feeds too\n# no heading"));
    home.file(&format!("{ID}.jsonl"), lines.join("\n") + "\n")
}

fn run(home: &Home, action: &str, path: &std::path::Path, more: &[&str]) -> crate::harness::Run {
    let path = path.to_str().expect("text");
    let mut arguments = vec!["session", action, path];
    arguments.extend(more);
    home.run(&arguments)
}

#[test]
fn a_credential_of_the_session_stays_out_of_its_file() {
    let home = Home::new();
    let path = transcript(&home, 1);
    let token = ["gh", "p_", "16C7e42F292c6912E7", "710c838347Ae178B4a"].concat();
    let told = "and form feeds too";
    let recorded = std::fs::read_to_string(&path).expect("the transcript");
    let recorded = recorded.replace(told, &format!("{told}, the token is {token}"));
    std::fs::write(&path, recorded).expect("the transcript");
    let updated = run(&home, "update", &path, &[]).expect(0);
    let text = std::fs::read_to_string(updated.out.trim_end()).expect("the session file");
    assert!(text.contains(told), "{text}");
    assert!(!text.contains(&token[4..]), "{text}");
}

#[test]
fn update_writes_the_file_that_show_prints() {
    let home = Home::new();
    let path = transcript(&home, 3);
    let none = run(&home, "show", &path, &[]).expect(4);
    assert!(
        none.err.contains("session update TRANSCRIPT"),
        "{}",
        none.err
    );
    let updated = run(&home, "update", &path, &[]).expect(0);
    let written = PathBuf::from(updated.out.trim_end());
    assert!(written.ends_with(format!("{ID}/session-memory.md")));
    let text = std::fs::read_to_string(&written).expect("the session file");
    for wanted in [
        "- src/lexer.rs",
        "cargo test --all",
        "mismatched types",
        "> and form feeds too\n> # no heading",
    ] {
        assert!(text.contains(wanted), "{wanted}\n{text}");
    }
    assert_eq!(run(&home, "show", &path, &[]).expect(0).out, text);
    // Once more: nothing has changed, and nothing is written.
    let first = run(&home, "update", &path, &["--json"]).expect(0).json();
    assert_eq!(first[0]["revision"], 1);
    assert_eq!(first[0]["author"], "ledger");
}

#[test]
fn a_transcript_in_a_projects_folder_belongs_to_that_project() {
    let home = Home::new();
    let path = transcript(&home, 1);
    let project = home.path().join(".claude/projects/-some-other-project");
    std::fs::create_dir_all(&project).expect("folders");
    let moved = project.join(format!("{ID}.jsonl"));
    std::fs::rename(path, &moved).expect("a moved file");
    run(&home, "update", &moved, &[]).expect(0);
    assert!(project.join(ID).join("session-memory.md").is_file());
    // And --project wins.
    run(&home, "show", &moved, &["--project", "."]).expect(4);
}

#[test]
fn what_a_person_wrote_into_the_file_stays() {
    let home = Home::new();
    let path = transcript(&home, 1);
    let written = run(&home, "update", &path, &[]).expect(0).out;
    let file = PathBuf::from(written.trim_end());
    let text = std::fs::read_to_string(&file).expect("the session file");
    let edited = text.replace("## Learnings\n", "## Learnings\n\nask before pushing\n");
    std::fs::write(&file, edited).expect("a written file");
    let longer = transcript(&home, 4);
    run(&home, "update", &longer, &[]).expect(0);
    let text = run(&home, "show", &path, &[]).expect(0).out;
    assert!(text.contains("ask before pushing") && text.contains("> and form feeds too"));
    let shown = run(&home, "show", &path, &["--json"]).expect(0).json();
    assert_eq!(shown[0]["text"].as_str(), Some(text.as_str()));
}

/// A list as the API takes it: the user first, and each call answered in the next message.
fn check_list(messages: &[Value]) {
    assert_eq!(messages[0]["role"], "user");
    let mut open: Vec<String> = Vec::new();
    for message in messages {
        let blocks = message["content"].as_array().expect("blocks");
        let ids = |kind: &str, key: &str| -> Vec<String> {
            let fitting = blocks.iter().filter(|block| block["type"] == *kind);
            fitting
                .map(|block| block[key].as_str().expect("an id").to_owned())
                .collect()
        };
        assert_eq!(ids("tool_result", "tool_use_id"), open);
        open = ids("tool_use", "id");
        assert_eq!(message.as_object().expect("an object").len(), 2);
    }
    assert!(open.is_empty());
}

#[test]
fn compact_prints_the_list_and_writes_nothing() {
    let home = Home::new();
    let path = transcript(&home, 60);
    let before = std::fs::read_dir(home.path()).expect("a folder").count();
    for update in [false, true] {
        if update {
            run(&home, "update", &path, &[]).expect(0);
        }
        let messages = run(&home, "compact", &path, &["--json"]).expect(0).json();
        check_list(&messages);
        assert!(messages.len() < 60, "{}", messages.len());
        let summary = messages[0]["content"][0]["text"]
            .as_str()
            .expect("a summary");
        assert!(summary.contains("src/lexer.rs") && summary.contains(path.to_str().expect("text")));
        let last = messages.last().expect("a message");
        assert_eq!(
            last["content"][0]["text"],
            "and form feeds too\n# no heading"
        );
        if !update {
            assert_eq!(
                std::fs::read_dir(home.path()).expect("a folder").count(),
                before
            );
        }
    }
    let text = run(&home, "compact", &path, &[]).expect(0).out;
    assert!(text.contains("a summary and the newest") && text.contains("the host puts back"));
}

#[test]
fn a_conversation_too_short_to_gain_anything_comes_back_as_it_is() {
    let home = Home::new();
    let path = transcript(&home, 0);
    let run = run(&home, "compact", &path, &["--json"]).expect(0);
    check_list(&run.json());
    assert!(run.err.contains("stays as it is"), "{}", run.err);
    assert_eq!(
        run.json()[0]["content"][0]["text"],
        "make the parser accept tabs"
    );
}

#[test]
fn the_json_objects_have_the_shape_of_their_schemas() {
    let home = Home::new();
    let path = transcript(&home, 60);
    let schemas = [
        (
            "update",
            include_str!("../../docs/schemas/session-update.json"),
        ),
        ("show", include_str!("../../docs/schemas/session-show.json")),
        (
            "compact",
            include_str!("../../docs/schemas/session-compact.json"),
        ),
    ];
    for (action, schema) in schemas {
        crate::schema::check(schema, &run(&home, action, &path, &["--json"]).expect(0));
    }
}

#[test]
fn exit_codes_tell_what_was_wrong() {
    let home = Home::new();
    let cases: [(&str, &[u8], i32); 4] = [
        ("empty.jsonl", b"", 4),
        ("prose.jsonl", b"not a transcript\n", 2),
        ("agent-ab12.jsonl", b"{\"type\":\"user\",\"uuid\":\"a\",\"parentUuid\":null,\"message\":{\"role\":\"user\",\"content\":\"x\"}}\n", 2),
        ("../outside/..jsonl", b"{\"type\":\"user\",\"uuid\":\"a\",\"parentUuid\":null,\"sessionId\":\"../../x\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\n", 3),
    ];
    for (name, bytes, code) in cases {
        let path = home.file(name, bytes);
        for action in ["update", "compact"] {
            run(&home, action, &path, &[]).expect(code);
        }
    }
    run(&home, "update", &home.path().join("missing.jsonl"), &[]).expect(4);
    run(&home, "update", home.path(), &[]).expect(2);
    home.run(&["session"]).expect(2);
    home.run(&["session", "-h"]).expect(0);
}

#[test]
fn control_characters_of_a_transcript_do_not_reach_the_terminal() {
    let home = Home::new();
    let line = json!({
        "type": "user", "uuid": "a", "parentUuid": null, "sessionId": ID,
        "message": {"role": "user", "content": "red \u{1b}[31m text"},
    });
    let path = home.file(&format!("{ID}.jsonl"), line.to_string() + "\n");
    let text = run(&home, "compact", &path, &[]).expect(0).out;
    assert!(text.contains("red") && !text.contains('\u{1b}'));
}

#[test]
fn a_session_never_takes_the_memory_folder_for_its_own() {
    let home = Home::new();
    let project = home.path().join(".claude/projects/-p");
    std::fs::create_dir_all(&project).expect("folders");
    for name in ["memory", "Memory", "memory-state", ".git"] {
        let line = json!({
            "type": "user", "uuid": "a", "parentUuid": null,
            "message": {"role": "user", "content": "x"},
        });
        let path = project.join(format!("{name}.jsonl"));
        std::fs::write(&path, line.to_string() + "\n").expect("a written file");
        run(&home, "update", &path, &[]).expect(3);
        assert!(!project.join(name).exists(), "{name}");
    }
}
