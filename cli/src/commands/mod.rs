//! One module per command.

pub(crate) mod guard;
pub(crate) mod man;
pub(crate) mod memory;
pub(crate) mod scan;
