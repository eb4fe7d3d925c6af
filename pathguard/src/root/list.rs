//! Listing a root: bounded, following nothing, and never aborted by one bad name.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::ops::ControlFlow;

use super::MemoryRoot;
use super::sort::sort_by_key;
use crate::error::Error;
use crate::key::{PathKey, PathKeyRef};
use crate::metadata::{EntryKind, Metadata};
use crate::reason::TraversalReason;
use crate::shown::shown;
use crate::sys::{Folder, FolderOps, Purpose, RawEntry};

/// How far a listing goes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListLimits {
    /// Entries returned at most; 100,000.
    pub max_entries: usize,
    /// Levels below the root at most; 64. One lists the root folder itself.
    pub max_depth: usize,
    /// Names read at most, counting those that are left out; 1,000,000.
    pub max_names: usize,
    /// Problems returned at most; 1,000.
    pub max_problems: usize,
    /// Whether each entry carries its metadata; `true`. Without it a listing asks the operating
    /// system once per folder instead of once per name.
    pub metadata: bool,
    /// Whether names that begin with a full stop are listed; `false`.
    pub hidden: bool,
    /// The extension that files must have, without the full stop, compared without regard to ASCII
    /// case; `None` lists all. Folders are listed in any case.
    pub extension: Option<String>,
}

impl Default for ListLimits {
    fn default() -> Self {
        Self {
            max_entries: 100_000,
            max_depth: crate::key::MAX_KEY_LEVELS,
            max_names: 1_000_000,
            max_problems: 1_000,
            metadata: true,
            hidden: false,
            extension: None,
        }
    }
}

impl ListLimits {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets [`ListLimits::max_entries`].
    #[must_use]
    pub fn with_max_entries(mut self, max_entries: usize) -> Self {
        self.max_entries = max_entries;
        self
    }

    /// Sets [`ListLimits::max_depth`].
    #[must_use]
    pub fn with_max_depth(mut self, max_depth: usize) -> Self {
        self.max_depth = max_depth;
        self
    }

    /// Sets [`ListLimits::metadata`].
    #[must_use]
    pub fn with_metadata(mut self, metadata: bool) -> Self {
        self.metadata = metadata;
        self
    }

    /// Sets [`ListLimits::hidden`].
    #[must_use]
    pub fn with_hidden(mut self, hidden: bool) -> Self {
        self.hidden = hidden;
        self
    }

    /// Sets [`ListLimits::extension`].
    #[must_use]
    pub fn with_extension(mut self, extension: &str) -> Self {
        self.extension = Some(extension.to_owned());
        self
    }
}

/// What a listing found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listing {
    /// Files and folders, sorted by key.
    pub entries: Vec<Entry>,
    /// Whether a limit was reached, so that something is missing.
    pub cut: bool,
    /// Names that are there and were not listed, in the order they were met.
    pub problems: Vec<ListProblem>,
}

/// A file or a folder below the root.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// Its key, checked like any other.
    pub key: PathKey,
    /// [`EntryKind::File`] or [`EntryKind::Directory`].
    pub kind: EntryKind,
    /// Its metadata, if the limits asked for it.
    pub metadata: Option<Metadata>,
}

/// A name that was met and is not an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListProblem {
    /// The folder it lies in; `None` is the root.
    pub folder: Option<PathKey>,
    /// The name as the file system has it.
    pub name: OsString,
    /// The name for people: escaped and shortened.
    pub shown: String,
    /// What is wrong with it.
    pub kind: ListProblemKind,
}

/// What is wrong with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ListProblemKind {
    /// It is no legal key, for this reason.
    NotAKey(TraversalReason),
    /// It is a symbolic link, which is not followed.
    Link,
    /// It is a FIFO, a socket or a device.
    Special,
    /// It is a folder that lies on another device.
    OtherDevice,
    /// It is a folder that cannot be read, or a name that cannot be looked at.
    Unreadable,
    /// It is a folder below the deepest level that the limits allow; its contents are not listed.
    TooDeep,
}

impl ListProblemKind {
    /// Returns a short stable name, such as `link`, for logs and JSON. A name that is no key has
    /// that of its reason.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotAKey(reason) => reason.as_str(),
            Self::Link => "link",
            Self::Special => "special",
            Self::OtherDevice => "other-device",
            Self::Unreadable => "unreadable",
            Self::TooDeep => "too-deep",
        }
    }
}

/// Says why the name was left out, as the end of a sentence that begins with the name.
impl fmt::Display for ListProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAKey(reason) => fmt::Display::fmt(reason, f),
            Self::Link => f.write_str("it is a symbolic link, which is not followed"),
            Self::Special => f.write_str("it is a FIFO, a socket or a device"),
            Self::OtherDevice => f.write_str("it is a folder on another device"),
            Self::Unreadable => f.write_str("it cannot be read"),
            Self::TooDeep => f.write_str("its contents lie too deep to be listed"),
        }
    }
}

impl MemoryRoot {
    /// Lists the files and folders below the root, sorted by key.
    ///
    /// # Errors
    ///
    /// Only when the root folder itself cannot be read or is not there any more. Everything below
    /// that goes wrong is a [`ListProblem`] beside the entries that went right.
    ///
    /// ```
    /// use pathguard::{ListLimits, MemoryRoot, RootOptions};
    /// # let scratch = tempfile::tempdir()?;
    /// # let folder = scratch.path();
    /// std::fs::create_dir(folder.join("team"))?;
    /// std::fs::write(folder.join("team/a.md"), "a")?;
    /// std::fs::write(folder.join("b.md"), "b")?;
    ///
    /// let root = MemoryRoot::open(folder, &RootOptions::default())?;
    /// let listing = root.list(&ListLimits::default())?;
    /// let keys: Vec<&str> = listing.entries.iter().map(|entry| entry.key.as_str()).collect();
    /// assert_eq!(keys, ["b.md", "team", "team/a.md"]);
    /// assert!(!listing.cut && listing.problems.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn list(&self, limits: &ListLimits) -> Result<Listing, Error> {
        self.check_before_change()?;
        let mut walk = Walk {
            limits,
            listing: Listing::default(),
            folders: VecDeque::new(),
            names: 0,
        };
        self.folder
            .list(&mut |entry| walk.visit(None, 1, &entry))
            .map_err(|error| Error::io(error).with_path(&self.path))?;
        // One handle at a time: each folder is opened from the root when its turn comes, so that a
        // deep tree cannot exhaust the descriptors of the process.
        while let Some((folder, depth)) = walk.folders.pop_front() {
            walk.enter(&self.folder, folder.as_ref(), depth);
            if walk.listing.cut && walk.is_full() {
                break;
            }
        }
        let mut listing = walk.listing;
        sort_by_key(&mut listing.entries);
        Ok(listing)
    }
}

struct Walk<'a> {
    limits: &'a ListLimits,
    listing: Listing,
    /// Folders still to be read, with their level.
    folders: VecDeque<(PathKey, usize)>,
    names: usize,
}

impl Walk<'_> {
    fn enter(&mut self, root: &Folder, folder: PathKeyRef<'_>, depth: usize) {
        let result = root
            .open_folder(folder.as_str(), Purpose::Read)
            .and_then(|opened| opened.list(&mut |entry| self.visit(Some(folder), depth, &entry)));
        let kind = match result {
            Ok(()) => return,
            // It was removed, or exchanged for something else, since its name was read.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            Err(error) if error.kind() == std::io::ErrorKind::CrossesDevices => {
                ListProblemKind::OtherDevice
            }
            Err(_) => ListProblemKind::Unreadable,
        };
        let name = OsStr::new(folder.file_name()).to_owned();
        self.problem(folder.parent(), &name, kind);
    }

    fn is_full(&self) -> bool {
        self.listing.entries.len() >= self.limits.max_entries || self.names >= self.limits.max_names
    }

    fn visit(
        &mut self,
        folder: Option<PathKeyRef<'_>>,
        depth: usize,
        entry: &RawEntry<'_>,
    ) -> ControlFlow<()> {
        if self.is_full() {
            self.listing.cut = true;
            return ControlFlow::Break(());
        }
        self.names += 1;
        if !self.limits.hidden && entry.name.as_encoded_bytes().starts_with(b".") {
            return ControlFlow::Continue(());
        }
        match self.judge(folder, depth, entry) {
            Ok(Some(found)) => self.listing.entries.push(found),
            Ok(None) => {}
            Err(kind) => self.problem(folder, entry.name, kind),
        }
        ControlFlow::Continue(())
    }

    /// Decides what one name is. `Ok(None)`: it is left out.
    fn judge(
        &mut self,
        folder: Option<PathKeyRef<'_>>,
        depth: usize,
        entry: &RawEntry<'_>,
    ) -> Result<Option<Entry>, ListProblemKind> {
        let look = || match (entry.stat)() {
            Ok(stat) => Ok(Some(stat.metadata)),
            // Removed meanwhile.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(_) => Err(ListProblemKind::Unreadable),
        };
        let mut metadata = None;
        let kind = match entry.kind {
            Some(kind) => kind,
            None => match look()? {
                Some(found) => metadata.insert(found).kind,
                None => return Ok(None),
            },
        };
        match kind {
            EntryKind::Symlink => return Err(ListProblemKind::Link),
            EntryKind::Other => return Err(ListProblemKind::Special),
            EntryKind::File if !self.has_extension(entry.name) => return Ok(None),
            EntryKind::File | EntryKind::Directory => {}
        }
        let key = key_in(folder, entry.name).map_err(ListProblemKind::NotAKey)?;
        if self.limits.metadata && metadata.is_none() {
            match look()? {
                // Exchanged for something else between reading the name and looking at it.
                Some(found) if found.kind != kind => return Ok(None),
                Some(found) => metadata = Some(found),
                None => return Ok(None),
            }
        }
        if kind == EntryKind::Directory {
            if depth < self.limits.max_depth {
                self.folders.push_back((key.clone(), depth + 1));
            } else {
                self.listing.cut = true;
                self.problem(folder, entry.name, ListProblemKind::TooDeep);
            }
        }
        let metadata = metadata.filter(|_| self.limits.metadata);
        Ok(Some(Entry {
            key,
            kind,
            metadata,
        }))
    }

    fn has_extension(&self, name: &OsStr) -> bool {
        let Some(wanted) = self.limits.extension.as_deref() else {
            return true;
        };
        let name = name.as_encoded_bytes();
        let Some(start) = name
            .len()
            .checked_sub(wanted.len() + 1)
            .filter(|&start| start > 0)
        else {
            return false;
        };
        name[start] == b'.' && name[start + 1..].eq_ignore_ascii_case(wanted.as_bytes())
    }

    fn problem(&mut self, folder: Option<PathKeyRef<'_>>, name: &OsStr, kind: ListProblemKind) {
        if self.listing.problems.len() >= self.limits.max_problems {
            self.listing.cut = true;
            return;
        }
        self.listing.problems.push(ListProblem {
            folder: folder.map(PathKeyRef::to_owned),
            name: name.to_owned(),
            shown: shown(&name.to_string_lossy()),
            kind,
        });
    }
}

fn key_in(folder: Option<PathKeyRef<'_>>, name: &OsStr) -> Result<PathKey, TraversalReason> {
    let name = name.to_str().ok_or(TraversalReason::NotUtf8)?;
    match folder {
        None => PathKey::checked(name),
        Some(folder) => PathKey::checked([folder.as_str(), "/", name].concat()),
    }
}
