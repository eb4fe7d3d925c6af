//! `memstrata extract`: memories from a recorded session.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use memstrata::extract::{
    Conditions, Decided, Extractor, ExtractorOptions, OfflineBackend, RunNow, SkipReason, Turn,
};
use memstrata::transcript::{self, Options, Pictures, Transcript};
use serde_json::json;

use crate::cli::Global;
use crate::cli::extract::Extract;
use crate::commands::memory::check::instructions;
use crate::context::Context;
use crate::environment::Environment;
use crate::exit::{Exit, Failure, chain};
use crate::terminal::{Speech, clean};

/// Extracts from a session file, from its cursor on.
pub(crate) fn run(
    arguments: &Extract,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let path = environment.current_dir.join(&arguments.transcript);
    let options = Options::default().with_pictures(Pictures::Omit);
    let transcript = Transcript::open(&path, &options).map_err(|error| unreadable(&error))?;
    if transcript.report().skipped_total() > 0 {
        speech.say(&clean(&transcript.report().to_string()));
    }
    let global = of_session(global, &transcript, speech);
    let context = Context::locate(&global, environment)?;
    let conditions = Conditions::new(context.decisions.modes.persistent);
    let session = session_id(&transcript, &path);
    let options = ExtractorOptions::new(&session)
        .with_owner(format!("memstrata extract, process {}", std::process::id()))
        .with_instructions(instructions(context.location.root()));
    let store = Arc::new(context.open(speech)?);
    let extractor = Extractor::new(store, Arc::new(OfflineBackend), options)?;
    let end = transcript.cursor();
    let turn = Turn::of_transcript(&transcript, &end);
    match extractor.run_now(&turn, conditions, arguments.dry_run) {
        RunNow::Done(decided) => {
            print(&decided, speech)?;
            let left = decided
                .iter()
                .filter(|one| one.path.is_some() || one.name.is_some());
            let left = left.filter(|one| !one.action.is_write()).count();
            if left > 0 && !arguments.dry_run {
                speech.say(&format!(
                    "{left} more were not saved; `memstrata explain --session {}` says why",
                    clean(&session)
                ));
            }
            Ok(Exit::Done)
        }
        RunNow::Failed(error, decided) => {
            print(&decided, speech)?;
            Err(error.into())
        }
        RunNow::Skipped(reason) => {
            speech.say(&format!("nothing was extracted: {}", explanation(reason)));
            Ok(Exit::Done)
        }
        _ => Ok(Exit::Done),
    }
}

fn print(decided: &[Decided], speech: Speech) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    for one in decided.iter().filter(|one| one.action.is_write()) {
        let (action, path) = (one.action.as_str(), one.path.as_deref().unwrap_or_default());
        if speech.json {
            writeln!(out, "{}", json!({ "path": path, "action": action }))?;
        } else {
            let quote = one.quote.as_deref().unwrap_or_default();
            writeln!(out, "{action} {}", clean(path))?;
            writeln!(out, "    because you said: {}", clean(quote))?;
        }
    }
    Ok(())
}

/// Memories of a session belong to the project that it was about, not to the folder where the program
/// was started.
fn of_session(global: &Global, transcript: &Transcript, speech: Speech) -> Global {
    let mut global = global.clone();
    let cwd = transcript.session().cwd.as_deref().map(Path::new);
    match cwd {
        Some(cwd) if global.project.is_none() && global.memory_dir.is_none() => {
            if cwd.is_absolute() && cwd.is_dir() {
                global.project = Some(cwd.to_owned());
            } else {
                speech.say(&format!(
                    "the session's folder {} is not here; its memories go to the current project",
                    clean(&cwd.to_string_lossy())
                ));
            }
        }
        _ => {}
    }
    global
}

/// The session's own id, or the name of its file.
fn session_id(transcript: &Transcript, path: &Path) -> String {
    let stem = || {
        path.file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    transcript.session().id.clone().unwrap_or_else(stem)
}

fn explanation(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::NothingNew => "nothing is new since the last time",
        SkipReason::SubAgent => "this is not a conversation with a person",
        other => other.explanation(),
    }
}

fn unreadable(error: &transcript::Error) -> Failure {
    use transcript::ErrorKind as Kind;
    let missing = std::error::Error::source(error)
        .and_then(|source| source.downcast_ref::<io::Error>())
        .is_some_and(|source| source.kind() == io::ErrorKind::NotFound);
    let exit = match error.kind() {
        Kind::Io if missing => Exit::NotFound,
        Kind::Io => Exit::InputOutput,
        _ => Exit::Usage,
    };
    Failure::new(exit, chain(error))
}
