//! Integration tests of memdir-recall; the modules mirror `src`.

#![allow(
    clippy::unwrap_used,
    reason = "also the helpers of tests may unwrap: a panic there is the report"
)]

mod support;

mod choose;
mod engine;
mod folder;
mod freshness;
mod fuzzed;
mod index_file;
mod quality;
mod render;
mod text;
mod verify;
