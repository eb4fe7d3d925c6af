//! What a watcher tells whoever runs it.

use crate::client::report::SyncReport;
use crate::error::Error;

/// What has happened. A host shows it, or counts it; nothing has to be done about it.
#[derive(Debug)]
#[non_exhaustive]
pub enum WatchEvent {
    /// The folder was pulled and is watched from now on.
    Watching,
    /// A run did something, or left something undone.
    Synced(SyncReport),
    /// What is in the folder has been sent, or is named in the last report.
    InStep,
    /// A run failed; the watcher tries again by itself when that can help.
    Failed(Error),
    /// The system tells nothing, or not everything, of what happens in the folder, for this reason. The walk
    /// a minute goes on.
    Blind(String),
    /// Another folder is in the place of the watched one; that is watched now.
    Replaced,
    /// The folder is gone. Nothing is done until there is one again.
    Gone,
}
