//! The writing guard: what may be written, and how edits by others get into the journal.

mod check_write;
mod host_edit;
mod secrets;

pub use check_write::{WriteCheck, WriteDecision};
pub(crate) use host_edit::PRE_IMAGES;
pub use host_edit::{Reconciled, Watch};
pub use secrets::SecretFinding;
