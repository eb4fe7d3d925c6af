//! Arguments of `session`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Arguments of `session`.
#[derive(Args, Debug)]
pub(crate) struct Session {
    #[command(subcommand)]
    pub(crate) action: Action,
}

/// What is done with a session file.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// Bring the session file up to date from a transcript
    ///
    /// Without a model: files, commands with their outcome, failures and instructions come from the
    /// transcript's tool calls and the person's own words. What you wrote into the file yourself stays.
    Update(Update),
    /// Print the session file of a transcript's session
    ///
    /// Prints what was committed last, also while another process is writing. Exit code 4 when there is
    /// none.
    Show(Transcript),
    /// Show what a compaction would keep
    ///
    /// With --json the resulting message list, one message per line, as an API accepts it. Nothing is
    /// written: where there is no session file yet, or an old one, the notes are made for this once.
    Compact(Transcript),
}

/// Arguments of `session update`.
#[derive(Args, Debug)]
pub(crate) struct Update {
    #[command(flatten)]
    pub(crate) transcript: Transcript,
    /// Let the model of memstrata.toml write it
    ///
    /// Costs what the budget allows. Where the model fails or refuses, or the budget is used up, the rules do
    /// it, and standard error says so.
    #[arg(long)]
    pub(crate) model: bool,
}

/// The recorded session.
#[derive(Args, Debug)]
pub(crate) struct Transcript {
    /// The transcript of a session of Claude Code, Codex CLI or Gemini CLI
    ///
    /// One that lies in a project's folder belongs to that project, another one to the folder it was
    /// recorded in when that exists here, else to the current one. --project goes before both.
    #[arg(value_name = "TRANSCRIPT")]
    pub(crate) path: PathBuf,
}
