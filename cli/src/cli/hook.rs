//! Arguments of the commands that agents start.

use clap::{Args, ValueEnum};

/// Arguments of `hook`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Hook {
    /// The agent that calls
    #[arg(value_enum, value_name = "AGENT")]
    pub(crate) agent: HookAgent,
}

/// An agent with hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HookAgent {
    /// Claude Code
    ClaudeCode,
    /// Codex CLI
    Codex,
    /// Gemini CLI
    Gemini,
}

impl HookAgent {
    /// The name of the command line, which is also the one in histories.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            HookAgent::ClaudeCode => "claude-code",
            HookAgent::Codex => "codex",
            HookAgent::Gemini => "gemini",
        }
    }
}

/// Arguments of `worker`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Worker {
    /// Leave the caller's session and work in a process of its own
    #[arg(long)]
    pub(crate) detach: bool,
    /// Wait for a worker that is at work already, and go on where it stops
    #[arg(long)]
    pub(crate) wait: bool,
}
