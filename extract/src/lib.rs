//! Writes persistent memories from a finished turn, in the background; distils daily logs. Where memories
//! are kept is left to `memdir`, and what a side agent may do to `forked-agent`.

#[cfg(feature = "agent")]
pub use self::agent::AgentBackend;
pub use self::{
    backend::{Backend, OfflineBackend, Work},
    cancel::Cancel,
    cursor::{MAX_SESSIONS, SessionState},
    decision_log::{Decided, DecisionLog, MAX_DECISIONS, MAX_LOGS},
    error::{Error, ErrorKind},
    evidence::{LeftOut, MAX_FOREIGN_BYTES, MAX_STATEMENT_BYTES, MAX_STATEMENTS, Material},
    extractor::{DRAIN_TIME, Drained, Extractor, ExtractorOptions, RunNow},
    lease::{LEASE_TIME, Lease, LeaseState},
    notice::{Action, MemorySaved, Notice, SavedFile},
    proposal::{Evidence, Proposal, Source, Statement},
    review::{MAX_COMPARED, Refusal},
    trigger::{
        AfterRun, Conditions, Decision, MAX_FAILURES, RunEnd, Since, SkipReason, Trigger,
        TriggerOptions,
    },
    turn::Turn,
};

pub mod dream;
pub mod offline;

// When, and over what.
mod cursor;
mod lease;
mod own_write;
mod segment;
mod trigger;
mod turn;

// What may be kept.
mod evidence;
mod proposal;
mod review;

// The run.
#[cfg(feature = "agent")]
mod agent;
mod backend;
mod cancel;
mod extractor;
mod run;

// What is told.
mod decision_log;
mod error;
mod notice;
mod state;
mod text;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
