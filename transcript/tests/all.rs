//! One binary; its modules mirror `src`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::needless_pass_by_value,
    reason = "a panic in a test is its report, a missing corpus is said aloud, and builders take literals"
)]

// The recorded sessions, each with counts made by hand.
mod samples;
// One module per format, on lines written for the case at hand.
mod claude;
mod codex;
mod gemini;
// Lines, limits, detection, documents.
mod reader;
// Reading on from where one left off.
mod cursor;
// What stands in files besides messages.
mod facts;
mod time;
// Any bytes, any links.
mod properties;
// Seeds and found inputs of the fuzz targets.
mod fuzz;

mod support;
