//! Integration tests of memdir-recall; the modules mirror `src`.

mod support;

mod choose;
mod engine;
mod folder;
mod freshness;
mod fuzzed;
mod index_file;
mod quality;
mod render;
mod text;
mod verify;
