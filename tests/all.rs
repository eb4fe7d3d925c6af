//! The facade as a host uses it.

#[cfg(feature = "memory-tool")]
mod memory_tool;
