//! `memstrata index`.

use std::io::{self, Write};

use memstrata::memdir::{IndexLimits, Scope};
use serde_json::json;

use super::{budget_json, budget_text};
use crate::cli::Global;
use crate::cli::memory::Index;
use crate::context::{open, person};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, clean_lines};

/// Shows the index as a prompt would, with its budget; makes it true to the files first when asked.
pub(crate) fn run(
    arguments: &Index,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let scope = if arguments.team {
        Scope::Team
    } else {
        Scope::Private
    };
    let store = open(global, environment, speech)?;
    let mut changed = false;
    if arguments.rebuild {
        changed = store.rebuild_index(scope, &person())?.sequence.is_some();
        speech.say(if changed {
            "rebuilt"
        } else {
            "it was true to the files already"
        });
    }
    let limits = IndexLimits::default();
    let index = store.index(scope)?;
    let budget = index.budget(&limits);
    let loaded = index.load(&limits);
    let mut out = io::stdout().lock();
    if speech.json {
        let object = json!({
            "text": loaded.text,
            "warning": loaded.warning,
            "budget": budget_json(&budget),
            "changed": changed,
        });
        writeln!(out, "{object}")?;
    } else {
        write!(out, "{}", clean_lines(&loaded.with_warning()))?;
    }
    speech.say(&budget_text(&budget));
    Ok(Exit::Done)
}
