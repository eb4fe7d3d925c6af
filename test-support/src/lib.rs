//! What the tests of several members need.
//!
//! A development dependency only: no member uses it in what it ships, and it is not published. It uses the
//! standard library and no member, so that all of them can use it. What one member's tests alone need stays with
//! them.

#![allow(
    clippy::missing_panics_doc,
    clippy::print_stdout,
    reason = "a panic is the report of a test, and who reads it wants to know what was not tested"
)]

pub use self::{
    files::{bytes_below, names_in, samples},
    fuzz::replay,
    http::{HttpRequest, HttpServer, HttpTurn},
    random::Random,
    worker::{confirmed, started, this_test},
};

mod files;
mod fuzz;
mod http;
mod random;
mod worker;
