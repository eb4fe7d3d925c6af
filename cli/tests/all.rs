//! The program, tested as a program: real process, temporary home, real files.

mod harness;

mod common_rules;
mod guard;
mod memory;
mod scan;
