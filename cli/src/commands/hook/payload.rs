//! What a hook is told, read leniently: agents add events and keys with every release.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

/// One call of a hook.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    /// The event as the agent calls it, which the answer must repeat.
    pub(crate) name: String,
    /// What it means.
    pub(crate) event: Event,
    /// The session's id; empty when none was given.
    pub(crate) session: String,
    /// The recorded session.
    pub(crate) transcript: Option<PathBuf>,
    /// The folder the agent works in.
    pub(crate) cwd: Option<PathBuf>,
    /// Whether a sub-agent is the one that acts.
    pub(crate) is_sub_agent: bool,
}

/// What happened, whatever the agent calls it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    /// A session begins, goes on, or lost its context.
    SessionStart(Start),
    /// A message is about to go to the model.
    Prompt(String),
    /// A tool is about to run.
    BeforeTool(ToolCall),
    /// A tool has run, with or without success.
    AfterTool(ToolCall),
    /// The model has answered.
    TurnEnd,
    /// The conversation is about to be compacted.
    BeforeCompaction,
    /// The session is over.
    SessionEnd,
    /// Something that no memory depends on.
    Other,
}

/// Why a session starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// With nothing in its context: started, or cleared.
    Empty,
    /// With what it had: resumed or forked.
    Continued,
    /// With a summary of what it had.
    Compacted,
}

/// A tool with its input.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToolCall {
    /// The tool as the agent calls it.
    pub(crate) tool: String,
    /// Its arguments.
    pub(crate) input: Value,
    /// What names the call, the same before and after; empty when the agent gives none.
    pub(crate) id: String,
}

/// The keys that are looked at. Any of them may be missing, null or of another type.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Wire {
    hook_event_name: Value,
    session_id: Value,
    transcript_path: Value,
    cwd: Value,
    agent_id: Value,
    source: Value,
    prompt: Value,
    tool_name: Value,
    tool_input: Value,
    tool_use_id: Value,
}

impl Call {
    /// Parses the JSON object of a call.
    ///
    /// # Errors
    /// When it is no JSON object.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        // A list of values would pass for the keys in their order.
        if bytes.trim_ascii_start().first() != Some(&b'{') {
            return Err(serde::de::Error::custom("it does not begin with a brace"));
        }
        let wire: Wire = serde_json::from_slice(bytes)?;
        let name = text(wire.hook_event_name);
        let tool = ToolCall {
            tool: text(wire.tool_name),
            input: wire.tool_input,
            id: text(wire.tool_use_id),
        };
        let event = match name.as_str() {
            "SessionStart" => Event::SessionStart(Start::of(&text(wire.source))),
            "UserPromptSubmit" | "BeforeAgent" => Event::Prompt(text(wire.prompt)),
            "PreToolUse" | "BeforeTool" => Event::BeforeTool(tool),
            "PostToolUse" | "PostToolUseFailure" | "AfterTool" => Event::AfterTool(tool),
            "Stop" | "AfterAgent" => Event::TurnEnd,
            "PreCompact" | "PreCompress" => Event::BeforeCompaction,
            "SessionEnd" => Event::SessionEnd,
            _ => Event::Other,
        };
        let path =
            |value: Value| Some(PathBuf::from(text(value))).filter(|path| path.is_absolute());
        Ok(Call {
            is_sub_agent: !text(wire.agent_id).is_empty(),
            session: text(wire.session_id),
            transcript: path(wire.transcript_path),
            cwd: path(wire.cwd),
            name,
            event,
        })
    }
}

impl Start {
    fn of(source: &str) -> Self {
        match source {
            "compact" => Start::Compacted,
            "resume" | "fork" => Start::Continued,
            _ => Start::Empty,
        }
    }
}

fn text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Call, Event, Start};

    #[test]
    fn names_of_all_agents_mean_the_same_events() {
        for (name, expected) in [
            ("Stop", Event::TurnEnd),
            ("AfterAgent", Event::TurnEnd),
            ("PreCompact", Event::BeforeCompaction),
            ("PreCompress", Event::BeforeCompaction),
            ("SessionEnd", Event::SessionEnd),
            ("SessionStart", Event::SessionStart(Start::Empty)),
            ("SubagentStop", Event::Other),
            ("", Event::Other),
        ] {
            let call = Call::parse(format!(r#"{{"hook_event_name":"{name}"}}"#).as_bytes());
            assert_eq!(call.expect("JSON").event, expected, "{name}");
        }
    }

    #[test]
    fn keys_of_another_type_count_as_missing() {
        let call = br#"{"hook_event_name":"UserPromptSubmit","session_id":7,"cwd":null,
            "transcript_path":"relative","agent_id":"","prompt":["a"],"new":{"a":[1]}}"#;
        let call = Call::parse(call).expect("JSON");
        assert_eq!(call.event, Event::Prompt(String::new()));
        assert_eq!(
            (call.session.as_str(), call.cwd, call.transcript),
            ("", None, None)
        );
        assert!(!call.is_sub_agent);
        for garbage in ["", "[]", "7", "{\"a\":", "plain text"] {
            assert!(Call::parse(garbage.as_bytes()).is_err(), "{garbage}");
        }
    }
}
