//! Session memory: thresholds, the file, the ledger, compaction.

#![allow(
    clippy::print_stdout,
    clippy::similar_names,
    reason = "also the helpers of tests may print: that is their report"
)]

mod check;
mod compact;
#[cfg(feature = "store")]
mod fuzzed;
mod growing;
mod histories;
mod ledger;
mod merge;
mod notes;
#[cfg(feature = "store")]
mod offline;
mod samples;
#[cfg(feature = "store")]
mod store;
mod template;
mod trigger;
#[cfg(feature = "updater")]
mod updater;
