//! Tests of the server, in one binary: real sockets, a real SQLite file, a client that is not ours.

mod catalogue;
mod change;
mod chaos;
mod chaos_runs;
mod client;
mod examples;
mod full_disk;
mod fuzzed;
mod openapi;
mod program;
mod protocol;
mod replicas;
mod sockets;
mod store;
mod support;
