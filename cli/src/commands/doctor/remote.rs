//! The team server and the model.

use std::sync::Arc;

use memstrata::ModelSettings;
use memstrata::memdir::Clock;

use super::Finding;
use crate::cli::Global;
use crate::clock::SystemClock;
use crate::commands::team::reach::{Reached, reach};
use crate::context::{self, Context};
use crate::environment::Environment;
use crate::exit::chain;

/// Whether the team server can be used, as far as one is configured.
pub(super) fn server(context: &Context, environment: &Environment, offline: bool) -> Finding {
    match reach(context, environment, offline) {
        Reached::NotConfigured => Finding::ok("server", "no team server is configured"),
        Reached::Missing(missing) => {
            let (what, remedy): (Vec<_>, Vec<_>) = missing.into_iter().unzip();
            Finding::fail("server", what.join("; "), remedy.join("; "))
        }
        Reached::Unreachable(why) => Finding::fail(
            "server",
            why,
            "see whether the server runs and the address is right; edits wait here until it answers",
        ),
        Reached::Suppressed(why) => Finding::warn(
            "server",
            format!("nothing is sent, because the server said: {why}"),
            "`memstrata team status` says more",
        ),
        Reached::Conflicts(count) => Finding::warn(
            "server",
            format!("reachable; {count} need a look"),
            "`memstrata team status` and `memstrata team conflicts` list them",
        ),
        Reached::NotAsked => Finding::ok("server", "configured; not asked (--offline)"),
        Reached::Fine => Finding::ok("server", "reachable"),
    }
}

/// Whether the configured model could be asked. Its key is looked up; nothing is sent.
pub(super) fn model(global: &Global, environment: &Environment) -> Finding {
    let Ok(home) = context::home(global, environment) else {
        return Finding::ok("model", "not looked at");
    };
    let settings = match ModelSettings::load(home.path()) {
        Ok(Some(settings)) => settings,
        Ok(None) => return Finding::ok("model", "none is configured; rules do the work"),
        Err(error) => {
            return Finding::fail(
                "model",
                chain(&error),
                "correct the section [model]; docs/SETTINGS.md lists its keys",
            );
        }
    };
    let used_for: Vec<&str> = settings
        .used_for()
        .iter()
        .map(memstrata::model::Purpose::as_str)
        .collect();
    let variable = |name: &str| environment.lookup(name);
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    // Bookings would go there; making the models writes nothing.
    let ledger = home.path().join("memstrata").join("doctor");
    match settings.models(&variable, &ledger, &clock) {
        Ok(_) => Finding::ok("model", format!("configured for {}", used_for.join(", "))),
        Err(error) => Finding::fail(
            "model",
            chain(&error),
            "set the key where the section [model] of memstrata.toml says it is",
        ),
    }
}
