//! Tests of the public surface, in one binary.

mod offline;
mod trigger;

mod dream;
