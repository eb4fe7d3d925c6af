//! Integration tests of memdir-recall; the modules mirror `src`.

mod support;
mod verify;
