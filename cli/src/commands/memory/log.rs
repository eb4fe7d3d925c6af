//! `memstrata log`.

use serde_json::json;

use super::{print, read_standard_input};
use crate::cli::Global;
use crate::cli::memory::Log;
use crate::context::{open, person};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::Speech;

/// Appends an entry to today's log.
pub(crate) fn run(
    arguments: &Log,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let text = if arguments.text == "-" {
        read_standard_input(speech)?
    } else {
        arguments.text.clone()
    };
    let entry = open(global, environment, speech)?.log(&text, &person())?;
    let path = entry.path.as_str();
    print(
        speech,
        &json!({"path": path, "text": entry.text}),
        &format!("added to {path}"),
    )?;
    Ok(Exit::Done)
}
