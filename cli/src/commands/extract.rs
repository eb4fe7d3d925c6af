//! `memstrata extract`: memories from a recorded session.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use memstrata::Models;
use memstrata::extract::{
    Conditions, Decided, Extractor, ExtractorOptions, RunNow, SkipReason, Turn,
};
use memstrata::transcript::{self, Options, Pictures, Transcript};
use serde_json::json;

use crate::cli::Global;
use crate::cli::extract::Extract;
use crate::config::{self, Extraction};
use crate::context::Context;
use crate::environment::Environment;
use crate::exit::{Exit, Failure, chain};
use crate::terminal::{Speech, clean};

/// Extracts from a transcript, from its cursor on.
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
    let (context, is_elsewhere) = locate(global, environment, &transcript, speech)?;
    let conditions = Conditions::new(context.decisions.modes.persistent);
    let session = session_id(&transcript, &path);
    let options = ExtractorOptions::new(&session)
        .with_owner(format!("memstrata extract, process {}", std::process::id()))
        .with_instructions(memstrata::instruction_files(context.location.root()));
    let store = Arc::new(context.open(speech)?);
    let mut models = Models::new();
    if arguments.model {
        models = config::models(&context, &store, environment)?;
        models = config::for_session(models, transcript.session().provider.as_ref())?;
    }
    let extraction = Extraction::new(&models, &context.project);
    let extractor = Extractor::new(store, extraction.backend(), options)?;
    let end = transcript.cursor();
    let turn = Turn::of_transcript(&transcript, &end);
    let place = Place {
        project: context.project.to_string_lossy().into_owned(),
        folder: context.location.memory_dir().to_string_lossy().into_owned(),
        looked_at: extractor.new_messages(&turn),
        is_elsewhere,
        session,
    };
    let ran = extractor.run_now(&turn, conditions, arguments.dry_run);
    for reason in extraction.troubles() {
        config::say_trouble(&reason, speech);
    }
    match ran {
        RunNow::Done(decided) => {
            print(&decided, &place, speech)?;
            if !decided.iter().any(|one| one.action.is_write()) {
                nothing_written(&decided, &place, arguments.dry_run, speech)?;
                return Ok(Exit::Done);
            }
            let left = decided
                .iter()
                .filter(|one| one.path.is_some() || one.name.is_some());
            let left = left.filter(|one| !one.action.is_write()).count();
            if left > 0 && !arguments.dry_run {
                let explain = place.explain();
                speech.say(&format!("{left} more were not saved; `{explain}` says why"));
            }
            Ok(Exit::Done)
        }
        RunNow::Failed(error, decided) => {
            print(&decided, &place, speech)?;
            Err(error.into())
        }
        RunNow::Skipped(reason) => {
            let why = explanation(reason);
            speech.say(&format!("nothing was extracted: {why}"));
            place.summarise(why, speech)?;
            Ok(Exit::Done)
        }
        _ => Ok(Exit::Done),
    }
}

/// Where memories go, and what they come from.
struct Place {
    project: String,
    folder: String,
    session: String,
    /// The new messages.
    looked_at: usize,
    /// Whether the memories go to another project than the current one.
    is_elsewhere: bool,
}

impl Place {
    /// The command that says what was decided.
    fn explain(&self) -> String {
        let session = clean(&self.session);
        if self.is_elsewhere {
            let project = clean(&self.project);
            format!("memstrata explain --session {session} --project {project}")
        } else {
            format!("memstrata explain --session {session}")
        }
    }

    /// What programs read when no memory was written.
    fn summarise(&self, why: &str, speech: Speech) -> Result<(), Failure> {
        if speech.json {
            let object = json!({
                "project": self.project,
                "folder": self.folder,
                "session": self.session,
                "looked_at": self.looked_at,
                "why": why,
            });
            writeln!(io::stdout().lock(), "{object}")?;
        }
        Ok(())
    }
}

fn nothing_written(
    decided: &[Decided],
    place: &Place,
    is_dry: bool,
    speech: Speech,
) -> Result<(), Failure> {
    let is_about_memory = |one: &Decided| one.path.is_some() || one.name.is_some();
    let why = if decided.is_empty() {
        "a person said none of it"
    } else if decided.iter().any(is_about_memory) {
        "nothing was saved"
    } else {
        "nothing worth keeping"
    };
    let noun = if place.looked_at == 1 {
        "message"
    } else {
        "messages"
    };
    let mut line = format!("looked at {} {noun}, {why}", place.looked_at);
    // A dry run leaves no record, and neither does one that had nothing to decide.
    if !is_dry && !decided.is_empty() {
        line = format!("{line}; `{}` says why", place.explain());
    }
    speech.say(&line);
    place.summarise(why, speech)
}

fn print(decided: &[Decided], place: &Place, speech: Speech) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    for one in decided.iter().filter(|one| one.action.is_write()) {
        let (action, path) = (one.action.as_str(), one.path.as_deref().unwrap_or_default());
        if speech.json {
            let object = json!({
                "project": place.project,
                "folder": place.folder,
                "session": place.session,
                "path": path,
                "action": action,
            });
            writeln!(out, "{object}")?;
        } else {
            let quote = one.quote.as_deref().unwrap_or_default();
            writeln!(out, "{action} {}", clean(path))?;
            writeln!(out, "    because you said: {}", clean(quote))?;
        }
    }
    Ok(())
}

/// Memories of a session belong to the project that it was about, not to the folder where the program
/// was started. Returns whether these two differ.
fn locate(
    global: &Global,
    environment: &Environment,
    transcript: &Transcript,
    speech: Speech,
) -> Result<(Context, bool), Failure> {
    let cwd = transcript.session().cwd.as_deref().map(Path::new);
    let is_named = global.project.is_some() || global.memory_dir.is_some();
    let Some(cwd) = cwd.filter(|_| !is_named) else {
        return Ok((Context::locate(global, environment)?, false));
    };
    if !cwd.is_absolute() || !cwd.is_dir() {
        speech.say(&format!(
            "the session's folder {} is not here; its memories go to the current project",
            clean(&cwd.to_string_lossy())
        ));
        return Ok((Context::locate(global, environment)?, false));
    }
    let mut of_session = global.clone();
    of_session.project = Some(cwd.to_owned());
    let context = Context::locate(&of_session, environment)?;
    let same_folder = fs::canonicalize(cwd).ok() == fs::canonicalize(&environment.current_dir).ok();
    // Two folders of one repository share a memory.
    let is_elsewhere = !same_folder
        && Context::locate(global, environment).map_or(true, |here| {
            here.location.memory_dir() != context.location.memory_dir()
        });
    if is_elsewhere {
        let project = clean(&cwd.to_string_lossy()).into_owned();
        speech.say(&format!("into {project} (the session's project)"));
    }
    Ok((context, is_elsewhere))
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

pub(crate) fn unreadable(error: &transcript::Error) -> Failure {
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
