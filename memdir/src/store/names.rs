//! Which files are memories, and which memory a person means by a name.

use pathguard::{PathKey, PathKeyRef};

use super::Store;
use crate::INDEX_FILE;
use crate::conflict_name::ConflictName;
use crate::error::Error;
use crate::settings::Layer;

/// The folder of the team's memories, below the memory folder.
pub(crate) const TEAM_FOLDER: &str = "team";
/// The folder of the daily logs, below the memory folder.
pub(crate) const LOG_FOLDER: &str = "logs";

/// Whose memories: one person's, or everybody's who works on the repository.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Seen by this user only.
    #[default]
    Private,
    /// Shared through the team server.
    Team,
}

impl Scope {
    /// The scope of a file of the memory folder.
    pub fn of(key: PathKeyRef<'_>) -> Self {
        let is_team = key
            .components()
            .next()
            .is_some_and(|first| pathguard::fold_key(first) == TEAM_FOLDER);
        if is_team && key.components().nth(1).is_some() {
            Self::Team
        } else {
            Self::Private
        }
    }

    pub(crate) fn layer(self) -> Layer {
        match self {
            Self::Private => Layer::Persistent,
            Self::Team => Layer::Team,
        }
    }

    /// The index file of the scope.
    pub(crate) fn index_key(self) -> PathKey {
        match self {
            Self::Private => crate::files::key("MEMORY.md"),
            Self::Team => crate::files::key("team/MEMORY.md"),
        }
    }

    /// The key of a file directly in the scope's folder.
    pub(crate) fn file_key(self, name: &str) -> Result<PathKey, Error> {
        let path = match self {
            Self::Private => name.to_owned(),
            Self::Team => format!("{TEAM_FOLDER}/{name}"),
        };
        PathKey::parse(&path).map_err(|error| crate::files::error(error, name))
    }

    /// A path as the scope's index spells it: relative to the index.
    pub(crate) fn in_index(self, key: PathKeyRef<'_>) -> &str {
        match self {
            Self::Private => key.as_str(),
            Self::Team => key
                .as_str()
                .split_once('/')
                .map_or(key.as_str(), |(_, below)| below),
        }
    }
}

/// Whether a file of the memory folder is a memory: Markdown, no index, no log, not hidden.
pub(crate) fn is_memory(key: PathKeyRef<'_>) -> bool {
    let mut components = key.components();
    let is_log = components
        .next()
        .is_some_and(|first| pathguard::fold_key(first) == LOG_FOLDER)
        && components.next().is_some();
    !is_log
        && is_markdown(key)
        && !is_index(key)
        && !key.components().any(|component| component.starts_with('.'))
}

pub(crate) fn is_markdown(key: PathKeyRef<'_>) -> bool {
    key.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}

/// Whether a file is an index, of the folder or of one below it.
pub(crate) fn is_index(key: PathKeyRef<'_>) -> bool {
    key.file_name().eq_ignore_ascii_case(INDEX_FILE)
}

/// Whether a file is the losing side of a team merge: kept beside the winner, never indexed.
pub(crate) fn is_conflict_copy(key: PathKeyRef<'_>) -> bool {
    ConflictName::parse(key.as_str()).is_some()
}

/// The file name without its extension.
pub(crate) fn stem(key: PathKeyRef<'_>) -> &str {
    let name = key.file_name();
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Two spellings of one name: case, Unicode normal form and surrounding space do not matter.
pub(crate) fn same_name(a: &str, b: &str) -> bool {
    a == b || pathguard::fold_key(a.trim()) == pathguard::fold_key(b.trim())
}

impl Store {
    /// Finds the memory that `name` stands for: a path, a file stem or a title, in this order.
    ///
    /// Case and Unicode normal form do not matter. A stem is looked for in the whole folder, team
    /// included.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound), or
    /// [`ErrorKind::Ambiguous`](crate::ErrorKind::Ambiguous) with the paths that it could be.
    pub fn find(&self, name: &str) -> Result<PathKey, Error> {
        let _span = tracing::debug_span!("memdir.find").entered();
        let keys = self.memory_keys()?;
        if let Some(key) = keys.iter().find(|key| key.as_str() == name) {
            return Ok(key.clone());
        }
        let by_path = |key: &&PathKey| same_name(key.as_str(), name);
        let by_stem = |key: &&PathKey| same_name(stem(key.as_ref()), name);
        for found in [
            keys.iter().filter(by_path).collect::<Vec<_>>(),
            keys.iter().filter(by_stem).collect(),
        ] {
            if !found.is_empty() {
                return only(name, &found);
            }
        }
        let titles = self.titles(&keys);
        let found: Vec<&PathKey> = titles
            .iter()
            .filter(|(_, title)| same_name(title, name))
            .map(|(key, _)| key)
            .collect();
        only(name, &found)
    }
}

fn only(name: &str, found: &[&PathKey]) -> Result<PathKey, Error> {
    match found {
        [] => Err(
            Error::not_found("no memory has this path, file name or title")
                .with_path(name)
                .with_remedy("`list` shows them all"),
        ),
        [key] => Ok((*key).clone()),
        several => Err(Error::ambiguous(
            name,
            several.iter().map(|key| key.as_str().to_owned()).collect(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_the_logs_and_hidden_files_are_no_memories() {
        let table = [
            ("user_role.md", true),
            ("User_Role.MD", true),
            ("team/feedback_tests.md", true),
            ("archive/sessions/old.md", true),
            ("logs.md", true),
            ("MEMORY.md", false),
            ("memory.MD", false),
            ("team/MEMORY.md", false),
            ("logs/2026/03/2026-03-31.md", false),
            ("Logs/2026/03/2026-03-31.md", false),
            (".hidden.md", false),
            (".git2/x.md", false),
            ("state.json", false),
            ("md", false),
        ];
        for (path, expected) in table {
            let key = PathKey::parse(path).unwrap();
            assert_eq!(is_memory(key.as_ref()), expected, "{path}");
        }
    }

    #[test]
    fn the_folder_decides_the_scope() {
        let table = [
            ("user_role.md", Scope::Private, "user_role.md"),
            ("team.md", Scope::Private, "team.md"),
            ("team/a.md", Scope::Team, "a.md"),
            ("team/sub/a.md", Scope::Team, "sub/a.md"),
            ("TEAM/a.md", Scope::Team, "a.md"),
            ("teams/a.md", Scope::Private, "teams/a.md"),
        ];
        for (path, scope, in_index) in table {
            let key = PathKey::parse(path).unwrap();
            assert_eq!(Scope::of(key.as_ref()), scope, "{path}");
            assert_eq!(scope.in_index(key.as_ref()), in_index, "{path}");
        }
    }
}
