//! Every bound of the protocol, in one place. Sizes are bytes.

/// The largest entry either side takes: 250 KB, read as 256,000 bytes in both directions.
pub const MAX_ENTRY_BYTES: usize = 256_000;

/// What a body with several entries is filled up to, as serialised JSON.
pub const TARGET_BODY_BYTES: usize = 200_000;

/// The largest body with several entries that a server has to take.
pub const MAX_BODY_BYTES: usize = 204_800;

/// The largest body with one entry that a server has to take.
pub const MAX_LONE_BODY_BYTES: usize = 2 * 1024 * 1024;

/// The largest answer that is read.
pub const MAX_ANSWER_BYTES: usize = 32 * 1024 * 1024;

/// The most keys that are read from one body.
pub const MAX_ANSWER_KEYS: usize = 10_000;

/// The deepest nesting that is read.
pub const MAX_ANSWER_DEPTH: usize = 32;

/// The longest key, in bytes of UTF-8.
pub const MAX_KEY_BYTES: usize = 512;

/// The most entries of one repository, unless the server says otherwise.
pub const MAX_ENTRIES: usize = 500;

/// At least this many files must be missing before their share decides whether a delete is believed.
pub const FEW_DELETES: usize = 3;

/// More deletes than this in one round are asked about, however large the folder is.
pub const MAX_DELETES: usize = 25;
