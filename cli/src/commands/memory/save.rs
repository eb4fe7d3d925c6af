//! `memstrata save`.

use memstrata::memdir::lint::{self, Code, Input, Severity, SourceFile};
use memstrata::memdir::{
    self, Clock, ContentHash, ErrorKind, Expect, IndexOutcome, Memory, SaveFile, SaveRequest,
    Saved, Scope, Store,
};
use memstrata::pathguard::PathKey;
use serde_json::{Value, json};

use super::{budget_json, print, read_standard_input};
use crate::cli::Global;
use crate::cli::memory::Save;
use crate::clock::SystemClock;
use crate::context::{open, person};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, clean};

/// Saves one memory and its line in the index.
pub(crate) fn run(
    arguments: &Save,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    if arguments.name.trim().is_empty() {
        return Err(Failure::new(
            Exit::Usage,
            "--name is empty; a memory needs a title",
        ));
    }
    let body = match arguments.body.as_deref() {
        None | Some("-") => read_standard_input(speech)?,
        Some(text) => text.to_owned(),
    };
    if body.trim().is_empty() {
        return Err(Failure::new(
            Exit::Usage,
            "the text is empty; give it as the last argument or on standard input",
        ));
    }
    let expect = match &arguments.expect {
        None => Expect::Absent,
        Some(hash) => Expect::Hash(parse_hash(hash)?),
    };
    let store = open(global, environment, speech)?;
    let saved = match &arguments.file {
        Some(file) => save_to_file(&store, arguments, file, &body, expect),
        None => store
            .save(&request(arguments, &body, expect), &person())
            .map_err(|error| conflict(error, expect)),
    }?;
    let exit = report(&saved, speech)?;
    warn(&store, &saved, speech);
    Ok(exit)
}

/// Says how a memory that is there already is replaced; other errors stay what they are.
fn conflict(error: memdir::Error, expect: Expect) -> Failure {
    match error.current().and_then(|current| current.hash) {
        Some(hash) if expect == Expect::Absent && error.kind() == ErrorKind::StaleHash => {
            let path = error.path().unwrap_or_default();
            Failure::new(
                Exit::Conflict,
                format!(
                    "`{path}`: a memory of this name exists already; read it with `memstrata show`, replace it \
                     with `--expect {hash}`"
                ),
            )
        }
        _ => error.into(),
    }
}

/// Says what `check` would find in the memory by itself.
fn warn(store: &Store, saved: &Saved, speech: Speech) {
    for finding in findings_of(store, saved) {
        speech.say(&format!("warning: {finding}"));
    }
}

/// What `check` would find in a memory that was just saved, in words.
pub(crate) fn findings_of(store: &Store, saved: &Saved) -> Vec<String> {
    // The saving is done; a memory that cannot be read again is for `check` to report.
    let Ok(stored) = store.read_path(&saved.path) else {
        return Vec::new();
    };
    let today = SystemClock.now().date(SystemClock.offset_seconds());
    let file = SourceFile::new(saved.path.as_str(), stored.memory.as_bytes()).with_date(today);
    let input = Input::new(vec![file], today);
    let input = if saved.path.as_str().starts_with("team/") {
        input.shared()
    } else {
        input
    };
    let mut found = Vec::new();
    for finding in lint::check(&input).findings {
        let is_its_own =
            finding.path == saved.path.as_str() && finding.severity >= Severity::Warning;
        // Credentials are reported by the store, and what the index lacks is no matter of the text.
        let is_said = matches!(
            finding.code,
            Code::Secret | Code::IndexMissing | Code::NotInIndex | Code::DeadLink
        );
        if is_its_own && !is_said {
            let mend = if finding.is_fixable {
                "; `memstrata check --fix` mends it"
            } else {
                ""
            };
            found.push(format!(
                "line {}: {}{mend}",
                finding.line,
                clean(&finding.message)
            ));
        }
    }
    found
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
        return store
            .save(&replacing, &person())
            .map_err(|error| conflict(error, expect));
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
    store
        .save_file(&save, &person())
        .map_err(|error| conflict(error, expect))
}

/// Says what was saved, and what the saver should act on.
pub(super) fn report(saved: &Saved, speech: Speech) -> Result<Exit, Failure> {
    let verb = if saved.replaced { "replaced" } else { "saved" };
    report_as(verb, saved, speech)
}

/// As [`report`], with a word of the command's own for what was done.
pub(super) fn report_as(verb: &str, saved: &Saved, speech: Speech) -> Result<Exit, Failure> {
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
    let verb = if saved.sequence.is_some() {
        verb
    } else {
        "unchanged"
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
    if !saved.secrets.is_empty() {
        let path = saved.path.as_str();
        speech.say(&format!(
            "`memstrata purge {path}` removes it and its history"
        ));
    }
    Ok(Exit::Done)
}
