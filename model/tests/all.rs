//! One binary; its modules mirror `src`.
#![allow(clippy::unwrap_used, reason = "a panic in a test is its report")]

// One POST and everything that can happen to it: retries, time limits, torn and hostile answers, leaks.
mod http;
// The wire forms, to the byte.
mod anthropic;
mod openai;
// A configured program.
mod command;
// The list and the closure.
mod scripted;
// Conversation types and their JSON form.
mod message;
// Answers of a shape.
mod answer;
mod schema;
// What things take up.
mod tokens;
// Who may receive text.
mod provider;
// Budgets across calls, tasks and processes.
mod ledger;
// Seeds and found inputs of the fuzz targets.
mod fuzz;

mod support;
