//! The writing guard: what may be written, and how edits by others get into the journal.

mod host_edit;
mod secrets;

pub(crate) use host_edit::PRE_IMAGES;
pub use host_edit::{Reconciled, Watch};
pub use secrets::SecretFinding;
