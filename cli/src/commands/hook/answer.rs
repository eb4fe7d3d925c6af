//! What a hook answers: one meaning, and one writer for each agent.
//!
//! The shapes are those of the agents' public documentation and schemas. Codex refuses an answer with a key
//! it does not know, so each writer makes the smallest object that says it; Gemini CLI takes nothing but
//! JSON on standard output, so it always gets an object.

use serde_json::{Map, Value, json};

use crate::cli::hook::HookAgent;
use crate::terminal::clean_lines;

/// Characters, as JavaScript counts them, of everything that a model is given. Claude Code cuts at 10,000
/// and Codex at 2,500 tokens, which is about as much.
pub(crate) const MAX_CONTEXT: usize = 9_000;

/// Characters of a reason or a notice.
const MAX_WORDS: usize = 1_500;

/// Events of Claude Code in which a model is given something.
const CLAUDE_CONTEXT: [&str; 4] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
];

/// The same for Codex, of which some versions have the key in the schema of `PreToolUse` and count its use as
/// a failure (`codex-rs/hooks/src/engine/output_parser.rs`).
const CODEX_CONTEXT: [&str; 3] = ["SessionStart", "UserPromptSubmit", "PostToolUse"];

/// What a hook has to say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    /// For the model.
    pub(crate) context: Option<String>,
    /// For the person.
    pub(crate) notice: Option<String>,
    /// The tool must not run, and why.
    pub(crate) denial: Option<String>,
}

impl Answer {
    /// Nothing to say: everything goes on as without the hook.
    pub(crate) fn nothing() -> Self {
        Answer::default()
    }

    /// Something for the model.
    pub(crate) fn context(text: impl Into<String>) -> Self {
        Answer {
            context: Some(text.into()).filter(|text| !text.is_empty()),
            ..Answer::default()
        }
    }

    /// No, and why.
    pub(crate) fn deny(reason: impl Into<String>) -> Self {
        Answer {
            denial: Some(reason.into()),
            ..Answer::default()
        }
    }

    /// Adds something for the person.
    #[must_use]
    pub(crate) fn with_notice(mut self, notice: Option<String>) -> Self {
        self.notice = notice;
        self
    }

    /// Returns the answer as this agent takes it, for an event of this name; empty is a valid answer where
    /// nothing is to be said.
    pub(crate) fn write(&self, agent: HookAgent, event: &str) -> String {
        let object = match agent {
            HookAgent::ClaudeCode => self.as_claude(event, &CLAUDE_CONTEXT),
            HookAgent::Codex => self.as_claude(event, &CODEX_CONTEXT),
            HookAgent::Gemini => self.as_gemini(event),
        };
        if object.is_empty() && agent != HookAgent::Gemini {
            return String::new();
        }
        format!("{}\n", Value::Object(object))
    }

    /// Claude Code's shape, which Codex shares.
    fn as_claude(&self, event: &str, with_context: &[&str]) -> Map<String, Value> {
        let mut specific = Map::new();
        if let Some(reason) = &self.denial
            && event == "PreToolUse"
        {
            specific.insert("permissionDecision".into(), json!("deny"));
            specific.insert("permissionDecisionReason".into(), json!(words(reason)));
        } else if let Some(context) = &self.context
            && with_context.contains(&event)
        {
            specific.insert("additionalContext".into(), json!(cut(context, MAX_CONTEXT)));
        }
        self.object(event, specific)
    }

    fn as_gemini(&self, event: &str) -> Map<String, Value> {
        const WITH_CONTEXT: [&str; 3] = ["SessionStart", "BeforeAgent", "AfterTool"];
        let mut specific = Map::new();
        if let Some(reason) = &self.denial
            && event == "BeforeTool"
        {
            let mut object = Map::new();
            object.insert("decision".into(), json!("deny"));
            object.insert("reason".into(), json!(words(reason)));
            return object;
        }
        if let Some(context) = &self.context
            && WITH_CONTEXT.contains(&event)
        {
            specific.insert("additionalContext".into(), json!(cut(context, MAX_CONTEXT)));
        }
        self.object(event, specific)
    }

    fn object(&self, event: &str, mut specific: Map<String, Value>) -> Map<String, Value> {
        let mut object = Map::new();
        if !specific.is_empty() {
            specific.insert("hookEventName".into(), json!(event));
            object.insert("hookSpecificOutput".into(), Value::Object(specific));
        }
        if let Some(notice) = &self.notice {
            object.insert("systemMessage".into(), json!(words(notice)));
        }
        object
    }
}

fn words(text: &str) -> String {
    cut(&clean_lines(text), MAX_WORDS)
}

/// Returns a text as JavaScript counts its length.
pub(crate) fn length(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Returns the beginning of a text that is no longer than so many characters, with an ellipsis where
/// something is missing.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if length(text) <= most {
        return text.to_owned();
    }
    let mut left = most - 1;
    let mut short: String = text
        .chars()
        .take_while(|character| match left.checked_sub(character.len_utf16()) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        })
        .collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Answer, MAX_CONTEXT, cut, length};
    use crate::cli::hook::HookAgent::{ClaudeCode, Codex, Gemini};

    fn written(answer: &Answer, agent: super::HookAgent, event: &str) -> Value {
        serde_json::from_str(&answer.write(agent, event)).expect("JSON")
    }

    #[test]
    fn a_denial_is_said_as_each_agent_takes_it() {
        let deny = Answer::deny("no");
        let claude = json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "no",
        }});
        assert_eq!(written(&deny, ClaudeCode, "PreToolUse"), claude);
        assert_eq!(written(&deny, Codex, "PreToolUse"), claude);
        assert_eq!(
            written(&deny, Gemini, "BeforeTool"),
            json!({"decision": "deny", "reason": "no"})
        );
    }

    #[test]
    fn context_goes_only_where_an_agent_takes_it() {
        let answer = Answer::context("text");
        for (agent, event, is_taken) in [
            (ClaudeCode, "UserPromptSubmit", true),
            (ClaudeCode, "PreCompact", false),
            (ClaudeCode, "SessionEnd", false),
            (ClaudeCode, "Stop", false),
            (Codex, "SessionStart", true),
            (Codex, "Stop", false),
            (ClaudeCode, "PreToolUse", true),
            (Codex, "PreToolUse", false),
            (Gemini, "BeforeAgent", true),
            (Gemini, "BeforeTool", false),
        ] {
            let out = answer.write(agent, event);
            assert_eq!(
                out.contains("additionalContext"),
                is_taken,
                "{agent:?} {event}"
            );
        }
        assert_eq!(Answer::nothing().write(ClaudeCode, "Stop"), "");
        assert_eq!(Answer::nothing().write(Gemini, "AfterAgent"), "{}\n");
    }

    #[test]
    fn a_text_is_cut_by_characters_as_javascript_counts_them() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "ab…");
        // A character outside of the basic plane counts twice.
        assert_eq!(cut("😀😀😀", 4), "😀…");
        let long = "語😀".repeat(MAX_CONTEXT);
        assert!(length(&cut(&long, MAX_CONTEXT)) <= MAX_CONTEXT);
    }
}
