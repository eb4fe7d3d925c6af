//! What stands in files besides messages.

use agent_transcript::{FileRole, SubAgentInfo};
use serde_json::json;

use crate::support::{assistant, file, read, user, with};

#[test]
fn the_persons_title_goes_before_the_agents() {
    let titled = |keys: serde_json::Value| with(json!({ "sessionId": "s" }), keys);
    let lines = [
        user("a", None, "x"),
        titled(json!({ "type": "ai-title", "aiTitle": "made up" })),
        titled(json!({ "type": "custom-title", "customTitle": "first" })),
        titled(json!({ "type": "custom-title", "customTitle": "chosen" })),
        titled(json!({ "type": "ai-title", "aiTitle": "made up later" })),
        titled(json!({ "type": "custom-title", "customTitle": "" })),
    ];
    assert_eq!(
        read(file(&lines)).session().title.as_deref(),
        Some("chosen")
    );
    assert_eq!(
        read(file(&lines[..2])).session().title.as_deref(),
        Some("made up")
    );
}

#[test]
fn places_and_times_follow_the_lines() {
    let at = |line, keys| with(line, keys);
    let lines = [
        at(
            user("a", None, "x"),
            json!({ "cwd": "/one", "gitBranch": "main", "version": "2.1.1", "timestamp": "2026-11-20T09:00:05Z" }),
        ),
        at(
            assistant("b", Some("a"), "y"),
            json!({ "cwd": null, "timestamp": "2026-11-20T09:00:01Z" }),
        ),
        at(
            user("c", Some("b"), "z"),
            json!({ "cwd": "C:\\two", "gitBranch": "topic" }),
        ),
    ];
    let transcript = read(file(&lines));
    let [a, b, c] = transcript.entries() else {
        panic!("three")
    };
    assert_eq!(
        b.place, a.place,
        "a line that says nothing stands where the one before stood"
    );
    assert_eq!(c.place.cwd.as_deref(), Some("C:\\two"));
    assert_eq!(c.place.version.as_deref(), Some("2.1.1"));
    let session = transcript.session();
    assert_eq!(
        session.cwd.as_deref(),
        Some("/one"),
        "the first is what a project is keyed by"
    );
    assert_eq!(session.branch.as_deref(), Some("topic"));
    assert_eq!(
        session.started.unwrap().to_string(),
        "2026-11-20T09:00:01.000Z"
    );
    assert_eq!(
        session.ended.unwrap().to_string(),
        "2026-11-20T09:00:05.000Z"
    );
}

#[test]
fn the_note_beside_a_sub_agent_is_read_leniently() {
    let info = SubAgentInfo::parse(
        br#"{"agentType":"Explore","description":"Find it","toolUseId":"toolu_04","parentAgentId":null,"spawnDepth":1}"#,
    )
    .unwrap();
    assert_eq!(info.agent_type.as_deref(), Some("Explore"));
    assert_eq!(info.tool_use_id.as_deref(), Some("toolu_04"));
    assert_eq!((info.parent_agent_id, info.depth), (None, Some(1)));
    let odd = SubAgentInfo::parse(br#"{"agentType":7,"spawnDepth":"deep"}"#).unwrap();
    assert_eq!(odd, SubAgentInfo::default());
    assert!(SubAgentInfo::parse(b"no").is_none());
}

#[test]
fn names_tell_what_a_file_is() {
    let agent = |id: &str| FileRole::SubAgent {
        id: Some(id.into()),
    };
    let cases = [
        ("7d0f2c1e-6b58.jsonl", FileRole::Session),
        ("rollout-2026-02-23T13-19-38-019c.jsonl", FileRole::Session),
        ("session-2026-11-20.json", FileRole::Session),
        ("agent-ab12cd3.jsonl", agent("ab12cd3")),
        ("s/subagents/workflows/w1/agent-x.jsonl", agent("x")),
        ("agent-acompact-946d2b.jsonl", FileRole::CompactionFork),
        ("agents.jsonl", FileRole::Session),
    ];
    for (name, role) in cases {
        assert_eq!(FileRole::of(name.as_ref()), role, "{name}");
    }
}

#[test]
fn debug_shows_no_contents() {
    let hidden = "a-very-private-word";
    let transcript = read(file(&[
        user("a", None, hidden),
        assistant("b", Some("a"), hidden),
    ]));
    let shown = format!("{:?}", transcript.entries());
    assert!(!shown.contains(hidden), "{shown}");
}
