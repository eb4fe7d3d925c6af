//! The memory folder: which files count, and what is read of each.

use std::fmt;

use memdir::{ConflictName, Header, Memory, MemoryType};
use pathguard::{EntryKind, ErrorKind, ListLimits, ListProblemKind, MemoryRoot, Metadata, PathKey};

use crate::index::{Builder, Fields, FileInfo, Stat};
use crate::{ContentHash, Error};

/// Of a larger file only the beginning is read.
pub(crate) const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// Files and folders listed at most.
const MAX_ENTRIES: usize = 250_000;

/// Of a longer title or description so many characters are kept to be shown; all words are ranked.
const MAX_NAME_CHARS: usize = 200;
const MAX_DESCRIPTION_CHARS: usize = 1_000;

/// Daily logs are the raw material of memories, not memories.
const LOG_FOLDER: &str = "logs";

/// Something in the folder that could not be ranked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileProblem {
    /// The path below the memory folder, escaped where needed.
    pub path: String,
    /// What is wrong with it.
    pub kind: FileProblemKind,
}

/// Why a file could not be ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileProblemKind {
    /// It is a symbolic link, which is not followed.
    Link,
    /// It is a FIFO, a socket or a device.
    Special,
    /// Its name is not a path that memories may have.
    Name,
    /// It has a second name and could belong to somebody else.
    HardLink,
    /// It could not be read.
    Unreadable,
    /// It is the losing side of a team conflict, which nobody has decided yet.
    ConflictCopy,
}

impl fmt::Display for FileProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Link => "a link is not followed",
            Self::Special => "no regular file",
            Self::Name => "the name is not one that memories may have",
            Self::HardLink => "the file has a second name",
            Self::Unreadable => "cannot be read",
            Self::ConflictCopy => "the losing side of a team conflict, not decided yet",
        })
    }
}

/// A file that counts, as the listing saw it.
#[derive(Debug, Clone)]
pub(crate) struct Listed {
    pub(crate) key: PathKey,
    pub(crate) stat: Stat,
}

/// What the folder holds now.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    /// Sorted by path.
    pub(crate) files: Vec<Listed>,
    pub(crate) problems: Vec<FileProblem>,
    pub(crate) cut: bool,
}

/// Lists the memories of a folder; links, hidden names, logs, indexes and conflict copies are none.
pub(crate) fn list(root: &MemoryRoot) -> Result<Folder, Error> {
    let limits = ListLimits::new()
        .with_extension("md")
        .with_max_entries(MAX_ENTRIES);
    let listing = root.list(&limits).map_err(Error::folder)?;
    let mut folder = Folder {
        cut: listing.cut,
        ..Folder::default()
    };
    for entry in listing.entries {
        let Some(metadata) = entry.metadata else {
            continue;
        };
        if entry.kind != EntryKind::File || !is_memory(entry.key.as_str()) {
            continue;
        }
        if ConflictName::parse(entry.key.as_str()).is_some() {
            folder.problems.push(FileProblem {
                path: entry.key.as_str().to_owned(),
                kind: FileProblemKind::ConflictCopy,
            });
        } else {
            folder.files.push(Listed {
                stat: stat_of(&metadata),
                key: entry.key,
            });
        }
    }
    for problem in listing.problems {
        let parent = problem
            .folder
            .map(|key| format!("{key}/"))
            .unwrap_or_default();
        folder.problems.push(FileProblem {
            path: format!("{parent}{}", problem.shown),
            kind: match problem.kind {
                ListProblemKind::Link => FileProblemKind::Link,
                ListProblemKind::Special => FileProblemKind::Special,
                ListProblemKind::NotAKey(_) => FileProblemKind::Name,
                _ => FileProblemKind::Unreadable,
            },
        });
    }
    folder.problems.sort_by(|a, b| a.path.cmp(&b.path));
    // The order of keys is the order of bytes; should that ever change, the index must not break.
    if !folder
        .files
        .is_sorted_by(|a, b| a.key.as_str() < b.key.as_str())
    {
        folder
            .files
            .sort_by(|a, b| a.key.as_str().cmp(b.key.as_str()));
    }
    Ok(folder)
}

/// Returns whether a Markdown file with this path is a memory, or the conflict copy of one.
fn is_memory(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let top = path.split('/').next().unwrap_or(path);
    let is_log = top.len() < path.len() && top.eq_ignore_ascii_case(LOG_FOLDER);
    !is_log && !name.eq_ignore_ascii_case(memdir::INDEX_FILE)
}

fn stat_of(metadata: &Metadata) -> Stat {
    let narrow = |ns: i128| i64::try_from(ns).unwrap_or(i64::MAX);
    Stat {
        modified_ns: narrow(metadata.modified_ns),
        changed_ns: narrow(metadata.changed_ns),
        size: metadata.len,
        inode: metadata.inode,
    }
}

/// Reads one file and adds it to an index. `settled_before` is the time before which a change is
/// known to lie before this reading; see [`FileInfo::unsettled`].
pub(crate) fn read_into(
    root: &MemoryRoot,
    listed: &Listed,
    settled_before: i64,
    buffer: &mut Vec<u8>,
    builder: &mut Builder,
) -> Result<(), FileProblem> {
    let path = listed.key.as_str();
    let metadata = root
        .read_into(listed.key.as_ref(), MAX_FILE_BYTES, buffer)
        .map_err(|error| FileProblem {
            path: path.to_owned(),
            kind: match error.kind() {
                ErrorKind::HardLink => FileProblemKind::HardLink,
                ErrorKind::Traversal | ErrorKind::Loop | ErrorKind::Dangling => {
                    FileProblemKind::Link
                }
                ErrorKind::NotRegular => FileProblemKind::Special,
                _ => FileProblemKind::Unreadable,
            },
        })?;
    let header = Header::parse(buffer);
    let memory = Memory::parse_prefix(buffer, metadata.len);
    let stat = stat_of(&metadata);
    let stem = file_stem(path);
    let info = FileInfo {
        path: path.to_owned(),
        stat,
        declared_s: header.modified.map(memdir::Timestamp::seconds),
        length: 0,
        hash: ContentHash::of(buffer).as_bytes(),
        cut: memory.is_cut(),
        unsettled: stat.changed_ns.max(stat.modified_ns) >= settled_before,
        name: beginning(&header.name, MAX_NAME_CHARS),
        description: beginning(&header.description, MAX_DESCRIPTION_CHARS),
        type_text: header.type_text,
    };
    let fields = Fields {
        name: &header.name,
        file_stem: without_type(stem),
        description: &header.description,
        body: memory.body(),
    };
    builder.add(info, fields);
    Ok(())
}

/// Returns a text, or its first characters with an ellipsis.
fn beginning(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the name of a file without its folder and its ending.
pub(crate) fn file_stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Returns a stem without the type that file names begin with: it says nothing about the subject.
fn without_type(stem: &str) -> &str {
    match stem.split_once(['_', '-']) {
        Some((kind, rest)) if MemoryType::parse(kind).is_some() && !rest.is_empty() => rest,
        _ => stem,
    }
}

#[cfg(test)]
mod tests {
    use super::{file_stem, is_memory, without_type};

    #[test]
    fn indexes_and_logs_are_no_memories() {
        for (path, expected) in [
            ("user_role.md", true),
            ("team/feedback_tests.md", true),
            ("logs.md", true),
            ("archive/logs/x.md", true),
            ("MEMORY.md", false),
            ("team/Memory.md", false),
            ("logs/2026/03/2026-03-31.md", false),
            ("Logs/x.md", false),
        ] {
            assert_eq!(is_memory(path), expected, "{path}");
        }
    }

    #[test]
    fn the_stem_is_the_subject_of_a_file_name() {
        for (path, expected) in [
            ("team/feedback_db_tests.md", "db_tests"),
            ("user-role.md", "role"),
            ("notes.md", "notes"),
            ("project_.md", "project_"),
            ("a.b.md", "a.b"),
        ] {
            assert_eq!(without_type(file_stem(path)), expected, "{path}");
        }
    }
}
