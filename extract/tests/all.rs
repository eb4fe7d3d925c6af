//! Tests of the public surface, in one binary.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "in a test a panic is the report; helpers outside of `#[test]` functions count as tests"
)]

#[cfg(feature = "agent")]
mod agent;
mod dream;
mod evidence;
mod extractor;
mod fuzz;
#[cfg(all(feature = "agent", unix))]
mod hostile;
mod lease;
mod offline;
mod samples;
mod support;
mod trigger;
