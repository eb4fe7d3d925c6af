//! What a transcript is, by its name, and what stands beside it.

use std::path::Path;

use crate::scan::{Count, Text, form, read};

/// What a transcript is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum FileRole {
    /// A conversation with a person.
    #[default]
    Session,
    /// The conversation of a sub-agent with the agent that started it.
    SubAgent {
        /// The agent's id, where the name holds one.
        id: Option<String>,
    },
    /// The fork that wrote a compaction summary. It repeats the session and is no conversation.
    CompactionFork,
}

impl FileRole {
    /// Returns the role that a file's name tells.
    ///
    /// ```
    /// use agent_transcript::FileRole;
    ///
    /// let role = |name: &str| FileRole::of(name.as_ref());
    /// assert_eq!(role("7d0f2c1e.jsonl"), FileRole::Session);
    /// assert_eq!(role("x/subagents/agent-ab12.jsonl"), FileRole::SubAgent { id: Some("ab12".into()) });
    /// assert_eq!(role("agent-acompact-946d2b.jsonl"), FileRole::CompactionFork);
    /// ```
    pub fn of(path: &Path) -> Self {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        match stem.strip_prefix("agent-") {
            Some(id) if id.starts_with("acompact-") => Self::CompactionFork,
            Some(id) => Self::SubAgent {
                id: Some(id.to_owned()),
            },
            None => Self::Session,
        }
    }
}

/// What Claude Code notes about a sub-agent in `agent-<id>.meta.json`, beside its transcript.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SubAgentInfo {
    /// The kind of agent, such as `Explore`.
    pub agent_type: Option<String>,
    /// What it was started for.
    pub description: Option<String>,
    /// The call in the parent's session that started it.
    pub tool_use_id: Option<String>,
    /// The sub-agent that started it, when it was not the session itself.
    pub parent_agent_id: Option<String>,
    /// How many agents deep it runs, from 1.
    pub depth: Option<u64>,
}

impl SubAgentInfo {
    /// Reads the file's bytes. What is missing or of another type is absent; `None` when it is no JSON
    /// object.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?.trim();
        let form: InfoForm<'_> = read(text).ok().filter(|_| text.starts_with('{'))?;
        Some(Self {
            agent_type: form.agent_type.to_owned(),
            description: form.description.to_owned(),
            tool_use_id: form.tool_use_id.to_owned(),
            parent_agent_id: form.parent_agent_id.to_owned(),
            depth: form.depth.0,
        })
    }
}

form! {
    struct InfoForm<'a> {
        agent_type: Text<'a> = "agentType",
        description: Text<'a> = "description",
        tool_use_id: Text<'a> = "toolUseId",
        parent_agent_id: Text<'a> = "parentAgentId",
        depth: Count = "spawnDepth",
    }
}
