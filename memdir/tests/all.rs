//! Tests of `memdir`; the modules mirror `src`.

mod memory;
