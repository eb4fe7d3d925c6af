//! Arguments of `mcp`.

use clap::Args;

/// Arguments of `mcp`.
#[derive(Args, Debug)]
pub(crate) struct Mcp {
    /// Offer only the tools that change nothing
    ///
    /// `save` and `forget` are left out of the list, and refused when called all the same.
    #[arg(long)]
    pub(crate) read_only: bool,
}
