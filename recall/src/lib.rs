//! Picks the few memories that matter for a query, says how fresh they are, and checks what they claim.

pub use cache::{CACHE_FILE, CacheState};
pub use choose::{CHOICE_MILLISECONDS, CHOICE_OUTPUT_TOKENS, Choice, ChoiceProblem, ChoiceRequest};
pub use content_hash::ContentHash;
pub use engine::{Recall, Refresh};
pub use error::{Error, ErrorKind};
pub use folder::{FileProblem, FileProblemKind};
pub use freshness::Age;
pub use outcome::{
    DropReason, Dropped, Gate, MAX_NEAR_MISSES, Match, MatchKind, NearMiss, QueryWord, Recalled,
    Recollection, Why,
};
pub use query::{FINAL_LIMIT, MAX_PREFILTER_LIMIT, Mode, PREFILTER_LIMIT, Query, Surfaced};
pub use render::{BLOCK_TOKENS, MEMORY_TOKENS, RenderOptions, Rendered, Shown, render};
pub use verify::{
    Budget, CheckedClaim, ClaimKind, MAX_CLAIMS, Outcome, Repository, VERIFY_HOOK_MILLISECONDS,
    VERIFY_MILLISECONDS, Verification, verify,
};

mod cache;
mod choose;
mod clean;
mod content_hash;
mod engine;
mod error;
mod filter;
mod folder;
mod freshness;
#[doc(hidden)]
pub mod fuzzing;
mod index;
mod outcome;
mod query;
mod rank;
mod render;
mod select;
mod text;
mod verify;
