//! `memstrata guard`: the safety checks by themselves, for other programs and for tests.

use std::io::{self, Write};
use std::path::Path;

use memstrata::pathguard::{
    self, Env, Error, MemoryDirSpec, PathKeyRef, RootOptions, TrustedSource,
};
use serde_json::{Map, Value};

use crate::cli::{Check, Guard};
use crate::environment::Environment;
use crate::exit::{Exit, Failure, chain};
use crate::terminal::{Speech, clean};

mod batch;
mod fs;
mod shell;

/// What a check answered.
pub(super) enum Answer {
    /// It holds; the value is what the caller goes on with.
    Yes(Value),
    /// It does not hold.
    No(Refusal),
}

/// Why a check does not hold.
pub(super) struct Refusal {
    kind: &'static str,
    reason: Option<&'static str>,
    message: String,
}

impl Refusal {
    fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Refusal {
            kind,
            reason: None,
            message: message.into(),
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Refusal {
            kind: error.kind().as_str(),
            reason: error.reason().map(pathguard::TraversalReason::as_str),
            message: chain(&error),
        }
    }
}

impl From<Result<Value, Error>> for Answer {
    fn from(result: Result<Value, Error>) -> Self {
        match result {
            Ok(value) => Answer::Yes(value),
            Err(error) => Answer::No(error.into()),
        }
    }
}

impl Answer {
    /// Returns the JSON object that stands for the answer, without an id.
    pub(super) fn to_json(&self) -> Map<String, Value> {
        let mut object = Map::new();
        match self {
            Answer::Yes(value) => {
                object.insert("ok".into(), true.into());
                object.insert("value".into(), value.clone());
            }
            Answer::No(refusal) => {
                object.insert("ok".into(), false.into());
                object.insert("error".into(), refusal.message.as_str().into());
                object.insert("kind".into(), refusal.kind.into());
                if let Some(reason) = refusal.reason {
                    object.insert("reason".into(), reason.into());
                }
            }
        }
        object
    }
}

/// Runs one check.
pub(crate) fn run(
    arguments: &Guard,
    speech: Speech,
    environment: &Environment,
) -> Result<Exit, Failure> {
    let answer = match &arguments.check {
        Check::Key { key } => server_key(key),
        Check::Dir { dir } => config_dir(dir, &env(environment)),
        Check::Write { root, path } => write_path(root, path),
        Check::Shell { command } => shell::check(command, &environment.current_dir),
        Check::Git { dir } => project_root(dir),
        Check::Batch => return batch::run(environment),
        Check::Fs {
            root,
            operation,
            key,
            times,
        } => {
            return fs::run(root, *operation, key, *times, speech);
        }
    };
    print(&answer, speech)
}

fn print(answer: &Answer, speech: Speech) -> Result<Exit, Failure> {
    let mut out = io::stdout().lock();
    if speech.json {
        writeln!(out, "{}", Value::Object(answer.to_json()))?;
    }
    match answer {
        Answer::Yes(value) => {
            if !speech.json {
                write_value(&mut out, value)?;
            }
            Ok(Exit::Done)
        }
        Answer::No(refusal) => {
            if !speech.json {
                // The answer is what was asked for, so it is said under --quiet too.
                writeln!(
                    io::stderr(),
                    "memstrata: refused: {}",
                    clean(&refusal.message)
                )?;
            }
            Ok(Exit::Refused)
        }
    }
}

/// One line for a text, one for each program of a command.
fn write_value(out: &mut impl Write, value: &Value) -> io::Result<()> {
    let Value::Array(programs) = value else {
        return writeln!(out, "{}", clean(value.as_str().unwrap_or_default()));
    };
    for program in programs {
        let words = program.as_array().into_iter().flatten();
        let words: Vec<String> = words.filter_map(Value::as_str).map(shell::quoted).collect();
        writeln!(out, "{}", clean(&words.join(" ")))?;
    }
    Ok(())
}

/// What the checks may know about the process they run in.
fn env(environment: &Environment) -> Env {
    Env::new(
        environment.user_home.clone(),
        environment.current_dir.clone(),
    )
}

/// A key as a server or a model may send it.
fn server_key(key: &str) -> Answer {
    PathKeyRef::parse(key)
        .map(|key| Value::from(key.as_str()))
        .into()
}

/// A folder as a trusted setting may name it.
fn config_dir(dir: &str, env: &Env) -> Answer {
    let checked = MemoryDirSpec::resolve(dir, TrustedSource::Argument, env).and_then(|spec| {
        // What only the disk can tell (owner, mode, where links lead) is asked where the folder exists.
        match spec.open(&RootOptions::new()) {
            Ok(_) => Ok(spec),
            Err(error) if error.is_not_found() => Ok(spec),
            Err(error) => Err(error),
        }
    });
    checked.map(|spec| path_value(spec.path())).into()
}

/// A path that may be written below a root.
fn write_path(root: &Path, path: &Path) -> Answer {
    pathguard::validate_team_mem_write_path(root, path)
        .map(|path| path_value(&path))
        .into()
}

/// The repository that a folder belongs to.
fn project_root(dir: &Path) -> Answer {
    pathguard::canonical_root(dir)
        .map(|found| path_value(&found.root))
        .into()
}

fn path_value(path: &Path) -> Value {
    path.to_string_lossy().into_owned().into()
}
