//! Writes persistent memories from a finished turn, in the background; distils daily logs. Where memories
//! are kept is left to `memdir`, and what a side agent may do to `forked-agent`.

pub use proposal::{Evidence, Proposal, Source, Statement};
pub use trigger::{
    AfterRun, Conditions, Decision, MAX_FAILURES, RunEnd, Since, SkipReason, Trigger,
    TriggerOptions,
};

pub mod dream;
pub mod offline;

mod proposal;
mod trigger;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
