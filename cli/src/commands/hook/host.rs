//! The agent that calls, and where its project's memory lies.

use std::path::{Path, PathBuf};
use std::time::Duration;

use memstrata::memdir::{Decisions, Mode, Origin, SettingsPlaces, Store, StoreOptions, Writer};
use memstrata::pathguard::{lexically_normal, realpath_deepest_existing};

use super::guess;
use super::payload::Call;
use super::shell::{is_pattern, matches};
use crate::cli::Global;
use crate::cli::hook::HookAgent;
use crate::clock::SystemClock;
use crate::context::{self, Context};
use crate::environment::Environment;
use crate::exit::Failure;

/// How long a hook waits for another process that writes the memory: the person waits with it.
pub(crate) const LOCK_WAIT: Duration = Duration::from_secs(1);

/// Links that are followed by hand to find out where a write would land.
const MAX_LINKS: usize = 8;

/// The names of the folders below a project's folder that are the memory's.
const MEMORY_FOLDERS: [&str; 2] = ["memory", "memory-state"];

/// The one of them that nobody but the store writes.
const STATE_FOLDER: &str = "memory-state";

/// Projects that are looked at for a pattern.
const MAX_PROJECTS: usize = 1_000;

/// One call, with everything that decides what it is about.
#[derive(Debug)]
pub(crate) struct Host<'a> {
    pub(crate) agent: HookAgent,
    pub(crate) call: &'a Call,
    pub(crate) global: Global,
    pub(crate) environment: &'a Environment,
}

impl<'a> Host<'a> {
    /// Decides for which project the call is: `--project`, the folder in which the agent was started when
    /// it says so, the folder it is in.
    pub(crate) fn new(
        agent: HookAgent,
        call: &'a Call,
        global: &Global,
        environment: &'a Environment,
    ) -> Self {
        let mut global = global.clone();
        let started_in = environment.agent_project.as_ref();
        let is_there = |path: &&PathBuf| path.is_absolute() && path.is_dir();
        let named = global.project.take();
        global.project = named
            .or_else(|| started_in.filter(is_there).cloned())
            .or_else(|| call.cwd.clone());
        Host {
            agent,
            call,
            global,
            environment,
        }
    }

    /// Finds the project's memory without asking git for anything.
    pub(crate) fn locate(&self) -> Result<Context, Failure> {
        Context::locate_as_known(&self.global, self.environment)
    }

    /// The folder that relative paths of the call are taken from.
    pub(crate) fn cwd(&self) -> &Path {
        let cwd = self.call.cwd.as_deref();
        cwd.unwrap_or(&self.environment.current_dir)
    }

    /// Who changes something when the agent's own tools do.
    pub(crate) fn origin(&self) -> Origin {
        Origin::new(Writer::Host, self.agent.as_str()).with_session(&self.call.session)
    }
}

/// Everything below the home folder and elsewhere that is memory.
#[derive(Debug)]
pub(crate) struct Areas {
    /// The project's own; or why it cannot be told.
    own: Result<Context, Failure>,
    /// Where the project's own may lie, by whatever can still be read, when it cannot be told.
    guesses: Vec<PathBuf>,
    /// `<home>`, as it is named and as it really is.
    homes: Vec<PathBuf>,
    environment_dir: PathBuf,
}

/// Whose memory a path belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owner {
    /// The project that the agent works in.
    Own,
    /// Another project; its folder below `<home>/projects`.
    Project(PathBuf),
}

/// How a path lies to a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Covers {
    /// It is a folder that this one is in.
    Above,
    /// It is the folder.
    Same,
    /// It is in the folder.
    Below,
}

/// Compares a path, which may be a pattern, with a folder; `None` when neither is in the other.
fn covers(path: &Path, folder: &Path) -> Option<Covers> {
    let (mut names, mut folders) = (path.components(), folder.components());
    loop {
        match (names.next(), folders.next()) {
            (None, None) => return Some(Covers::Same),
            (None, Some(_)) => return Some(Covers::Above),
            (Some(_), None) => return Some(Covers::Below),
            (Some(name), Some(folder)) => {
                let (text, other) = (
                    name.as_os_str().to_string_lossy(),
                    folder.as_os_str().to_string_lossy(),
                );
                if name != folder && !matches(&text, &other) {
                    return None;
                }
            }
        }
    }
}

impl Areas {
    pub(crate) fn of(host: &Host<'_>) -> Self {
        let home = context::home(&host.global, host.environment).ok();
        let home = home.map(|home| home.path().to_owned());
        let real = home
            .as_ref()
            .and_then(|home| std::fs::canonicalize(home).ok());
        let own = host.locate();
        let guesses = match (&own, &home) {
            (Err(_), Some(home)) => guess::folders(host, home),
            _ => Vec::new(),
        };
        Areas {
            own,
            guesses,
            homes: home.into_iter().chain(real).collect(),
            environment_dir: host.cwd().to_owned(),
        }
    }

    /// Whether nothing is kept at all, so that the folder is as any other.
    pub(crate) fn is_off(&self) -> bool {
        let modes = self.own.as_ref().map(|own| own.decisions.modes);
        modes.is_ok_and(|modes| modes.persistent == Mode::Off && modes.team == Mode::Off)
    }

    /// The project's memory folder, when it could be found.
    pub(crate) fn own(&self) -> Option<&Context> {
        self.own.as_ref().ok()
    }

    /// Returns whose memory a write to a path would land in, links followed; `None` for no one's.
    pub(crate) fn owner(&self, path: &Path) -> Option<Owner> {
        let mut path = self.environment_dir.join(path);
        for _ in 0..MAX_LINKS {
            if let Some(owner) = self.owner_by_text(&lexically_normal(&path)) {
                return Some(owner);
            }
            if let Ok(real) = realpath_deepest_existing(&path) {
                return self.owner_by_text(&real);
            }
            // A link to nothing may lead in here: writing through it makes the file.
            let target = std::fs::read_link(&path).ok()?;
            let folder = path.parent().unwrap_or(Path::new("/"));
            path = folder.join(target);
        }
        // Nothing honest has so many links; the store refuses it.
        Some(Owner::Own)
    }

    fn owner_by_text(&self, path: &Path) -> Option<Owner> {
        if let Some(own) = self.own() {
            let folders = [own.location.memory_dir(), own.location.state_dir()];
            let is_below = |folder: &&Path| {
                path.starts_with(folder)
                    || std::fs::canonicalize(folder).is_ok_and(|real| path.starts_with(real))
            };
            if folders.iter().any(is_below) {
                return Some(Owner::Own);
            }
        }
        if self.guesses.iter().any(|folder| path.starts_with(folder)) {
            return Some(Owner::Own);
        }
        self.homes.iter().find_map(|home| {
            let below = path.strip_prefix(home.join("projects")).ok()?;
            let mut names = below.iter();
            let (project, folder) = (names.next()?, names.next()?);
            if is_pattern(Path::new(project)) {
                return None;
            }
            let is_memory = MEMORY_FOLDERS.iter().any(|name| folder == *name);
            is_memory.then(|| Owner::Project(home.join("projects").join(project)))
        })
    }

    /// Returns whose memories a command could reach by a path, which may be a pattern. Only what is there
    /// counts: a command that first makes a folder has nothing in it to lose.
    pub(crate) fn owners(&self, path: &Path) -> Vec<Owner> {
        let is_there = |owner: &Owner| match owner {
            Owner::Own => true,
            Owner::Project(folder) => MEMORY_FOLDERS.iter().any(|name| folder.join(name).is_dir()),
        };
        let mut owners: Vec<Owner> = self.owner(path).filter(is_there).into_iter().collect();
        if !is_pattern(path) {
            return owners;
        }
        let real = realpath_deepest_existing(path).ok();
        for path in [Some(path.to_owned()), real].into_iter().flatten() {
            if self
                .own_folders()
                .any(|folder| covers(&path, &folder).is_some_and(|it| it != Covers::Above))
            {
                owners.push(Owner::Own);
            }
            let projects = self.homes.iter().map(|home| home.join("projects"));
            for projects in projects.filter(|it| covers(&path, it) == Some(Covers::Below)) {
                let entries = std::fs::read_dir(&projects).into_iter().flatten();
                let found = entries
                    .take(MAX_PROJECTS)
                    .filter_map(|entry| Some(entry.ok()?.path()));
                owners.extend(found.filter_map(|project| {
                    let mut folders = MEMORY_FOLDERS.iter().map(|name| project.join(name));
                    let is_reached = folders.any(|it| {
                        it.is_dir() && covers(&path, &it).is_some_and(|it| it != Covers::Above)
                    });
                    let is_own = self.own_folders().any(|own| own.starts_with(&project));
                    (is_reached && !is_own).then_some(Owner::Project(project))
                }));
            }
        }
        owners.sort();
        owners.dedup();
        owners
    }

    /// Whether a path, which may be a pattern, is a folder that holds the project's memory.
    pub(crate) fn is_above(&self, path: &Path) -> bool {
        let homes = self.homes.iter().map(|home| home.join("projects"));
        self.own_folders()
            .chain(homes)
            .any(|folder| covers(path, &folder) == Some(Covers::Above))
    }

    /// Whether a path, which may be a pattern, lies in a state folder or is one.
    pub(crate) fn is_state(&self, path: &Path) -> bool {
        let real = realpath_deepest_existing(path).unwrap_or_default();
        let own = self.own().map(|own| own.location.state_dir().to_owned());
        let own_real = own.as_ref().and_then(|own| std::fs::canonicalize(own).ok());
        let is_own = own.into_iter().chain(own_real).any(|state| {
            [path, &real]
                .iter()
                .any(|path| covers(path, &state).is_some_and(|it| it != Covers::Above))
        });
        let projects = self.homes.iter().map(|home| home.join("projects"));
        is_own
            || projects.into_iter().any(|projects| {
                [path, &real].iter().any(|path| {
                    let below = path.strip_prefix(&projects).ok();
                    below.and_then(|below| below.iter().nth(1)) == Some(STATE_FOLDER.as_ref())
                })
            })
    }

    /// The folders of the project's memory, as they are named and as they really are.
    fn own_folders(&self) -> impl Iterator<Item = PathBuf> {
        let own = self.own().map(|own| &own.location);
        let folders = own.map(|own| [own.memory_dir().to_owned(), own.state_dir().to_owned()]);
        let guesses = self.guesses.iter().cloned();
        folders
            .into_iter()
            .flatten()
            .chain(guesses)
            .flat_map(|folder| {
                let real = std::fs::canonicalize(&folder)
                    .ok()
                    .filter(|real| *real != folder);
                std::iter::once(folder).chain(real)
            })
    }

    /// Opens the store of an owner; makes its folders where they are missing, for a write is about to
    /// happen.
    ///
    /// # Errors
    /// When the settings cannot be read or the folder cannot be opened.
    pub(crate) fn open(&self, owner: &Owner) -> Result<Store, Failure> {
        match (owner, &self.own) {
            (Owner::Own, Ok(own)) => own.open_unseen(LOCK_WAIT),
            (Owner::Own, Err(failure)) => Err(failure.repeated()),
            (Owner::Project(folder), own) => {
                let decisions = match own {
                    Ok(own) => own.decisions.clone(),
                    Err(_) => self.settings_of_home()?,
                };
                let options = StoreOptions::new(SystemClock)
                    .with_decisions(&decisions)
                    .with_lock_wait(LOCK_WAIT)
                    .with_state_dir(folder.join("memory-state"));
                Ok(Store::open(&folder.join("memory"), options)?)
            }
        }
    }

    /// What the home's own settings say, for a project that cannot be reached.
    fn settings_of_home(&self) -> Result<Decisions, Failure> {
        let home = self.homes.first().cloned().unwrap_or_default();
        let environment = memstrata::memdir::Environment::new(&self.environment_dir);
        Ok(SettingsPlaces::new(home).load(environment)?.resolve()?)
    }
}
