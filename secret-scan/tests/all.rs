//! All tests of `secret-scan` in one binary; modules mirror `src`.

mod rules;
mod support;
mod views;
