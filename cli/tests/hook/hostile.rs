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
