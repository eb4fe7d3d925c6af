//! All tests of `secret-scan` in one binary; modules mirror `src`.

mod clean;
mod contexts;
mod lookalikes;
mod private_key;
mod rules;
mod support;
mod views;
