//! How a session is started.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use memdir::{Clock, Environment, GitProgram, managed_settings_path};
use memdir_extract::{Backend, DRAIN_TIME, TriggerOptions};
use recall::{BLOCK_TOKENS, VERIFY_MILLISECONDS};
use session_memory::{CompactLimits, Thresholds};

use super::Session;
use crate::clock::SystemClock;
use crate::error::Error;
use crate::place::{Place, PlaceOptions};

/// What a session needs to know. Everything but the project has a default.
///
/// Neither the environment nor the home folder is read: who wants the variables of the process to count hands
/// them over with [`SessionBuilder::environment`].
#[derive(Clone)]
#[must_use = "a builder does nothing until `start`"]
pub struct SessionBuilder {
    pub(super) project: Option<PathBuf>,
    pub(super) home: Option<PathBuf>,
    pub(super) memory_dir: Option<PathBuf>,
    pub(super) environment: Environment,
    pub(super) managed: Option<PathBuf>,
    pub(super) git: Option<(PathBuf, String)>,
    pub(super) place: Option<Place>,
    pub(super) id: Option<String>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) host: String,
    pub(super) options: Options,
    pub(super) backend: Option<Arc<dyn Backend>>,
    #[cfg(feature = "session-model")]
    pub(super) models: crate::models::Models,
    #[cfg(feature = "session-model")]
    pub(super) provider: Option<agent_model::Provider>,
    #[cfg(feature = "session-team")]
    pub(super) team: Option<super::team::Connect>,
}

/// What the parts of a session are told.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) is_bare: bool,
    pub(super) waits: bool,
    pub(super) is_volatile: bool,
    pub(super) trigger: TriggerOptions,
    pub(super) thresholds: Thresholds,
    pub(super) limits: CompactLimits,
    pub(super) drain_time: Duration,
    pub(super) verify_time: Duration,
    pub(super) block_tokens: usize,
}

impl std::fmt::Debug for SessionBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionBuilder")
            .field("project", &self.project)
            .field("home", &self.home)
            .field("id", &self.id)
            .field("host", &self.host)
            .finish_non_exhaustive()
    }
}

impl Default for SessionBuilder {
    fn default() -> Self {
        Self {
            project: None,
            home: None,
            memory_dir: None,
            environment: Environment::default(),
            managed: Some(managed_settings_path()),
            git: None,
            place: None,
            id: None,
            clock: Arc::new(SystemClock),
            host: "memstrata".to_owned(),
            options: Options {
                is_bare: false,
                waits: false,
                is_volatile: false,
                trigger: TriggerOptions::default(),
                thresholds: Thresholds::default(),
                limits: CompactLimits::default(),
                drain_time: DRAIN_TIME,
                verify_time: Duration::from_millis(VERIFY_MILLISECONDS),
                block_tokens: BLOCK_TOKENS,
            },
            backend: None,
            #[cfg(feature = "session-model")]
            models: crate::models::Models::new(),
            #[cfg(feature = "session-model")]
            provider: None,
            #[cfg(feature = "session-team")]
            team: None,
        }
    }
}

impl SessionBuilder {
    /// The folder that the person works in. Default: the working folder of the environment.
    pub fn project(mut self, folder: impl Into<PathBuf>) -> Self {
        self.project = Some(folder.into());
        self
    }

    /// `<home>`, which holds `projects/` and the settings. Default: what the environment says.
    pub fn home(mut self, folder: impl Into<PathBuf>) -> Self {
        self.home = Some(folder.into());
        self
    }

    /// The memory folder itself, in place of the project's below `<home>`.
    pub fn memory_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.memory_dir = Some(folder.into());
        self
    }

    /// Variables, the person's home folder and the working folder, as the session shall see them. Default:
    /// none.
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    /// The administrator's settings, where they do not lie at their usual place; `None`: nowhere.
    pub fn managed_settings(mut self, file: Option<PathBuf>) -> Self {
        self.managed = file;
        self
    }

    /// The git program and the search path it needs, so that a renamed project is recognised. Default: git
    /// is not asked.
    pub fn git(mut self, program: impl Into<PathBuf>, search_path: impl Into<String>) -> Self {
        self.git = Some((program.into(), search_path.into()));
        self
    }

    /// A place that was found already; project, home, memory folder and settings are those of it.
    pub fn place(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// The session's id: one plain name, the same in every process of the session. Default: one made of the
    /// time.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// The clock. Default: [`SystemClock`](crate::SystemClock).
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// The host's name, for the history. Default `memstrata`.
    pub fn host(mut self, name: impl Into<String>) -> Self {
        self.host = name.into();
        self
    }

    /// Whether the session was started without the person's settings and memory: nothing is learned then.
    pub fn bare(mut self, is_bare: bool) -> Self {
        self.options.is_bare = is_bare;
        self
    }

    /// Whether calls return only when what they started in the background has come to its end: for replays
    /// and tests, whose next step depends on the last. Default: no.
    pub fn wait_for_background(mut self, waits: bool) -> Self {
        self.options.waits = waits;
        self
    }

    /// Whether nothing waits for the disk: for a home that nobody needs after a crash of the machine, such as the
    /// scratch home of a replay. Default: no.
    pub fn volatile(mut self, is_volatile: bool) -> Self {
        self.options.is_volatile = is_volatile;
        self
    }

    /// How often extraction runs.
    pub fn trigger(mut self, trigger: TriggerOptions) -> Self {
        self.options.trigger = trigger;
        self
    }

    /// When the session file is due for an update.
    pub fn thresholds(mut self, thresholds: Thresholds) -> Self {
        self.options.thresholds = thresholds;
        self
    }

    /// How much of a conversation a compaction keeps.
    pub fn compact_limits(mut self, limits: CompactLimits) -> Self {
        self.options.limits = limits;
        self
    }

    /// How long [`Session::end`] waits for what still runs. Default 60 s.
    pub fn drain_time(mut self, limit: Duration) -> Self {
        self.options.drain_time = limit;
        self
    }

    /// How long a recall may check what memories claim. Default
    /// [`VERIFY_MILLISECONDS`]; hooks take
    /// [`VERIFY_HOOK_MILLISECONDS`](recall::VERIFY_HOOK_MILLISECONDS).
    pub fn verify_time(mut self, limit: Duration) -> Self {
        self.options.verify_time = limit;
        self
    }

    /// Tokens of the block of recalled memories at most. Default [`BLOCK_TOKENS`].
    pub fn block_tokens(mut self, tokens: usize) -> Self {
        self.options.block_tokens = tokens;
        self
    }

    /// Who finds memories in a finished turn. Default: the rules, or the model where one is given.
    pub fn backend(mut self, backend: Arc<dyn Backend>) -> Self {
        self.backend = Some(backend);
        self
    }

    /// Models for the work of the session, with the rules behind them. Default: none.
    ///
    /// The session brings a runtime for them with one thread of its own.
    #[cfg(feature = "session-model")]
    pub fn models(mut self, models: crate::models::Models) -> Self {
        self.models = models;
        self
    }

    /// Who runs the model of the session itself. Models of another provider are then left out, unless
    /// [`Models::with_any_session`](crate::Models::with_any_session) allows it. Default: not known, and the
    /// models that were given are taken to be the session's own.
    #[cfg(feature = "session-model")]
    pub fn provider(mut self, provider: agent_model::Provider) -> Self {
        self.provider = Some(provider);
        self
    }

    /// The team layer: pulled at the start, watched while the session runs, sent in the end. Default: none.
    ///
    /// How far it goes is for `modes.team` to say: `read` and `ask` only pull. What cannot be reached is a
    /// notice, and the session goes on.
    #[cfg(feature = "session-team")]
    pub fn team(mut self, connect: super::team::Connect) -> Self {
        self.team = Some(connect);
        self
    }

    /// Finds the project's memory, makes its folders and starts the session.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when settings or folders cannot be used,
    /// [`ErrorKind::SessionId`](crate::ErrorKind::SessionId) when the id could lead out of its folder.
    pub fn start(mut self) -> Result<Session, Error> {
        let place = match self.place.take() {
            Some(place) => place,
            None => self.find_place()?,
        };
        Session::start(self, place)
    }

    fn find_place(&self) -> Result<Place, Error> {
        let project = self.project.clone();
        let project = project.unwrap_or_else(|| self.environment.current_dir().to_path_buf());
        let mut options = PlaceOptions::new(project, self.environment.clone());
        options.home.clone_from(&self.home);
        options.memory_dir.clone_from(&self.memory_dir);
        options.managed.clone_from(&self.managed);
        #[cfg(feature = "session-team")]
        {
            options.team_configured = self.team.is_some();
        }
        options.git = self.git.as_ref().map(|(program, search_path)| GitProgram {
            program,
            search_path,
        });
        Place::find(&options)
    }
}
