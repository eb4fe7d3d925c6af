//! What a hook is told, read leniently: agents add events and keys with every release.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use super::repair::repaired;

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
#[derive(Default)]
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

impl Wire {
    fn key(&mut self, name: &str) -> Option<&mut Value> {
        Some(match name {
            "hook_event_name" => &mut self.hook_event_name,
            "session_id" => &mut self.session_id,
            "transcript_path" => &mut self.transcript_path,
            "cwd" => &mut self.cwd,
            "agent_id" => &mut self.agent_id,
            "source" => &mut self.source,
            "prompt" => &mut self.prompt,
            "tool_name" => &mut self.tool_name,
            "tool_input" => &mut self.tool_input,
            "tool_use_id" => &mut self.tool_use_id,
            _ => return None,
        })
    }
}

// By hand, for of a key that stands there twice the last one counts, as for the agents' own languages, and
// what is not looked at may be as deep as it likes.
impl<'de> Deserialize<'de> for Wire {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;

        impl<'de> Visitor<'de> for Keys {
            type Value = Wire;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Wire, A::Error> {
                let mut wire = Wire::default();
                while let Some(name) = map.next_key::<Cow<'de, str>>()? {
                    match wire.key(&name) {
                        Some(value) => *value = map.next_value()?,
                        None => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(wire)
            }
        }

        deserializer.deserialize_map(Keys)
    }
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
        let wire: Wire = serde_json::from_slice(bytes).or_else(|error| match repaired(bytes) {
            Some(bytes) => serde_json::from_slice(&bytes),
            None => Err(error),
        })?;
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
        for (text, expected) in [
            // The last one of a name counts; half of a character is none; what is not looked at may be deep.
            (
                r#"{"prompt":"a","hook_event_name":"BeforeAgent","prompt":"b"}"#.to_owned(),
                "b",
            ),
            (
                r#"{"hook_event_name":"BeforeAgent","prompt":"a\ud83d b"}"#.to_owned(),
                "a\u{fffd} b",
            ),
            (
                format!(
                    r#"{{"hook_event_name":"BeforeAgent","prompt":"c","new":{}{}}}"#,
                    "[".repeat(9_000),
                    "]".repeat(9_000)
                ),
                "c",
            ),
        ] {
            let call = Call::parse(text.as_bytes()).expect("JSON");
            assert_eq!(call.event, Event::Prompt(expected.to_owned()), "{text:.60}");
        }
        for garbage in ["", "[]", "7", "{\"a\":", "plain text"] {
            assert!(Call::parse(garbage.as_bytes()).is_err(), "{garbage}");
        }
    }
}
