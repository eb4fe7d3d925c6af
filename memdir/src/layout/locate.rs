//! From a folder somebody works in to the folder of its memories.

use std::path::{Path, PathBuf};

use pathguard::{GitRoot, GitRootKind, ListLimits, MemoryRoot, PathKey, RootOptions};

use super::home::Home;
use super::identity::{Identity, Relation};
use super::key::{Owner, choose_key, owner_by_sessions};
use super::repository::RepositoryFacts;
use super::transcripts::working_directories;
use crate::clock::Clock;
use crate::error::{Error, ErrorKind};
use crate::files;
use crate::limits::PROJECTS_MAX;
use crate::settings::{Decisions, DirectoryChoice};
use crate::store::{Store, StoreOptions};

/// The folder of the state that belongs to a project's memory.
pub(crate) const STATE_FOLDER: &str = "memory-state";

/// Where a project's memories and their state lie, and why there.
///
/// Nothing is created by [`Location::find`]; [`Location::open`] makes the folders.
///
/// # Example
///
/// ```
/// use memdir::{Environment, Home, Location, Settings};
///
/// let scratch = tempfile::tempdir()?;
/// let project = scratch.path().join("app");
/// std::fs::create_dir(&project)?;
///
/// let environment = Environment::new(&project).with_user_home(scratch.path());
/// let home = Home::choose(None, &environment)?;
/// let decisions = Settings::new(environment.clone()).resolve()?;
/// let location = Location::find(&project, &home, &decisions, &environment, None)?;
///
/// assert!(location.key().ends_with("-app"));
/// assert_eq!(location.memory_dir(), location.project_folder().join("memory"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Location {
    home: Home,
    git: GitRoot,
    root: PathBuf,
    key: String,
    key_taken_by: Option<String>,
    memory_dir: PathBuf,
    state_dir: PathBuf,
    moved_by: Option<DirectoryChoice>,
    facts: Option<RepositoryFacts>,
}

impl Location {
    /// Finds the memory of the project that `directory` lies in.
    ///
    /// The project is the canonical git root, so that a verified worktree shares its repository's
    /// memory; without git it is the folder itself. With `facts` a project that was renamed onto
    /// a colliding key is recognised.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`] when the project would be the home folder or a root and no setting
    /// allows that; [`ErrorKind::NotFound`] or [`ErrorKind::Io`] when the folder cannot be
    /// reached.
    pub fn find(
        directory: &Path,
        home: &Home,
        decisions: &Decisions,
        environment: &crate::Environment,
        facts: Option<&RepositoryFacts>,
    ) -> Result<Self, Error> {
        let _span = tracing::debug_span!("memdir.locate").entered();
        let shown = directory.display().to_string();
        let directory = environment.current_dir().join(directory);
        let git =
            pathguard::canonical_root(&directory).map_err(|error| files::error(error, &shown))?;
        let root = std::fs::canonicalize(&git.root).map_err(|error| {
            Error::new(ErrorKind::Io, "cannot be reached")
                .with_path(shown.as_str())
                .with_source(error)
        })?;
        let explicit = decisions.directory.is_some() || decisions.allow_home_project;
        if !explicit && is_home_or_root(&root, environment.user_home()) {
            return Err(Error::refused("a home folder or a root is no project")
                .with_path(shown)
                .with_remedy(
                    "work in a project's folder, or set projects.allow_home = true in \
                     memstrata.toml",
                ));
        }
        let projects = home.path().join("projects");
        let chosen = choose_key(
            &root,
            &|key| owner(&projects, key, &root, facts),
            &|prefix| siblings(&projects, prefix),
        )?;
        let (memory_dir, state_dir) = match &decisions.directory {
            None => {
                let folder = projects.join(&chosen.key);
                (folder.join("memory"), folder.join(STATE_FOLDER))
            }
            Some(choice) => {
                let memory = choice.spec.path().to_path_buf();
                let state = moved_state(home.path(), &memory);
                (memory, state)
            }
        };
        Ok(Self {
            home: home.clone(),
            git,
            root,
            key: chosen.key,
            key_taken_by: chosen.taken_by,
            memory_dir,
            state_dir,
            moved_by: decisions.directory.clone(),
            facts: facts.cloned(),
        })
    }

    /// `<home>`.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// The real path of the project's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// How the root was found.
    pub fn root_kind(&self) -> GitRootKind {
        self.git.how
    }

    /// The name of the project's folder below `<home>/projects`.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The project that has the plain key, when this one had to take another.
    pub fn key_taken_by(&self) -> Option<&str> {
        self.key_taken_by.as_deref()
    }

    /// `<home>/projects/<key>`, which also holds the session folders.
    pub fn project_folder(&self) -> PathBuf {
        self.home.path().join("projects").join(&self.key)
    }

    /// The folder of the memories.
    pub fn memory_dir(&self) -> &Path {
        &self.memory_dir
    }

    /// The folder of the journal, the inbox and everything else that is ours.
    pub fn state_dir(&self) -> &Path {
        &self.state_dir
    }

    /// The setting that moved the memory folder. `None`: it is in its default place.
    pub fn moved_by(&self) -> Option<&DirectoryChoice> {
        self.moved_by.as_ref()
    }

    /// What identifies the repository, as given to [`Location::find`].
    pub fn facts(&self) -> Option<&RepositoryFacts> {
        self.facts.as_ref()
    }

    /// The folder of one session. The id is checked as one path component.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`] when the id could lead anywhere else.
    pub fn session_folder(&self, session_id: &str) -> Result<PathBuf, Error> {
        let key = PathKey::parse(session_id).map_err(|error| files::error(error, session_id))?;
        let reserved = ["memory", STATE_FOLDER].contains(&pathguard::fold_key(session_id).as_str());
        if key.as_ref().components().count() != 1 || session_id.starts_with('.') || reserved {
            return Err(Error::refused("a session id is one plain name").with_path(session_id));
        }
        Ok(self.project_folder().join(key.as_str()))
    }

    /// Makes the folders, records the project's identity and opens the store.
    ///
    /// # Errors
    ///
    /// As [`Store::open`]; [`ErrorKind::Refused`] when a setting moved the folder to a place that
    /// is somebody else's, that others can write, or that is the home folder after all.
    pub fn open(&self, options: StoreOptions) -> Result<Store, Error> {
        let clock = options.clock();
        let options = options.with_state_dir(&self.state_dir);
        let Some(choice) = &self.moved_by else {
            let store = Store::open(&self.memory_dir, options)?;
            self.remember(&store, clock.as_ref())?;
            return Ok(store);
        };
        // A moved folder may serve many projects: it is nobody's, and has no identity.
        let opened = choice
            .spec
            .open_or_create(&options.root_options())
            .map_err(|error| {
                let reason = error.to_string();
                Error::refused("the memory folder that it names is not allowed")
                    .with_path(&choice.place)
                    .with_remedy(format!("name another folder ({reason})"))
                    .with_source(error)
            })?;
        Store::from_root(opened.root, options)
    }

    /// The identity record of the store, when there is one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Corrupt`] when it cannot be understood.
    pub fn identity(&self) -> Result<Option<Identity>, Error> {
        match MemoryRoot::open(&self.state_dir, &RootOptions::default()) {
            Ok(state) => Identity::read(&state),
            Err(error) if error.kind() == pathguard::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(files::error(error, &self.state_dir.display().to_string())),
        }
    }

    fn remember(&self, store: &Store, clock: &dyn Clock) -> Result<(), Error> {
        let Ok(state) = store.state_root() else {
            return Ok(());
        };
        // A record that cannot be understood is written anew: the folder was chosen without it.
        let mut identity = Identity::read(state).ok().flatten().unwrap_or_default();
        let is_new = identity.created.is_none();
        if is_new {
            identity.created = Some(clock.now());
        }
        if identity.learn(&self.root, self.facts.as_ref()) || is_new {
            identity.write(state)?;
        }
        Ok(())
    }
}

/// The state of a moved memory folder, named after that folder.
///
/// Not after the project: a user setting moves the folder for all projects at once, and two locks
/// and two journals on one folder would lose updates.
fn moved_state(home: &Path, memory_dir: &Path) -> PathBuf {
    let real = pathguard::realpath_deepest_existing(memory_dir);
    let real = real.as_deref().unwrap_or(memory_dir);
    home.join("memstrata").join(pathguard::project_key(real))
}

fn is_home_or_root(root: &Path, user_home: Option<&Path>) -> bool {
    let is_home = user_home.is_some_and(|home| {
        let real = std::fs::canonicalize(home);
        root == real.as_deref().unwrap_or(home)
    });
    is_home || root.parent().is_none()
}

fn owner(projects: &Path, key: &str, root: &Path, facts: Option<&RepositoryFacts>) -> Owner {
    let folder = match MemoryRoot::open(&projects.join(key), &RootOptions::default()) {
        Ok(folder) => folder,
        Err(error) if error.kind() == pathguard::ErrorKind::NotFound => return Owner::Nobody,
        // Opening the store will say what is wrong with it.
        Err(_) => return Owner::Unknown,
    };
    let identity = folder
        .open_sub(files::key(STATE_FOLDER).as_ref())
        .ok()
        .and_then(|state| Identity::read(&state).ok().flatten());
    if let Some(identity) = identity
        && let Some(newest) = identity.paths.first()
    {
        return match identity.relation(root, facts, &|path| Path::new(path).exists()) {
            Relation::Same => Owner::Ours,
            Relation::Other => Owner::Other(newest.clone()),
        };
    }
    owner_by_sessions(root, key, &working_directories(&folder))
}

fn siblings(projects: &Path, prefix: &str) -> Vec<String> {
    folders(projects)
        .into_iter()
        .filter(|name| name.starts_with(prefix))
        .collect()
}

/// The names of all project folders, bounded.
pub(super) fn folders(projects: &Path) -> Vec<String> {
    let Ok(root) = MemoryRoot::open(projects, &RootOptions::default()) else {
        return Vec::new();
    };
    let mut limits = ListLimits::default();
    limits.max_depth = 1;
    limits.max_entries = PROJECTS_MAX;
    limits.metadata = false;
    let Ok(listing) = root.list(&limits) else {
        return Vec::new();
    };
    listing
        .entries
        .into_iter()
        .filter(|entry| entry.kind == pathguard::EntryKind::Directory)
        .map(|entry| entry.key.as_str().to_owned())
        .collect()
}
