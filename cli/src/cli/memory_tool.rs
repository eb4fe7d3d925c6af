//! Arguments of `memory-tool`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `memory-tool`.
#[derive(Args, Debug)]
pub(crate) struct MemoryTool {
    /// The folder that is `/memories` (default: the project's memory folder)
    ///
    /// It is made where it is missing. A folder named here is a plain one, without index and history; in
    /// the project's memory folder each change is journaled, and `memstrata undo` takes it back.
    #[arg(value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Let `create` replace a file that exists
    #[arg(long)]
    pub(crate) overwrite: bool,
}
