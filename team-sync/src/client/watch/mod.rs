//! The watcher: keeps a folder and a server in step for as long as it runs.
//!
//! It pulls, then watches. Whatever it notices leads to the same two tasks: a walk of the whole folder that
//! sends what has changed, and a question to the server that takes what has changed. A walk a minute and a
//! question a minute happen in any case, so that a lost event costs a minute and never an edit. [`Schedule`]
//! decides when, without a clock; [`Notifier`] says that something has happened; [`watch`] is the loop.

mod event;
mod look;
mod notifier;
mod run;
mod schedule;
mod signals;

pub use event::WatchEvent;
pub use notifier::{Notifier, SystemNotifier, listener};
pub use run::{WatchOptions, watch};
pub use schedule::{Outcome, Schedule, Task, Timing};
pub use signals::Signals;
