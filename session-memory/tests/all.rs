//! Session memory: thresholds, the file, the ledger, compaction.

mod check;
mod compact;
mod histories;
mod ledger;
mod notes;
mod template;
mod trigger;
