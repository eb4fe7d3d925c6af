//! The folders a side agent may touch, each held by a handle.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pathguard::{MemoryRoot, PathKey, PathKeyRef};

use crate::shell::Scope;
use crate::text::shown;

/// The folders a side agent may touch, and the one that relative paths begin in.
///
/// Paths that a model writes are turned into a held folder and a checked key
/// ([`Workspace::resolve`]); after that no path is used any more, so what is swapped for a link in
/// between leads nowhere. Reading outside the folders needs a folder that is opened for it; the root
/// of the file system is one like any other.
#[derive(Clone, Debug)]
pub struct Workspace {
    directory: PathBuf,
    folders: Vec<Folder>,
}

#[derive(Clone)]
struct Folder {
    path: PathBuf,
    root: Arc<MemoryRoot>,
    writable: bool,
}

impl fmt::Debug for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Folder")
            .field("path", &self.path)
            .field("writable", &self.writable)
            .finish_non_exhaustive()
    }
}

impl Workspace {
    /// Makes a workspace whose relative paths begin in a folder, which may be read.
    pub fn new(directory: MemoryRoot) -> Self {
        let path = directory.path().to_owned();
        Self {
            directory: path.clone(),
            folders: vec![Folder {
                path,
                root: Arc::new(directory),
                writable: false,
            }],
        }
    }

    /// Adds a folder that may be read.
    #[must_use]
    pub fn with_readable(self, root: MemoryRoot) -> Self {
        self.with(root, false)
    }

    /// Adds a folder that may be read and, as far as the gate allows, written.
    ///
    /// It wins over a folder above it that may only be read.
    #[must_use]
    pub fn with_writable(self, root: MemoryRoot) -> Self {
        self.with(root, true)
    }

    fn with(mut self, root: MemoryRoot, writable: bool) -> Self {
        let folder = Folder {
            path: root.path().to_owned(),
            root: Arc::new(root),
            writable,
        };
        // The same folder twice: the wider right counts, and there is one handle.
        match self
            .folders
            .iter_mut()
            .find(|known| known.path == folder.path)
        {
            Some(known) => known.writable |= writable,
            None => self.folders.push(folder),
        }
        // The longest path first, so that the first match is the closest folder.
        self.folders
            .sort_by_key(|folder| std::cmp::Reverse(folder.path.components().count()));
        self
    }

    /// Returns the folder that relative paths begin in.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the paths of the folders that may be written.
    pub fn writable(&self) -> impl Iterator<Item = &Path> {
        self.folders
            .iter()
            .filter(|folder| folder.writable)
            .map(|folder| folder.path.as_path())
    }

    /// Returns the scope that read-only shell commands run in.
    pub fn scope(&self) -> Scope {
        self.folders
            .iter()
            .fold(Scope::new(&self.directory), |scope, folder| {
                scope.with_root(&folder.path)
            })
    }

    /// Turns a path that a model wrote into a folder and a key.
    ///
    /// # Errors
    ///
    /// The reason, for the model: the path is outside every folder, or what is left of it is no key
    /// (`..`, a doubled slash, a control character, …).
    pub fn resolve(&self, raw: &str) -> Result<Place, String> {
        let slashed = with_slashes(raw);
        let relative = slashed.strip_prefix("./").unwrap_or(&slashed);
        let full = if Path::new(&slashed).has_root() || Path::new(&slashed).is_absolute() {
            slashed.clone()
        } else if matches!(relative, "" | ".") {
            path_text(&self.directory)
        } else {
            format!(
                "{}/{relative}",
                path_text(&self.directory).trim_end_matches('/')
            )
        };
        for folder in &self.folders {
            let Some(rest) = below(&full, &path_text(&folder.path)) else {
                continue;
            };
            let key = match rest {
                "" => None,
                rest => Some(PathKey::parse(rest).map_err(|error| error.to_string())?),
            };
            return Ok(Place {
                folder: folder.clone(),
                key,
            });
        }
        Err(format!(
            "{} is outside the folders this agent may touch",
            shown(raw)
        ))
    }
}

/// A file or folder in a [`Workspace`]: the held folder above it and the checked way down.
#[derive(Clone, Debug)]
pub struct Place {
    folder: Folder,
    key: Option<PathKey>,
}

impl Place {
    /// Returns the held folder.
    pub fn root(&self) -> &MemoryRoot {
        &self.folder.root
    }

    /// Returns the way down from the held folder; `None` is the folder itself.
    pub fn key(&self) -> Option<PathKeyRef<'_>> {
        self.key.as_ref().map(PathKey::as_ref)
    }

    /// Returns whether the folder may be written.
    pub fn is_writable(&self) -> bool {
        self.folder.writable
    }

    /// Returns the absolute path, for messages.
    pub fn path(&self) -> PathBuf {
        match &self.key {
            None => self.folder.path.clone(),
            Some(key) => self.folder.path.join(key.as_str()),
        }
    }

    /// Returns the place of a file below the same held folder.
    pub(crate) fn sibling(&self, key: PathKey) -> Self {
        Self {
            folder: self.folder.clone(),
            key: Some(key),
        }
    }

    /// Reports whether two places are the same file of the same held folder.
    pub fn is_same(&self, other: &Place) -> bool {
        Arc::ptr_eq(&self.folder.root, &other.folder.root) && self.key == other.key
    }
}

/// Returns what is left of a path below a folder, without the slash between them.
fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(folder.trim_end_matches('/'))?;
    match rest.strip_prefix('/') {
        Some(rest) => Some(rest.strip_suffix('/').unwrap_or(rest)),
        None => rest.is_empty().then_some(""),
    }
}

fn path_text(path: &Path) -> String {
    with_slashes(&path.to_string_lossy())
}

/// Agents on Windows write backslashes; keys know slashes only.
fn with_slashes(text: &str) -> String {
    if cfg!(windows) {
        text.replace('\\', "/")
    } else {
        text.to_owned()
    }
}
