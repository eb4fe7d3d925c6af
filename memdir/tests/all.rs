//! Tests of `memdir`; the modules mirror `src`.

mod date;
mod memory;
