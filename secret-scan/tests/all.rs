//! All tests of `secret-scan` in one binary; modules mirror `src`.

mod contexts;
mod private_key;
mod rules;
mod support;
mod views;
