//! What a distillation looks at: memories, index and daily logs as they are at one moment.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use memdir::limits::{INDEX_MAX_BYTES, LIST_MAX_DEPTH, MEMORY_MAX_BYTES};
use memdir::{
    ContentHash, Date, ErrorKind, INDEX_FILE, ListOptions, Memory, Scope, Store, Timestamp,
};
use pathguard::{EntryKind, ListLimits, PathKey, PathKeyRef};
use secret_scan::{Level, Scanner};

use super::limits::{MAX_LOGS, MAX_MEMORIES, MAX_SNAPSHOT_BYTES};

/// The folder of the daily logs.
const LOG_FOLDER: &str = "logs";

/// A memory folder at one moment: its private memories, its index, its daily logs, and what the
/// repository says against them.
///
/// Team memories are not in it: what others share is not for one person's distillation to rewrite. `Debug`
/// shows counts and no contents.
///
/// ```
/// use memdir::Timestamp;
/// use memdir_extract::dream::Snapshot;
///
/// let noon: Timestamp = "2026-03-05T12:00:00Z".parse()?;
/// let snapshot = Snapshot::new(noon.date(0))
///     .with_file("feedback_tests.md", b"---\nname: Tests\n---\n\nRun all.\n", noon)
///     .with_file("MEMORY.md", b"- [Tests](feedback_tests.md)\n", noon)
///     .with_file("logs/2026/03/2026-03-05.md", b"- 11:02 deployed\n", noon);
/// assert_eq!((snapshot.memories(), snapshot.logs()), (1, 1));
/// # Ok::<(), memdir::InvalidTime>(())
/// ```
#[derive(Clone)]
pub struct Snapshot {
    pub(super) memories: BTreeMap<PathKey, SnapshotFile>,
    pub(super) index: Option<SnapshotFile>,
    pub(super) logs: BTreeMap<PathKey, SnapshotFile>,
    pub(super) facts: Vec<Fact>,
    pub(super) today: Date,
    pub(super) offset_seconds: i32,
    /// Memories that hold a credential.
    pub(super) with_secrets: BTreeSet<PathKey>,
    left_out: Vec<String>,
}

/// One file of a [`Snapshot`].
#[derive(Clone)]
pub(super) struct SnapshotFile {
    pub(super) bytes: Vec<u8>,
    /// When it was last changed: as the front matter says, else as the file system does.
    pub(super) modified: Timestamp,
    /// Whether the bytes are all of the file.
    pub(super) is_whole: bool,
}

/// Something that the repository disproves in a memory, as whoever has looked there reports it.
///
/// ```
/// use memdir_extract::dream::Fact;
///
/// let fact = Fact::new("project_build.md", "`scripts/build.sh` builds it", "there is no such file");
/// assert_eq!(fact.path, "project_build.md");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fact {
    /// The memory that claims it.
    pub path: String,
    /// What it claims.
    pub claim: String,
    /// What is so instead.
    pub detail: String,
}

impl Fact {
    /// A claim of a memory that does not hold.
    pub fn new(
        path: impl Into<String>,
        claim: impl Into<String>,
        detail: impl Into<String>,
    ) -> Self {
        Self {
            path: path.into(),
            claim: claim.into(),
            detail: detail.into(),
        }
    }
}

impl Snapshot {
    /// An empty folder, looked at on this day.
    pub fn new(today: Date) -> Self {
        Self {
            memories: BTreeMap::new(),
            index: None,
            logs: BTreeMap::new(),
            facts: Vec::new(),
            today,
            offset_seconds: 0,
            with_secrets: BTreeSet::new(),
            left_out: Vec::new(),
        }
    }

    /// Adds a file by its path in the memory folder. What is neither a private memory nor the index nor a
    /// daily log is not looked at.
    #[must_use]
    pub fn with_file(mut self, path: &str, bytes: &[u8], modified: Timestamp) -> Self {
        let Ok(key) = PathKey::parse(path) else {
            return self;
        };
        let file = SnapshotFile {
            bytes: bytes.to_vec(),
            modified,
            is_whole: true,
        };
        if is_log(key.as_ref()) {
            self.logs.insert(key, file);
        } else if key.as_str() == INDEX_FILE {
            self.index = Some(file);
        } else if is_memory(key.as_ref()) {
            self.add_memory(key, file);
        }
        self
    }

    fn add_memory(&mut self, path: PathKey, file: SnapshotFile) {
        if holds_secret(&file.bytes) {
            self.with_secrets.insert(path.clone());
        }
        self.memories.insert(path, file);
    }

    /// Adds what the repository disproves.
    #[must_use]
    pub fn with_facts(mut self, facts: impl IntoIterator<Item = Fact>) -> Self {
        self.facts.extend(facts);
        self
    }

    /// Reads a folder. Nothing is written and no lock is taken: what changes between now and
    /// [`Approved::apply`](super::Approved::apply) makes that fail and nothing else.
    ///
    /// At most [`MAX_MEMORIES`] memories, [`MAX_LOGS`] logs (the newest) and [`MAX_SNAPSHOT_BYTES`] are
    /// read; [`Snapshot::left_out`] says what was not.
    ///
    /// # Errors
    ///
    /// When the folder cannot be listed or its index cannot be read.
    pub fn read(store: &Store) -> Result<Self, memdir::Error> {
        let _span = tracing::info_span!("dream.snapshot").entered();
        let clock = store.options().clock();
        let offset_seconds = clock.offset_seconds();
        let mut snapshot = Self::new(clock.now().date(offset_seconds));
        snapshot.offset_seconds = offset_seconds;
        let mut room = MAX_SNAPSHOT_BYTES;
        snapshot.index = read_index(store)?;
        let options = ListOptions::default()
            .with_scope(Scope::Private)
            .with_limit(MAX_MEMORIES);
        let list = store.list(&options)?;
        snapshot.left_out.extend(list.problems);
        if list.cut {
            let left = format!("memories beyond the newest {MAX_MEMORIES}");
            snapshot.left_out.push(left);
        }
        for summary in list.memories {
            let path = summary.path;
            if summary.bytes > room {
                snapshot.left_out.push(too_much(&path));
                continue;
            }
            match store.read_path(&path) {
                Ok(stored) => {
                    let file = SnapshotFile {
                        bytes: stored.memory.print(),
                        modified: stored.modified,
                        is_whole: stored.hash.is_some(),
                    };
                    room = room.saturating_sub(file.bytes.len() as u64);
                    snapshot.add_memory(path, file);
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => snapshot.left_out.push(error.to_string()),
            }
        }
        snapshot.read_logs(store, room);
        Ok(snapshot)
    }

    fn read_logs(&mut self, store: &Store, mut room: u64) {
        let key =
            PathKey::parse(LOG_FOLDER).expect("a folder's name is a key because it is letters");
        let Ok(logs) = store.root().open_sub(key.as_ref()) else {
            // No logs: the usual case.
            return;
        };
        let limits = ListLimits::new()
            .with_max_depth(LIST_MAX_DEPTH)
            .with_metadata(true)
            .with_extension("md");
        let listing = match logs.list(&limits) {
            Ok(listing) => listing,
            Err(error) => {
                self.left_out.push(format!("`{LOG_FOLDER}`: {error}"));
                return;
            }
        };
        let mut entries: Vec<_> = listing
            .entries
            .into_iter()
            .filter(|entry| entry.kind == EntryKind::File)
            .collect();
        // A log is named after its day, so the last paths are the newest days.
        entries.sort_by(|a, b| b.key.cmp(&a.key));
        for (number, entry) in entries.into_iter().enumerate() {
            let Ok(path) = PathKey::parse(&format!("{LOG_FOLDER}/{}", entry.key.as_str())) else {
                continue;
            };
            if number == MAX_LOGS {
                let left = format!("daily logs before {}", path.as_str());
                self.left_out.push(left);
                break;
            }
            match logs.read_prefix(entry.key.as_ref(), MEMORY_MAX_BYTES) {
                Ok(read) if read.bytes.len() as u64 <= room => {
                    room -= read.bytes.len() as u64;
                    let file = SnapshotFile {
                        modified: Timestamp::from_nanoseconds(read.metadata.modified_ns),
                        is_whole: !read.cut,
                        bytes: read.bytes,
                    };
                    self.logs.insert(path, file);
                }
                Ok(_) => self.left_out.push(too_much(&path)),
                Err(error) => self.left_out.push(format!("`{}`: {error}", path.as_str())),
            }
        }
    }

    /// How many memories are in it.
    pub fn memories(&self) -> usize {
        self.memories.len()
    }

    /// How many daily logs are in it.
    pub fn logs(&self) -> usize {
        self.logs.len()
    }

    /// What could not be looked at, with the reason. As long as this is not empty, no line of the index is
    /// taken for dead.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// Whether a plan may change this memory: all of it is known, it is text without credentials, nobody has
    /// protected it, and it is not the losing side of a team merge or a read-me.
    pub(super) fn is_editable(&self, path: &PathKey) -> bool {
        self.memories.get(path).is_some_and(|file| {
            file.is_whole
                && std::str::from_utf8(&file.bytes).is_ok()
                && !is_conflict_copy(path)
                && !is_read_me(path)
                && !is_protected(&file.bytes)
                && !self.with_secrets.contains(path)
        })
    }
}

impl SnapshotFile {
    pub(super) fn hash(&self) -> ContentHash {
        ContentHash::of(&self.bytes)
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("memories", &self.memories.len())
            .field("has_index", &self.index.is_some())
            .field("logs", &self.logs.len())
            .field("facts", &self.facts.len())
            .field("left_out", &self.left_out)
            .finish_non_exhaustive()
    }
}

/// Whether a person has said that a memory stays as it is: `protected: true` or `pinned: true` in its front
/// matter.
pub fn is_protected(bytes: &[u8]) -> bool {
    let memory = Memory::parse(bytes);
    ["protected", "pinned"].iter().any(|key| {
        let value = memory.value(key).unwrap_or_default();
        let value = value.trim();
        ["true", "yes", "on", "1"]
            .iter()
            .any(|word| value.eq_ignore_ascii_case(word))
    })
}

fn holds_secret(bytes: &[u8]) -> bool {
    let found = Scanner::standard().scan(bytes);
    found.iter().any(|finding| finding.level() == Level::Secret)
}

pub(super) fn is_conflict_copy(path: &PathKey) -> bool {
    path.as_ref().file_name().contains(".conflict-")
}

pub(super) fn is_read_me(path: &PathKey) -> bool {
    path.as_ref().file_name().eq_ignore_ascii_case("readme.md")
}

/// Whether a plan may write a file of this path: a private memory.
pub(super) fn is_memory(key: PathKeyRef<'_>) -> bool {
    let is_markdown = key
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
    is_markdown
        && !key.file_name().eq_ignore_ascii_case(INDEX_FILE)
        && !is_log(key)
        && Scope::of(key) == Scope::Private
        && !key.components().any(|component| component.starts_with('.'))
}

fn is_log(key: PathKeyRef<'_>) -> bool {
    let mut components = key.components();
    let first = components.next().unwrap_or_default();
    pathguard::fold_key(first) == LOG_FOLDER && components.next().is_some()
}

fn too_much(path: &PathKey) -> String {
    let most = MAX_SNAPSHOT_BYTES >> 20;
    format!(
        "`{}`: over the {most} MiB of one distillation",
        path.as_str()
    )
}

fn read_index(store: &Store) -> Result<Option<SnapshotFile>, memdir::Error> {
    let key = index_key();
    match store.root().read(key.as_ref(), INDEX_MAX_BYTES) {
        Ok(read) => Ok(Some(SnapshotFile {
            modified: Timestamp::from_nanoseconds(read.metadata.modified_ns),
            bytes: read.bytes,
            is_whole: true,
        })),
        Err(error) if error.is_not_found() => Ok(None),
        // The store says the same with its own words.
        Err(_) => store.index(Scope::Private).map(|index| {
            Some(SnapshotFile {
                bytes: index.print(),
                modified: store.options().clock().now(),
                is_whole: true,
            })
        }),
    }
}

pub(super) fn index_key() -> PathKey {
    PathKey::parse(INDEX_FILE).expect("the name of the index is a key because it is letters")
}
