//! The client: walks the folder, asks the server, carries out the plan.
//!
//! Everything that decides is in the pure half of this crate. What stands here reads and writes, checks again
//! just before it acts, and leaves a state on disk from which the next run goes on, wherever this one stopped.

pub mod token;
#[cfg(feature = "watch")]
pub mod watch;

mod conflicts;
mod engine;
mod folder;
mod http;
mod open;
mod outbox;
mod past;
mod pull;
mod push;
mod refusal;
mod report;
mod retry;
mod run;
mod secrets;
mod send;
mod state;
mod status;
mod steps;
mod sweep;
mod taking;
mod transport;
mod trouble;

pub use conflicts::{Conflict, Conflicts, conflicts};
pub use engine::{Client, ClientOptions, SyncOptions};
pub use folder::{Gate, Verdict};
pub use http::{HttpOptions, HttpTransport, Timeouts, Token};
pub use past::{Past, PastChange};
pub use report::{Done, Note, Suppression, SyncReport};
pub use secrets::SecretGate;
pub use status::{LastRun, Standing};
pub use transport::{Answer, Ask, BoxFuture, Transport, TransportError, Verb};
