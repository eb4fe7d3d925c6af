//! What one repository and one token may use.

use team_sync::limits::{MAX_BODY_BYTES, MAX_ENTRIES, MAX_ENTRY_BYTES, MAX_LONE_BODY_BYTES};

/// Bounds that an operator can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The most entries of a repository.
    pub entries: usize,
    /// The largest entry, in bytes.
    pub entry_bytes: usize,
    /// The most bytes of all entries of a repository together.
    pub repository_bytes: u64,
    /// The largest body with several entries, in bytes.
    pub body_bytes: usize,
    /// The largest body with one entry, in bytes.
    pub lone_body_bytes: usize,
    /// Writes of one token a minute.
    pub writes_per_minute: u32,
    /// Reads of one token a minute.
    pub reads_per_minute: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            entries: MAX_ENTRIES,
            entry_bytes: MAX_ENTRY_BYTES,
            repository_bytes: 16_000_000,
            body_bytes: MAX_BODY_BYTES,
            lone_body_bytes: MAX_LONE_BODY_BYTES,
            writes_per_minute: 60,
            reads_per_minute: 600,
        }
    }
}
