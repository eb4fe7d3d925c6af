//! Tests of `forked-agent`; the modules mirror `src`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "in a test a panic is the report; helpers outside of `#[test]` functions count as tests"
)]

mod containment;
mod fork;
mod fuzz;
mod gate;
#[cfg(unix)]
mod hostile;
mod prefix;
#[cfg(unix)]
mod sandbox;
mod shell;
mod support;
mod tools;
mod workspace;

/// Environment variable that sets how many random commands the slow comparison makes.
#[cfg(unix)]
const COUNT: &str = "FORKED_AGENT_DIFFERENTIAL";
