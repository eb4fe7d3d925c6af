//! Commands on the memory folder: see, edit, take back.

use std::io::{self, IsTerminal, Read, Write};

use memstrata::memdir::{self, Budget, ErrorKind, MemoryList, StoredMemory, Timestamp};
use memstrata::token_count::{Estimator, TokenCounter};
use serde_json::{Value, json};

use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, clean};

pub(crate) mod adopt;
pub(crate) mod check;
pub(crate) mod edit;
pub(crate) mod history;
pub(crate) mod inbox;
pub(crate) mod index;
pub(crate) mod log;
pub(crate) mod place;
pub(crate) mod prompt;
pub(crate) mod save;
pub(crate) mod see;

/// The text of a memory is bounded by the store; this bounds what is read before it can refuse.
const MOST_INPUT_BYTES: u64 = 16 << 20;

/// Prints one JSON line, or one line of text.
fn print(speech: Speech, object: &Value, text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    if speech.json {
        writeln!(out, "{object}")?;
    } else {
        writeln!(out, "{}", clean(text))?;
    }
    Ok(())
}

/// Reads standard input as text. A person at a terminal is told that they are waited for.
pub(super) fn read_standard_input(speech: Speech) -> Result<String, Failure> {
    let mut text = String::new();
    let input = io::stdin().lock();
    if input.is_terminal() {
        let end = if cfg!(windows) {
            "Ctrl-Z and Enter"
        } else {
            "Ctrl-D"
        };
        speech.say(&format!(
            "reading the text from standard input; end it with {end}"
        ));
    }
    let read = input.take(MOST_INPUT_BYTES + 1).read_to_string(&mut text);
    match read {
        Ok(bytes) if bytes as u64 > MOST_INPUT_BYTES => {
            let most = MOST_INPUT_BYTES >> 20;
            Err(Failure::new(
                Exit::Refused,
                format!("standard input is over {most} MiB"),
            ))
        }
        Ok(_) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(Failure::new(
            Exit::Usage,
            "standard input is not UTF-8 text",
        )),
        Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
            Err(Failure::new(Exit::Usage, "standard input is a folder"))
        }
        Err(error) => Err(error.into()),
    }
}

/// Where to look for a memory that was not found.
const LOOK_ON: &str = "`memstrata history` names also those that are gone";

/// Adds to an error that says "not found" what to do next; others stay what they are.
fn not_found(error: memdir::Error, advice: &str) -> Failure {
    if error.kind() == ErrorKind::NotFound {
        Failure::new(Exit::NotFound, format!("{error}; {advice}"))
    } else {
        error.into()
    }
}

/// Orders the files of one operation: memories by path, indexes behind them.
fn memories_first(path: &str) -> (bool, &str) {
    let name = path.rsplit('/').next().unwrap_or(path);
    (name == memdir::INDEX_FILE, path)
}

/// Returns the tokens of a memory file, for the model families that count most.
fn tokens(memory: &StoredMemory) -> usize {
    Estimator::new().count(&String::from_utf8_lossy(memory.memory.as_bytes()))
}

/// Says what a list leaves out.
pub(super) fn say_problems(list: &MemoryList, speech: Speech) {
    for problem in &list.problems {
        speech.say(&format!("left out {}", clean(problem)));
    }
    if list.cut {
        speech.say("there are more; --limit shows a different number");
    }
}

/// A day in words that need no time zone: `2026-03-05 14:02 UTC`.
pub(super) fn shown_time(time: Timestamp) -> String {
    let text = time.to_string();
    match text.split_once('T') {
        Some((day, clock)) => format!("{day} {} UTC", clock.get(..5).unwrap_or(clock)),
        None => text,
    }
}

fn budget_json(budget: &Budget) -> Value {
    json!({
        "lines": budget.lines,
        "max_lines": budget.limits.max_lines,
        "bytes": budget.bytes,
        "max_bytes": budget.limits.max_bytes,
        "percent": budget.percent(),
    })
}

fn budget_text(budget: &Budget) -> String {
    format!(
        "{} of {} lines, {} of {} bytes ({} %)",
        budget.lines,
        budget.limits.max_lines,
        budget.bytes,
        budget.limits.max_bytes,
        budget.percent()
    )
}
