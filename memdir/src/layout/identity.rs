//! `identity.json`: which project a store belongs to, so that a rename does not orphan it.

use std::path::Path;

use pathguard::{MemoryRoot, WriteOptions};
use serde::{Deserialize, Serialize};

use super::repository::RepositoryFacts;
use crate::Timestamp;
use crate::error::Error;
use crate::files;
use crate::limits::{IDENTITY_MAX_BYTES, IDENTITY_MAX_PATHS};

/// Where the record lies in the state folder.
pub(crate) const IDENTITY_FILE: &str = "identity.json";
/// The version of the record that we write.
const VERSION: u32 = 1;

/// What a store knows about the project it belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identity {
    /// Remote and first commit, as far as they were known.
    pub facts: RepositoryFacts,
    /// The real paths under which the project was seen, newest first.
    pub paths: Vec<String>,
    /// When the store was made.
    pub created: Option<Timestamp>,
    /// The memory folder that has adopted this store. It is not offered again.
    pub forwarded_to: Option<String>,
    /// The memory folders that this store has adopted.
    pub adopted_from: Vec<String>,
}

/// The record on disk. `docs/FORMAT.md` describes it; a test freezes it.
#[derive(Serialize, Deserialize)]
struct Record {
    version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    remote: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    root_commit: Option<String>,
    #[serde(default)]
    paths: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    forwarded_to: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    adopted_from: Vec<String>,
}

/// How an identity relates to a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// The store is this project's.
    Same,
    /// The store is another project's.
    Other,
}

impl Identity {
    /// Adds a path as the newest and takes facts that were unknown. Says whether anything changed.
    pub(crate) fn learn(&mut self, path: &Path, facts: Option<&RepositoryFacts>) -> bool {
        let before = self.clone();
        let path = path_text(path);
        self.paths.retain(|known| *known != path);
        self.paths.insert(0, path);
        self.paths.truncate(IDENTITY_MAX_PATHS);
        if let Some(facts) = facts {
            if facts.remote.is_some() {
                self.facts.remote.clone_from(&facts.remote);
            }
            if facts.root_commit.is_some() {
                self.facts.root_commit.clone_from(&facts.root_commit);
            }
        }
        *self != before
    }

    /// Whether this store is the project at `path`.
    ///
    /// The newest known path decides. An older one counts unless the newest is a project that
    /// still exists and has another first commit: then the name was reused. An unknown path counts
    /// when it is the same repository and none of the known paths exists any more.
    pub(crate) fn relation(
        &self,
        path: &Path,
        facts: Option<&RepositoryFacts>,
        exists: &dyn Fn(&str) -> bool,
    ) -> Relation {
        let path = path_text(path);
        let Some(newest) = self.paths.first() else {
            return Relation::Same;
        };
        if *newest == path {
            return Relation::Same;
        }
        let same_repository = facts.is_some_and(|facts| facts.same_repository(&self.facts));
        let known = self.paths.contains(&path);
        let alive = self.paths.iter().any(|known| exists(known));
        let ours = if known {
            same_repository || !exists(newest)
        } else {
            same_repository && !alive
        };
        if ours {
            Relation::Same
        } else {
            Relation::Other
        }
    }

    /// Reads the record of a state folder, or `None` when there is none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Corrupt`](crate::ErrorKind::Corrupt) when it cannot be understood.
    pub(crate) fn read(state: &MemoryRoot) -> Result<Option<Self>, Error> {
        let key = files::key(IDENTITY_FILE);
        let Some(read) = files::read_if_exists(state, key.as_ref(), IDENTITY_MAX_BYTES)? else {
            return Ok(None);
        };
        Self::parse(&read.bytes).map(Some)
    }

    pub(crate) fn write(&self, state: &MemoryRoot) -> Result<(), Error> {
        let key = files::key(IDENTITY_FILE);
        state
            .write(key.as_ref(), &self.print(), &WriteOptions::default())
            .map(drop)
            .map_err(|error| files::error(error, IDENTITY_FILE))
    }

    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let record: Record = serde_json::from_slice(bytes).map_err(|error| {
            Error::corrupt(format!("not an identity record (line {})", error.line()))
                .with_path(IDENTITY_FILE)
                .with_remedy("move it away; it is written anew from the project")
        })?;
        Ok(Self {
            facts: RepositoryFacts {
                remote: record.remote,
                root_commit: record.root_commit,
            },
            paths: record.paths,
            created: record.created.as_deref().and_then(Timestamp::parse_lenient),
            forwarded_to: record.forwarded_to,
            adopted_from: record.adopted_from,
        })
    }

    pub(crate) fn print(&self) -> Vec<u8> {
        let record = Record {
            version: VERSION,
            remote: self.facts.remote.clone(),
            root_commit: self.facts.root_commit.clone(),
            paths: self.paths.clone(),
            created: self.created.map(|time| time.to_string()),
            forwarded_to: self.forwarded_to.clone(),
            adopted_from: self.adopted_from.clone(),
        };
        let mut bytes = serde_json::to_vec_pretty(&record)
            .expect("a record of texts and lists is JSON because it has no map with other keys");
        bytes.push(b'\n');
        bytes
    }
}

/// A path as the record spells it. Names that are not Unicode are spelled with replacement
/// characters; two such projects that differ in nothing else are told apart by their facts.
pub(crate) fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(commit: &str) -> RepositoryFacts {
        RepositoryFacts {
            remote: None,
            root_commit: Some(commit.to_owned()),
        }
    }

    #[test]
    fn a_store_knows_its_project_after_a_rename_and_not_a_stranger() {
        let identity = Identity {
            facts: facts("c1"),
            paths: vec!["/new".to_owned(), "/old".to_owned()],
            ..Identity::default()
        };
        // (path, first commit, folders that exist, expected)
        let table: [(&str, &str, &[&str], Relation); 7] = [
            ("/new", "c1", &["/new"], Relation::Same),
            // Rewritten history keeps its memory.
            ("/new", "c9", &["/new"], Relation::Same),
            // Moved back.
            ("/old", "c1", &["/old"], Relation::Same),
            // The old name was given to another project while ours lives on.
            ("/old", "c2", &["/old", "/new"], Relation::Other),
            // Renamed again.
            ("/newer", "c1", &["/newer"], Relation::Same),
            // A second clone beside the first has its own memory.
            ("/clone", "c1", &["/clone", "/new"], Relation::Other),
            ("/stranger", "c2", &["/stranger"], Relation::Other),
        ];
        for (path, commit, existing, expected) in table {
            let exists = |path: &str| existing.contains(&path);
            let relation = identity.relation(Path::new(path), Some(&facts(commit)), &exists);
            assert_eq!(relation, expected, "{path} {commit}");
        }
    }

    #[test]
    fn the_record_on_disk_keeps_its_form() {
        let identity = Identity {
            facts: RepositoryFacts {
                remote: Some("github.com/acme/app".to_owned()),
                root_commit: Some("ab".repeat(20)),
            },
            paths: vec!["/work/app".to_owned()],
            created: "2026-03-05T14:02:11Z".parse().ok(),
            ..Identity::default()
        };
        let expected = r#"{
  "version": 1,
  "remote": "github.com/acme/app",
  "root_commit": "abababababababababababababababababababab",
  "paths": [
    "/work/app"
  ],
  "created": "2026-03-05T14:02:11Z"
}
"#;
        assert_eq!(String::from_utf8_lossy(&identity.print()), expected);
        assert_eq!(Identity::parse(expected.as_bytes()).ok(), Some(identity));
        assert!(Identity::parse(b"{\"version\":2,\"new\":1}").is_ok());
        assert!(Identity::parse(b"[]").is_err());
    }
}
