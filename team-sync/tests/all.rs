//! Tests of the public surface, in one binary.
#![allow(
    clippy::duplicate_mod,
    reason = "the bodies of the fuzz targets carry plans out with the same world"
)]

mod bins;
mod fuzzed;
mod key;
mod merge;
mod plan;
mod precondition;
mod repository;
mod tag;
mod wire;
mod world;
