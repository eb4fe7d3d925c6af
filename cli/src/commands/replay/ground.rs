//! Where a replay takes place: a scratch home that is removed in the end, or a real one.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use memstrata::memdir::{Clock, Environment as MemoryEnvironment, Timestamp};
use memstrata::session::Session;
use memstrata::{ManualClock, ModelSettings, Models, Place, PlaceOptions, ledger_folder};
use tempfile::TempDir;

use super::recording::Recording;
use crate::cli::Global;
use crate::cli::replay::Replay;
use crate::clock::SystemClock;
use crate::context::{self, Context};
use crate::environment::{Environment, GitFound};
use crate::exit::{Exit, Failure};
use crate::stop;
use crate::terminal::{Speech, clean};

/// More files of a team than a server would send are a mistake in the command.
const MOST_TEAM_FILES: usize = 10_000;

/// How long the claims of what is recalled for one message are checked.
const VERIFY_TIME: Duration = Duration::from_secs(5);

/// A home, and how projects are found in it.
pub(super) struct Ground {
    home: PathBuf,
    /// Removed when it is dropped; `None` for a real home and one that is kept.
    _scratch: Option<TempDir>,
    is_kept: bool,
    is_real: bool,
    project: Option<PathBuf>,
    current: PathBuf,
    environment: MemoryEnvironment,
    git: Option<GitFound>,
    team: Option<PathBuf>,
    models: Models,
    zone: TimeZone,
    speech: Speech,
}

impl Ground {
    pub(super) fn prepare(
        arguments: &Replay,
        global: &Global,
        environment: &Environment,
        zone: TimeZone,
        speech: Speech,
    ) -> Result<Self, Failure> {
        let current = environment.current_dir.clone();
        let project = global.project.as_ref().map(|project| current.join(project));
        let team = arguments.team.as_ref().map(|team| current.join(team));
        if let Some(team) = team.as_ref().filter(|team| !team.is_dir()) {
            let message = format!("{} is no folder", clean(&team.to_string_lossy()));
            return Err(Failure::new(Exit::NotFound, message));
        }
        let is_real = arguments.into.is_some();
        let (home, scratch) = match (&arguments.into, &arguments.keep) {
            (Some(into), _) => (current.join(into), None),
            (None, Some(Some(folder))) => (new_folder(&current.join(folder))?, None),
            (None, keep) => {
                let scratch = tempfile::Builder::new()
                    .prefix("memstrata-replay-")
                    .tempdir()?;
                // Through links, as every path is that is compared with one below it.
                let home = fs::canonicalize(scratch.path())?;
                if keep.is_some() {
                    // The folder stays; only the guard that would remove it goes.
                    drop(scratch.keep());
                    (home, None)
                } else {
                    stop::remove_when_asked(home.clone())?;
                    (home, Some(scratch))
                }
            }
        };
        let models = if arguments.model {
            models(global, environment, speech)?
        } else {
            Models::new()
        };
        // A scratch home is nobody's: what the person has set for their own does not count there.
        let variables = if is_real {
            context::values(environment)
        } else {
            MemoryEnvironment::new(&current)
        };
        Ok(Self {
            home,
            is_kept: !is_real && scratch.is_none(),
            _scratch: scratch,
            is_real,
            project,
            current,
            environment: variables,
            git: environment.git().filter(|_| is_real),
            team,
            models,
            zone,
            speech,
        })
    }

    /// Whether the home is a person's own.
    pub(super) fn is_real(&self) -> bool {
        self.is_real
    }

    /// Starts the session of a recording, and the clock it goes by.
    pub(super) fn session(
        &self,
        recording: &Recording,
        started: Timestamp,
    ) -> Result<(Session, Arc<ManualClock>), Failure> {
        let offset = self
            .zone
            .to_offset(jiff::Timestamp::from_nanosecond(started.nanoseconds()).unwrap_or_default());
        let clock = Arc::new(ManualClock::new(started, offset.seconds()));
        let (place, is_here) = self.place_of(recording)?;
        let id = recording.id();
        // A name that no folder of a session may have, such as that of a device, is still the name of a session.
        let id = match place.location.session_folder(&id) {
            Ok(_) => id,
            Err(_) => format!("session-{id}"),
        };
        let shared: Arc<dyn Clock> = clock.clone();
        let mut builder = Session::builder()
            .place(place)
            .id(id)
            .clock(shared)
            .host("memstrata replay")
            .wait_for_background(true)
            .volatile(!self.is_real)
            .models(self.models.clone());
        if let Some(provider) = recording.transcript.session().provider.clone() {
            // Whether a session of one provider may be sent to another one is for the person's settings.
            builder = builder.provider(provider);
        }
        if !is_here {
            // In an empty folder everything that a memory claims would be gone.
            builder = builder.verify_time(Duration::ZERO);
        } else if !self.is_real {
            // A replay has the time that a hook has not.
            builder = builder.verify_time(VERIFY_TIME);
        }
        Ok((builder.start()?, clock))
    }

    /// Where the memory of a recording lies, and whether its project is there to be looked at.
    fn place_of(&self, recording: &Recording) -> Result<(Place, bool), Failure> {
        let (project, is_here) = self.project_of(recording)?;
        match self.place(&project) {
            // A session in a root or a home folder, which is no project, such as one in a container.
            Err(failure) if failure.exit == Exit::Refused && self.may_stand_in() && is_here => {
                let project = self.stand_in(&project.to_string_lossy())?;
                Ok((self.place(&project)?, false))
            }
            place => Ok((place?, is_here)),
        }
    }

    /// Whether an empty folder may take the place of a project.
    fn may_stand_in(&self) -> bool {
        !self.is_real && self.project.is_none()
    }

    fn stand_in(&self, cwd: &str) -> Result<PathBuf, Failure> {
        let folder = self.home.join("recorded").join(folder_name(cwd));
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    fn place(&self, project: &Path) -> Result<Place, Failure> {
        let mut options = PlaceOptions::new(project, self.environment.clone());
        options.home = Some(self.home.clone());
        if !self.is_real {
            // Neither do the administrator's settings.
            options.managed = None;
        }
        options.git = self.git.as_ref().map(GitFound::program);
        options.team_configured = self.team.is_some();
        let place = Place::find(&options)?;
        let memory = place.location.memory_dir().join("team");
        if let Some(team) = &self.team {
            copy_team(team, &memory)?;
        } else if memory.is_dir() {
            options.team_configured = true;
            return Ok(Place::find(&options)?);
        }
        Ok(place)
    }

    /// The project that was named; else the folder that the session was recorded in, when it is here; else an
    /// empty one in its place, so that sessions of one project share a memory and those of others do not. Tells
    /// whether the project is there to be looked at.
    fn project_of(&self, recording: &Recording) -> Result<(PathBuf, bool), Failure> {
        if let Some(project) = &self.project {
            return Ok((project.clone(), true));
        }
        let cwd = recording.transcript.session().cwd.clone();
        if let Some(cwd) = cwd.as_deref().map(Path::new)
            && cwd.is_absolute()
            && cwd.is_dir()
        {
            return Ok((cwd.to_owned(), true));
        }
        if self.is_real {
            let shown = cwd.unwrap_or_default();
            self.speech.say(&format!(
                "the folder {} of {} is not here; its memories go to the current project",
                clean(&shown),
                clean(&recording.path.to_string_lossy()),
            ));
            return Ok((self.current.clone(), true));
        }
        Ok((self.stand_in(&cwd.unwrap_or_default())?, false))
    }

    /// Says what became of the home.
    pub(super) fn say_where(&self, speech: Speech) {
        let home = clean(&self.home.to_string_lossy()).into_owned();
        if self.is_kept {
            let project = match &self.project {
                Some(project) => format!(" --project {}", clean(&project.to_string_lossy())),
                None => String::new(),
            };
            speech.say(&format!(
                "kept in {home}; `memstrata --home {home}{project} explain NAME` says where a memory came from"
            ));
        } else if !self.is_real {
            speech.say("the scratch home is removed; --keep keeps it, --into DIR uses a real one");
        }
    }
}

/// The person's own model, under their budget: a scratch home has neither.
fn models(global: &Global, environment: &Environment, speech: Speech) -> Result<Models, Failure> {
    let home = context::home(global, environment)?;
    let Some(settings) = ModelSettings::load(home.path())? else {
        let file = home.path().join("memstrata.toml");
        let message = format!(
            "no model is set up: {} has no section [model]",
            clean(&file.to_string_lossy())
        );
        return Err(Failure::new(Exit::Usage, message));
    };
    let store = Context::locate(global, environment)?.open(speech)?;
    let Some(folder) = ledger_folder(&store) else {
        let message =
            "the ledger of this project cannot be written, and what cannot be counted is not spent";
        return Err(Failure::new(Exit::InputOutput, message));
    };
    // What a call costs is spent today, whenever the session took place.
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let variable = |name: &str| environment.lookup(name);
    Ok(settings.models(&variable, &folder, &clock)?)
}

/// Makes a folder, or takes an empty one.
fn new_folder(folder: &Path) -> Result<PathBuf, Failure> {
    if folder.exists() && !folder.is_dir() {
        let shown = folder.to_string_lossy().into_owned();
        let message = format!("{} is no folder; --keep needs a new one", clean(&shown));
        return Err(Failure::new(Exit::Refused, message));
    }
    if folder.exists() && fs::read_dir(folder)?.next().is_some() {
        let shown = folder.to_string_lossy().into_owned();
        let message = format!(
            "{} is there already; --keep needs a new folder",
            clean(&shown)
        );
        return Err(Failure::new(Exit::Refused, message));
    }
    fs::create_dir_all(folder)?;
    Ok(fs::canonicalize(folder)?)
}

/// A name for a folder that is not here: `/home/ana/shop` becomes `home-ana-shop`.
fn folder_name(cwd: &str) -> String {
    let name: String = cwd
        .chars()
        .map(|sign| {
            if sign.is_ascii_alphanumeric() {
                sign
            } else {
                '-'
            }
        })
        .collect();
    let name = name.trim_matches('-');
    match name.char_indices().rev().nth(99) {
        _ if name.is_empty() => "unknown".to_owned(),
        None => name.to_owned(),
        Some((start, _)) => name[start..].to_owned(),
    }
}

/// Copies the Markdown files of a folder, once.
fn copy_team(from: &Path, to: &Path) -> Result<(), Failure> {
    if to.exists() {
        return Ok(());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)?.take(MOST_TEAM_FILES) {
        let entry = entry?;
        let is_memory = entry
            .path()
            .extension()
            .is_some_and(|ending| ending == "md");
        // What is no plain file is none of the server's.
        if is_memory && entry.file_type()?.is_file() {
            let target = to.join(entry.file_name());
            fs::copy(entry.path(), &target)?;
            // How old a memory is, where it does not say so itself.
            if let Ok(modified) = entry.metadata().and_then(|metadata| metadata.modified()) {
                fs::File::options()
                    .write(true)
                    .open(&target)?
                    .set_modified(modified)?;
            }
        }
    }
    Ok(())
}
