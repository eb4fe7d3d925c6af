//! The facade as a host uses it.

mod examples;
#[cfg(feature = "memory-tool")]
mod memory_tool;
#[cfg(feature = "model-settings")]
mod models;
#[cfg(feature = "session")]
mod session;
#[cfg(feature = "session")]
mod support;
