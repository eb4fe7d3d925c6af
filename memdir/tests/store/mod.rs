//! The store as a whole; one module per group of operations.

mod crash;
mod damage;
mod folder;
mod full_disk;
mod host_edit;
mod hostile;
mod modes;
mod purge;
mod repair;
mod samples;
mod save;
mod syncs;
mod undo;
