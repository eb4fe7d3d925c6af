//! Counts or estimates model tokens without a network.
//!
//! It leaves to others what the numbers are for: which limit holds, what is cut, what a token costs.
//!
//! # Main types
//!
//! - [`TokenCounter`] is the trait: [`count`](TokenCounter::count),
//!   [`count_up_to`](TokenCounter::count_up_to) a limit, [`count_message`](TokenCounter::count_message)
//!   of [`Part`]s, and the [`prefix`](TokenCounter::prefix) that fits a limit.
//! - [`Estimator`] is the default counter. It needs no vocabulary: one pass cuts text where the
//!   o200k vocabulary never merges across, and small weights fitted to that vocabulary tell what a
//!   piece costs. On texts it was not fitted on, it is off by 3.7 % on average over twenty classes of
//!   text (English, Chinese, Japanese, code, JSON, lock files, listings, hex, base64, …) and by 9.1 %
//!   in the worst class, where bytes/4 is off by 26 % and 70 %. `cargo xtask eval tokens` prints the
//!   table.
//! - [`Factor`] carries an estimate to another model family.
//! - [`Meter`] keeps the size of a growing context: it trusts the last [`Usage`] that a server
//!   reported, estimates only what came after it, and learns the factor from the difference.
//! - `Exact` (feature `bpe`) counts with the published vocabularies themselves.
//!
//! # Example
//!
//! ```
//! use token_count::{Estimator, Factor, Meter, TokenCounter, Usage};
//!
//! // A fixed limit, such as 2,000 tokens for a section of a file, is kept in o200k tokens.
//! let counter = Estimator::new();
//! let section = "- ran the migration on staging, took 40 s\n".repeat(500);
//! assert_eq!(counter.count_up_to(&section, 2_000), None);
//! let kept = counter.prefix(&section, 2_000);
//! assert!(counter.count(kept) <= 2_000 && kept.len() > 4_000);
//!
//! // The context window of a model is metered in its own tokens.
//! let mut meter = Meter::new(Factor::of_model("claude-sonnet-4-5"));
//! meter.observe(Usage { input: 1_200, cache_read: 30_000, output: 450, ..Usage::default() });
//! meter.append(counter.count("Now run the tests again."));
//! assert_eq!(meter.total(), 31_657);
//! ```
//!
//! # Model families
//!
//! [`Factor::of_model`] reads names in any case, with a vendor in front and a date behind:
//!
//! | name | factor | tokens for each o200k token |
//! |---|---|---:|
//! | `gpt-4o`, `gpt-4.1`, `gpt-4.5`, `gpt-5`, `gpt-oss`, `codex`, `o1`, `o3-mini` and their like | [`Factor::O200K`] | 1.0 |
//! | Claude models up to version 4.6 | [`Factor::CLAUDE`] | 1.2 |
//! | later Claude models, and every other name | [`Factor::UNKNOWN`] | 1.5 |
//!
//! An unknown name is no error: its limit is kept too early rather than too late.
//!
//! # Guarantees on hostile input
//!
//! No function panics, allocates in proportion to its input or takes more than linear time,
//! whatever the text: ten megabytes of one letter, of line ends or of combining marks included. A
//! count is 0 only for the empty text. Counts are whole-number arithmetic and therefore equal on
//! every platform. (`Exact` takes linear time too; its vocabulary is some 10 MB in memory.)
//!
//! # Limits
//!
//! - An estimate is an estimate: a single short text can be off by 20 %, and random bytes in a rare
//!   script by more. Anchor on real figures with [`Meter`] where there are some, and leave room.
//! - The factors of Claude models are averages. Their tokenisers are not published.
//! - Text only. An image costs what its size says, other attachments must be counted by the caller.
//! - Special markers such as `<|endoftext|>` count as the text they are.
//!
//! # Features
//!
//! None is on by default.
//!
//! - `bpe`: `Exact`, through the crate `bpe-openai`, for o200k and cl100k.

mod counter;
mod estimate;
#[cfg(feature = "bpe")]
mod exact;
mod family;
mod han;
mod meter;
mod scan;
mod script;
mod symbol;
mod weights;

#[cfg(feature = "bpe")]
pub use exact::Exact;
pub use {
    counter::{MAX_IMAGE_TOKENS, MESSAGE_TOKENS, Part, TOOL_TOKENS, TokenCounter},
    estimate::Estimator,
    family::Factor,
    meter::{Meter, Usage},
};

// The README's example is a test, too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
