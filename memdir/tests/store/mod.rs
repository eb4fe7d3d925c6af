//! The store as a whole; one module per group of operations.

mod crash;
mod folder;
mod host_edit;
mod modes;
mod purge;
mod repair;
mod samples;
mod save;
mod syncs;
mod undo;
