//! What one repository and one token may use.

use std::time::Duration;

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
    /// Connections at a time; more wait to be taken.
    pub connections: usize,
    /// How long the head of a request may take to arrive, and a connection may be idle.
    pub head: Duration,
    /// How long a request may take, its body included; a long poll has its wait on top.
    pub request: Duration,
    /// How long a server that stops waits for what has begun.
    pub drain: Duration,
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
            connections: 10_000,
            // Clients keep an idle connection for 20 s.
            head: Duration::from_secs(30),
            request: Duration::from_secs(30),
            drain: Duration::from_secs(20),
        }
    }
}
