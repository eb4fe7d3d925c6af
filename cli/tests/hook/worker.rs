//! The worker: what it finds in its queue, what it leaves, and the model that a person lets it ask.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use serde_json::json;
use test_support::names_in;

use super::end_to_end::{RULES, memories};
use super::{Agent, claude_line};
use crate::models::{Server, Turn, key, message};

/// A project whose queue is there, and nobody at work in it.
fn queue(agent: &Agent) -> PathBuf {
    let state = agent.place()["state_dir"].as_str().map(PathBuf::from);
    let queue = state.expect("a path").join("hook/queue");
    std::fs::create_dir_all(&queue).expect("a folder");
    queue
}

fn transcript(agent: &Agent, said: &str) {
    let lines = [
        claude_line("session-1", 1, "user", said, &agent.home.project()),
        claude_line("session-1", 2, "assistant", "Yes.", &agent.home.project()),
    ];
    std::fs::write(agent.transcript("session-1"), lines.concat()).expect("a transcript");
}

const SAID: &str = "Always squash commits before merging, because bisecting is easier.";

#[test]
fn garbage_in_the_queue_is_cleared_away_and_holds_nothing_up() {
    let agent = Agent::new("claude-code");
    agent.save("Note", "a note", "text");
    transcript(&agent, SAID);
    let queue = queue(&agent);
    let lock = agent.hold_back_workers();
    let deep = vec![b'['; 40_000];
    for (name, bytes) in [
        ("a.json", &b""[..]),
        ("b.json", b"null"),
        ("c.json", b"{\"agent\":7}"),
        ("d.json", b"\xff\xfe\x00"),
        ("e.json", &deep),
        ("f.json", b"{\"agent\":\"x\",\"session\":\"../..\",\"transcript\":\"/nowhere\",\"time\":\"soon\"}"),
        ("g.json", b"{\"agent\":\"x\",\"session\":\"s\",\"transcript\":\"\",\"time\":\"\"}"),
        ("h.json", b"{\"agent\":\"x\",\"session\":\"s\",\"transcript\":\"relative\",\"time\":\"\"}"),
        ("notes.txt", b"not ours"),
    ] {
        std::fs::write(queue.join(name), bytes).expect("a file");
    }
    std::fs::create_dir(queue.join("i.json")).expect("a folder");
    agent.call("session-1", "Stop", &json!({"stop_hook_active": false}));
    drop(lock);
    agent.finish();
    assert!(memories(&agent).contains("squash"), "{}", agent.log());
    assert_eq!(names_in(&queue), ["i.json", "notes.txt"]);
    assert!(!agent.log().contains("not ours"), "{}", agent.log());
}

#[cfg(unix)]
#[test]
fn a_transcript_that_is_no_file_is_given_up() {
    use std::os::unix::fs::symlink;

    let agent = Agent::new("claude-code");
    agent.save("Note", "a note", "text");
    let queue = queue(&agent);
    let place = |name: &str| agent.home.path().join(name);
    let pipe = place("pipe.jsonl");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo");
    std::fs::create_dir(place("folder.jsonl")).expect("a folder");
    symlink(&pipe, place("link.jsonl")).expect("a link");
    symlink("/dev/zero", place("zero.jsonl")).expect("a link");
    std::fs::write(place("nothing.jsonl"), "").expect("a file");
    std::fs::write(place("zeros.jsonl"), vec![0; 1 << 20]).expect("a file");
    std::fs::write(
        place("open.jsonl"),
        "{\"type\":\"user\",\"message\":{\"content\":\"xxxx",
    )
    .expect("a file");
    std::fs::write(place("deep.jsonl"), "[".repeat(1 << 20)).expect("a file");
    for name in [
        "pipe", "folder", "link", "zero", "nothing", "zeros", "open", "deep", "missing",
    ] {
        let path = place(&format!("{name}.jsonl"));
        for event in ["Stop", "PreCompact"] {
            agent.call("session-1", event, &json!({"transcript_path": path}));
        }
    }
    agent.finish();
    assert_eq!(
        std::fs::read_dir(queue).expect("a folder").count(),
        0,
        "{}",
        agent.log()
    );
}

#[cfg(unix)]
#[test]
fn a_transcript_that_cannot_be_read_is_tried_for_a_day() {
    let agent = Agent::new("claude-code");
    agent.save("Note", "a note", "text");
    let queue = queue(&agent);
    let path = agent.home.path().join("loop.jsonl");
    std::os::unix::fs::symlink(&path, &path).expect("a link");
    agent.call("session-1", "Stop", &json!({"transcript_path": path}));
    agent.finish();
    let count = || std::fs::read_dir(&queue).expect("a folder").count();
    assert_eq!(count(), 1, "{}", agent.log());
    // One from long ago, one from a clock that was wrong, and one without a time.
    for (number, time) in ["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z", "yesterday"]
        .iter()
        .enumerate()
    {
        let job = json!({"agent": "claude-code", "session": number.to_string(), "transcript": path, "time": time});
        std::fs::write(queue.join(format!("{number}.json")), job.to_string()).expect("a file");
    }
    agent.finish();
    assert_eq!(count(), 1, "{}", agent.log());
}

#[test]
fn what_killed_hooks_have_left_half_written_goes() {
    let agent = Agent::new("claude-code");
    agent.save("Note", "a note", "text");
    let queue = queue(&agent);
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(86_400);
    for (name, is_old) in [("1", true), ("2", false)] {
        let path = queue.join(format!(".pathguard-{}", name.repeat(32)));
        let file = std::fs::File::create(path).expect("a file");
        if is_old {
            file.set_modified(old).expect("a time");
        }
    }
    agent.finish();
    let left = names_in(&queue);
    // One that may still be written stays.
    assert_eq!(left, [format!(".pathguard-{}", "2".repeat(32))]);
}

#[test]
fn a_session_whose_notes_cannot_be_kept_is_learned_from_all_the_same() {
    // An id that is no name of a folder, and one of a folder that is ours.
    for session in ["../../up", "con", "a/b", "memory", ".", "x\u{0}y", ""] {
        let agent = Agent::new("claude-code");
        agent.save("Note", "a note", "text");
        transcript(&agent, SAID);
        let payload = json!({"session_id": session, "trigger": "auto"});
        let mut call = agent.payload("session-1", "PreCompact", &payload);
        call["session_id"] = json!(session);
        agent.answer(&call);
        agent.finish();
        assert!(
            memories(&agent).contains("squash"),
            "{session:?}: {}",
            agent.log()
        );
        let outside = agent.home.path().join("up");
        assert!(!outside.exists() && !agent.home.path().join(".claude/up").exists());
    }
}

#[test]
fn twenty_hooks_at_once_are_all_answered_and_nothing_is_lost() {
    let agent = Agent::new("claude-code");
    agent.save(
        "Uploads",
        "how uploads are retried",
        "Uploads retry with full jitter.",
    );
    let rules = &RULES[..5];
    std::thread::scope(|scope| {
        for (number, (said, _)) in rules.iter().enumerate() {
            let agent = &agent;
            scope.spawn(move || {
                let session = format!("session-{number}");
                let lines = [
                    claude_line(&session, 1, "user", said, &agent.home.project()),
                    claude_line(&session, 2, "assistant", "Yes.", &agent.home.project()),
                ];
                std::fs::write(agent.transcript(&session), lines.concat()).expect("a transcript");
                std::thread::scope(|scope| {
                    for (event, extra) in [
                        ("Stop", json!({"stop_hook_active": false})),
                        ("PreCompact", json!({"trigger": "auto"})),
                        (
                            "UserPromptSubmit",
                            json!({"prompt": "how do uploads retry?"}),
                        ),
                        ("SessionEnd", json!({"reason": "other"})),
                    ] {
                        let session = &session;
                        scope.spawn(move || agent.call(session, event, &extra));
                    }
                });
            });
        }
    });
    agent.finish();
    let all = memories(&agent);
    for (_, word) in rules {
        assert!(
            all.contains(word),
            "{word} is missing in\n{all}\n{}",
            agent.log()
        );
    }
    assert_eq!(agent.log(), "");
}

#[test]
fn a_lease_and_a_state_from_the_future_hold_nobody_up() {
    let agent = Agent::new("claude-code");
    agent.save("Note", "a note", "text");
    transcript(&agent, SAID);
    agent.call("session-1", "Stop", &json!({}));
    agent.finish();
    assert!(memories(&agent).contains("squash"), "{}", agent.log());
    // The clock was a year ahead, and everything that was written then says so.
    let state = agent.place()["state_dir"]
        .as_str()
        .map(PathBuf::from)
        .expect("a path");
    let ahead = std::time::SystemTime::now() + std::time::Duration::from_secs(365 * 86_400);
    let mut folders = vec![state];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let file = std::fs::File::options()
                .write(true)
                .open(&path)
                .expect("a file");
            file.set_modified(ahead).expect("a time");
            if path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().contains("lease"))
            {
                let text = std::fs::read_to_string(&path).expect("text");
                let year = 1970
                    + std::time::SystemTime::now()
                        .duration_since(std::time::UNIX_EPOCH)
                        .expect("after 1970")
                        .as_secs()
                        / 31_556_952;
                let text = text
                    .replace(&format!("{year}-"), &format!("{}-", year + 1))
                    .replace("\"released\":true", "\"released\":false");
                std::fs::write(&path, text).expect("written");
            }
        }
    }
    let lines = [
        std::fs::read_to_string(agent.transcript("session-1")).expect("a transcript"),
        claude_line(
            "session-1",
            3,
            "user",
            "Never commit generated protobuf files.",
            &agent.home.project(),
        ),
        claude_line("session-1", 4, "assistant", "Yes.", &agent.home.project()),
    ];
    std::fs::write(agent.transcript("session-1"), lines.concat()).expect("a transcript");
    agent.call("session-1", "Stop", &json!({}));
    agent.finish();
    assert!(memories(&agent).contains("protobuf"), "{}", agent.log());
}

/// What the settings say about a model that a worker may ask.
fn with_model(agent: &Agent, server: &Server) {
    let folder = agent.home.path().join(".claude");
    std::fs::create_dir_all(&folder).expect("a folder");
    let settings = format!(
        "[model]\nbackend = \"anthropic\"\nname = \"claude-haiku-5-5\"\nbase_url = \"{}\"\nused_for = [\"extract\"]\n",
        server.base()
    );
    std::fs::write(folder.join("memstrata.toml"), settings).expect("settings");
}

/// The end of a turn, and what follows it, with a key for the model at hand.
fn end_turn_with_key(agent: &Agent) {
    let call = agent.home.path().join("call.json");
    let payload = agent.payload("session-1", "Stop", &json!({"stop_hook_active": false}));
    std::fs::write(&call, payload.to_string()).expect("a file");
    let output = agent
        .home
        .command(&["hook", "claude-code"])
        .env("ANTHROPIC_API_KEY", key())
        .stdin(std::fs::File::open(call).expect("a file"))
        .output();
    assert!(output.expect("the program runs").status.success());
    let mut command = agent.home.command(&["worker", "--wait"]);
    let output = command.env("ANTHROPIC_API_KEY", key()).output();
    assert!(output.expect("the program runs").status.success());
}

#[test]
fn a_worker_lets_the_model_extract_that_the_person_has_set_up() {
    let folder = Arc::new(Mutex::new(PathBuf::new()));
    let known = Arc::clone(&folder);
    let server = Server::start(move |_, _| {
        let path = known.lock().expect("no panic").join("user_packages.md");
        let content = "---\nname: Packages\ndescription: likes pnpm\ntype: user\nevidence: \"I like pnpm best\"\n---\n\n\
                       Likes pnpm.\n";
        let input = json!({ "file_path": path, "content": content });
        message(
            &json!([{ "type": "tool_use", "id": "c1", "name": "FileWrite", "input": input }]),
            "tool_use",
        )
    });
    let agent = Agent::new("claude-code");
    with_model(&agent, &server);
    agent.save("Note", "a note", "text");
    *folder.lock().expect("no panic") = agent.memory_dir();
    transcript(&agent, "By the way, I like pnpm best.");
    end_turn_with_key(&agent);
    assert!(memories(&agent).contains("Likes pnpm"), "{}", agent.log());
    assert!(!server.asked().is_empty());
    assert_eq!(server.asked()[0].key, key());
    assert!(!agent.log().contains(&key()), "{}", agent.log());
    let answer = agent.call(
        "session-1",
        "UserPromptSubmit",
        &json!({"prompt": "thanks"}),
    );
    let notice = answer["systemMessage"].as_str().unwrap_or_default();
    assert!(notice.contains("Saved 1 memory"), "{answer}");
    let cost = agent.home.run(&["cost"]).expect(0);
    assert!(cost.out.contains("extract"), "{}", cost.out);
}

#[test]
fn a_worker_whose_model_is_of_no_help_lets_the_rules_do_it() {
    let answers: [fn() -> Turn; 3] = [
        || Turn::Answer(401, "{\"type\":\"error\"}".to_owned()),
        || Turn::Answer(200, "no JSON".to_owned()),
        || message(&json!([]), "refusal"),
    ];
    for answer in answers {
        let server = Server::start(move |_, _| answer());
        let agent = Agent::new("claude-code");
        with_model(&agent, &server);
        agent.save("Note", "a note", "text");
        transcript(&agent, SAID);
        end_turn_with_key(&agent);
        assert!(memories(&agent).contains("squash"), "{}", agent.log());
        let log = agent.log();
        assert!(log.contains("of no help") && !log.contains(&key()), "{log}");
    }
}
