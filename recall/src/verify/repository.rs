//! A working tree and what git knows of it.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pathguard::{
    EntryKind, ErrorKind, ListLimits, MemoryRoot, PathKey, PathKeyRef, RootCheck, RootOptions,
};

use super::git::{Git, Tracked};
use crate::text::term::Term;

/// Files listed where there is no git.
const MAX_LISTED: usize = 50_000;

/// A repository that claims can be checked against.
///
/// Opened once and used for many memories. The list of tracked files is read when the first claim
/// needs it and kept, so a repository that changes meanwhile should be opened anew.
#[derive(Debug)]
pub struct Repository {
    tree: MemoryRoot,
    top: PathBuf,
    git: Option<Git>,
    files: OnceCell<Files>,
}

/// The files of a repository.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// Sorted.
    pub(super) paths: Vec<Tracked>,
    /// Whether these are all.
    pub(super) complete: bool,
    by_name: OnceCell<Vec<(Term, u32)>>,
    folders: OnceCell<BTreeSet<String>>,
}

/// What stands at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum There {
    File,
    Folder,
    Nothing,
    /// A link is on the way, access is denied, or the path is not one that can be looked at.
    Unknown,
}

impl Repository {
    /// Opens the working tree that a folder belongs to, or the folder itself when there is no git.
    ///
    /// A `.git` that points elsewhere is believed only when it is confirmed from there (see
    /// [`pathguard::canonical_root`]); otherwise files are checked and git is left out.
    ///
    /// # Errors
    ///
    /// When the folder cannot be opened.
    pub fn open(folder: &Path) -> Result<Self, pathguard::Error> {
        let found = pathguard::canonical_root(folder)?;
        let git = match (&found.git_dir, &found.common_dir) {
            (Some(own), Some(common)) => Git::open(own, common),
            _ => None,
        };
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        // A worktree has the main repository's root; its files are checked where they are.
        let has_git = |path: &&Path| path.join(".git").symlink_metadata().is_ok();
        let top = real
            .ancestors()
            .find(has_git)
            .map_or_else(|| found.root.clone(), Path::to_owned);
        let options = RootOptions::new()
            .with_hard_links(true)
            .with_check_root(RootCheck::OnRequest);
        Ok(Self {
            tree: MemoryRoot::open(&top, &options)?,
            top,
            git,
            files: OnceCell::new(),
        })
    }

    /// Returns the folder that paths are taken from.
    pub fn top(&self) -> &Path {
        &self.top
    }

    pub(super) fn tree(&self) -> &MemoryRoot {
        &self.tree
    }

    pub(super) fn git(&self) -> Option<&Git> {
        self.git.as_ref()
    }

    /// Returns what stands at a path below the top.
    pub(super) fn look(&self, path: &str) -> There {
        let Ok(key) = PathKeyRef::parse(path) else {
            return There::Unknown;
        };
        match self.tree.metadata(key) {
            Ok(metadata) if metadata.kind == EntryKind::Directory => There::Folder,
            Ok(_) => There::File,
            Err(error) => match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotDirectory => self.look_in_index(path),
                // A tracked link is a file of the repository, wherever it leads.
                _ if self.files().tracks(path) => There::File,
                _ => There::Unknown,
            },
        }
    }

    /// Files that a sparse checkout leaves out are there all the same, and of a submodule that was not
    /// fetched nothing is known.
    fn look_in_index(&self, path: &str) -> There {
        let files = self.files();
        if files.is_in_submodule(path) {
            return There::Unknown;
        }
        let begin = files
            .paths
            .partition_point(|file| file.path.as_str() < path);
        match files.paths.get(begin) {
            Some(file) if file.skipped && file.path == path => There::File,
            Some(file)
                if file.skipped
                    && file
                        .path
                        .strip_prefix(path)
                        .is_some_and(|r| r.starts_with('/')) =>
            {
                There::Folder
            }
            _ => There::Nothing,
        }
    }

    pub(super) fn files(&self) -> &Files {
        self.files.get_or_init(|| match &self.git {
            Some(git) => git
                .tracked()
                .map(|(files, complete)| Files::new(files, complete))
                .unwrap_or_default(),
            None => self.listed(),
        })
    }

    fn listed(&self) -> Files {
        let limits = ListLimits::new()
            .with_metadata(false)
            .with_hidden(true)
            .with_max_entries(MAX_LISTED);
        let Ok(listing) = self.tree.list(&limits) else {
            return Files::default();
        };
        let files = listing
            .entries
            .into_iter()
            .filter(|entry| entry.kind == EntryKind::File);
        let files = files.map(|entry| Tracked {
            path: entry.key.to_string(),
            skipped: false,
            is_submodule: false,
        });
        Files::new(files.collect(), !listing.cut)
    }

    /// Reads a text file, or nothing when it is missing, too large or not readable.
    pub(super) fn text(&self, path: &str, max_bytes: u64) -> Option<String> {
        let key = PathKey::parse(path).ok()?;
        let read = self.tree.read(key.as_ref(), max_bytes).ok()?;
        Some(String::from_utf8_lossy(&read.bytes).into_owned())
    }
}

impl Files {
    fn new(mut paths: Vec<Tracked>, complete: bool) -> Self {
        if !paths.is_sorted_by(|a, b| a.path <= b.path) {
            paths.sort_by(|a, b| a.path.cmp(&b.path));
        }
        Self {
            paths,
            complete,
            ..Self::default()
        }
    }

    /// Files by the hash of their name; made when the first name is looked up.
    fn by_name(&self) -> &[(Term, u32)] {
        self.by_name.get_or_init(|| {
            let names = self.paths.iter().enumerate();
            let mut names: Vec<(Term, u32)> = names
                .map(|(number, file)| (Term::exact(file_name(&file.path)), number as u32))
                .collect();
            names.sort_unstable();
            names
        })
    }

    fn folders(&self) -> &BTreeSet<String> {
        self.folders.get_or_init(|| {
            let mut folders = BTreeSet::new();
            let mut last = "";
            for file in &self.paths {
                let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
                if folder == last {
                    continue;
                }
                last = folder;
                let mut above = Some(folder);
                while let Some(path) = above.filter(|path| !path.is_empty()) {
                    if !folders.insert(path.to_owned()) {
                        break;
                    }
                    above = path.rsplit_once('/').map(|(parent, _)| parent);
                }
            }
            folders
        })
    }

    pub(super) fn tracks(&self, path: &str) -> bool {
        self.paths
            .binary_search_by(|file| file.path.as_str().cmp(path))
            .is_ok()
    }

    fn is_in_submodule(&self, path: &str) -> bool {
        let is_submodule = |above: &str| {
            let found = self
                .paths
                .binary_search_by(|file| file.path.as_str().cmp(above));
            found.is_ok_and(|at| self.paths[at].is_submodule)
        };
        path.match_indices('/')
            .any(|(at, _)| is_submodule(&path[..at]))
    }

    /// Returns the files with this name.
    pub(super) fn named(&self, name: &str) -> Vec<&str> {
        let term = Term::exact(name);
        let names = self.by_name();
        let begin = names.partition_point(|(other, _)| *other < term);
        let same = names[begin..]
            .iter()
            .take_while(|(other, _)| *other == term);
        let paths = same.map(|(_, number)| self.paths[*number as usize].path.as_str());
        paths.filter(|path| file_name(path) == name).collect()
    }

    /// Returns the folders with this name.
    pub(super) fn folders_named(&self, name: &str) -> Vec<&str> {
        let folders = self.folders().iter().map(String::as_str);
        folders.filter(|folder| file_name(folder) == name).collect()
    }

    pub(super) fn has_folder(&self, path: &str) -> bool {
        self.folders().contains(path)
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
