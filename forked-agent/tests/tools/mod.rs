//! Each tool by itself, called through a run.

mod edit;
mod glob;
mod grep;
mod read;
#[cfg(unix)]
mod shell;
mod write;
