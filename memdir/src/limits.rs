//! Every bound of this crate under one name. A result that was cut by one of them says so.

/// Largest memory file that is read or written, in bytes.
///
/// Four times what the team protocol takes for one entry (256,000 bytes). A larger file is listed
/// by its first [`HEADER_MAX_BYTES`] and reported by `check`.
pub const MEMORY_MAX_BYTES: u64 = 1_000_000;

/// Largest file that may be written to the team folder, in bytes: what the team protocol takes.
pub const TEAM_MEMORY_MAX_BYTES: u64 = 256_000;

/// Bytes of a file that are read to find its front matter.
pub const HEADER_MAX_BYTES: u64 = 8_192;

/// Lines of a file that are searched for its header, the opening fence included.
pub const HEADER_MAX_LINES: usize = 30;

/// Longest front matter that is read at all, in bytes. What lies beyond counts as body.
pub const FRONT_MATTER_MAX_BYTES: usize = 64 << 10;

/// Longest slug in the file name of a new memory, in bytes.
pub const SLUG_MAX_BYTES: usize = 64;

/// Lines of an index that are loaded into a prompt, as Claude Code documents for its auto memory.
pub const INDEX_LOADED_MAX_LINES: usize = 200;

/// Bytes of an index that are loaded into a prompt, as Claude Code documents for its auto memory.
pub const INDEX_LOADED_MAX_BYTES: usize = 25_000;

/// Share of either limit, in per cent, from which on whoever saves is warned.
pub const INDEX_NEAR_PERCENT: usize = 75;

/// Longest line that is written into an index, in characters.
pub const INDEX_ENTRY_MAX_CHARACTERS: usize = 150;

/// Most findings that one report holds.
pub const FINDINGS_MAX: usize = 5_000;

/// Largest index file that is read, in bytes: forty times what is ever loaded into a prompt.
pub const INDEX_MAX_BYTES: u64 = 1_000_000;

/// Most memories that one listing looks at.
pub const LIST_MAX_ENTRIES: usize = 100_000;

/// Deepest folder below the memory folder in which memories are looked for.
pub const LIST_MAX_DEPTH: usize = 16;

/// Longest title of a memory, in bytes.
pub const NAME_MAX_BYTES: usize = 400;

/// Longest description of a memory that a save accepts, in bytes.
pub const DESCRIPTION_MAX_BYTES: usize = 2_000;

/// Most files that one operation may change.
pub const OPERATION_MAX_CHANGES: usize = 20_000;

/// Most bytes of content, before and after together, that one operation may carry.
pub const OPERATION_MAX_BYTES: u64 = 64 << 20;

/// A journal segment is closed when it has reached this many bytes.
pub const SEGMENT_MAX_BYTES: u64 = 1 << 20;

/// A journal segment is closed when it is this many days old, so that old history can expire.
pub const SEGMENT_MAX_AGE_DAYS: i64 = 30;

/// Bytes that all journal segments together may take. The oldest go first; the newest stays.
pub const JOURNAL_MAX_BYTES: u64 = 64 << 20;

/// Days after which history may be dropped.
pub const JOURNAL_MAX_AGE_DAYS: i64 = 365;

/// Bytes at the end of the journal that are read when a store is opened.
pub const JOURNAL_TAIL_BYTES: u64 = 32 << 10;

/// Longest chain of differences that leads to one content in the journal.
pub const SPLICE_MAX_DEPTH: u32 = 32;

/// Most revisions that one `history` call returns.
pub const HISTORY_MAX_REVISIONS: usize = 1_000;

/// Most snapshots that are kept; making one more drops the oldest.
pub const SNAPSHOTS_MAX: usize = 8;

/// Most pre-images of host edits that wait for their reconcile; one more drops the oldest.
pub const PRE_IMAGES_MAX: usize = 64;

/// Most candidates that wait in the inbox.
pub const INBOX_MAX_ITEMS: usize = 200;

/// Longest text of one daily-log entry, in bytes.
pub const LOG_ENTRY_MAX_BYTES: usize = 16_384;

/// Longest actor, session id or note that an operation records, in bytes. Longer ones are cut.
pub const ORIGIN_MAX_BYTES: usize = 200;

/// Largest settings or configuration file that is read, in bytes.
pub const SETTINGS_MAX_BYTES: u64 = 1 << 20;

/// Largest git configuration file that is read, in bytes.
pub const GIT_CONFIG_MAX_BYTES: u64 = 1 << 20;

/// Largest identity record that is read, in bytes.
pub const IDENTITY_MAX_BYTES: u64 = 64 << 10;

/// Most paths that an identity record remembers for one project; the oldest are dropped.
pub const IDENTITY_MAX_PATHS: usize = 32;

/// Most project folders that are looked at in search of an orphaned or long-named store.
pub const PROJECTS_MAX: usize = 10_000;

/// Most transcripts of one project folder that are opened to learn where the project lives.
pub const TRANSCRIPTS_MAX: usize = 8;

/// Bytes at the start of a session file that are searched for its working directory.
pub const TRANSCRIPT_MAX_BYTES: u64 = 64 << 10;

/// Longest project key that stands for itself; longer ones are cut and get a hash.
pub const KEY_MAX_CHARACTERS: usize = 200;

/// Most sessions that have a file in one folder of the state folder; those longest unchanged go first.
pub const SESSION_FILES_MAX: usize = 200;

/// Largest file of a session in the state folder that is read, in bytes.
pub const SESSION_FILE_MAX_BYTES: u64 = 1 << 20;

/// Most records of one session in a log; the oldest go first.
pub const SESSION_LOG_MAX_RECORDS: usize = 400;

/// Largest log of one session, in bytes; the oldest records go first.
pub const SESSION_LOG_MAX_BYTES: u64 = 4 << 20;
