//! From a folder somebody works in to its memory: settings, identity, location.

use std::path::PathBuf;

use memdir::{
    Decisions, Environment, GitProgram, Home, Location, RepositoryFacts, SettingsPlaces,
    managed_settings_path,
};

use crate::error::{Error, ErrorKind};

/// What a place is found by. Nothing is read from the process: the environment is an argument.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlaceOptions<'a> {
    /// The folder somebody works in.
    pub project: PathBuf,
    /// `<home>`, when the person named it; otherwise the environment decides.
    pub home: Option<PathBuf>,
    /// The memory folder itself, when the person named it.
    pub memory_dir: Option<PathBuf>,
    /// Variables, the person's home folder, the working folder.
    pub environment: Environment,
    /// git, for the first commit, by which a renamed project is recognised. It is asked once per project.
    pub git: Option<GitProgram<'a>>,
    /// Whether a team server is configured. Without one the team layer is off.
    pub team_configured: bool,
    /// The administrator's settings. Default: where Claude Code keeps them.
    pub managed: Option<PathBuf>,
}

impl PlaceOptions<'_> {
    /// A project, and the environment that it is looked at from.
    pub fn new(project: impl Into<PathBuf>, environment: Environment) -> Self {
        Self {
            project: project.into(),
            home: None,
            memory_dir: None,
            environment,
            git: None,
            team_configured: false,
            managed: Some(managed_settings_path()),
        }
    }
}

/// Where a project's memory lies, and what the settings say about it.
///
/// ```
/// use memstrata::memdir::{Environment, Mode};
/// use memstrata::{Place, PlaceOptions};
///
/// # let scratch = tempfile::tempdir()?;
/// # let (home, project) = (scratch.path().join("home"), scratch.path().join("app"));
/// # std::fs::create_dir_all(project.join(".memstrata"))?;
/// // Whoever can commit to a repository can lower a mode, and not move the memory.
/// let repository = "memory_dir = \"/tmp/elsewhere\"\n[modes]\npersistent = \"read\"\n";
/// std::fs::write(project.join(".memstrata/config.toml"), repository)?;
///
/// let mut options = PlaceOptions::new(&project, Environment::new(&project));
/// options.home = Some(home.clone());
/// let place = Place::find(&options)?;
/// assert!(place.location.memory_dir().starts_with(home.join("projects")));
/// assert_eq!(place.decisions.modes.persistent, Mode::Read);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Place {
    /// The resolved folders.
    pub location: Location,
    /// What the settings amount to.
    pub decisions: Decisions,
    /// The folder of the project as it was named: in a worktree not the one of the main repository.
    pub project: PathBuf,
}

impl Place {
    /// Reads the settings and finds the memory of a project. Creates nothing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Memory`] for a project or a folder that is not allowed or cannot be reached, and when
    /// settings of the person or the administrator cannot be understood.
    pub fn find(options: &PlaceOptions<'_>) -> Result<Self, Error> {
        let environment = &options.environment;
        let home = Home::choose(options.home.as_deref(), environment)?;
        let project = environment.current_dir().join(&options.project);
        let git = pathguard::canonical_root(&project).map_err(|error| {
            let shown = project.display();
            Error::new(ErrorKind::Memory, format!("{shown} cannot be reached")).with_source(error)
        })?;
        let places = SettingsPlaces::new(home.path())
            .with_project(&git.root)
            .with_managed(options.managed.clone());
        // A person at a shell may name a folder relative to where they stand; a setting may not.
        let directory = options.memory_dir.as_ref();
        let directory = directory.map(|dir| environment.current_dir().join(dir));
        let directory = directory.map(|dir| dir.to_string_lossy().into_owned());
        let decisions = places
            .load(environment.clone())?
            .with_directory_argument(directory)
            .with_team_configured(options.team_configured)
            .resolve()?;
        let find = |facts: &RepositoryFacts| {
            Location::find(&project, &home, &decisions, environment, Some(facts))
        };
        let mut facts = RepositoryFacts::read(&git, None);
        let mut location = find(&facts)?;
        let recorded = location.identity().ok().flatten();
        facts.root_commit = recorded.and_then(|identity| identity.facts.root_commit);
        // A folder that a setting moved is nobody's: no identity is kept for it, and none is needed.
        if facts.root_commit.is_none() && location.moved_by().is_none() {
            // Asking git for the first commit walks the whole history, so it is asked once per project.
            facts = RepositoryFacts::read(&git, options.git);
        }
        if facts.root_commit.is_some() {
            location = find(&facts)?;
        }
        Ok(Self {
            location,
            decisions,
            project,
        })
    }
}
