//! The life of a session.

mod compaction;
mod guard;
mod keeping;
mod learning;
mod memo;
mod modes;
mod prompting;
mod recalling;
