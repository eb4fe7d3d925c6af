//! The life of a session.

mod compaction;
mod guard;
mod keeping;
mod learning;
mod modes;
mod prompting;
mod recalling;
