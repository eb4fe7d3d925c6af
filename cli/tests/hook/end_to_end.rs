//! Sessions from start to end through the hook commands alone.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Agent, claude_line, codex_rollout, context, denial};

#[test]
fn what_a_person_said_in_one_session_is_recalled_in_the_next() {
    for name in ["claude-code", "codex"] {
        let agent = Agent::new(name);
        let project = agent.home.project();
        let call = |session: &str, event: &str, extra| agent.call(session, event, &extra);
        // Session one: the person corrects, the agent writes a memory itself, the turn ends.
        call("session-1", "SessionStart", json!({"source": "startup"}));
        let said = "From now on always run the integration tests with nextest, because cargo test hides failures.";
        let answer = call("session-1", "UserPromptSubmit", json!({"prompt": said}));
        assert_eq!(context(&answer), "", "{name}: nothing to recall yet");
        let transcript = match name {
            "codex" => codex_rollout("session-1", &[said], &project),
            _ => [
                claude_line("session-1", 1, "user", said, &project),
                claude_line("session-1", 2, "assistant", "Understood.", &project),
            ]
            .concat(),
        };
        std::fs::write(agent.transcript("session-1"), transcript).expect("a transcript");
        let path = agent.memory_dir().join("reference_tickets.md");
        let memory = "---\nname: Ticket board\ndescription: where tickets are\ntype: reference\n---\n\n\
                      Tickets are on the Kestrel board.\n";
        let write = json!({"tool_name": "Write", "tool_use_id": "toolu_1",
            "tool_input": {"file_path": path, "content": memory}});
        assert!(denial(&call("session-1", "PreToolUse", write.clone())).is_none());
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, memory).expect("the tool writes");
        call("session-1", "PostToolUse", write);
        let stop = json!({"stop_hook_active": false, "last_assistant_message": "Understood."});
        call("session-1", "Stop", stop);
        call("session-1", "SessionEnd", json!({"reason": "other"}));
        agent.finish();
        assert_eq!(agent.log(), "", "{name}");

        // The person is told, once.
        let answer = call("session-1", "UserPromptSubmit", json!({"prompt": "thanks"}));
        let notice = answer["systemMessage"].as_str().unwrap_or_default();
        assert!(notice.contains("Saved 1 memory"), "{name}: {answer}");
        // The index names both.
        let index =
            std::fs::read_to_string(agent.memory_dir().join("MEMORY.md")).expect("an index");
        assert_eq!(index.matches("](").count(), 2, "{name}: {index}");

        // What was just said is no news to the one who heard it.
        let answer = call(
            "session-1",
            "UserPromptSubmit",
            json!({"prompt": "how do I run the integration tests?"}),
        );
        assert_eq!(context(&answer), "", "{name}: {answer}");

        // Session two.
        call("session-2", "SessionStart", json!({"source": "startup"}));
        let answer = call(
            "session-2",
            "UserPromptSubmit",
            json!({"prompt": "how do I run the integration tests?"}),
        );
        assert!(context(&answer).contains("nextest"), "{name}: {answer}");
        let explained = agent
            .home
            .run(&["explain", "--session", "session-2"])
            .expect(0);
        assert!(
            explained.out.contains("nextest"),
            "{name}: {}",
            explained.out
        );
        let answer = call(
            "session-2",
            "UserPromptSubmit",
            json!({"prompt": "on which board are the tickets?"}),
        );
        assert!(context(&answer).contains("Kestrel"), "{name}: {answer}");
        agent.finish();
    }
}

/// What a person says, each with a word that only its memory has.
pub(super) const RULES: [(&str, &str); 14] = [
    (
        "From now on always run the integration tests with nextest, because cargo test hides failures.",
        "nextest",
    ),
    ("Never commit generated protobuf files.", "protobuf"),
    (
        "Always squash commits before merging, because bisecting is easier.",
        "squash",
    ),
    (
        "From now on write migrations in plain SQL, never with the ORM.",
        "SQL",
    ),
    (
        "Never deploy on a Friday, because nobody watches the dashboards.",
        "Friday",
    ),
    ("Always use pnpm in the frontend folder, never npm.", "pnpm"),
    (
        "From now on log in JSON everywhere in the ingest service.",
        "JSON",
    ),
    ("Never mock the database in tests.", "database"),
    ("Always name branches after the ticket number.", "ticket"),
    ("From now on keep the changelog in German.", "German"),
    (
        "Never touch the vendor directory without asking me first.",
        "vendor",
    ),
    ("Always format Python with ruff before you push.", "ruff"),
    (
        "From now on put shell scripts into the tools folder.",
        "scripts",
    ),
    (
        "Never print passwords in error messages of the gateway.",
        "gateway",
    ),
];

#[test]
fn two_sessions_at_once_lose_nothing() {
    let agent = Agent::new("claude-code");
    let project = agent.home.project();
    std::thread::scope(|scope| {
        for (session, rules) in ["session-a", "session-b"].into_iter().zip(RULES.chunks(7)) {
            let (agent, project) = (&agent, &project);
            scope.spawn(move || {
                agent.call(session, "SessionStart", &json!({"source": "startup"}));
                let mut transcript = String::new();
                for (number, (said, _)) in (0_u32..).zip(rules) {
                    agent.call(session, "UserPromptSubmit", &json!({"prompt": said}));
                    transcript += &claude_line(session, 2 * number + 1, "user", said, project);
                    transcript +=
                        &claude_line(session, 2 * number + 2, "assistant", "Yes.", project);
                    std::fs::write(agent.transcript(session), &transcript).expect("a transcript");
                    agent.call(session, "Stop", &json!({"stop_hook_active": false}));
                }
                agent.call(session, "SessionEnd", &json!({"reason": "other"}));
            });
        }
    });
    agent.finish();
    assert_eq!(agent.log(), "");
    let all = memories(&agent);
    let index = std::fs::read_to_string(agent.memory_dir().join("MEMORY.md")).expect("an index");
    for (_, word) in RULES {
        assert!(all.contains(word), "{word} is missing in\n{all}");
    }
    assert_eq!(index.matches("](").count(), RULES.len(), "{index}");
}

#[test]
fn a_worker_that_is_killed_loses_nothing() {
    std::thread::scope(|scope| {
        for (round, (said, word)) in (0_u32..).zip(&RULES[..10]) {
            scope.spawn(move || {
                let agent = Agent::new("claude-code");
                let lines = [
                    claude_line("session-1", 1, "user", said, &agent.home.project()),
                    claude_line("session-1", 2, "assistant", "Yes.", &agent.home.project()),
                ];
                std::fs::write(agent.transcript("session-1"), lines.concat())
                    .expect("a transcript");
                // What the hook leaves is all there is: its own worker finds the lock taken.
                let lock = agent.hold_back_workers();
                agent.answer(&agent.payload("session-1", "Stop", &json!({})));
                drop(lock);
                let mut worker = agent
                    .home
                    .command(&["worker", "--wait"])
                    .stdin(Stdio::null())
                    .stderr(Stdio::null())
                    .spawn()
                    .expect("the program starts");
                // Killed at another point in each round.
                let begin = Instant::now();
                while begin.elapsed() < Duration::from_millis(7) * round
                    && worker.try_wait().expect("a child").is_none()
                {
                    std::thread::yield_now();
                }
                worker.kill().expect("killed");
                worker.wait().expect("it ends");
                agent.finish();
                let all = memories(&agent);
                assert!(
                    all.contains(word),
                    "round {round}: {word} is missing in\n{all}\n{}",
                    agent.log()
                );
                assert_eq!(all.matches("\nname: ").count(), 1, "round {round}: {all}");
            });
        }
    });
}

#[test]
fn edits_that_no_hook_saw_are_recorded_when_the_turn_is_over() {
    let agent = Agent::new("claude-code");
    agent.save("Note", "a note", "text");
    let transcript = claude_line("session-1", 1, "user", "hello", &agent.home.project());
    std::fs::write(agent.transcript("session-1"), transcript).expect("a transcript");
    let stop = json!({"stop_hook_active": false});
    agent.call("session-1", "Stop", &stop);
    agent.finish();
    let path = agent.memory_dir().join("project_note.md");
    let before = std::fs::read_to_string(&path).expect("the file");
    std::fs::write(&path, before.replace("text", "changed by an editor")).expect("written");
    agent.call("session-1", "Stop", &stop);
    agent.finish();
    let history = agent
        .home
        .run(&["--json", "history", "Note"])
        .expect(0)
        .json();
    assert_eq!(history[0]["actor"], "someone", "{history:?}");
    agent.home.run(&["undo"]).expect(0);
    assert_eq!(std::fs::read_to_string(&path).expect("the file"), before);
}

#[test]
fn a_detached_worker_does_it_without_anybody_waiting() {
    let agent = Agent::new("claude-code");
    let said = "Always squash commits before merging, because bisecting is easier.";
    let lines = [
        claude_line("session-1", 1, "user", said, &agent.home.project()),
        claude_line("session-1", 2, "assistant", "Yes.", &agent.home.project()),
    ];
    std::fs::write(agent.transcript("session-1"), lines.concat()).expect("a transcript");
    agent.call("session-1", "Stop", &json!({"stop_hook_active": false}));
    // Nothing here starts a worker. A hook that waits for the folder's lock comes after it.
    let limit = Instant::now() + Duration::from_secs(60);
    while !memories(&agent).contains("squash") {
        assert!(Instant::now() < limit, "{}", agent.log());
        std::thread::yield_now();
    }
    agent.finish();
}

/// All memories, index included.
pub(super) fn memories(agent: &Agent) -> String {
    let Ok(entries) = std::fs::read_dir(agent.memory_dir()) else {
        return String::new();
    };
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    files
        .filter(|path| path.file_name().is_some_and(|name| name != "MEMORY.md"))
        .filter_map(|path| std::fs::read_to_string(path).ok())
        .collect()
}
