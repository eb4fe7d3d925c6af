//! `memstrata forget`, `rename`, `undo` and `purge`.

use memstrata::memdir::{ErrorKind, PurgeOptions};
use serde_json::json;

use super::{LOOK_ON, memories_first, not_found, print};
use crate::cli::Global;
use crate::cli::memory::{Name, Purge, Rename};
use crate::context::{open, person};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, counted};

/// Takes a memory away, into the history.
pub(crate) fn forget(
    arguments: &Name,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let removed = open(global, environment, speech)?
        .remove(&arguments.name, &person())
        .map_err(|error| not_found(error, LOOK_ON))?;
    let path = removed.path.as_str();
    let object =
        json!({"path": path, "hash": removed.hash.to_string(), "sequence": removed.sequence});
    print(speech, &object, &format!("forgot {path}"))?;
    speech.say("`memstrata undo` brings it back; `memstrata purge` removes it for good");
    Ok(Exit::Done)
}

/// Gives a memory another title or file name.
pub(crate) fn rename(
    arguments: &Rename,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let store = open(global, environment, speech)?;
    let renamed = store
        .rename(&arguments.name, &arguments.new, &person())
        .map_err(|error| not_found(error, LOOK_ON))?;
    let (from, to) = (renamed.from.as_str(), renamed.to.as_str());
    let object = json!({"from": from, "to": to, "sequence": renamed.sequence});
    print(speech, &object, &format!("{from} is now {to}"))?;
    Ok(Exit::Done)
}

/// Takes the last change back, whole.
pub(crate) fn undo(
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let mut undone =
        open(global, environment, speech)?
            .undo(&person())
            .map_err(|error| match error.kind() {
                // Nothing but a purge stands in the way of an undo.
                ErrorKind::Refused => Failure::new(
                    Exit::Refused,
                    format!("{error}; `memstrata restore NAME@NUMBER` brings single memories back"),
                ),
                _ => error.into(),
            })?;
    undone
        .paths
        .sort_by(|left, right| memories_first(left).cmp(&memories_first(right)));
    let operation = undone.operation.as_str();
    let object = json!({
        "undone": undone.undone,
        "operation": operation,
        "paths": undone.paths,
        "sequence": undone.sequence,
    });
    let text = format!(
        "took back change {}: {operation} {}",
        undone.undone,
        undone.paths.join(", ")
    );
    print(speech, &object, &text)?;
    Ok(Exit::Done)
}

/// Removes a memory and all its history for good.
pub(crate) fn purge(
    arguments: &Purge,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let mut options = PurgeOptions::default();
    if arguments.keep_file {
        options = options.keeping_file();
    }
    let store = open(global, environment, speech)?;
    let report =
        memstrata::purge(&store, &arguments.name, &options, &person()).map_err(|error| {
            let mut failure = Failure::from(error);
            if failure.exit == Exit::NotFound {
                failure = Failure::new(failure.exit, format!("{}; {LOOK_ON}", failure.error));
            }
            failure
        })?;
    let object = json!({
        "paths": report.paths,
        "operations": report.operations,
        "bytes_freed": report.bytes_freed,
    });
    let text = format!(
        "purged {} from {}, {} bytes freed",
        report.paths.join(", "),
        counted(report.operations, "operation", "operations"),
        report.bytes_freed
    );
    print(speech, &object, &text)?;
    speech.say("a credential that was stored must be revoked all the same");
    Ok(Exit::Done)
}
