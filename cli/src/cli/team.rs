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
    /// Store a token for the team server
    ///
    /// With --with-token it is read from standard input. Otherwise the issuer that the server trusts is
    /// asked for a code, which you allow in a browser on any machine (OAuth 2.0 device flow). The token is
    /// kept in a file in the home folder that only you can read, and shown to no other server.
    Login(Login),
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
    /// Keep folder and server in step until it is stopped
    ///
    /// Sends two seconds after the last change and takes what teammates change. Stops at Ctrl-C or SIGTERM
    /// after a last push of at most ten seconds.
    Watch,
    /// Show what was changed on the server, newest first
    ///
    /// Names are claims of whoever sent a change. Exit code 6 when the server keeps no history.
    History(History),
    /// Make a memory what it was at a version of the history
    ///
    /// For everybody: it is a new version on the server, and a sync brings it here at once. What was edited
    /// here meanwhile is merged with it.
    Restore(Restore),
    /// List the conflict copies that wait for a person
    ///
    /// When two people changed the same lines, the one who synced last keeps the name, and the other text
    /// lies beside it as a copy. Edit the memory, delete the copy, and sync. Exit code 1 when there are any.
    Conflicts,
}

/// Arguments of `team login`.
#[derive(Args, Debug)]
pub(crate) struct Login {
    /// Read the token from standard input
    #[arg(long, conflicts_with_all = ["issuer", "client_id"])]
    pub(crate) with_token: bool,
    /// Who gives tokens out (default: team.issuer)
    #[arg(long, value_name = "URL")]
    pub(crate) issuer: Option<String>,
    /// What the issuer calls this program (default: team.client_id)
    #[arg(long, value_name = "ID")]
    pub(crate) client_id: Option<String>,
    /// Remove the stored token of this server
    #[arg(long, conflicts_with_all = ["with_token", "issuer", "client_id"])]
    pub(crate) forget: bool,
}

/// Arguments of `team status`.
#[derive(Args, Debug)]
pub(crate) struct Status {
    /// Do not ask the server; show what is known
    #[arg(long)]
    pub(crate) offline: bool,
}

/// Arguments of `team history`.
#[derive(Args, Debug)]
pub(crate) struct History {
    /// The memory (default: all)
    #[arg(value_name = "KEY")]
    pub(crate) key: Option<String>,
    /// Show at most N changes
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(crate) limit: u16,
}

/// Arguments of `team restore`.
#[derive(Args, Debug)]
pub(crate) struct Restore {
    /// The memory and the version, such as deploy.md@41
    #[arg(value_name = "KEY@VERSION")]
    pub(crate) what: String,
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
