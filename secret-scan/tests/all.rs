//! All tests of `secret-scan` in one binary.

mod strategies;
mod support;

// What must be found: by rule, by surroundings, by hiding place, across windows and chunks.
mod contexts;
mod private_key;
mod rules;
mod stream;
mod views;

// What must not be found.
mod clean;
mod lookalikes;

// What becomes of findings.
mod allow;
mod leaks;
mod redact;

// What holds for every input, and takes no longer than it should.
mod forms;
mod fuzz;
mod hostile;
mod properties;
