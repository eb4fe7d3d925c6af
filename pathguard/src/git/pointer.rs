//! A `.git` file, and whether what it points to points back.

use std::path::{Component, Path, PathBuf};

use super::repository::{self, is_git_dir, open_dir, small_text};
use super::{GitRoot, GitRootKind};
use crate::sys::Folder;

/// A `.git` file that was read.
pub(super) struct Pointer {
    /// The folder it lies in, with links resolved.
    folder: PathBuf,
    /// The folder it names, absolute and without dots, not yet verified.
    target: PathBuf,
}

impl Pointer {
    /// Reads `folder/.git`, through `held`. `None` when it is not a small regular file with one
    /// link, or not a pointer.
    pub(super) fn read(held: &Folder, folder: &Path) -> Option<Self> {
        let text = small_text(held, ".git")?;
        let target = resolve(folder, one_line(text.strip_prefix("gitdir:")?)?)?;
        Some(Self {
            folder: folder.to_owned(),
            target,
        })
    }

    /// Verifies the pointer from the other side.
    pub(super) fn verify(&self) -> Option<GitRoot> {
        self.as_worktree().or_else(|| self.as_submodule())
    }

    fn as_worktree(&self) -> Option<GitRoot> {
        let record_path = &self.target;
        let worktrees = record_path
            .parent()
            .filter(|parent| parent.ends_with("worktrees"))?;
        let common = worktrees.parent()?;
        let record = open_without_links(record_path)?;
        // The record says where the common folder is; it must be the one the record lies in. Else
        // anybody could write a record of their own that names somebody else's repository.
        let named = small_text(&record, "commondir")?;
        if resolve(record_path, one_line(&named)?)? != common {
            return None;
        }
        // The common folder's owner made the record for one working tree: it must be this one.
        let back = small_text(&record, "gitdir")?;
        if resolve(record_path, one_line(&back)?)? != self.folder.join(".git") {
            return None;
        }
        if !is_git_dir(common) {
            return None;
        }
        let (root, how) = main_folder(common)?;
        Some(GitRoot {
            root,
            how,
            git_dir: Some(record_path.clone()),
            common_dir: Some(common.to_owned()),
        })
    }

    /// A submodule keeps its repository in `modules/` of the one around it, and its configuration
    /// names the working tree.
    fn as_submodule(&self) -> Option<GitRoot> {
        let is_in_modules = self
            .target
            .components()
            .any(|part| part.as_os_str() == "modules");
        open_without_links(&self.target)?;
        let work_tree = repository::settings(&self.target).work_tree?;
        let names_this = resolve(&self.target, &work_tree)? == self.folder;
        (is_in_modules && names_this && is_git_dir(&self.target)).then(|| GitRoot {
            root: self.folder.clone(),
            how: GitRootKind::Submodule,
            git_dir: Some(self.target.clone()),
            common_dir: Some(self.target.clone()),
        })
    }
}

/// Returns the folder that stands for all worktrees of the repository at `common`.
fn main_folder(common: &Path) -> Option<(PathBuf, GitRootKind)> {
    let settings = repository::settings(common);
    if settings.bare {
        return Some((common.to_owned(), GitRootKind::BareWorktree));
    }
    if common.ends_with(".git") {
        return Some((common.parent()?.to_owned(), GitRootKind::Worktree));
    }
    // A submodule's repository: its main working tree is elsewhere, and has to point back.
    let work_tree = resolve(common, &settings.work_tree?)?;
    let held = open_without_links(&work_tree)?;
    let points_back = Pointer::read(&held, &work_tree)?.target == common;
    points_back.then_some((work_tree, GitRootKind::Worktree))
}

/// Opens a folder if its path is the real one: no link anywhere on the way.
fn open_without_links(path: &Path) -> Option<Folder> {
    let held = open_dir(path).ok()?;
    let is_real = path.canonicalize().is_ok_and(|real| real == path);
    // What was opened before must be what the real path leads to.
    (is_real && repository::is_still(path, &held)).then_some(held)
}

/// Takes the single line that git writes; a second one is no pointer of git's.
fn one_line(text: &str) -> Option<&str> {
    let line = text
        .trim_start_matches([' ', '\t'])
        .trim_end_matches(['\r', '\n']);
    let is_plain = !line.is_empty() && !line.contains(['\0', '\n', '\r']);
    is_plain.then_some(line)
}

/// Resolves `text` against `folder`, which is real, by name. Whether the result is free of links is
/// for [`open_without_links`] to say.
fn resolve(folder: &Path, text: &str) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for component in folder.join(text).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if !path.pop() {
                    return None;
                }
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                path.push(component);
            }
        }
    }
    Some(path)
}
