//! Looks for names in the tracked files, all at once.

use std::collections::HashMap;

use aho_corasick::{AhoCorasick, MatchKind};
use pathguard::{ErrorKind, PathKeyRef};

use super::{Budget, Repository};

/// Of a longer file only the beginning is searched.
const MAX_SEARCHED_BYTES: u64 = 2 * 1024 * 1024;

/// Files that hold no names of the project.
const NOT_SEARCHED: &[&str] = &[
    "avif", "bin", "bmp", "class", "db", "dll", "dylib", "eot", "exe", "gif", "gz", "ico", "jar",
    "jpeg", "jpg", "lock", "mov", "mp3", "mp4", "o", "otf", "parquet", "pdf", "png", "pyc", "so",
    "sqlite", "sum", "svg", "tar", "tgz", "tiff", "ttf", "wasm", "wav", "webm", "webp", "woff",
    "woff2", "xz", "zip", "zst",
];
const LOCK_FILES: &[&str] = &["npm-shrinkwrap.json", "package-lock.json", "pnpm-lock.yaml"];

/// Files that speak about code: a name that only stands there may be history.
const PROSE: &[&str] = &["adoc", "markdown", "md", "mdx", "org", "rst", "tex", "txt"];

/// Where a name was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Found {
    Nowhere,
    /// Not everything was searched.
    NotYet,
    InProse,
    InCode,
}

/// Searches for each name as a whole word; `first` are files to begin with.
pub(super) fn search(
    repository: &Repository,
    names: &[String],
    first: &[String],
    budget: Budget<'_>,
) -> HashMap<String, Found> {
    let mut found: Vec<Found> = vec![Found::Nowhere; names.len()];
    let result = |found: Vec<Found>| names.iter().cloned().zip(found).collect();
    let Ok(searcher) = AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .build(names)
    else {
        return result(vec![Found::NotYet; names.len()]);
    };
    let files = repository.files();
    let mut complete = files.complete;
    let mut buffer = Vec::new();
    let all = files
        .paths
        .iter()
        .filter(|file| !file.skipped)
        .map(|file| file.path.as_str());
    let rest = all.filter(|path| !first.iter().any(|other| other == path));
    for path in first.iter().map(String::as_str).chain(rest) {
        if found.iter().all(|place| *place == Found::InCode) {
            break;
        }
        if budget.is_over() {
            complete = false;
            break;
        }
        let Some(place) = kind(path) else { continue };
        let Ok(key) = PathKeyRef::parse(path) else {
            // A name that only some systems allow: what it holds is not known.
            complete = false;
            continue;
        };
        let tree = repository.tree();
        let metadata = match tree.read_into(key, MAX_SEARCHED_BYTES, &mut buffer) {
            Ok(metadata) => metadata,
            // Deleted in the working tree, or a link: what it leads to is searched where it is tracked.
            Err(error) if is_not_there(error.kind()) => continue,
            // A submodule, or a file that may not be read.
            Err(_) => {
                complete = false;
                continue;
            }
        };
        complete &= metadata.len <= buffer.len() as u64;
        if is_binary(&buffer) {
            continue;
        }
        for hit in searcher.find_overlapping_iter(&buffer) {
            let name = hit.pattern().as_usize();
            if found[name] < place && is_whole(&buffer, hit.start(), hit.end()) {
                found[name] = place;
            }
        }
    }
    // Files that a sparse checkout leaves out cannot be searched.
    complete &= files.paths.iter().all(|file| !file.skipped);
    if !complete {
        for place in &mut found {
            *place = (*place).max(Found::NotYet);
        }
    }
    result(found)
}

fn is_not_there(kind: ErrorKind) -> bool {
    use ErrorKind::{Dangling, Loop, NotDirectory, NotFound, Traversal};
    matches!(kind, NotFound | NotDirectory | Traversal | Loop | Dangling)
}

/// Returns what being found in a file means; none for a file that is not searched.
fn kind(path: &str) -> Option<Found> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name
        .rsplit_once('.')
        .map_or("", |(_, ending)| ending)
        .to_ascii_lowercase();
    if NOT_SEARCHED.contains(&ending.as_str()) || LOCK_FILES.contains(&name) {
        return None;
    }
    let is_prose = PROSE.contains(&ending.as_str())
        || ["CHANGELOG", "LICENSE", "NOTICE", "README"]
            .iter()
            .any(|word| name.starts_with(word));
    Some(if is_prose {
        Found::InProse
    } else {
        Found::InCode
    })
}

fn is_binary(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(8 * 1024)].contains(&0)
}

/// A name is whole when no letter, digit or underscore touches it. A dash before it is allowed (flags
/// are written with two), a dash behind it is not: `--dry` is not `--dry-run`.
fn is_whole(bytes: &[u8], begin: usize, end: usize) -> bool {
    let joins = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let before = begin.checked_sub(1).map(|at| bytes[at]);
    let after = bytes.get(end).copied();
    let dashed = bytes[begin..end].contains(&b'-');
    !before.is_some_and(joins) && !after.is_some_and(|b| joins(b) || dashed && b == b'-')
}
