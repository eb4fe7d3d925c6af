//! The few facts we need from inside a repository, read without trusting it.

use std::io::{self, Read};
use std::path::Path;

use crate::metadata::EntryKind;
use crate::sys::{
    Access, BackendChoice, Confinement, Folder, FolderOps, choose_backend, stat_ambient,
};

/// Largest pointer file we read, in bytes: a path and a word.
const MAX_POINTER_BYTES: u64 = 4096 + 64;

/// Largest configuration file we read, in bytes.
const MAX_CONFIG_BYTES: u64 = 256 * 1024;

/// Opens a folder by its path.
pub(super) fn open_dir(path: &Path) -> io::Result<Folder> {
    let backend = choose_backend(BackendChoice::Auto).ok_or(io::ErrorKind::Unsupported)?;
    Folder::open_ambient(
        path,
        Confinement {
            backend,
            cross_devices: false,
        },
    )
}

/// Reports whether `path` leads to the folder that is held.
pub(super) fn is_still(path: &Path, held: &Folder) -> bool {
    match (stat_ambient(path), held.stat()) {
        (Ok(found), Ok(held)) => found.metadata.identity() == held.metadata.identity(),
        _ => false,
    }
}

/// Reads a small regular file with one link, without following or blocking.
pub(super) fn small_text(folder: &Folder, leaf: &str) -> Option<String> {
    read_text(folder, leaf, MAX_POINTER_BYTES)
}

fn read_text(folder: &Folder, leaf: &str, max_bytes: u64) -> Option<String> {
    let (file, stat) = folder.open_file(leaf, Access::Read).ok()?;
    let metadata = stat.metadata;
    if metadata.kind != EntryKind::File || metadata.links != 1 || metadata.len > max_bytes {
        return None;
    }
    let mut text = String::new();
    file.take(max_bytes).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Reports whether `path` holds a repository's data: what git itself asks for, and none of it a
/// link.
pub(super) fn is_git_dir(path: &Path) -> bool {
    let Ok(folder) = open_dir(path) else {
        return false;
    };
    let is = |leaf, kind| {
        folder
            .stat_leaf(leaf)
            .is_ok_and(|found| found.metadata.kind == kind)
    };
    is("HEAD", EntryKind::File)
        && is("objects", EntryKind::Directory)
        && is("refs", EntryKind::Directory)
}

/// As [`is_git_dir`], links allowed: very old repositories have a link for `HEAD`, and
/// `git-new-workdir` makes links of the rest. Enough where the answer gives away nothing but the
/// folder itself.
pub(super) fn resembles_git_dir(path: &Path) -> bool {
    let Ok(folder) = open_dir(path) else {
        return false;
    };
    ["HEAD", "objects", "refs"]
        .iter()
        .all(|leaf| folder.stat_leaf(leaf).is_ok())
}

/// Settings of a repository.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    /// `core.bare`
    pub(super) bare: bool,
    /// `core.worktree`
    pub(super) work_tree: Option<String>,
    /// `extensions.worktreeConfig`
    has_worktree_config: bool,
}

/// Reads the settings of the repository at `path`; what cannot be read is not set.
pub(super) fn settings(path: &Path) -> Settings {
    let mut settings = Settings::default();
    let Ok(folder) = open_dir(path) else {
        return settings;
    };
    if let Some(text) = read_text(&folder, "config", MAX_CONFIG_BYTES) {
        settings.read(&text);
    }
    // Git moves `core.bare` and `core.worktree` there once worktrees have settings of their own.
    if settings.has_worktree_config
        && let Some(text) = read_text(&folder, "config.worktree", MAX_CONFIG_BYTES)
    {
        settings.read(&text);
    }
    settings
}

impl Settings {
    /// Takes over the three settings from a configuration file. Includes are not followed: they
    /// could lead anywhere, and git itself writes these settings in place.
    fn read(&mut self, text: &str) {
        let mut section = String::new();
        for line in text.lines() {
            let line = line.trim();
            if let Some(header) = line.strip_prefix('[') {
                section = header
                    .split(']')
                    .next()
                    .unwrap_or_default()
                    .trim()
                    .to_ascii_lowercase();
                continue;
            }
            let (name, value) = match line.split_once('=') {
                Some((name, value)) => (name.trim(), value.trim()),
                // A name alone is a switch that is on.
                None => (line, "true"),
            };
            match (section.as_str(), name.to_ascii_lowercase().as_str()) {
                ("core", "bare") => self.bare = is_true(value),
                ("core", "worktree") => self.work_tree = Some(unquoted(value)),
                ("extensions", "worktreeconfig") => self.has_worktree_config = is_true(value),
                _ => {}
            }
        }
    }
}

/// The words that git takes for "yes".
fn is_true(value: &str) -> bool {
    ["true", "yes", "on", "1"]
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word))
}

/// Takes the quotation marks and backslashes off that git writes around paths with odd characters.
fn unquoted(value: &str) -> String {
    let Some(inner) = value
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
    else {
        return value.to_owned();
    };
    let mut plain = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(c) = characters.next() {
        plain.extend(if c == '\\' {
            characters.next()
        } else {
            Some(c)
        });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_git_writes_them() {
        for (text, bare, work_tree) in [
            ("", false, None),
            ("[core]\n\tbare = true\n", true, None),
            ("[core]\n\tbare\n", true, None),
            ("[CORE]\n\tBare = Yes\n", true, None),
            ("[other]\n\tbare = true\n", false, None),
            ("[core \"x\"]\n\tbare = true\n", false, None),
            ("[core]\n\tbare = true\n\tbare = false\n", false, None),
            (
                "[core]\n\tworktree = ../../../sub\n",
                false,
                Some("../../../sub"),
            ),
            (
                "[core]\n\tworktree = \"a \\\"b\\\\c\"\n",
                false,
                Some("a \"b\\c"),
            ),
        ] {
            let mut settings = Settings::default();
            settings.read(text);
            assert_eq!(settings.bare, bare, "{text:?}");
            assert_eq!(settings.work_tree.as_deref(), work_tree, "{text:?}");
        }
    }
}
