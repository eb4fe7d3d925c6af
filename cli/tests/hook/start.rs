//! The start of a session.

use serde_json::json;

use super::{Agent, claude_line, context};

fn begin(agent: &Agent, session: &str, source: &str) -> String {
    let answer = agent.call(session, "SessionStart", &json!({"source": source}));
    context(&answer).to_owned()
}

#[test]
fn an_agent_without_a_memory_of_its_own_is_told_about_it() {
    for name in ["codex", "gemini"] {
        let agent = Agent::new(name);
        let text = begin(&agent, "session-1", "startup");
        let folder = agent.memory_dir();
        assert!(text.contains(&folder.display().to_string()), "{text}");
        assert!(folder.is_dir(), "the folder that was promised");
        agent.save(
            "Uploads retry",
            "how uploads are retried",
            "Use full jitter.",
        );
        let text = begin(&agent, "session-2", "startup");
        assert!(text.contains("project_uploads_retry.md"), "{text}");
        // What it was told is still there.
        let text = begin(&agent, "session-2", "resume");
        assert!(!text.contains("# Memory"), "{text}");
        agent.finish();
    }
}

#[test]
fn an_agent_with_a_memory_of_its_own_is_only_told_what_it_cannot_know() {
    let agent = Agent::new("claude-code");
    assert_eq!(begin(&agent, "session-1", "startup"), "");
    assert!(!agent.memory_dir().exists(), "a look makes no folder");
    agent.save("First", "of two", "text");
    assert_eq!(
        begin(&agent, "session-2", "startup"),
        "",
        "whatever was before is no news"
    );
    agent.save("Second", "of two", "text");
    agent.home.run(&["forget", "First"]).expect(0);
    let text = begin(&agent, "session-3", "startup");
    assert!(
        text.contains("`project_second.md` written by memstrata"),
        "{text}"
    );
    assert!(
        text.contains("`project_first.md` deleted by memstrata"),
        "{text}"
    );
    assert!(!text.contains("# Memory"), "{text}");
    assert_eq!(
        begin(&agent, "session-4", "startup"),
        "",
        "news are told once"
    );
    agent.finish();
}

#[test]
fn an_agent_whose_own_memory_lies_elsewhere_is_told_about_ours() {
    let agent = Agent::new("claude-code");
    let ours = agent.home.path().join("ours");
    std::fs::create_dir(&ours).expect("a folder");
    let payload = agent.payload("session-1", "SessionStart", &json!({"source": "startup"}));
    let home = ours.to_string_lossy().into_owned();
    let arguments = ["--home", &home, "hook", "claude-code"];
    let run = agent
        .home
        .run_with(&arguments, payload.to_string().as_bytes())
        .expect(0);
    assert!(run.out.contains("# Memory"), "{}", run.out);
    agent
        .home
        .run(&["--home", &home, "worker", "--wait"])
        .expect(0);
}

#[test]
fn after_a_compaction_the_notes_of_the_session_come_back() {
    let agent = Agent::new("claude-code");
    let project = agent.home.project();
    let token = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let said = format!("Rename the flag --fast to --quick everywhere. The token is {token}.");
    let lines = [
        claude_line("session-1", 1, "user", &said, &project),
        claude_line("session-1", 2, "assistant", "Renamed.", &project),
    ];
    std::fs::write(agent.transcript("session-1"), lines.concat()).expect("a transcript");
    agent.call(
        "session-1",
        "PreCompact",
        &json!({"trigger": "auto", "custom_instructions": null}),
    );
    agent.finish();
    let text = begin(&agent, "session-1", "compact");
    assert!(
        text.contains("Rename the flag --fast to --quick"),
        "{text}\n{}",
        agent.log()
    );
    assert!(!text.contains(&token), "{text}");
    assert_eq!(begin(&agent, "session-1", "resume"), "");
    agent.finish();
}

#[test]
fn an_index_that_cannot_be_read_is_no_reason_to_say_nothing() {
    let agent = Agent::new("codex");
    agent.save("Note", "a note", "text");
    let index = agent.memory_dir().join("MEMORY.md");
    std::fs::remove_file(&index).expect("removed");
    std::fs::create_dir(&index).expect("a folder in its place");
    let answer = agent.call("session-1", "SessionStart", &json!({"source": "startup"}));
    assert!(
        context(&answer).contains("This project has a memory"),
        "{answer}"
    );
}
