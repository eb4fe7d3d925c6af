//! Tests of token-count; each module mirrors one of `src`.

// The scanner is private; these are its files, so that its cuts can be held against the pattern's.
#[path = "../src/han.rs"]
mod han;
#[path = "../src/scan.rs"]
#[allow(dead_code, reason = "the tests look at the cuts, not at the weights")]
mod scan;
#[path = "../src/script.rs"]
#[allow(dead_code, reason = "the tests look at the cuts, not at the weights")]
mod script;
#[path = "../src/symbol.rs"]
#[allow(dead_code, reason = "the tests look at the cuts, not at the weights")]
mod symbol;

mod corpus;
mod counting;
mod estimating;
#[cfg(feature = "bpe")]
mod exact;
mod family;
mod meter;
mod pieces;
mod vocabulary;
