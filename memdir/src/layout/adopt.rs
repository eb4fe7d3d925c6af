//! Memories of a project that was renamed or moved: found again, and taken over when asked.

use std::path::{Path, PathBuf};

use pathguard::{MemoryRoot, RootOptions};

use super::identity::{Identity, path_text};
use super::locate::{Location, STATE_FOLDER, folders};
use super::repository::RepositoryFacts;
use crate::error::Error;
use crate::files;
use crate::journal::OperationKind;
use crate::store::{Origin, Store, StoreOptions};

/// A store whose project is gone from every place where it was seen, and that is the same
/// repository as the one asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OrphanedStore {
    /// Its key below `<home>/projects`.
    pub key: String,
    /// Its memory folder.
    pub memory_dir: PathBuf,
    /// Where its project was last seen.
    pub last_path: String,
    /// How many memories it holds.
    pub memories: usize,
}

/// What an adoption did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Adopted {
    /// The number of the operation in the new store; `undo` takes it back.
    pub sequence: Option<u64>,
    /// Files that were taken over.
    pub files: usize,
}

impl Location {
    /// Orphaned stores of the same repository, when this project's own store is empty.
    ///
    /// Same means: equal first commits and equal remotes (see
    /// [`RepositoryFacts::same_repository`]). Nothing is taken over; the caller asks the person
    /// and calls [`Location::adopt`]. A store that was adopted already is not offered again.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) when the own store cannot be listed.
    pub fn orphans(&self, store: &Store) -> Result<Vec<OrphanedStore>, Error> {
        let _span = tracing::debug_span!("memdir.orphans").entered();
        let Some(facts) = self.facts().filter(|facts| facts.root_commit.is_some()) else {
            return Ok(Vec::new());
        };
        let is_moved = self.moved_by().is_some();
        // Asked at every start: the first memory that can be read settles it.
        let has_memories = || -> Result<bool, Error> {
            let keys = store.memory_keys()?;
            Ok(keys.iter().any(|key| store.read_path(key).is_ok()))
        };
        if is_moved || has_memories()? {
            return Ok(Vec::new());
        }
        let projects = self.home().path().join("projects");
        Ok(folders(&projects)
            .into_iter()
            .filter(|key| key != self.key())
            .filter_map(|key| orphan(&projects, key, facts, store.dir()))
            .collect())
    }

    /// Takes the memories of an orphaned store over into this project's, as one operation that one
    /// `undo` takes back. The orphaned store stays where it is, with a note on who took it over.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused) when this store has memories of its own,
    /// and as [`Store::save`].
    pub fn adopt(
        &self,
        store: &Store,
        orphan: &OrphanedStore,
        origin: &Origin,
    ) -> Result<Adopted, Error> {
        let _span = tracing::info_span!("memdir.adopt", key = orphan.key.as_str()).entered();
        let old_options = StoreOptions::with_shared_clock(store.options().clock());
        let old = Store::open(&orphan.memory_dir, old_options)?;
        let picture = old.picture_of_all(0, "adopt")?;
        let (sequence, ()) = store.transact(OperationKind::Adopt, origin, |transaction| {
            if !store.memory_keys()?.is_empty() {
                return Err(Error::refused("this project has memories of its own")
                    .with_path(store.dir().display().to_string())
                    .with_remedy("move single files by hand"));
            }
            for file in &picture.files {
                let key = pathguard::PathKey::parse(&file.path)
                    .map_err(|error| files::error(error, &file.path))?;
                if let Some(bytes) = &file.bytes {
                    transaction.write(&key, bytes.clone())?;
                }
            }
            Ok(())
        })?;
        note_adoption(store, &orphan.memory_dir)?;
        note_forwarding(&old, store.dir())?;
        Ok(Adopted {
            sequence,
            files: picture.files.len(),
        })
    }
}

fn orphan(
    projects: &Path,
    key: String,
    facts: &RepositoryFacts,
    ours: &Path,
) -> Option<OrphanedStore> {
    let folder = MemoryRoot::open(&projects.join(&key), &RootOptions::default()).ok()?;
    let state = folder.open_sub(files::key(STATE_FOLDER).as_ref()).ok()?;
    let identity = Identity::read(&state).ok()??;
    let is_gone = identity.paths.iter().all(|path| !Path::new(path).exists());
    // Taken over by us, and we are empty: the taking over was taken back.
    let is_taken = identity
        .forwarded_to
        .is_some_and(|adopter| adopter != path_text(ours));
    if is_taken || !is_gone || !identity.facts.same_repository(facts) {
        return None;
    }
    let memory_dir = projects.join(&key).join("memory");
    let memories = count_memories(&memory_dir)?;
    (memories > 0).then(|| OrphanedStore {
        last_path: identity.paths.first().cloned().unwrap_or_default(),
        key,
        memory_dir,
        memories,
    })
}

fn count_memories(memory_dir: &Path) -> Option<usize> {
    let root = MemoryRoot::open(memory_dir, &RootOptions::default()).ok()?;
    let limits = pathguard::ListLimits::new()
        .with_extension("md")
        .with_metadata(false);
    let listing = root.list(&limits).ok()?;
    let is_memory = |entry: &&pathguard::Entry| {
        entry.kind == pathguard::EntryKind::File && crate::store::is_memory(entry.key.as_ref())
    };
    Some(listing.entries.iter().filter(is_memory).count())
}

fn note_adoption(store: &Store, from: &Path) -> Result<(), Error> {
    let state = store.state_root()?;
    let mut identity = Identity::read(state)?.unwrap_or_default();
    let from = path_text(from);
    if !identity.adopted_from.contains(&from) {
        identity.adopted_from.push(from);
        identity.write(state)?;
    }
    Ok(())
}

fn note_forwarding(old: &Store, to: &Path) -> Result<(), Error> {
    let state = old.state_root()?;
    let mut identity = Identity::read(state)?.unwrap_or_default();
    identity.forwarded_to = Some(path_text(to));
    identity.write(state)
}
