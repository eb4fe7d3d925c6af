//! Arguments of `doctor`.

use clap::Args;

/// Arguments of `doctor`.
#[derive(Args, Debug)]
pub(crate) struct Doctor {
    /// Do not ask the team server
    #[arg(long)]
    pub(crate) offline: bool,
}
