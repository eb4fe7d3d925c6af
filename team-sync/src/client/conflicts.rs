//! Conflict copies that lie in the team folder and wait for a person.

use std::collections::HashSet;

use memdir::ConflictName;
use pathguard::{EntryKind, ListLimits, MemoryRoot, fold_key};

use super::folder::MOST_FILES;
use crate::error::{Error, ErrorKind};
use crate::key::TeamKey;

/// The losing text of a conflict, beside the file that kept the name.
///
/// A person decides by editing the file and deleting the copy; both travel as any edit does.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conflict {
    /// The copy.
    pub copy: TeamKey,
    /// The file it is a copy of.
    pub original: TeamKey,
    /// Whether that file is there.
    pub original_exists: bool,
    /// The client that met the conflict.
    pub client: String,
    /// The size of the copy in bytes.
    pub bytes: u64,
    /// When the copy was last written here, in nanoseconds since the Unix epoch; shown to people, never compared.
    pub written_ns: i128,
}

/// Conflict copies in the order of their keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conflicts {
    /// The copies.
    pub conflicts: Vec<Conflict>,
    /// Whether a part of the folder could not be read, so that there may be more.
    pub cut: bool,
}

/// Lists the conflict copies of a team folder. Asks no server and needs no token.
///
/// # Errors
///
/// [`ErrorKind::Folder`] when the folder cannot be listed.
pub fn conflicts(folder: &MemoryRoot) -> Result<Conflicts, Error> {
    let limits = ListLimits::new()
        .with_max_entries(MOST_FILES)
        .with_extension("md");
    let listing = folder.list(&limits).map_err(|error| {
        let text = format!("the team folder cannot be listed: {error}");
        Error::new(ErrorKind::Folder, text).with_source(error)
    })?;
    let unreadable = |kind| kind == pathguard::ListProblemKind::Unreadable;
    let mut found = Conflicts {
        cut: listing.cut || listing.problems.iter().any(|one| unreadable(one.kind)),
        ..Conflicts::default()
    };
    let keys = listing.entries.iter().map(|entry| entry.key.as_str());
    let names: HashSet<String> = keys.map(fold_key).collect();
    for entry in listing
        .entries
        .iter()
        .filter(|entry| entry.kind == EntryKind::File)
    {
        let Some(name) = ConflictName::parse(entry.key.as_str()) else {
            continue;
        };
        let Ok(copy) = TeamKey::parse(entry.key.as_str()) else {
            continue;
        };
        let Some(original) = copy.conflict_original() else {
            continue;
        };
        found.conflicts.push(Conflict {
            original_exists: names.contains(&original.folded()),
            original,
            client: name.client().to_owned(),
            bytes: entry.metadata.as_ref().map_or(0, |metadata| metadata.len),
            written_ns: entry
                .metadata
                .as_ref()
                .map_or(0, |metadata| metadata.modified_ns),
            copy,
        });
    }
    found.conflicts.sort_by(|a, b| a.copy.cmp(&b.copy));
    Ok(found)
}
