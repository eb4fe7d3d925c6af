//! Arguments of `setup`.

use clap::{Args, ValueEnum};

/// Arguments of `setup`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Setup {
    /// The agent
    #[arg(value_enum, value_name = "AGENT")]
    pub(crate) agent: SetupAgent,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Take everything out again
    ///
    /// What was in the files before is there again, byte for byte.
    #[arg(long)]
    pub(crate) remove: bool,
}

/// An agent that the program can be plugged into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SetupAgent {
    /// Claude Code: hooks and MCP server
    ClaudeCode,
    /// Codex CLI: hooks, MCP server and instructions
    Codex,
    /// Gemini CLI: hooks, MCP server and instructions
    Gemini,
    /// opencode: MCP server and instructions
    Opencode,
    /// Cursor: MCP server, and a rule in the project
    Cursor,
}

impl SetupAgent {
    /// The name of the command line.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            SetupAgent::ClaudeCode => "claude-code",
            SetupAgent::Codex => "codex",
            SetupAgent::Gemini => "gemini",
            SetupAgent::Opencode => "opencode",
            SetupAgent::Cursor => "cursor",
        }
    }
}
