//! The facade as a host uses it.

#[cfg(feature = "memory-tool")]
mod memory_tool;
#[cfg(feature = "session")]
mod session;
#[cfg(feature = "session")]
mod support;
