//! Tests of the public surface, in one binary.

mod bins;
mod key;
mod merge;
mod plan;
mod precondition;
mod repository;
mod tag;
mod wire;
mod world;
