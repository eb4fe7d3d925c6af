//! Which files a scan reads.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

/// The inputs of a scan, in the order in which they are reported.
#[derive(Debug, Default)]
pub(super) struct Selected {
    /// Files, and `-` where it was named.
    pub(super) files: Vec<PathBuf>,
    /// What could not be looked at.
    pub(super) problems: Vec<String>,
    /// How many of the problems are that nothing is there.
    pub(super) missing: usize,
}

/// Returns whether a path on the command line means standard input.
pub(super) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Walks what was named on the command line.
///
/// A file that is named is read whatever it is called. Folders are walked the way git sees them: hidden and
/// ignored files are left out unless `everything` is set, links are not followed, and only regular files
/// count, so that a pipe in a folder cannot stop the scan.
pub(super) fn select(paths: &[PathBuf], everything: bool) -> Selected {
    let mut selected = Selected::default();
    let current = [PathBuf::from(".")];
    let paths = if paths.is_empty() {
        &current[..]
    } else {
        paths
    };
    for path in paths {
        if is_standard_input(path) {
            selected.files.push(path.clone());
            continue;
        }
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => walk(path, everything, &mut selected),
            Ok(_) => selected.files.push(path.clone()),
            Err(error) => {
                selected.missing += usize::from(error.kind() == io::ErrorKind::NotFound);
                selected
                    .problems
                    .push(format!("cannot read {}: {error}", path.display()));
            }
        }
    }
    selected
}

fn walk(folder: &Path, everything: bool, selected: &mut Selected) {
    let mut builder = WalkBuilder::new(folder);
    builder
        .standard_filters(!everything)
        // Memory folders are read outside of repositories too.
        .require_git(false)
        .follow_links(false)
        .sort_by_file_path(Ord::cmp);
    if everything {
        // The object store is compressed; its contents cannot be read as text anyway.
        builder.filter_entry(|entry| entry.file_name() != ".git");
    }
    for entry in builder.build() {
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                selected.files.push(entry.into_path());
            }
            Ok(_) => {}
            Err(error) => selected.problems.push(error.to_string()),
        }
    }
}

/// Opens a regular file.
///
/// # Errors
/// When it cannot be opened, or is something that has no end, such as a pipe or a device.
pub(super) fn open(path: &Path) -> io::Result<File> {
    // Asked before opening: opening a pipe without a writer would wait for one.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    File::open(path)
}
