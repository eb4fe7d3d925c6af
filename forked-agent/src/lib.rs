//! Runs a bounded side agent with its own tools behind a permission gate. It leaves the conversation
//! types and the model to `agent-model`, and what the side agent is for to its caller.

pub mod shell;

pub use self::error::{Error, ErrorKind};

mod error;
