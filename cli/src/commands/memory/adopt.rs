//! `memstrata adopt`: the memories of a project that was renamed or moved.

use serde_json::json;

use super::print;
use crate::cli::Global;
use crate::cli::memory::Adopt;
use crate::context::{Context, person};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, counted};

/// Takes over the memories under an old key.
pub(crate) fn run(
    arguments: &Adopt,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let context = Context::locate(global, environment)?;
    // Opening says which keys there are; here that is the question, not news.
    let store = context.open(speech.silenced())?;
    let mut orphans = context.location.orphans(&store)?;
    if let Some(key) = &arguments.key {
        orphans.retain(|orphan| orphan.key == *key);
    }
    let orphan = match orphans.as_slice() {
        [] => {
            return Err(Failure::new(
                Exit::NotFound,
                "there are no memories to take over",
            ));
        }
        [orphan] => orphan,
        several => {
            let keys: Vec<&str> = several.iter().map(|orphan| orphan.key.as_str()).collect();
            return Err(Failure::new(
                Exit::Usage,
                format!("name one of {}", keys.join(", ")),
            ));
        }
    };
    let adopted = context.location.adopt(&store, orphan, &person())?;
    let object = json!({"key": orphan.key, "files": adopted.files, "sequence": adopted.sequence});
    print(
        speech,
        &object,
        &format!(
            "took over {} from {}",
            counted(adopted.files, "file", "files"),
            orphan.key
        ),
    )?;
    Ok(Exit::Done)
}
