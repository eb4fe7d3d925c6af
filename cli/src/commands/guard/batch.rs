//! `memstrata guard batch`: many checks, JSON lines in, JSON lines out.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

use memstrata::pathguard::{Env, KeySet, PathKeyRef};
use serde::Deserialize;
use serde_json::Value;

use super::{Answer, Refusal, config_dir, env, project_root, server_key, shell, write_path};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::lines::{ReadLine, read_line};

/// A longer line is answered with an error.
const MOST_LINE_BYTES: u64 = 4 << 20;

/// One line of input. Unknown keys are ignored, so that callers may carry their own.
#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    id: Value,
    kind: String,
    input: Option<String>,
    input_hex: Option<String>,
    inputs: Option<Vec<String>>,
    home: Option<PathBuf>,
    cwd: Option<PathBuf>,
    team_dir: Option<PathBuf>,
}

/// What a line of kind `context` sets for the lines after it.
struct Context {
    env: Env,
    team_dir: Option<PathBuf>,
}

/// Answers every line in order. The exit code is 0 when every line could be read, whatever the answers.
pub(super) fn run(environment: &Environment) -> Result<Exit, Failure> {
    let mut context = Context {
        env: env(environment),
        team_dir: None,
    };
    let mut input = io::BufReader::new(io::stdin().lock());
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut line = Vec::new();
    let mut all_read = true;
    while read_line(&mut input, &mut line, MOST_LINE_BYTES)? != ReadLine::End {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let (id, answer) = match serde_json::from_slice::<Line>(&line) {
            Ok(line) if line.kind == "context" => {
                context.set(line);
                continue;
            }
            Ok(line) => (line.id.clone(), context.answer(&line)),
            Err(error) => {
                all_read = false;
                (
                    Value::Null,
                    Answer::No(Refusal::new(
                        "input",
                        format!("not a line of this form: {error}"),
                    )),
                )
            }
        };
        let mut object = serde_json::Map::new();
        object.insert("id".into(), id);
        object.append(&mut answer.to_json());
        writeln!(out, "{}", Value::Object(object))?;
        if input.buffer().is_empty() {
            // Whoever feeds line by line waits for the answer before sending the next.
            out.flush()?;
        }
    }
    out.flush()?;
    Ok(if all_read { Exit::Done } else { Exit::Usage })
}

impl Context {
    fn set(&mut self, line: Line) {
        self.env.home = line.home.or(self.env.home.take());
        if let Some(cwd) = line.cwd {
            self.env.cwd = cwd;
        }
        self.team_dir = line.team_dir.or(self.team_dir.take());
    }

    fn answer(&self, line: &Line) -> Answer {
        if line.kind == "key-set" {
            return line
                .inputs
                .as_deref()
                .map_or_else(|| missing("inputs"), key_set);
        }
        let Some(bytes) = line.bytes() else {
            return missing("input or input_hex");
        };
        let text = std::str::from_utf8(&bytes);
        match (line.kind.as_str(), text) {
            ("server-key", Ok(text)) => server_key(text),
            ("config-dir", Ok(text)) => config_dir(text, &self.env),
            ("shell", Ok(text)) => shell::check(text, &self.env.cwd),
            ("server-key" | "config-dir" | "shell", Err(_)) => {
                Answer::No(Refusal::new("traversal", "the input is not UTF-8"))
            }
            ("write-path", _) => match &self.team_dir {
                Some(team_dir) => write_path(team_dir, &path(&bytes)),
                None => missing("team_dir in a line of kind context"),
            },
            ("project-root", _) => project_root(&self.env.cwd.join(path(&bytes))),
            (kind, _) => Answer::No(Refusal::new("input", format!("no check of kind `{kind}`"))),
        }
    }
}

impl Line {
    fn bytes(&self) -> Option<Cow<'_, [u8]>> {
        match (&self.input, &self.input_hex) {
            (Some(text), _) => Some(Cow::Borrowed(text.as_bytes())),
            (None, Some(hex)) => decode_hex(hex).map(Cow::Owned),
            (None, None) => None,
        }
    }
}

fn missing(what: &str) -> Answer {
    Answer::No(Refusal::new(
        "input",
        format!("{what} is missing or malformed"),
    ))
}

/// All keys of a manifest: each must be a key, and no two the same name for any file system.
fn key_set(inputs: &[String]) -> Answer {
    let mut set = KeySet::new();
    for input in inputs {
        if let Err(error) = PathKeyRef::parse(input).and_then(|key| set.insert(key)) {
            return Answer::No(error.into());
        }
    }
    Answer::Yes(inputs.len().into())
}

fn decode_hex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.is_ascii() {
        return None;
    }
    let pairs = text.as_bytes().chunks_exact(2);
    pairs
        .map(|pair| {
            let high = char::from(pair[0]).to_digit(16)?;
            let low = char::from(pair[1]).to_digit(16)?;
            u8::try_from(high * 16 + low).ok()
        })
        .collect()
}

#[cfg(unix)]
fn path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    OsString::from_vec(bytes.to_vec()).into()
}

#[cfg(not(unix))]
fn path(bytes: &[u8]) -> PathBuf {
    // Elsewhere names are no byte strings; what is not UTF-8 becomes a name that does not exist.
    OsString::from(String::from_utf8_lossy(bytes).into_owned()).into()
}
