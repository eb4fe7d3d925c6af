//! `memstrata prompt`: the memory prompt for an agent.

use std::io::{self, Write};

use memstrata::memdir::prompt::{self, Folder, Saving};
use memstrata::memdir::{LoadedIndex, Mode, Scope, Store};
use serde_json::json;

use crate::cli::Global;
use crate::cli::memory::Prompt;
use crate::context::Context;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::Speech;

/// Prints the prompt and says what it costs.
pub(crate) fn run(
    arguments: &Prompt,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let context = Context::locate(global, environment)?;
    context.say_if_off(speech);
    // The prompt promises that the folder exists, so it is made here.
    let store = context.open(speech)?;
    let shown = store.dir().display().to_string();
    let mut request = prompt::Context::new(folder(&shown, load(&store, Scope::Private)?))
        .with_transcripts(context.location.project_folder().display().to_string());
    // Where a team server is configured, the agent shares that folder.
    if arguments.team || context.decisions.modes.team != Mode::Off {
        request = request.with_team(folder(&format!("{shown}/team"), load(&store, Scope::Team)?));
    }
    if arguments.log_mode {
        request = request.with_saving(Saving::Log);
    }
    if arguments.no_index_step {
        request = request.without_index_step();
    }
    let text = prompt::build(&request);
    let cost = prompt::token_cost(&request);
    let mut out = io::stdout().lock();
    if speech.json {
        let object = json!({
            "prompt": text,
            "tokens": {"instructions": cost.instructions, "index": cost.index, "total": cost.total()},
        });
        writeln!(out, "{object}")?;
    } else {
        out.write_all(text.as_bytes())?;
    }
    speech.say(&format!(
        "about {} tokens: {} instructions, {} index",
        cost.total(),
        cost.instructions,
        cost.index
    ));
    Ok(Exit::Done)
}

fn load(store: &Store, scope: Scope) -> Result<LoadedIndex, Failure> {
    Ok(store.load_index(scope)?)
}

fn folder(path: &str, index: LoadedIndex) -> Folder {
    Folder::new(path).with_index(index)
}
