//! What agents take for an answer, from their documentation: a checker of its own, which shares nothing
//! with the writers.

use serde_json::{Map, Value};

/// Characters that Claude Code leaves uncut, less a margin.
const MAX_CONTEXT: usize = 9_000;

/// Parses the answer of a hook and checks it against the agent's documented shape.
#[track_caller]
pub(crate) fn check(agent: &str, event: &str, out: &str) -> Value {
    if out.is_empty() {
        assert_ne!(agent, "gemini", "Gemini CLI takes nothing but JSON");
        return Value::Null;
    }
    let answer: Value = serde_json::from_str(out).unwrap_or_else(|_| panic!("no JSON: {out}"));
    let object = answer
        .as_object()
        .unwrap_or_else(|| panic!("no object: {out}"));
    match agent {
        "gemini" => gemini(event, object),
        _ => claude(agent, event, object),
    }
    for text in texts(&answer) {
        let characters = text.encode_utf16().count();
        assert!(
            characters <= MAX_CONTEXT,
            "{characters} characters in {event}"
        );
        let is_safe = |c: char| !c.is_control() || c == '\n' || c == '\t';
        assert!(text.chars().all(is_safe), "control characters in {text:?}");
    }
    answer
}

/// Codex takes the same and refuses every other key, so this list is a whole one.
#[track_caller]
fn claude(agent: &str, event: &str, object: &Map<String, Value>) {
    only(object, &["hookSpecificOutput", "systemMessage"]);
    let Some(specific) = object.get("hookSpecificOutput") else {
        return;
    };
    let specific = specific.as_object().expect("an object");
    assert_eq!(
        specific["hookEventName"], event,
        "the event must be repeated"
    );
    let allowed: &[&str] = match event {
        "SessionStart" | "UserPromptSubmit" | "PostToolUse" => {
            &["hookEventName", "additionalContext"]
        }
        // Some versions of Codex count context as a failure here.
        "PreToolUse" if agent == "codex" => &[
            "hookEventName",
            "permissionDecision",
            "permissionDecisionReason",
        ],
        "PreToolUse" => &[
            "hookEventName",
            "additionalContext",
            "permissionDecision",
            "permissionDecisionReason",
        ],
        other => panic!("{other} takes no hookSpecificOutput"),
    };
    only(specific, allowed);
    if let Some(decision) = specific.get("permissionDecision") {
        assert_eq!(
            decision, "deny",
            "a hook of a memory never allows in the person's place"
        );
        let reason = specific["permissionDecisionReason"].as_str();
        assert!(reason.is_some_and(|reason| !reason.trim().is_empty()));
    }
}

#[track_caller]
fn gemini(event: &str, object: &Map<String, Value>) {
    only(
        object,
        &["hookSpecificOutput", "systemMessage", "decision", "reason"],
    );
    if let Some(decision) = object.get("decision") {
        assert_eq!((event, decision.as_str()), ("BeforeTool", Some("deny")));
        assert!(
            object["reason"]
                .as_str()
                .is_some_and(|reason| !reason.trim().is_empty())
        );
    }
    if let Some(specific) = object.get("hookSpecificOutput") {
        assert!(
            ["SessionStart", "BeforeAgent", "AfterTool"].contains(&event),
            "{event} takes no context"
        );
        only(
            specific.as_object().expect("an object"),
            &["hookEventName", "additionalContext"],
        );
    }
}

#[track_caller]
fn only(object: &Map<String, Value>, allowed: &[&str]) {
    for key in object.keys() {
        assert!(
            allowed.contains(&key.as_str()),
            "the key {key} is not taken here"
        );
    }
}

fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Object(object) => object.values().flat_map(texts).collect(),
        Value::Array(list) => list.iter().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}
