//! `memstrata guard`: the safety checks by themselves.

use crate::cli::Guard;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::Speech;

/// Runs one check.
pub(crate) fn run(_: &Guard, _: Speech, _: &Environment) -> Result<Exit, Failure> {
    Err(Failure::new(Exit::Bug, "pending"))
}
