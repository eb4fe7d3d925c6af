//! The project that the server works for: settings are looked at anew for every call, so that switching
//! memory off takes effect at once.

use memstrata::memdir::{ListOptions, Mode, Origin, Scope, Store, Writer};
use memstrata::pathguard::PathKey;

use super::reply::Refusal;
use crate::cli::Global;
use crate::commands::recall::exists;
use crate::context::Context;
use crate::environment::Environment;
use crate::exit::Failure;
use crate::terminal::{Color, Speech};

/// What the arguments and the environment say about the project.
#[derive(Debug)]
pub(super) struct Project {
    global: Global,
    environment: Environment,
}

impl Project {
    pub(super) fn new(global: &Global, environment: Environment) -> Self {
        let mut global = global.clone();
        // A client may start its servers anywhere; where it says which project it is in, that counts.
        if global.project.is_none() {
            global.project = environment
                .agent_project
                .clone()
                .filter(|folder| folder.is_dir());
        }
        Project {
            global,
            environment,
        }
    }

    /// Resolves the memory folder and the settings.
    pub(super) fn context(&self) -> Result<Context, Failure> {
        Context::locate(&self.global, &self.environment)
    }

    /// As [`Project::context`], refused where memory is switched off.
    pub(super) fn active(&self) -> Result<Context, Refusal> {
        let context = self.context()?;
        if context.decisions.modes.persistent == Mode::Off {
            return Err(Refusal::new(
                "The user has switched memory off. Do not try again; `memstrata where` tells them by which \
                 setting.",
            ));
        }
        Ok(context)
    }

    /// The words for a model that asks for what the team has, where it may not.
    pub(super) fn team_is_off() -> Refusal {
        Refusal::new(
            "The team's memory is switched off here. Do not try again; leave `team` out to save for the user alone.",
        )
    }

    /// The store for reading, or nothing where there is no memory yet: looking makes no folder.
    pub(super) fn existing(&self, context: &Context) -> Result<Option<Store>, Refusal> {
        if !exists(context.location.memory_dir()) {
            return Ok(None);
        }
        Ok(Some(self.store(context)?))
    }

    /// The store, made where it is missing.
    #[expect(clippy::unused_self, reason = "stores are opened through the project")]
    pub(super) fn store(&self, context: &Context) -> Result<Store, Refusal> {
        Ok(context.open(silent())?)
    }
}

/// Whether the team's memories are there for no model: without a server, or by a setting.
pub(super) fn hides_team(context: &Context) -> bool {
    context.decisions.modes.team == Mode::Off
}

/// Whether a path is one of the team's.
pub(super) fn is_team(path: &PathKey) -> bool {
    Scope::of(path.as_ref()) == Scope::Team
}

/// What a model may list.
pub(super) fn visible(context: &Context) -> ListOptions {
    let options = ListOptions::default();
    if hides_team(context) {
        options.with_scope(Scope::Private)
    } else {
        options
    }
}

/// Nothing is said on the way: standard error is a log that nobody reads.
pub(crate) fn silent() -> Speech {
    Speech::new(Color::Never, false, true, true).silenced()
}

/// Who changes something when a model calls a tool.
pub(super) fn origin() -> Origin {
    Origin::new(Writer::Host, "mcp")
}
