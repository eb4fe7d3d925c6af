//! The pure decision: environment and settings files in, folder, modes and reasons out.

use pathguard::{MemoryDirSpec, SettingsSource, TrustedSource};

use super::environment::{self, Environment};
use super::mode::{Mode, ModeSettings, Modes, SecretAction};
use super::source::{MODEL_SECTION, ProjectSettings, TEAM_SECTION, TrustedSettings};
use super::team::TeamServer;
use crate::error::Error;

/// Everything that may decide where memories are kept and what may be done.
///
/// # Example
///
/// ```
/// use memdir::{Environment, Mode, ProjectSettings, Settings};
///
/// // A repository may switch memory off, and may not move it.
/// let hostile = r#"{"autoMemoryDirectory": "~/.ssh", "autoMemoryEnabled": false}"#;
/// let environment = Environment::new("/work/app").with_user_home("/home/ana");
/// let mut settings = Settings::new(environment);
/// settings.push_project(ProjectSettings::parse_json(".claude/settings.json", hostile)?);
///
/// let decisions = settings.resolve()?;
/// assert!(decisions.directory.is_none());
/// assert_eq!(decisions.modes.persistent, Mode::Off);
/// assert!(decisions.warnings[0].message.contains("autoMemoryDirectory"));
/// # Ok::<(), memdir::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Settings {
    environment: Environment,
    directory_argument: Option<String>,
    trusted: Vec<TrustedSettings>,
    project: Vec<ProjectSettings>,
    team_configured: bool,
    problems: Vec<SettingsWarning>,
}

/// What the settings amount to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Decisions {
    /// The memory folder, when something moves it away from its default place.
    pub directory: Option<DirectoryChoice>,
    /// The mode of each layer.
    pub modes: Modes,
    /// What happens to credentials in private memories.
    pub private_secrets: SecretAction,
    /// Where the team server is and how to speak to it.
    pub team: TeamServer,
    /// Whether the home folder or a root may be a project.
    pub allow_home_project: bool,
    /// What was ignored or looks wrong, and why.
    pub warnings: Vec<SettingsWarning>,
}

/// A memory folder, and which setting chose it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DirectoryChoice {
    /// The checked folder.
    pub spec: MemoryDirSpec,
    /// The kind of source.
    pub source: SettingsSource,
    /// The variable or file, for people to read.
    pub place: String,
}

/// A setting that was ignored or looks wrong. Soft: the decision was made without it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SettingsWarning {
    /// The variable or file.
    pub place: String,
    /// What is wrong with it.
    pub message: String,
}

impl SettingsWarning {
    pub(super) fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            message: message.into(),
        }
    }
}

impl Settings {
    /// Settings without any file: the environment and the defaults decide.
    pub fn new(environment: Environment) -> Self {
        Self {
            environment,
            directory_argument: None,
            trusted: Vec::new(),
            project: Vec::new(),
            team_configured: false,
            problems: Vec::new(),
        }
    }

    /// The memory folder that the person gave as an argument; goes before everything else.
    #[must_use]
    pub fn with_directory_argument(mut self, directory: Option<String>) -> Self {
        self.directory_argument = directory;
        self
    }

    /// Whether a team server is known to the caller from elsewhere. Without one, here or in the environment
    /// or the user's settings, the team layer is off.
    #[must_use]
    pub fn with_team_configured(mut self, configured: bool) -> Self {
        self.team_configured = configured;
        self
    }

    /// Adds settings of a trusted place. Call it in order of precedence, strongest first.
    pub fn push_trusted(&mut self, settings: TrustedSettings) {
        self.trusted.push(settings);
    }

    /// Adds settings of the project. Their order does not matter: they only ever reduce.
    pub fn push_project(&mut self, settings: ProjectSettings) {
        self.project.push(settings);
    }

    /// Adds a file of the project that could not be read. It is reported and otherwise ignored.
    pub(super) fn push_problem(&mut self, problem: SettingsWarning) {
        self.problems.push(problem);
    }

    /// The environment that was handed in.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Decides.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused) when a trusted source names a folder that
    /// the directory check of `pathguard` refuses. It is never skipped in favour of a weaker
    /// source: memories would silently go elsewhere.
    pub fn resolve(&self) -> Result<Decisions, Error> {
        let mut warnings = self.slips();
        warnings.extend(self.problems.clone());
        warnings.extend(self.project_warnings());
        let directory = self.directory()?;
        if let Some(choice) = &directory {
            warnings.extend(
                choice
                    .spec
                    .warnings()
                    .iter()
                    .map(|warning| SettingsWarning::new(&choice.place, warning.to_string())),
            );
        }
        Ok(Decisions {
            directory,
            modes: self.modes(),
            private_secrets: self.private_secrets(),
            team: self.team(),
            allow_home_project: self
                .trusted
                .iter()
                .find_map(|settings| settings.switches.allow_home_project)
                .unwrap_or(false),
            warnings,
        })
    }

    fn directory(&self) -> Result<Option<DirectoryChoice>, Error> {
        let argument = self.directory_argument.as_deref();
        let variable = self.environment.variable(environment::MEMSTRATA_MEMORY_DIR);
        let from_files = self.trusted.iter().filter_map(|settings| {
            let directory = settings.directory.as_deref()?;
            Some((directory, settings.source, settings.place.as_str()))
        });
        let strongest = argument
            .map(|raw| (raw, TrustedSource::Argument, "--memory-dir"))
            .or_else(|| {
                variable.map(|raw| {
                    let place = environment::MEMSTRATA_MEMORY_DIR;
                    (raw, TrustedSource::Environment, place)
                })
            })
            .or_else(|| from_files.into_iter().next());
        let Some((raw, source, place)) = strongest else {
            return Ok(None);
        };
        let spec = MemoryDirSpec::resolve(raw, source, &self.environment.for_pathguard()).map_err(
            |error| {
                Error::refused("the memory folder it names is not allowed")
                    .with_path(place)
                    .with_remedy(format!("name another folder ({error})"))
                    .with_source(error)
            },
        )?;
        Ok(Some(DirectoryChoice {
            spec,
            source: source.into(),
            place: place.to_owned(),
        }))
    }

    fn modes(&self) -> Modes {
        if self.environment.switch(environment::MEMSTRATA_DISABLE) == Some(true) {
            return Modes::all(Mode::Off);
        }
        let mut modes = Modes::all(Mode::Auto);
        for settings in self.trusted.iter().rev() {
            modes = modes.replaced_by(settings.switches.modes);
        }
        for settings in &self.project {
            modes = modes.limited_by(settings.switches.modes);
        }
        if !self.auto_memory() {
            modes.persistent = Mode::Off;
            modes.team = Mode::Off;
        }
        if !self.team_configured && self.team().url.is_none() {
            modes.team = Mode::Off;
        }
        modes
    }

    /// The variable names the server before the files do; how to speak to it is for the files.
    fn team(&self) -> TeamServer {
        let mut team = TeamServer::default();
        for settings in self.trusted.iter().rev() {
            settings.team.apply(&mut team, &settings.place);
        }
        if let Some(url) = self.environment.variable(environment::MEMSTRATA_TEAM_URL) {
            team.url = Some(url.trim().to_owned());
            environment::MEMSTRATA_TEAM_URL.clone_into(&mut team.place);
        }
        team
    }

    /// The variable wins in both directions; a project can only say no.
    fn auto_memory(&self) -> bool {
        let variable = self
            .environment
            .switch(environment::CLAUDE_CODE_DISABLE_AUTO_MEMORY);
        if let Some(disabled) = variable {
            return !disabled;
        }
        let refused_by_project = self
            .project
            .iter()
            .any(|settings| settings.switches.auto_memory == Some(false));
        let allowed_by_user = self
            .trusted
            .iter()
            .find_map(|settings| settings.switches.auto_memory)
            .unwrap_or(true);
        allowed_by_user && !refused_by_project
    }

    fn private_secrets(&self) -> SecretAction {
        let chosen = self
            .trusted
            .iter()
            .find_map(|settings| settings.switches.private_secrets)
            .unwrap_or_default();
        // A project may be stricter than its user, never laxer.
        self.project
            .iter()
            .filter_map(|settings| settings.switches.private_secrets)
            .fold(chosen, SecretAction::max)
    }

    /// What the person's own files say that is no setting.
    fn slips(&self) -> Vec<SettingsWarning> {
        let of_file = |settings: &TrustedSettings| {
            let place = settings.place.clone();
            let slips = settings.slips.clone().into_iter();
            slips.map(move |slip| SettingsWarning::new(place.clone(), slip))
        };
        self.trusted.iter().flat_map(of_file).collect()
    }

    fn project_warnings(&self) -> Vec<SettingsWarning> {
        let mut warnings = Vec::new();
        for settings in &self.project {
            for key in &settings.ignored {
                let what = match *key {
                    TEAM_SECTION => "where memories are sent",
                    MODEL_SECTION => "which model is asked",
                    _ => "where memories are kept",
                };
                let message = format!("{key} is ignored: a project's file may not say {what}");
                warnings.push(SettingsWarning::new(&settings.place, message));
            }
            if settings.holds_more {
                let message = "it holds keys that are not read: a project's file may set modes.session, \
                               modes.persistent, modes.team and secrets.private";
                warnings.push(SettingsWarning::new(&settings.place, message));
            }
            let raised = raised_modes(settings.switches.modes);
            if settings.switches.auto_memory == Some(true) || raised {
                let message = "it can lower what is done and not raise it";
                warnings.push(SettingsWarning::new(&settings.place, message));
            }
        }
        warnings
    }
}

/// Whether a project's file asks for the highest mode, which it cannot grant.
fn raised_modes(modes: ModeSettings) -> bool {
    [modes.session, modes.persistent, modes.team].contains(&Some(Mode::Auto))
}
