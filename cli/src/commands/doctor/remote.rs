//! The team server and the model.

use std::sync::Arc;

use memstrata::ModelSettings;
use memstrata::memdir::Clock;
use memstrata::model::Purpose;

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
        Reached::Refused(why) => Finding::fail(
            "server",
            why,
            "run `memstrata team login`, or replace the token; whoever runs the server says what it may do",
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
        Reached::Nothing => Finding::ok(
            "server",
            "answers that it holds nothing for this repository yet; if it should, look at the address",
        ),
        Reached::Fine => Finding::ok("server", "reachable"),
    }
}

/// What the program lets a model do by itself, and what it does not although a setting would let it.
fn configured_for(used_for: &[&str]) -> String {
    let is_done = |purpose: &&&str| **purpose == Purpose::Extract.as_str();
    let done: Vec<&str> = used_for.iter().filter(is_done).copied().collect();
    let others: Vec<&str> = used_for
        .iter()
        .filter(|one| !is_done(one))
        .copied()
        .collect();
    let with_model = |names: &[&str]| format!("for {} with --model only", names.join(", "));
    match (done.as_slice(), others.as_slice()) {
        ([], []) => "configured; asked with --model only, as long as model.used_for names nothing"
            .to_owned(),
        ([], others) => format!("configured, {}", with_model(others)),
        (done, []) => format!("configured for {}", done.join(", ")),
        (done, others) => format!("configured for {}, {}", done.join(", "), with_model(others)),
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
    let used_for: Vec<&str> = settings.used_for().iter().map(Purpose::as_str).collect();
    let variable = |name: &str| environment.lookup(name);
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    // Bookings would go there; making the models writes nothing.
    let ledger = home.path().join("memstrata").join("doctor");
    if let Some(program) = settings.program().filter(|one| !environment.can_run(one)) {
        return Finding::fail(
            "model",
            format!("the program that is the model is not there: {program}"),
            "install it, or correct model.command in memstrata.toml",
        );
    }
    match settings.models(&variable, &ledger, &clock) {
        Ok(_) => Finding::ok("model", configured_for(&used_for)),
        Err(error) => Finding::fail(
            "model",
            chain(&error),
            "set the key where the section [model] of memstrata.toml says it is",
        ),
    }
}
