//! Walks the files below a place, through the held folder, leaving out what git leaves out.

use std::collections::VecDeque;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use pathguard::{EntryKind, ListLimits, ListProblemKind, MemoryRoot, PathKey, PathKeyRef};

use super::run::RunState;
use crate::workspace::Place;

/// The most bytes of an ignore file that are read.
const MAX_IGNORE_BYTES: u64 = 256 * 1_024;

/// A file that was met.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) key: PathKey,
    /// Time of the last change, in nanoseconds since the Unix epoch.
    pub(super) modified_ns: i128,
}

/// What a walk met.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// Files in the order of their keys, folder by folder.
    pub(super) files: Vec<Found>,
    /// Whether files are missing because there are too many, or because the run was stopped.
    pub(super) cut: bool,
}

/// The ignore rules of one folder.
struct Rules {
    /// The folder's key and a slash; empty for the root.
    folder: String,
    rules: Gitignore,
}

/// Lists the files below a place, or the file itself.
pub(super) fn walk(place: &Place, max_files: usize, run: &RunState) -> Result<Walked, String> {
    let root = place.root();
    let begin = place.key().map(PathKeyRef::to_owned);
    let mut walk = Walk {
        root,
        max_files,
        rules: Vec::new(),
        folders: VecDeque::new(),
        walked: Walked::default(),
    };
    if let Some(key) = &begin {
        let metadata = root
            .metadata(key.as_ref())
            .map_err(|error| error.to_string())?;
        if metadata.is_file() {
            walk.walked.files.push(Found {
                key: key.clone(),
                modified_ns: metadata.modified_ns,
            });
            return Ok(walk.walked);
        }
    }
    // Rules above the place hold below it too.
    let mut above = begin.as_ref().and_then(PathKey::parent);
    let mut ancestors = vec![above.clone()];
    while let Some(key) = above {
        above = key.parent();
        ancestors.push(above.clone());
    }
    if begin.is_some() {
        walk.rules.extend(
            ancestors
                .iter()
                .rev()
                .filter_map(|key| read_rules(root, key.as_ref())),
        );
    }
    // The place itself must be readable; a folder below it that is not is left out.
    walk.enter(begin.as_ref())
        .map_err(|error| error.to_string())?;
    while let Some(folder) = walk.folders.pop_front() {
        if run.is_stopped() || walk.is_full() {
            walk.walked.cut = true;
            break;
        }
        if walk.enter(Some(&folder)).is_err() {
            walk.walked.cut = true;
        }
    }
    Ok(walk.walked)
}

struct Walk<'a> {
    root: &'a MemoryRoot,
    max_files: usize,
    /// From the root downwards, in the order in which folders were entered.
    rules: Vec<Rules>,
    /// Folders still to be entered.
    folders: VecDeque<PathKey>,
    walked: Walked,
}

impl Walk<'_> {
    fn is_full(&self) -> bool {
        self.walked.files.len() >= self.max_files
    }

    fn enter(&mut self, folder: Option<&PathKey>) -> Result<(), pathguard::Error> {
        let listing = list(self.root, folder, self.max_files)?;
        self.rules.extend(read_rules(self.root, folder));
        self.walked.cut |= is_cut(&listing, self.max_files);
        for entry in listing.entries {
            let Some(key) = join(folder, entry.key.as_str()) else {
                continue;
            };
            let is_folder = entry.kind == EntryKind::Directory;
            if is_ignored(&self.rules, key.as_str(), is_folder) {
                continue;
            }
            if is_folder {
                self.folders.push_back(key);
            } else if self.is_full() {
                self.walked.cut = true;
            } else {
                let modified_ns = entry.metadata.map_or(0, |metadata| metadata.modified_ns);
                self.walked.files.push(Found { key, modified_ns });
            }
        }
        Ok(())
    }
}

fn list(
    root: &MemoryRoot,
    folder: Option<&PathKey>,
    max_files: usize,
) -> Result<pathguard::Listing, pathguard::Error> {
    let limits = ListLimits::new()
        .with_max_depth(1)
        .with_max_entries(max_files);
    match folder {
        None => root.list(&limits),
        Some(folder) => root.open_sub(folder.as_ref())?.list(&limits),
    }
}

/// A listing of one level calls itself cut when there is a folder below; what counts here is whether
/// names of that level are missing.
fn is_cut(listing: &pathguard::Listing, max_files: usize) -> bool {
    let below = |problem: &pathguard::ListProblem| problem.kind == ListProblemKind::TooDeep;
    listing.cut && (listing.entries.len() >= max_files || !listing.problems.iter().any(below))
}

fn read_rules(root: &MemoryRoot, folder: Option<&PathKey>) -> Option<Rules> {
    let key = join(folder, ".gitignore")?;
    // No ignore file, or one that cannot be read: nothing is ignored.
    let read = root.read_prefix(key.as_ref(), MAX_IGNORE_BYTES).ok()?;
    let mut builder = GitignoreBuilder::new("");
    for line in String::from_utf8_lossy(&read.bytes).lines() {
        // git skips a line that makes no sense, and so does this.
        let _ = builder.add_line(None, line);
    }
    Some(Rules {
        folder: folder.map_or_else(String::new, |folder| format!("{}/", folder.as_str())),
        rules: builder.build().ok()?,
    })
}

/// The rules closest to a name decide, as they do for git.
fn is_ignored(rules: &[Rules], key: &str, is_folder: bool) -> bool {
    for rules in rules.iter().rev() {
        let Some(below) = key.strip_prefix(rules.folder.as_str()) else {
            continue;
        };
        let decision = rules.rules.matched(below, is_folder);
        if !decision.is_none() {
            return decision.is_ignore();
        }
    }
    false
}

fn join(folder: Option<&PathKey>, name: &str) -> Option<PathKey> {
    match folder {
        None => PathKey::parse(name).ok(),
        Some(folder) => folder.child(name).ok(),
    }
}
