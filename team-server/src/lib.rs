//! The self-hosted server of the team memory protocol. What travels and which keys may travel is decided by
//! `team-sync`, which the clients use too.
//!
//! The program is `memstrata-server`; this library is its parts, so that tests and hosts can run a server
//! inside their own process.
//!
//! # The parts
//!
//! - [`router`] makes the HTTP service from [`ServerOptions`]; the clock comes in as an argument. [`serve`] answers
//!   with it on a socket.
//! - [`Store`] is where repositories are kept; [`Sqlite`] keeps them in one file, [`Postgres`] in a database that
//!   several processes share.
//! - [`change`] holds the pure decision about a change: [`change::decide`].
//! - [`token`] makes and checks bearer tokens.
//!
//! # Hostile input
//!
//! Bodies, headers and queries may be anything. Sizes are checked before anything is parsed; keys are checked
//! by the rules the clients use; an entry with a credential in it is refused by rule and line. Tokens are
//! stored as hashes and compared in constant time. No log, error or metric holds contents or tokens.
//!
//! # Limits
//!
//! [`Limits`] names all bounds. One process writes one SQLite file; several replicas share a PostgreSQL
//! database.
//!
//! # Features
//!
//! None.

pub mod change;
pub mod token;

pub use http::{Clock, ServerOptions, openapi, router, serve};
pub use limits::Limits;
pub use store::{
    CheckReport, Cutoffs, Deleted, Done, Looked, Outcome, Picture, Postgres, PostgresOptions,
    Pruned, Redacted, Redaction, Restore, Revision, Sqlite, SqliteOptions, StorageFull, Store,
    View, Watch,
};

mod http;
mod limits;
mod store;
