//! `memstrata save`.

use memstrata::memdir::{
    ContentHash, Expect, IndexOutcome, Memory, SaveFile, SaveRequest, Saved, Scope, Store,
};
use memstrata::pathguard::PathKey;
use serde_json::{Value, json};

use super::{budget_json, print, read_standard_input};
use crate::cli::Global;
use crate::cli::memory::Save;
use crate::context::{open, person};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::Speech;

/// Saves one memory and its line in the index.
pub(crate) fn run(
    arguments: &Save,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let body = match arguments.body.as_deref() {
        None | Some("-") => read_standard_input()?,
        Some(text) => text.to_owned(),
    };
    let expect = match &arguments.expect {
        None => Expect::Absent,
        Some(hash) => Expect::Hash(parse_hash(hash)?),
    };
    let store = open(global, environment, speech)?;
    let saved = match &arguments.file {
        Some(file) => save_to_file(&store, arguments, file, &body, expect)?,
        None => store.save(&request(arguments, &body, expect), &person())?,
    };
    report(&saved, speech)
}

fn parse_hash(text: &str) -> Result<ContentHash, Failure> {
    text.parse().map_err(|_| {
        Failure::new(
            Exit::Usage,
            "--expect takes a hash as `show --json` prints it",
        )
    })
}

fn request(arguments: &Save, body: &str, expect: Expect) -> SaveRequest {
    let scope = if arguments.team {
        Scope::Team
    } else {
        Scope::Private
    };
    let mut request = SaveRequest::new(
        arguments.memory_type.into(),
        &arguments.name,
        &arguments.description,
        body,
    )
    .with_scope(scope);
    if expect != Expect::Absent {
        // With a hash the memory exists already, under this title.
        request = request.replacing(&arguments.name, expect);
    }
    if arguments.no_index {
        request.without_index()
    } else {
        request
    }
}

/// Saves to a named file: replaced through its title's rules when it exists, else made as it is.
fn save_to_file(
    store: &Store,
    arguments: &Save,
    file: &str,
    body: &str,
    expect: Expect,
) -> Result<Saved, Failure> {
    let wanted = if arguments.team && !file.starts_with("team/") {
        format!("team/{file}")
    } else {
        file.to_owned()
    };
    let key = PathKey::parse(&wanted)?;
    if expect != Expect::Absent {
        let replacing = request(arguments, body, Expect::Absent).replacing(key.as_str(), expect);
        return Ok(store.save(&replacing, &person())?);
    }
    let memory = Memory::new(
        arguments.memory_type.into(),
        &arguments.name,
        &arguments.description,
        body,
    );
    let save = SaveFile::new(key, memory.print());
    let save = if arguments.no_index {
        save.without_index()
    } else {
        save
    };
    Ok(store.save_file(&save, &person())?)
}

/// Says what was saved, and what the saver should act on.
pub(super) fn report(saved: &Saved, speech: Speech) -> Result<Exit, Failure> {
    let (state, advice) = match &saved.index {
        IndexOutcome::Near { budget, warning } => (budget_json(budget), Some(warning.clone())),
        IndexOutcome::Over(over) => (budget_json(&over.budget), Some(over.to_string())),
        IndexOutcome::TooLarge { warning } => (Value::Null, Some(warning.clone())),
        IndexOutcome::Fine(budget) => (budget_json(budget), None),
        _ => (Value::Null, None),
    };
    let object = json!({
        "path": saved.path.as_str(),
        "hash": saved.hash.to_string(),
        "index": state,
        "changed": saved.sequence.is_some(),
        "replaced": saved.replaced,
        "warning": advice,
    });
    let verb = match (saved.sequence.is_some(), saved.replaced) {
        (false, _) => "unchanged",
        (true, true) => "replaced",
        (true, false) => "saved",
    };
    print(speech, &object, &format!("{verb} {}", saved.path.as_str()))?;
    if let Some(advice) = advice {
        speech.say(&format!("warning: {advice}"));
    }
    for secret in &saved.secrets {
        speech.say(&format!(
            "warning: line {} looks like a credential ({})",
            secret.line, secret.rule
        ));
    }
    Ok(Exit::Done)
}
