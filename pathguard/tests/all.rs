//! Tests of pathguard. The modules mirror `src`; `table` is run on every backend.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a panic is the report of a test"
)]

mod fuzz_replay;
mod git;
mod key_set;
mod keys;
mod lexical;
mod memory_dir;
mod project_key;
mod table;
mod team_paths;

use pathguard::{Backend, BackendChoice, Fault};

/// The backends that the table is run on here; `cap-std` has its turn in the unit tests.
#[cfg(target_os = "linux")]
const BACKENDS: &[BackendChoice] = &[
    BackendChoice::Forced(Backend::OpenAt2),
    BackendChoice::Forced(Backend::Components),
    BackendChoice::AutoWithFault(Fault::Missing),
    BackendChoice::AutoWithFault(Fault::Blocked),
];
#[cfg(not(target_os = "linux"))]
const BACKENDS: &[BackendChoice] = &[BackendChoice::Auto];
