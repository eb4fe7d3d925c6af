//! One module per command.

pub(crate) mod cost;
pub(crate) mod doctor;
pub(crate) mod dream;
pub(crate) mod explain;
pub(crate) mod extract;
pub(crate) mod guard;
pub(crate) mod hook;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod memory;
pub(crate) mod memory_tool;
pub(crate) mod recall;
pub(crate) mod reference;
pub(crate) mod replay;
pub(crate) mod scan;
pub(crate) mod session;
pub(crate) mod setup;
pub(crate) mod team;
pub(crate) mod verify;
pub(crate) mod worker;
