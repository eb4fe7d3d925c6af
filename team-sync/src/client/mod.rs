//! The client: walks the folder, asks the server, carries out the plan.
//!
//! Everything that decides is in the pure half of this crate. What stands here reads and writes, checks again
//! just before it acts, and leaves a state on disk from which the next run goes on, wherever this one stopped.
//!
//! ```rust,no_run
//! # async fn example(random: fn() -> u64) -> Result<(), Box<dyn std::error::Error>> {
//! use pathguard::{MemoryRoot, RootOptions};
//! use team_sync::client::{Client, ClientOptions, HttpOptions, HttpTransport, SyncOptions, Token, conflicts};
//!
//! let root = |path: &str| MemoryRoot::open_or_create(path.as_ref(), &RootOptions::new());
//! let options = HttpOptions::new("https://memory.example.com", "acme/app", Token::new("the token"));
//! let transport = Box::new(HttpTransport::new(&options)?);
//! // The gate that keeps credentials here comes with the options.
//! let who = ClientOptions::new("acme/app", "anas-laptop", random);
//! let client = Client::new(root("memory/team")?, root("memory-state/team")?, transport, who);
//!
//! let report = client.sync(&SyncOptions::default().with_fresh(true)).await?;
//! for (key, note) in &report.notes {
//!     println!("{key}: {note:?}");
//! }
//! // What could not be merged lies beside the file that kept the name.
//! for one in conflicts(&root("memory/team")?)?.conflicts {
//!     println!("{} was written against {}", one.copy, one.original);
//! }
//! # Ok(())
//! # }
//! ```

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
