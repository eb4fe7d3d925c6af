//! Runs a bounded side agent with its own tools behind a permission gate.

pub mod shell;

pub use self::error::{Error, ErrorKind};

mod error;
