//! From the command line and the environment to an open store. What decides is [`Place::find`]; here are the
//! program's options and its words.

use std::path::PathBuf;
use std::time::Duration;

use memstrata::memdir::{
    Decisions, Environment as MemoryEnvironment, Home, Location, Mode, Origin, Store, StoreOptions,
};
use memstrata::{Place, PlaceOptions};

use crate::cli::Global;
use crate::clock::SystemClock;
use crate::environment::{Environment, GitFound};
use crate::exit::Failure;
use crate::terminal::{Speech, clean, counted};

/// Where the project's memory lies, and what the settings say about it.
#[derive(Debug)]
pub(crate) struct Context {
    /// The resolved folder.
    pub(crate) location: Location,
    /// What the settings amount to.
    pub(crate) decisions: Decisions,
    /// The folder of the project as it was named: in a worktree not the one of the main repository.
    pub(crate) project: PathBuf,
}

impl Context {
    /// Resolves everything and creates nothing.
    pub(crate) fn locate(global: &Global, environment: &Environment) -> Result<Self, Failure> {
        Self::locate_with(global, environment, true)
    }

    /// As [`Context::locate`], by what is known already: no program is started, for processes that have
    /// milliseconds. What git knows is learnt by the first command that has the time.
    pub(crate) fn locate_as_known(
        global: &Global,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        Self::locate_with(global, environment, false)
    }

    fn locate_with(
        global: &Global,
        environment: &Environment,
        may_ask_git: bool,
    ) -> Result<Self, Failure> {
        let project = global.project.clone().unwrap_or_default();
        let mut options = PlaceOptions::new(project, values(environment));
        options.home.clone_from(&global.home);
        options.memory_dir.clone_from(&global.memory_dir);
        let git = may_ask_git.then(|| environment.git()).flatten();
        options.git = git.as_ref().map(GitFound::program);
        let place = Place::find(&options)?;
        Ok(Context {
            location: place.location,
            decisions: place.decisions,
            project: place.project,
        })
    }

    /// The remote as the repository's configuration names it, without a credential.
    pub(crate) fn remote(&self) -> Option<&str> {
        self.location.facts()?.remote.as_deref()
    }

    /// Says that memory is switched off, for commands that work all the same because a person asked.
    pub(crate) fn say_if_off(&self, speech: Speech) {
        if self.decisions.modes.persistent == Mode::Off {
            speech.say(
                "memory is switched off, by MEMSTRATA_DISABLE or another setting; what you ask for yourself is \
                 done all the same",
            );
        }
    }

    /// Opens the store without a word, for processes that nobody watches; another one may hold the lock
    /// for so long.
    pub(crate) fn open_unseen(&self, lock_wait: Duration) -> Result<Store, Failure> {
        let options = StoreOptions::new(SystemClock)
            .with_decisions(&self.decisions)
            .with_lock_wait(lock_wait);
        Ok(self.location.open(options)?)
    }

    /// Says what the settings files say wrongly, as far as that does not stop the program.
    pub(crate) fn say_warnings(&self, speech: Speech) {
        for warning in &self.decisions.warnings {
            speech.say(&format!("warning: {}: {}", warning.place, warning.message));
        }
    }

    /// Opens the store, making its folders where they are missing.
    pub(crate) fn open(&self, speech: Speech) -> Result<Store, Failure> {
        self.say_warnings(speech);
        let options = StoreOptions::new(SystemClock)
            .with_modes(self.decisions.modes)
            .with_private_secrets(self.decisions.private_secrets);
        let store = self.location.open(options)?;
        if let Some(sequence) = store.open_report().finished_operation {
            speech.say(&format!(
                "operation {sequence} was left half done and has been finished"
            ));
        }
        if let Some(reason) = &store.open_report().unfinished {
            speech.say(&format!(
                "an operation that was left half done could not be finished: {}",
                clean(reason)
            ));
        }
        if let Some(reason) = &store.open_report().read_only {
            speech.say(&format!("the memory can only be read: {}", clean(reason)));
        }
        for orphan in self.location.orphans(&store)? {
            speech.say(&format!(
                "{} of this repository found under the key {} (last seen at {}); `memstrata adopt {}` takes over \
                 what lies there",
                counted(orphan.memories, "memory", "memories"),
                clean(&orphan.key),
                clean(&orphan.last_path),
                clean(&orphan.key),
            ));
        }
        Ok(store)
    }
}

/// Resolves and opens in one go, as most commands want it.
pub(crate) fn open(
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Store, Failure> {
    let context = Context::locate(global, environment)?;
    context.say_if_off(speech);
    context.open(speech)
}

/// Who changes something when a person uses this program.
pub(crate) fn person() -> Origin {
    Origin::person("memstrata")
}

/// The folder that holds everything.
pub(crate) fn home(global: &Global, environment: &Environment) -> Result<Home, Failure> {
    Ok(Home::choose(global.home.as_deref(), &values(environment))?)
}

/// The variables and folders of the process, as `memdir` takes them.
pub(crate) fn values(environment: &Environment) -> MemoryEnvironment {
    let values = MemoryEnvironment::new(&environment.current_dir)
        .with_variables(environment.variables.iter().cloned());
    match &environment.user_home {
        Some(home) => values.with_user_home(home),
        None => values,
    }
}
