//! `memstrata where`: the active folder, and why it is that one.

use memstrata::memdir::{IndexLimits, ListOptions, Scope};
use serde_json::json;

use super::{budget_json, budget_text, print};
use crate::cli::Global;
use crate::context::Context;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, clean};

/// Shows the folder, the key, the setting that decided, identity, modes, sizes and the index budget.
pub(crate) fn run(
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let context = Context::locate(global, environment)?;
    let location = &context.location;
    let modes = context.decisions.modes;
    let exists = location.memory_dir().is_dir();
    // Looking must not make folders, so the store is opened only where there is one.
    let store = if exists {
        Some(context.open(speech)?)
    } else {
        context.say_warnings(speech);
        None
    };
    let mut memories = 0;
    let mut bytes = 0;
    let mut journal_bytes = 0;
    let mut budget = None;
    if let Some(store) = &store {
        let list = store.list(&ListOptions::default())?;
        memories = list.memories.len();
        bytes = list.memories.iter().map(|memory| memory.bytes).sum();
        journal_bytes = store.journal_bytes()?;
        budget = Some(store.index(Scope::Private)?.budget(&IndexLimits::default()));
    }
    let (source, place) = match location.moved_by() {
        Some(choice) => (choice.source.to_string(), choice.place.clone()),
        None => ("default".to_owned(), String::new()),
    };
    let orphans = match &store {
        Some(store) => location.orphans(store)?,
        None => Vec::new(),
    };
    let identity = location.identity()?;
    let object = json!({
        "memory_dir": location.memory_dir(),
        "state_dir": location.state_dir(),
        "project": location.root(),
        "project_kind": location.root_kind().as_str(),
        "key": location.key(),
        "key_taken_by": location.key_taken_by(),
        "home": location.home().path(),
        "decided_by": {"source": source, "place": place},
        "exists": exists,
        "identity": identity.as_ref().map(|identity| json!({
            "remote": identity.facts.remote,
            "root_commit": identity.facts.root_commit,
            "paths": identity.paths,
            "adopted_from": identity.adopted_from,
        })),
        "modes": {
            "session": modes.session.as_str(),
            "persistent": modes.persistent.as_str(),
            "team": modes.team.as_str(),
        },
        "memories": memories,
        "bytes": bytes,
        "journal_bytes": journal_bytes,
        "index": budget.as_ref().map(budget_json),
        "orphans": orphans.iter().map(|orphan| orphan.key.clone()).collect::<Vec<_>>(),
        "warnings": context.decisions.warnings.iter().map(|warning| json!({
            "place": warning.place, "message": warning.message,
        })).collect::<Vec<_>>(),
    });
    if speech.json {
        print(speech, &object, "")?;
        return Ok(Exit::Done);
    }
    let mut lines = vec![
        format!("memory   {}", location.memory_dir().display()),
        format!(
            "project  {} ({})",
            location.root().display(),
            location.root_kind().as_str().replace('-', " ")
        ),
        format!("key      {}", location.key()),
        if place.is_empty() {
            "decided  by default: no setting names another folder".to_owned()
        } else {
            format!("decided  {source} {place}")
        },
        format!(
            "modes    session {}, persistent {}, team {}",
            modes.session, modes.persistent, modes.team
        ),
    ];
    if exists {
        lines.push(format!(
            "holds    {memories} {}, {bytes} bytes; history {journal_bytes} bytes",
            if memories == 1 { "memory" } else { "memories" },
        ));
    } else {
        lines.push("holds    nothing yet; the folder is made with the first memory".to_owned());
    }
    lines.extend(
        budget
            .as_ref()
            .map(|budget| format!("index    {}", budget_text(budget))),
    );
    if let Some(other) = location.key_taken_by() {
        lines.push(format!("note     the plain key belongs to {other}"));
    }
    for line in lines {
        print(speech, &object, clean(&line).trim_end())?;
    }
    Ok(Exit::Done)
}
