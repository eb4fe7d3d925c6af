//! Arguments of `team`.

use clap::{Args, Subcommand};

/// Arguments of `team`.
#[derive(Args, Debug)]
pub(crate) struct Team {
    #[command(subcommand)]
    pub(crate) action: Action,
}

/// What is done with the team's memories.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// Show whether team memory runs, what is missing, and what a sync would do
    ///
    /// Changes nothing, here or on the server. Exit code 1 when folder and server differ, 6 when something
    /// that team memory needs is missing or the server cannot be reached.
    Status(Status),
    /// Take what teammates have changed; send nothing
    Pull,
    /// Send what was changed here
    ///
    /// Takes only what has to be merged with it.
    Push(Confirm),
    /// Bring folder and server in step
    ///
    /// Exit code 0 when they are, 1 when something was left out or needs a look (a credential, a held
    /// delete, a conflict copy), 5 when others kept changing the same or another process syncs this
    /// folder, 6 when the server cannot be reached.
    Sync(Confirm),
}

/// Arguments of `team status`.
#[derive(Args, Debug)]
pub(crate) struct Status {
    /// Do not ask the server; show what is known
    #[arg(long)]
    pub(crate) offline: bool,
}

/// Whether deletes were confirmed.
#[derive(Args, Debug)]
pub(crate) struct Confirm {
    /// Delete on the server, too, what was held back because too much was gone at once
    ///
    /// `team status` lists what is held.
    #[arg(long)]
    pub(crate) confirm_deletes: bool,
}
