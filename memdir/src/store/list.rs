//! Lists memories by their headers.

use pathguard::{EntryKind, ListLimits, Listing, Metadata, PathKey};

use super::names::is_conflict_copy;
use super::{Scope, Store, is_memory};
use crate::error::Error;
use crate::files;
use crate::limits::{HEADER_MAX_BYTES, LIST_MAX_DEPTH, LIST_MAX_ENTRIES};
use crate::{Header, Timestamp};

/// What to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListOptions {
    /// Memories that are returned at most, the newest ones.
    pub limit: usize,
    /// One scope only.
    pub scope: Option<Scope>,
}

impl Default for ListOptions {
    /// Everything, up to [`LIST_MAX_ENTRIES`](crate::limits::LIST_MAX_ENTRIES).
    fn default() -> Self {
        Self {
            limit: LIST_MAX_ENTRIES,
            scope: None,
        }
    }
}

impl ListOptions {
    /// Returns at most `limit` memories.
    #[must_use]
    pub fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Returns memories of one scope only.
    #[must_use]
    pub fn with_scope(mut self, scope: Scope) -> Self {
        self.scope = Some(scope);
        self
    }
}

/// Memories, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryList {
    /// The memories, newest first; of equal age in the order of their paths.
    pub memories: Vec<MemorySummary>,
    /// Whether there are more than are listed here.
    pub cut: bool,
    /// Files and folders that could not be listed, with the reason.
    pub problems: Vec<String>,
}

/// A memory as far as its header tells.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemorySummary {
    /// The file, relative to the memory folder.
    pub path: PathKey,
    /// What the front matter says.
    pub header: Header,
    /// When it was last changed: as the front matter says, else as the file system does.
    pub modified: Timestamp,
    /// When the file was last written, in nanoseconds since the Unix epoch.
    pub written_ns: i128,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// Whose it is.
    pub scope: Scope,
    /// Whether it is the losing side of a team merge.
    pub is_conflict_copy: bool,
}

impl Store {
    /// Lists the memories by their headers, newest first.
    ///
    /// Reads the first [`HEADER_MAX_BYTES`](crate::limits::HEADER_MAX_BYTES) of each file and
    /// changes nothing. A file that cannot be read is named among the problems; it hides no other.
    ///
    /// # Errors
    ///
    /// Only when the memory folder itself cannot be listed.
    pub fn list(&self, options: &ListOptions) -> Result<MemoryList, Error> {
        let span = tracing::debug_span!("memdir.list", memories = tracing::field::Empty).entered();
        let listing = self.listing()?;
        let mut list = MemoryList {
            cut: listing.cut,
            problems: problems(&listing),
            ..MemoryList::default()
        };
        let mut buffer = Vec::new();
        for entry in listing.entries {
            let scope = Scope::of(entry.key.as_ref());
            let is_wanted = options.scope.is_none_or(|wanted| wanted == scope);
            if entry.kind != EntryKind::File || !is_memory(entry.key.as_ref()) || !is_wanted {
                continue;
            }
            match self
                .memory
                .read_into(entry.key.as_ref(), HEADER_MAX_BYTES, &mut buffer)
            {
                Ok(metadata) => list
                    .memories
                    .push(summary(entry.key, scope, &metadata, &buffer)),
                // Gone since it was listed.
                Err(error) if error.kind() == pathguard::ErrorKind::NotFound => {}
                Err(error) => list
                    .problems
                    .push(files::error(error, entry.key.as_str()).to_string()),
            }
        }
        list.memories
            .sort_unstable_by(|a, b| (b.modified, &a.path).cmp(&(a.modified, &b.path)));
        if list.memories.len() > options.limit {
            list.memories.truncate(options.limit);
            list.cut = true;
        }
        span.record("memories", list.memories.len());
        Ok(list)
    }

    /// The keys of all memories, sorted.
    pub(crate) fn memory_keys(&self) -> Result<Vec<PathKey>, Error> {
        Ok(self
            .listing()?
            .entries
            .into_iter()
            .filter(|entry| entry.kind == EntryKind::File && is_memory(entry.key.as_ref()))
            .map(|entry| entry.key)
            .collect())
    }

    /// The titles of these memories. Files that cannot be read have none.
    pub(crate) fn titles(&self, keys: &[PathKey]) -> Vec<(PathKey, String)> {
        let mut buffer = Vec::new();
        let mut titles = Vec::with_capacity(keys.len());
        for key in keys {
            let read = self
                .memory
                .read_into(key.as_ref(), HEADER_MAX_BYTES, &mut buffer);
            if read.is_ok() {
                titles.push((key.clone(), Header::parse(&buffer).name));
            }
        }
        titles
    }

    /// All Markdown files of the folder, without metadata.
    pub(crate) fn listing(&self) -> Result<Listing, Error> {
        let mut limits = ListLimits::default();
        limits.max_entries = LIST_MAX_ENTRIES;
        limits.max_depth = LIST_MAX_DEPTH;
        limits.metadata = false;
        limits.extension = Some("md".to_owned());
        self.memory
            .list(&limits)
            .map_err(|error| files::error(error, &self.dir().display().to_string()))
    }
}

/// What a listing had to leave out, for a person.
pub(super) fn problems(listing: &Listing) -> Vec<String> {
    let problems = listing.problems.iter();
    problems
        .map(|problem| format!("`{}`: {}", problem.shown, problem.kind))
        .collect()
}

fn summary(path: PathKey, scope: Scope, metadata: &Metadata, first_bytes: &[u8]) -> MemorySummary {
    let header = Header::parse(first_bytes);
    let modified = header
        .modified
        .unwrap_or_else(|| Timestamp::from_nanoseconds(metadata.modified_ns));
    MemorySummary {
        is_conflict_copy: is_conflict_copy(path.as_ref()),
        path,
        header,
        modified,
        written_ns: metadata.modified_ns,
        bytes: metadata.len,
        scope,
    }
}
