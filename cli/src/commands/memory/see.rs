//! `memstrata list` and `memstrata show`.

use std::io::{self, IsTerminal, Write};

use memstrata::memdir::{ErrorKind, ListOptions, Scope, StoredMemory};
use serde_json::{Value, json};

use super::{LOOK_ON, not_found, say_problems, shown_time, tokens};
use crate::cli::Global;
use crate::cli::memory::{List, Name};
use crate::context::open;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, Style, clean, clean_lines};

/// Lists the memories, newest first.
pub(crate) fn list(
    arguments: &List,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let store = open(global, environment, speech)?;
    let mut options = ListOptions::default();
    if let Some(limit) = arguments.limit {
        options = options.with_limit(limit);
    }
    if arguments.team {
        options = options.with_scope(Scope::Team);
    } else if arguments.private {
        options = options.with_scope(Scope::Private);
    }
    let list = store.list(&options)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    for summary in &list.memories {
        let header = &summary.header;
        if speech.json {
            // One that cannot be read any more is listed by what its header said.
            let tokens = store
                .read_path(&summary.path)
                .map(|memory| tokens(&memory))
                .ok();
            let object = json!({
                "path": summary.path.as_str(),
                "name": header.name,
                "description": header.description,
                "type": header.type_text,
                "modified": summary.modified.to_string(),
                "bytes": summary.bytes,
                "tokens": tokens,
            });
            writeln!(out, "{object}")?;
        } else {
            let name = if header.name.is_empty() {
                summary.path.as_str()
            } else {
                &header.name
            };
            writeln!(
                out,
                "{}  {}  {}",
                speech.paint(Style::Bold, &clean(name)),
                clean(summary.path.as_str()),
                speech.paint(Style::Dim, &shown_time(summary.modified)),
            )?;
            if !header.description.is_empty() {
                writeln!(out, "    {}", clean(&header.description))?;
            }
        }
    }
    out.flush()?;
    if list.memories.is_empty() && list.problems.is_empty() && !list.cut {
        let whose = match options.scope {
            Some(Scope::Team) => "team ",
            Some(Scope::Private) => "private ",
            _ => "",
        };
        let folder = store.dir().display().to_string();
        speech.say(&format!("no {whose}memories yet in {}", clean(&folder)));
    }
    say_problems(&list, speech);
    Ok(Exit::Done)
}

/// Prints one memory.
pub(crate) fn show(
    arguments: &Name,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let store = open(global, environment, speech)?;
    let memory = store.read(&arguments.name).map_err(|error| {
        if error.kind() == ErrorKind::NotFound && store.history(&arguments.name).is_ok() {
            let name = clean(&arguments.name);
            Failure::new(
                Exit::NotFound,
                format!(
                    "`{name}` is gone; `memstrata history` shows what became of it, `memstrata restore` brings it \
                     back"
                ),
            )
        } else {
            not_found(error, LOOK_ON)
        }
    })?;
    let mut out = io::stdout().lock();
    if speech.json {
        writeln!(out, "{}", memory_json(&memory))?;
    } else if out.is_terminal() {
        let text = String::from_utf8_lossy(memory.memory.as_bytes());
        write!(out, "{}", clean_lines(&text))?;
    } else {
        // Into a pipe or a file goes what is there, byte for byte.
        out.write_all(memory.memory.as_bytes())?;
    }
    for problem in memory.memory.problems() {
        speech.say(&format!(
            "line {}: {}",
            problem.line,
            clean(&problem.message)
        ));
    }
    Ok(Exit::Done)
}

pub(super) fn memory_json(memory: &StoredMemory) -> Value {
    json!({
        "path": memory.path.as_str(),
        "name": memory.memory.name(),
        "description": memory.memory.description(),
        "type": memory.memory.type_text(),
        "modified": memory.modified.to_string(),
        "bytes": memory.bytes,
        "tokens": tokens(memory),
        "hash": memory.hash.as_ref().map(ToString::to_string),
        "body": memory.memory.body(),
    })
}
