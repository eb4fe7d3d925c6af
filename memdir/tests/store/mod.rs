//! The store as a whole; one module per group of operations.

mod save;
mod undo;
