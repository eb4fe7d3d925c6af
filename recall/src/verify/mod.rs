//! Checks what a memory claims against a repository.

/// What became of the claims of one memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verification {}
