//! Tests of `memdir`; the modules mirror `src`.

#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "also the helpers of tests may unwrap: a panic there is the report"
)]

mod date;
mod edit;
mod header;
mod index;
mod memory;
mod store;

/// Not a mirror: scratch folders, clocks, requests.
mod support;
/// Not a mirror: what several modules generate their inputs with.
mod text;
