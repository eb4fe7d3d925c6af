//! Tests of `memdir`; the modules mirror `src`.

mod date;
mod edit;
mod header;
mod index;
mod memory;

/// Not a mirror: what several modules generate their inputs with.
mod text;
