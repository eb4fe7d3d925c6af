//! Where a command runs and which paths it may name.

use std::path::{Component, Path, PathBuf};

use pathguard::lexically_normal;

use super::refusal::{Refusal, RefusalKind};
use crate::text::shown;

/// Trees whose files act when they are read, or tell about processes: never an operand.
const SPECIAL_TREES: &[&str] = &["dev", "proc", "sys"];

/// The folder a command runs in and the folders whose contents it may read.
///
/// A scope is made of paths, not of handles, because the programs open the paths themselves. So a
/// process that swaps a folder for a link between the check and the run can lead a command elsewhere;
/// the file tools of this crate do not have that gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    directory: PathBuf,
    /// `None`: everywhere.
    roots: Option<Vec<PathBuf>>,
    /// The folder itself may be read and walked, by its text.
    is_plain: bool,
}

impl Scope {
    /// Makes a scope that runs commands in a folder and lets them read below it only.
    ///
    /// The folder must be absolute and without `..`; a scope of any other path refuses every operand.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        let directory = directory.into();
        let mut scope = Self {
            roots: Some(vec![directory.clone()]),
            directory,
            is_plain: false,
        };
        let at = At {
            position: 0,
            walks: true,
        };
        let up = |component| component == Component::ParentDir;
        // The folder stays a root whatever is added, so this needs to be asked only once.
        scope.is_plain =
            !scope.directory.components().any(up) && scope.check_text(Path::new("."), at).is_ok();
        scope
    }

    /// Adds a folder that may be read as well, absolute and without `..`.
    #[must_use]
    pub fn with_root(mut self, root: impl Into<PathBuf>) -> Self {
        if let Some(roots) = &mut self.roots {
            roots.push(root.into());
        }
        self
    }

    /// Lets commands read wherever the user may, except below `/dev`, `/proc` and `/sys`.
    #[must_use]
    pub fn everywhere(mut self) -> Self {
        self.roots = None;
        self
    }

    /// Returns the folder that commands run in.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the folders that may be read, or `None` for everywhere.
    pub fn roots(&self) -> Option<&[PathBuf]> {
        self.roots.as_deref()
    }

    /// Decides by the text of a path alone; links are looked at by [`Scope::check_real`].
    pub(super) fn check_text(&self, path: &Path, at: At) -> Result<(), Refusal> {
        if self.is_plainly_inside(path) {
            return Ok(());
        }
        let full = join(&self.directory, path);
        check_special(&full, path, at)?;
        let inside = match &self.roots {
            None => full.has_root(),
            Some(roots) => roots
                .iter()
                .any(|root| root.is_absolute() && full.starts_with(root)),
        };
        inside.then_some(()).ok_or_else(|| outside(path, at))
    }

    /// Accepts the common case without building a path: a relative one that never goes up, from a folder
    /// that is one of the roots and neither the root of the file system nor a special tree.
    fn is_plainly_inside(&self, path: &Path) -> bool {
        let down = |component| matches!(component, Component::Normal(_) | Component::CurDir);
        self.is_plain && path.components().all(down)
    }

    /// Decides by where a path really leads, with every link followed.
    ///
    /// A path that does not exist is judged by the folder that does: the program will say that it is
    /// missing, and by then nothing outside was named.
    pub(super) fn check_real(
        &self,
        real_roots: Option<&[PathBuf]>,
        path: &Path,
        at: At,
    ) -> Result<(), Refusal> {
        let named = self.directory.join(path);
        let mut begin = named.as_path();
        let real = loop {
            match std::fs::canonicalize(begin) {
                Ok(real) => break real,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    // A dangling link exists as a link: whatever it names may appear at any moment.
                    if std::fs::symlink_metadata(begin).is_ok() {
                        return Err(outside(path, at));
                    }
                    match begin.parent() {
                        Some(parent) => begin = parent,
                        None => return Err(unreadable(path, &error, at)),
                    }
                }
                Err(error) => return Err(unreadable(path, &error, at)),
            }
        };
        check_special(&real, path, at)?;
        let inside = real_roots.is_none_or(|roots| roots.iter().any(|root| real.starts_with(root)));
        if !inside {
            return Err(outside(path, at));
        }
        let kind = std::fs::symlink_metadata(&real)
            .map_err(|error| unreadable(path, &error, at))?
            .file_type();
        if kind.is_file() || kind.is_dir() {
            return Ok(());
        }
        Err(Refusal::new(
            RefusalKind::Special,
            at.position,
            format!("{} is neither a regular file nor a folder", show(path)),
        ))
    }

    /// Returns the roots with every link followed; a root that is missing gives no right.
    pub(super) fn real_roots(&self) -> Option<Vec<PathBuf>> {
        let roots = self.roots.as_ref()?;
        let real = roots.iter().filter(|root| root.is_absolute());
        Some(
            real.filter_map(|root| std::fs::canonicalize(root).ok())
                .collect(),
        )
    }
}

/// Where in a command a path stands, and whether the program walks down from it.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub(super) position: usize,
    pub(super) walks: bool,
}

fn check_special(full: &Path, path: &Path, at: At) -> Result<(), Refusal> {
    let mut names = full.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name),
        _ => None,
    });
    let special = match names.next() {
        // A walk from the root would reach the special trees.
        None => at.walks && full.has_root(),
        // Some file systems know no case.
        Some(first) => SPECIAL_TREES
            .iter()
            .any(|tree| first.eq_ignore_ascii_case(tree)),
    };
    if !special {
        return Ok(());
    }
    Err(Refusal::new(
        RefusalKind::Special,
        at.position,
        format!("{} leads to /dev, /proc or /sys", show(path)),
    ))
}

/// Joins two paths and takes `.` and `..` out of the result without looking at the file system.
fn join(directory: &Path, path: &Path) -> PathBuf {
    if path.has_root() {
        return lexically_normal(path);
    }
    lexically_normal(&directory.join(path))
}

fn show(path: &Path) -> String {
    shown(&path.to_string_lossy())
}

fn outside(path: &Path, at: At) -> Refusal {
    let path = show(path);
    Refusal::new(
        RefusalKind::Outside,
        at.position,
        format!("{path} leads outside the folders that may be read"),
    )
}

fn unreadable(path: &Path, error: &std::io::Error, at: At) -> Refusal {
    Refusal::new(
        RefusalKind::Unreadable,
        at.position,
        format!("{} cannot be checked: {}", show(path), error.kind()),
    )
}
