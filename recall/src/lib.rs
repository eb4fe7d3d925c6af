//! Picks the few memories that matter for a query, says how fresh they are, and checks what they claim.
//! Reading and writing memories is left to [`memdir`], touching files to [`pathguard`], and asking a
//! model to whoever has one: this crate needs no network, no clock and no model.
//!
//! # Main types
//!
//! - [`Recall`] holds a memory folder and its index. [`Recall::query`] looks at every file once, reads
//!   what changed, and answers a [`Query`] with a [`Recollection`].
//! - A [`Recollection`] is a list of [`Recalled`] memories, best first, each with its [`Age`] and its
//!   [`Why`]; besides them what was [`Dropped`] and what nearly passed. Nothing is a good answer: "ok,
//!   thanks" recalls nothing.
//! - [`verify()`] checks what a memory claims against a [`Repository`] and gives a [`Verification`];
//!   [`Recollection::verify`] does so for an answer and puts behind what mostly no longer holds.
//! - [`Recollection::render`] makes the block for a prompt.
//! - With a model at hand, [`Query::prefilter`] makes a menu, [`ChoiceRequest`] the request, and
//!   [`ChoiceRequest::parse`] takes the answer apart, whatever it is.
//!
//! A program that uses this crate depends on three more: [`memdir`] for the time of a query, [`pathguard`] to
//! open the folder, `token-count` to measure a block.
//!
//! # Example
//!
//! ```
//! use std::sync::Arc;
//!
//! use memdir_recall::{Budget, Query, Recall, RenderOptions, Repository};
//! use pathguard::{MemoryRoot, RootOptions};
//! use token_count::Estimator;
//! # let scratch = tempfile::tempdir()?;
//! # let (folder, state, project) = (scratch.path().join("m"), scratch.path().join("s"), scratch.path().join("p"));
//! # for folder in [&folder, &state, &project] { std::fs::create_dir(folder)?; }
//! std::fs::write(
//!     folder.join("feedback_retries.md"),
//!     "---\nname: Retries need jitter\ndescription: backoff with full jitter\ntype: feedback\n\
//!      modified: 2026-03-05T14:02:11Z\n---\n\nUse `Retry::standard()` of `src/retry.rs`.\n",
//! )?;
//!
//! let root = |folder| MemoryRoot::open(folder, &RootOptions::default()).map(Arc::new);
//! let memory = root(&folder)?;
//! // The second folder keeps the index between processes; it lies outside of the memory folder.
//! let mut recall = Recall::open(Arc::clone(&memory), Some(root(&state)?));
//!
//! // Ages are counted from `now`, which is handed in: no clock is read. A program passes
//! // `memdir::Timestamp::from_seconds` of the seconds since 1970.
//! // A question in another language, with a slip: 重试 is "retry".
//! let now = "2026-03-12T08:00:00Z".parse()?;
//! let mut answer = recall.query(&Query::new("重试 with jiter?", now))?;
//! assert_eq!(answer.memories[0].age.to_string(), "6 days ago");
//!
//! answer.verify(&memory, &Repository::open(&project)?, Budget::unlimited());
//! let verdict = answer.memories[0].verified.as_ref().map(ToString::to_string).unwrap_or_default();
//! assert!(verdict.contains("`src/retry.rs` is gone"));
//!
//! let block = answer.render(&memory, &RenderOptions::new(&Estimator::new()));
//! assert!(block.text.contains("6 days ago"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How the ranking works
//!
//! One tokeniser serves files and queries: NFKC, English stems, identifiers as parts and joined, pairs
//! of characters for Chinese, Japanese and Korean. Words that no file has get a second chance by
//! spelling; a small vocabulary of engineering words brings translations and synonyms at a lower weight.
//! The score is BM25 over name, description and text. A gate decides whether the best is good enough to
//! be shown at all, because a wrong memory costs more than a missing one.
//!
//! # Guarantees on hostile input
//!
//! - Files are read below the memory folder only, through its handle, and no link is followed. Broken,
//!   huge and binary files are ranked by what is there; what cannot be read is a [`FileProblem`], never
//!   an abort.
//! - The index file is trusted in nothing: damaged, foreign or crafted, it costs a rebuild, never a
//!   wrong or missing answer. Every file is compared with it at each query.
//! - The same files give the same ranking on every run and thread, whatever the history of the
//!   index.
//! - Checking starts no program and reads below the repository only; a `.git` that points elsewhere is
//!   believed only when it is confirmed from there. "Gone" is said only after everything was searched.
//! - No memory closes the fence it is rendered in, adds a line to a menu, or hides a character.
//! - No error and no report contains the text of a memory.
//!
//! # Limits
//!
//! 250,000 files and folders in a listing; 8 MiB of a file; 16 KiB and 64 words of a query; 5 memories in
//! an answer, 200 in a menu; 64 claims of a memory. The vocabulary is English, Chinese, German, French
//! and Spanish with a few Japanese and Korean words: other languages are found by their own words.
//! Meaning beyond words is for a model to judge.
//!
//! # Features
//!
//! None.

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

/// Compiles and runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
