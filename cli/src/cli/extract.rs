//! Arguments of the commands that learn from sessions.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `extract`.
#[derive(Args, Debug)]
pub(crate) struct Extract {
    /// The transcript of the session, of Claude Code, Codex CLI or Gemini CLI
    #[arg(value_name = "TRANSCRIPT")]
    pub(crate) transcript: PathBuf,
    /// Show what would be saved, and save nothing
    ///
    /// The cursor of the session stays where it is.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Let the model of memstrata.toml look at the conversation
    ///
    /// Costs what the budget allows. Where the model fails or refuses, or the budget is used up, the rules do
    /// it, and standard error says so.
    #[arg(long)]
    pub(crate) model: bool,
}
