//! Distillation: the plan, what is refused, what is applied and taken back, and kills in the middle.

#![expect(clippy::unwrap_used, reason = "a test stops where it is wrong")]

mod apply;
mod crash;
mod fixture;
mod model;
mod offline;
mod review;
