//! Arguments of `replay`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `replay`.
#[derive(Args, Debug)]
pub(crate) struct Replay {
    /// Transcripts of Claude Code, Codex CLI or Gemini CLI
    ///
    /// They run in the order of their first message, whatever the order here. One that cannot be read is
    /// named, and the rest goes on.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Keep the scratch home, and say where it is
    ///
    /// With `=DIR` it is made there; the folder must be new or empty. Then
    /// `memstrata --home DIR --project PROJECT explain NAME` says of each memory where it came from and when it
    /// was recalled.
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true, conflicts_with = "into")]
    #[expect(
        clippy::option_option,
        reason = "not given, given alone, given with a folder"
    )]
    pub(crate) keep: Option<Option<PathBuf>>,
    /// Run in this home instead of a scratch one
    ///
    /// Your memories are there for recall, and what is learned stays. What a recorded agent wrote into its
    /// memory folder by itself is written only where there is no such file.
    #[arg(long, value_name = "DIR")]
    pub(crate) into: Option<PathBuf>,
    /// A folder with the team's memories, as the team server would have sent them
    ///
    /// They are copied into the scratch home before the first session.
    #[arg(long, value_name = "DIR", conflicts_with = "into")]
    pub(crate) team: Option<PathBuf>,
    /// Let the configured model recall, learn and keep the session file
    ///
    /// The section `[model]` of memstrata.toml in your home names it; --home names another home. The sessions
    /// are sent to it, and its calls are booked in the ledger of the current project, which `cost` shows. Where
    /// it fails the rules do the work.
    #[arg(long)]
    pub(crate) model: bool,
    /// Show every turn, also those in which nothing happened
    #[arg(long)]
    pub(crate) all: bool,
}
