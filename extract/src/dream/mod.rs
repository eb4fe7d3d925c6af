//! Distils a grown memory folder, and daily logs, into topic files and a short index.
//!
//! Memories pile up: the same thing twice, yesterday's truth beside today's, "next Thursday" from March, an
//! index that no prompt has room for. A distillation tidies up and destroys nothing:
//!
//! 1. [`Snapshot::read`] looks at the folder. Nothing is written.
//! 2. [`Plan::offline`] edits a copy by rules alone; [`Plan::from_operations`] by what a model asked for
//!    ([`ask`]). The plan is the difference between the snapshot and the copy, so nothing can happen that it
//!    does not show; every [`Step`] names its sources and its reason. A dry run ends here.
//! 3. [`Plan::approve`] refuses a plan that loses more than a quarter of the entries or bytes, names no
//!    source, touches a protected memory, exceeds the budget, holds a credential or leaves the index over
//!    its limits; each [`Refusal`] names the figures.
//! 4. [`Approved::apply`] does it as one journaled operation, if every file is still what the snapshot saw.
//!    One `undo` takes it back, byte for byte; a process that dies in the middle leaves the old or the new
//!    state.
//!
//! Daily logs are read and never written. Team memories are left alone.
//!
//! ```
//! use memdir::{FixedClock, MemoryType, Origin, SaveRequest, Store, StoreOptions};
//! use memdir_extract::dream::{Limits, Plan, Snapshot, StepKind};
//!
//! let scratch = tempfile::tempdir()?;
//! let clock = FixedClock::new("2026-03-05T14:02:11Z".parse()?, 0);
//! let store = Store::open(&scratch.path().join("memory"), StoreOptions::new(clock))?;
//! let me = Origin::person("example");
//! for name in ["Squash merges", "How to merge"] {
//!     let body = "Squash before merging.\n\n**Why:** bisecting\n**How to apply:** every pull request\n";
//!     store.save(&SaveRequest::new(MemoryType::Feedback, name, "one commit a change", body), &me)?;
//! }
//!
//! let snapshot = Snapshot::read(&store)?;
//! let plan = Plan::offline(&snapshot, &Limits::default());
//! assert_eq!(plan.steps[0].kind, StepKind::Merge);
//! assert!(plan.diff().contains("remove feedback_squash_merges.md"));
//!
//! let approved = plan.approve(&snapshot, &Limits::default()).expect("nothing is lost");
//! assert!(approved.apply(&store, &me)?.is_some());
//! assert_eq!(store.list(&Default::default())?.memories.len(), 1);
//! store.undo(&me)?;
//! assert_eq!(store.list(&Default::default())?.memories.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With a model, ask it about the snapshot and make the plan from what it says; the rest is the same:
//!
//! ```
//! # use agent_model::{Model, Reply, ScriptedModel};
//! # use memdir::Timestamp;
//! use memdir_extract::dream::{Limits, RefusalKind, Snapshot, ask};
//!
//! # let noon: Timestamp = "2026-03-05T12:00:00Z".parse()?;
//! # let snapshot = Snapshot::new(noon.date(0)).with_file("user_role.md", b"---\nname: Role\n---\n\nGo.\n", noon);
//! # let answer = r#"{"operations": [{"kind": "delete", "path": "user_role.md", "from": [], "type": "",
//! #     "name": "", "description": "", "body": "", "sources": [], "reason": "old"}]}"#;
//! # let model = ScriptedModel::new(vec![Reply::text_only(answer)]);
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! # runtime.block_on(async {
//! let limits = Limits::default();
//! let asked = ask(&model, &snapshot, &limits).await?;
//! // This one wants to delete the only memory, and names no reason that could be looked up.
//! let rejected = asked.plan(&snapshot, &limits).approve(&snapshot, &limits).unwrap_err();
//! assert_eq!(rejected.refusals[0].kind, RefusalKind::LosesEntries);
//! assert_eq!(rejected.refusals[0].to_string(), "1 of 1 memories would be gone (100 %), at most 25 % are allowed");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees on hostile input
//!
//! - A model is not trusted: it may have read text that was written to turn it. It sees the folder as JSON
//!   lines, with credentials replaced; its paths are checked, its quotes are looked up, what it was not shown
//!   whole and what is protected stays, and one bad operation refuses the whole plan.
//! - What counts as kept is worked out from the bytes before and after, not from what the steps say.
//! - Files may hold anything; what is no text or too large is left alone and named. No plan, reason or event
//!   shows a credential.
//!
//! # Limits
//!
//! Whoever runs distillations unasked takes the folder's [`Lease`](crate::Lease) first, so that they never
//! meet an extraction. Whether a model's text says only what its sources say is for the person who reads the
//! plan. All bounds are constants or fields of [`Limits`].

pub use approved::{Approved, Rejected};
pub use ask::{Asked, ask};
pub use limits::{
    Limits, MAX_DIFFERENCE_CELLS, MAX_LOGS, MAX_MEMORIES, MAX_NOTES, MAX_OPERATIONS,
    MAX_SNAPSHOT_BYTES, MAX_WORD_PAIRS, MIN_QUOTE_BYTES,
};
pub use operation::Operation;
pub use plan::{FileChange, Plan, Step, StepKind, StepSource};
pub use refusal::{Refusal, RefusalKind};
pub use review::Figures;
pub use snapshot::{Fact, Snapshot, is_protected};

mod limits;
mod snapshot;

mod plan;

mod dates;
mod duplicates;
mod index;
mod offline;

mod ask;
mod operation;

mod approved;
mod refusal;
mod review;

mod diff;
mod wire;
mod words;

/// A text that a model wrote, for a message: without control characters, and short.
fn shown(text: &str) -> String {
    let mut shown: String = text
        .chars()
        .take(80)
        .map(|character| {
            if character.is_control() {
                '\u{FFFD}'
            } else {
                character
            }
        })
        .collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    format!("`{shown}`")
}
