//! `memstrata session`: the session file of a recorded session, and what a compaction keeps.

use std::path::{Path, PathBuf};

use memstrata::Models;
use memstrata::memdir::Home;
use memstrata::pathguard::{PathKeyRef, fold_key};
use memstrata::session_memory::{
    Committed, Config, Cursor, Entry, ErrorKind, SessionFile, context_tokens, entries_of,
};
use memstrata::token_count::{Estimator, Factor};
use memstrata::transcript::{self, FileRole, Format, Options, Transcript};
use serde_json::{Value, json};

use crate::cli::Global;
use crate::cli::session::{Action, Session};
use crate::config;
use crate::context::{self, Context};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, clean};

mod compact;
mod keep;

/// Runs one of the three.
pub(crate) fn run(
    arguments: &Session,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let named = match &arguments.action {
        Action::Update(update) => &update.transcript,
        Action::Show(named) | Action::Compact(named) => named,
    };
    let recorded = Recorded::open(&named.path, speech)?;
    let place = Place::find(&recorded, global, environment, speech)?;
    match &arguments.action {
        Action::Update(update) if update.model => {
            let models = models(&recorded, global, environment, speech)?;
            keep::update(&recorded, &place, &models, speech)
        }
        Action::Update(_) => keep::update(&recorded, &place, &Models::new(), speech),
        Action::Show(_) => keep::show(&place, speech),
        Action::Compact(_) => compact::run(&recorded, &place, speech),
    }
}

/// A transcript, read.
struct Recorded {
    path: PathBuf,
    transcript: Transcript,
    entries: Vec<Entry>,
}

impl Recorded {
    fn open(path: &Path, speech: Speech) -> Result<Self, Failure> {
        let transcript = Transcript::open(path, &Options::default())?;
        if transcript.session().role != FileRole::Session {
            return Err(Failure::new(
                Exit::Usage,
                "this is the transcript of a sub-agent; name that of its session",
            ));
        }
        for skipped in transcript.report().skipped() {
            speech.say(&format!("line {} was skipped", skipped.line));
        }
        Ok(Recorded {
            path: path.to_owned(),
            entries: entries_of(&transcript),
            transcript,
        })
    }

    /// The estimate of the model that wrote the last reply.
    fn counter(&self) -> Estimator {
        let mut models = self.transcript.entries().iter().rev();
        let model = models.find_map(|entry| entry.model.as_deref());
        Estimator::with_factor(Factor::of_model(model.unwrap_or_default()))
    }

    fn context_tokens(&self) -> u64 {
        context_tokens(&self.transcript, &self.counter())
    }

    /// The name of the session's folder. Claude Code names files and folders after the session; a session
    /// that was resumed under another id still has one file.
    fn session_id(&self) -> String {
        let session = self.transcript.session();
        let stem = self.path.file_stem().unwrap_or_default();
        let stem = stem.to_string_lossy().into_owned();
        match &session.id {
            Some(id) if session.format != Some(Format::ClaudeCode) || !is_uuid(&stem) => id.clone(),
            _ => stem,
        }
    }
}

fn is_uuid(text: &str) -> bool {
    let is_fitting = |(index, byte): (usize, u8)| match index {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    text.len() == 36 && text.bytes().enumerate().all(is_fitting)
}

/// Where the session file lies, and what it should look like.
struct Place {
    folder: PathBuf,
    config: Config,
}

impl Place {
    /// A transcript in a project's folder belongs to that project. Another one belongs to --project, else
    /// to the folder it was recorded in, else to the current one.
    fn find(
        recorded: &Recorded,
        global: &Global,
        environment: &Environment,
        speech: Speech,
    ) -> Result<Self, Failure> {
        let home = context::home(global, environment)?;
        let id = recorded.session_id();
        let folder = match project_folder(&home, &recorded.path) {
            Some(project) if global.project.is_none() => project.join(plain_name(&id)?),
            _ => Context::locate(&project_of(recorded, global), environment)?
                .location
                .session_folder(&id)?,
        };
        let config = Config::load(home.path());
        for problem in &config.problems {
            speech.say(&format!("warning: {}; ours is used", clean(problem)));
        }
        Ok(Place { folder, config })
    }

    /// Opens the session's folder, which may be missing.
    fn open(&self) -> Result<Option<SessionFile>, Failure> {
        match SessionFile::open(&self.folder, self.config.structure.clone()) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn create(&self) -> Result<SessionFile, Failure> {
        let structure = self.config.structure.clone();
        Ok(SessionFile::create(&self.folder, structure)?)
    }
}

/// The project that a transcript belongs to which lies elsewhere: the one it was recorded in.
fn project_of(recorded: &Recorded, global: &Global) -> Global {
    let mut global = global.clone();
    if global.project.is_none() {
        let recorded_in = recorded.transcript.session().cwd.as_ref();
        global.project = recorded_in.map(PathBuf::from).filter(|cwd| cwd.is_dir());
    }
    global
}

/// The models of the person, for a session of this provider; calls are booked for its project.
fn models(
    recorded: &Recorded,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Models, Failure> {
    let context = Context::locate(&project_of(recorded, global), environment)?;
    let store = context.open(speech)?;
    let models = config::models(&context, &store, environment)?;
    config::for_session(models, recorded.transcript.session().provider.as_ref())
}

/// An id becomes a folder beside the memory folder, and must not become that one or lead elsewhere.
fn plain_name(id: &str) -> Result<&str, Failure> {
    let key = PathKeyRef::parse(id)?;
    let taken = ["memory", "memory-state"].contains(&fold_key(id).as_str());
    if taken || id.starts_with('.') || key.components().count() != 1 {
        return Err(Failure::new(
            Exit::Refused,
            "a session id is one plain name",
        ));
    }
    Ok(id)
}

/// The folder `<home>/projects/<key>` when the transcript lies directly in it.
fn project_folder(home: &Home, transcript: &Path) -> Option<PathBuf> {
    let real = std::fs::canonicalize(transcript).ok()?;
    let projects = std::fs::canonicalize(home.path().join("projects")).ok()?;
    let folder = real.parent()?;
    (folder.parent()? == projects).then(|| folder.to_owned())
}

/// A committed pair as JSON, without its text.
fn committed_json(file: &SessionFile, committed: &Committed) -> Value {
    let cursor = |cursor: &Cursor| {
        json!({
            "message": cursor.message_id(),
            "context_tokens": cursor.context_tokens(),
        })
    };
    let path = file.folder().join(memstrata::session_memory::NOTES_FILE);
    json!({
        "path": path.to_string_lossy(),
        "revision": committed.revision,
        "author": committed.author.as_str(),
        "cursor": committed.cursor.as_ref().map(cursor),
    })
}

impl From<memstrata::session_memory::Error> for Failure {
    fn from(error: memstrata::session_memory::Error) -> Self {
        let exit = match error.kind() {
            ErrorKind::NotFound => Exit::NotFound,
            ErrorKind::Busy | ErrorKind::EditedMeanwhile | ErrorKind::TooNew => Exit::Conflict,
            ErrorKind::Invalid | ErrorKind::Refused => Exit::Refused,
            ErrorKind::Update | ErrorKind::Tripped => Exit::Unavailable,
            _ => Exit::InputOutput,
        };
        Failure {
            exit,
            error: error.into(),
        }
    }
}

impl From<transcript::Error> for Failure {
    fn from(error: transcript::Error) -> Self {
        use std::error::Error as _;
        let missing = |source: &std::io::Error| source.kind() == std::io::ErrorKind::NotFound;
        let source = error.source();
        let io = source.and_then(|source| source.downcast_ref::<std::io::Error>());
        let exit = match error.kind() {
            transcript::ErrorKind::Io if io.is_some_and(missing) => Exit::NotFound,
            transcript::ErrorKind::Io => Exit::InputOutput,
            _ => Exit::Usage,
        };
        Failure {
            exit,
            error: error.into(),
        }
    }
}
