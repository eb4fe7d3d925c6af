//! Tests of `memdir`; the modules mirror `src`.

#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    clippy::print_stdout,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::similar_names,
    reason = "also the helpers of tests may unwrap and print: that is their report; they build small texts, so plain ways win"
)]

mod conflict_name;
mod date;
mod edit;
mod fuzzed;
mod guard;
mod header;
mod index;
mod layout;
mod lint;
mod memory;
mod name;
mod prompt;
/// Not a mirror: real folders.
mod samples;
mod session_files;
mod session_log;
mod settings;
mod store;
mod timestamp;

/// Not a mirror: scratch folders, clocks, requests.
mod support;
/// Not a mirror: what several modules generate their inputs with.
mod text;
