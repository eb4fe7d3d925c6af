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
                return only(name, &found, &[]);
            }
        }
        let titles = self.titles(&keys);
        let found: Vec<&PathKey> = titles
            .iter()
            .filter(|(_, title)| same_name(title, name))
            .map(|(key, _)| key)
            .collect();
        only(name, &found, &titles)
    }
}

fn only(name: &str, found: &[&PathKey], titles: &[(PathKey, String)]) -> Result<PathKey, Error> {
    match found {
        [] => {
            let error =
                Error::not_found("no memory has this path, file name or title").with_path(name);
            let near = near(name, titles);
            Err(if near.is_empty() {
                error.with_remedy("`list` shows them all")
            } else {
                let near = near.join("`, `");
                error.with_remedy(format!("do you mean `{near}`? `list` shows them all"))
            })
        }
        [key] => Ok((*key).clone()),
        several => Err(Error::ambiguous(
            name,
            several.iter().map(|key| key.as_str().to_owned()).collect(),
        )),
    }
}

/// So many memories are offered for a name that none has.
const MAX_NEAR: usize = 3;

/// A word of a name has to have so many characters to say which memory is meant.
const MIN_WORD_CHARS: usize = 3;

/// The memories whose title or file name has the most words of this name in it.
fn near<'a>(name: &str, titles: &'a [(PathKey, String)]) -> Vec<&'a str> {
    let name = pathguard::fold_key(name);
    let words: Vec<&str> = name
        .split(|char: char| !char.is_alphanumeric())
        .filter(|word| word.chars().count() >= MIN_WORD_CHARS && *word != "md")
        .collect();
    let mut found: Vec<(usize, &str)> = titles
        .iter()
        .map(|(key, title)| {
            let known = [stem(key.as_ref()), title]
                .map(pathguard::fold_key)
                .join(" ");
            let shared = words.iter().filter(|word| known.contains(**word)).count();
            (shared, key.as_str())
        })
        .filter(|(shared, _)| *shared > 0)
        .collect();
    // The best first; among equals the order of the folder.
    found.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
    found
        .into_iter()
        .map(|(_, path)| path)
        .take(MAX_NEAR)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_none_has_leads_to_those_that_share_its_words() {
        let titles: Vec<(PathKey, String)> = [
            ("project_deploy_window.md", "Deploy window"),
            ("feedback_tests.md", "Don't mock the database in tests"),
            ("reference_x.md", "Deploys: the dashboard"),
            ("user_role.md", "Rôle"),
        ]
        .into_iter()
        .map(|(path, title)| (PathKey::parse(path).unwrap(), title.to_owned()))
        .collect();
        let table: [(&str, &[&str]); 8] = [
            ("deploy", &["project_deploy_window.md", "reference_x.md"]),
            (
                "the deploy window",
                &[
                    "project_deploy_window.md",
                    "reference_x.md",
                    "feedback_tests.md",
                ],
            ),
            ("DATABASE", &["feedback_tests.md"]),
            ("feedback_test.md", &["feedback_tests.md"]),
            ("rôle", &["user_role.md"]),
            ("in", &[]),
            ("", &[]),
            ("harbour", &[]),
        ];
        for (name, expected) in table {
            assert_eq!(near(name, &titles), expected, "{name}");
        }
    }

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
