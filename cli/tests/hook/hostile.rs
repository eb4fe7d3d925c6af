//! Input that no honest agent sends, and agents that forget to close their pipes.

use std::io::{Read, Write};
use std::process::Stdio;

use serde_json::json;

use super::{Agent, denial, shapes};

#[test]
fn garbage_gets_no_answer_and_one_line_in_the_log() {
    let agent = Agent::new("claude-code");
    agent.save("Note", "a note", "text");
    let deep = "{\"a\":".repeat(2_000);
    for input in [
        &b""[..],
        b"\xff\xfe\x00",
        b"{}",
        b"[1,2]",
        b"null",
        b"{\"hook_event_name\":7}",
        b"plain words",
        deep.as_bytes(),
    ] {
        assert_eq!(agent.raw(input).out, "");
    }
    let log = agent.log();
    assert_eq!(log.lines().count(), 6, "{log}");
    assert!(!log.contains("plain words"), "{log}");
}

#[test]
fn gemini_is_always_given_an_object() {
    let agent = Agent::new("gemini");
    for input in [&b""[..], b"garbage", b"{}"] {
        assert_eq!(agent.raw(input).out, "{}\n");
    }
}

#[test]
fn a_hundred_megabytes_are_read_to_their_end_and_not_believed() {
    let agent = Agent::new("claude-code");
    agent.save("Note", "a note", "text");
    let path = agent.memory_dir().join("project_note.md");
    let mut payload = agent.payload(
        "session-1",
        "PreToolUse",
        &json!({"tool_name": "Write", "tool_use_id": "toolu_1", "tool_input": {"file_path": path}}),
    );
    payload["tool_input"]["content"] = json!("x".repeat(100 << 20));
    let run = agent.raw(payload.to_string().as_bytes());
    let answer = shapes::check("claude-code", "PreToolUse", &run.out);
    assert!(
        denial(&answer).is_some_and(|reason| reason.contains("too large")),
        "{answer}"
    );
    assert_eq!(agent.raw("x".repeat(100 << 20).as_bytes()).out, "");
}

#[test]
fn an_agent_that_does_not_close_its_pipe_is_answered_all_the_same() {
    let agent = Agent::new("claude-code");
    agent.save(
        "Uploads retry",
        "how uploads are retried",
        "Use full jitter.",
    );
    let payload = agent.payload(
        "session-1",
        "UserPromptSubmit",
        &json!({"prompt": "how do we retry uploads?"}),
    );
    let mut child = agent
        .home
        .command(&["hook", "claude-code"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin
        .write_all(payload.to_string().as_bytes())
        .expect("written");
    stdin.flush().expect("written");
    let mut out = String::new();
    child
        .stdout
        .take()
        .expect("a pipe")
        .read_to_string(&mut out)
        .expect("text");
    assert!(out.contains("full jitter"), "{out}");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    drop(stdin);
}

#[test]
fn a_hook_that_this_version_does_not_know_is_no_refusal() {
    let agent = Agent::new("claude-code");
    // For hosts the exit code 2 blocks what the person does.
    for arguments in [
        &["hook", "another-agent"][..],
        &["hook"],
        &["hook", "codex", "--new"],
    ] {
        let run = agent.home.run_with(arguments, b"{}").expect(0);
        assert_eq!(run.out, "");
        assert!(!run.err.is_empty());
    }
    agent.home.run(&["hook", "--help"]).expect(0);
    agent.home.run(&["no-such-command"]).expect(2);
}

#[test]
fn the_log_does_not_grow_without_end() {
    let agent = Agent::new("claude-code");
    agent.save("Note", "a note", "text");
    let folder = agent.home.path().join(".claude/memstrata");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("hook.log"), "x".repeat(300 << 10)).expect("a file");
    agent.raw(b"garbage");
    assert_eq!(agent.log().lines().count(), 1);
    assert!(folder.join("hook.log.1").exists());
}

#[test]
fn a_folder_that_was_removed_is_no_reason_to_fail() {
    let agent = Agent::new("claude-code");
    let payload = agent.payload("session-1", "Stop", &json!({"stop_hook_active": false}));
    let file = agent.home.path().join("call.json");
    std::fs::write(&file, payload.to_string()).expect("a file");
    let mut command = agent.home.command(&["hook", "claude-code"]);
    // The shell removes the folder it is in and then becomes the program.
    let script = "d=$(mktemp -d \"$HOME/gone.XXXXXX\") && cd \"$d\" && rmdir \"$d\" && exec \"$0\" hook claude-code";
    if cfg!(unix) {
        let program = command.get_program().to_owned();
        command = std::process::Command::new("/bin/sh");
        command
            .arg("-c")
            .arg(script)
            .arg(program)
            .env("HOME", agent.home.path());
    }
    let output = command
        .stdin(std::fs::File::open(file).expect("the file"))
        .output()
        .expect("the program starts");
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    agent.finish();
}

#[test]
fn a_relative_home_is_none() {
    let agent = Agent::new("codex");
    let payload = agent.payload("session-1", "SessionStart", &json!({"source": "startup"}));
    let file = agent.home.path().join("call.json");
    std::fs::write(&file, payload.to_string()).expect("a file");
    let output = agent
        .home
        .command(&["hook", "codex"])
        .env("HOME", "relative")
        .env("USERPROFILE", "relative")
        .stdin(std::fs::File::open(file).expect("the file"))
        .output()
        .expect("the program starts");
    assert_eq!((output.status.code(), output.stdout), (Some(0), Vec::new()));
    let made = std::fs::read_dir(agent.home.project()).expect("a folder");
    assert_eq!(made.count(), 0);
}

#[test]
fn text_that_was_cut_inside_of_a_character_is_read_all_the_same() {
    let agent = Agent::new("claude-code");
    agent.save("Note", "a note", "text");
    let write = |path: std::path::PathBuf| {
        let payload = agent.payload(
            "session-1",
            "PreToolUse",
            &json!({"tool_name": "Write", "tool_use_id": "toolu_1",
                "tool_input": {"file_path": path, "content": "about memory and projects HALF"}}),
        );
        let run = agent.raw(payload.to_string().replace("HALF", "\\ud83d").as_bytes());
        shapes::check("claude-code", "PreToolUse", &run.out)
    };
    // A file of the project passes, and one of ours is judged by its path.
    assert!(write(agent.home.project().join("README.md")).is_null());
    assert!(write(agent.memory_dir().join("project_x.md")).is_null());
    let state = agent.memory_dir().with_file_name("memory-state");
    assert!(denial(&write(state.join("x"))).is_some());
    assert_eq!(agent.log(), "");
}

#[test]
fn a_call_that_cannot_be_read_is_no_way_around_the_guard() {
    let mut agent = Agent::new("claude-code");
    agent.save("Note", "a note", "text");
    for name in ["claude-code", "codex", "gemini"] {
        agent.name = name;
        let (event, tool) = match name {
            "gemini" => ("BeforeTool", "write_file"),
            _ => ("PreToolUse", "Write"),
        };
        let state = agent.memory_dir().with_file_name("memory-state").join("x");
        let input = json!({"file_path": state, "content": "x"});
        let whole = agent.payload(
            "session-1",
            event,
            &json!({"tool_name": tool, "tool_input": input, "tool_use_id": "t"}),
        );
        let whole = whole.to_string();
        let broken: Vec<Vec<u8>> = vec![
            whole.as_bytes()[..whole.len() - 5].to_vec(),
            format!("{whole} x").into_bytes(),
            whole.replace('"', "'").into_bytes(),
            // Of two the last one counts, as for the agent.
            whole
                .replacen('{', "{\"tool_input\":{\"file_path\":\"/x\"},", 1)
                .into_bytes(),
            [b"\xef\xbb\xbf", whole.as_bytes()].concat(),
            whole.replace("memory", "\\u006demory").into_bytes(),
            whole
                .replacen(
                    '{',
                    &format!("{{\"new\":{}{},", "[".repeat(9_000), "]".repeat(9_000)),
                    1,
                )
                .into_bytes(),
        ];
        for call in broken {
            let run = agent.raw(&call);
            let answer = shapes::check(name, event, &run.out);
            assert!(
                denial(&answer).is_some(),
                "{name}: {}",
                String::from_utf8_lossy(&call)
            );
        }
    }
}

#[test]
fn a_key_of_the_wrong_type_never_fails_the_agent() {
    let wrong = [
        json!(null),
        json!(-1.5),
        json!(true),
        json!([]),
        json!({"a": 1}),
        json!(""),
        json!("\u{0}"),
        json!("../.."),
        json!("x".repeat(70_000)),
        json!("/dev/null"),
    ];
    for (name, events) in [
        (
            "claude-code",
            [
                "SessionStart",
                "UserPromptSubmit",
                "PreToolUse",
                "PostToolUse",
                "Stop",
            ],
        ),
        (
            "codex",
            [
                "SessionStart",
                "UserPromptSubmit",
                "PreToolUse",
                "PostToolUse",
                "PreCompact",
            ],
        ),
        (
            "gemini",
            [
                "SessionStart",
                "BeforeAgent",
                "BeforeTool",
                "AfterTool",
                "SessionEnd",
            ],
        ),
    ] {
        let agent = Agent::new(name);
        agent.save("Note", "a note", "text");
        let tool = if name == "gemini" {
            "write_file"
        } else {
            "Write"
        };
        let path = agent.memory_dir().join("project_x.md");
        let extra = json!({"source": "startup", "prompt": "a note?", "tool_name": tool, "tool_use_id": "t",
            "tool_input": {"file_path": path, "content": "x"}, "tool_response": {}});
        let whole = agent.payload("session-1", "", &extra);
        let keys: Vec<&String> = whole.as_object().expect("an object").keys().collect();
        for event in events {
            // Each value once for each event, at another key each time.
            for (number, value) in wrong.iter().enumerate() {
                let mut payload = whole.clone();
                payload["hook_event_name"] = json!(event);
                payload[keys[(number * 7 + event.len()) % keys.len()]] = value.clone();
                let run = agent.raw(payload.to_string().as_bytes());
                let event = payload["hook_event_name"].as_str().unwrap_or_default();
                shapes::check(name, event, &run.out);
            }
        }
        agent.finish();
    }
}
