//! `memstrata explain`: why memories were saved, skipped, recalled, dropped or passed over.

use std::collections::BTreeSet;
use std::io::{self, Write};

use memstrata::extract::{Decided, DecisionLog};
use memstrata::memdir::{self, Store};
use memstrata::{LoggedRecall, RecallLog};
use serde_json::json;

use super::memory::shown_time;
use super::recall;
use super::recall::show::rounded;
use crate::cli::Global;
use crate::cli::recall::Explain;
use crate::context::Context;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, Style, clean};

/// Explains a memory, a session, or the answer to a message.
pub(crate) fn run(
    arguments: &Explain,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    if let Some(message) = &arguments.query {
        return recall::explain::run(message, &arguments.choice, global, environment, speech);
    }
    let context = Context::locate(global, environment)?;
    context.say_if_off(speech);
    // Looking must not make folders.
    if !recall::exists(context.location.memory_dir()) {
        let message = "there are no memories in this project yet; --project names another one";
        return Err(Failure::new(Exit::NotFound, message));
    }
    let store = context.open(speech)?;
    if let Some(session) = &arguments.session {
        let decided = DecisionLog::of_session(&store, session)?;
        let recalled = RecallLog::of_session(&store, session)?;
        print(&decided, speech)?;
        print_recalled(&recalled, true, speech)?;
        if decided.is_empty() && recalled.is_empty() {
            let message = format!(
                "nothing is known about a session {} in this project; --project names another one",
                clean(session)
            );
            return Err(Failure::new(Exit::NotFound, message));
        }
        return Ok(Exit::Done);
    }
    // clap lets exactly one of the three through.
    let name = arguments.name.as_deref().unwrap_or_default();
    of_memory(&store, name, speech)
}

fn of_memory(store: &Store, name: &str, speech: Speech) -> Result<Exit, Failure> {
    let history = store.history(name);
    let names = names_of(store, name, history.as_ref().ok());
    let mut decided: Vec<Decided> = Vec::new();
    for name in &names {
        for one in DecisionLog::about(store, name)? {
            if !decided.contains(&one) {
                decided.push(one);
            }
        }
    }
    decided.sort_by_key(|one| std::cmp::Reverse((one.time, one.turn)));
    let recalled = recalls_of(store, &names, &decided)?;
    print(&decided, speech)?;
    print_recalled(&recalled, false, speech)?;
    if speech.json && decided.is_empty() && recalled.is_empty() {
        let object = json!({ "name": name, "decisions": [] });
        writeln!(io::stdout().lock(), "{object}")?;
    }
    match history {
        Ok(history) => {
            let first = history.revisions.last();
            if let Some(first) = first.filter(|_| decided.is_empty()) {
                speech.say(&first_written(first));
            }
            Ok(Exit::Done)
        }
        Err(error)
            if error.kind() == memdir::ErrorKind::NotFound
                && !(decided.is_empty() && recalled.is_empty()) =>
        {
            Ok(Exit::Done)
        }
        Err(error) => Err(error.into()),
    }
}

/// Every name and path that a memory is known by: a renamed one was decided about, and recalled, under another.
fn names_of(store: &Store, name: &str, history: Option<&memdir::History>) -> BTreeSet<String> {
    let mut names = BTreeSet::from([name.to_owned()]);
    let revisions = history.iter().flat_map(|history| &history.revisions);
    names.extend(revisions.map(|revision| revision.path.clone()));
    if let Ok(stored) = store.read(name) {
        names.insert(stored.path.as_str().to_owned());
    }
    names
}

/// Who wrote a memory that nothing was decided about.
fn first_written(first: &memdir::Revision) -> String {
    let by = match first.actor.as_str() {
        // What a person does with this program.
        "memstrata" => "by hand".to_owned(),
        actor => format!("by {}", clean(actor)),
    };
    let session = match &first.session {
        Some(session) => format!(" in session {}", clean(session)),
        None => String::new(),
    };
    format!(
        "{} was first saved {by}{session} on {}; no session was read for it",
        clean(&first.path),
        first.time.date(0),
    )
}

fn print(decided: &[Decided], speech: Speech) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for one in decided {
        if speech.json {
            let object = json!({
                "time": one.time.to_string(),
                "session": one.session,
                "turn": one.turn,
                "action": one.action.as_str(),
                "code": one.code,
                "why": one.why,
                "path": one.path,
                "name": one.name,
                "type": one.memory_type.map(memdir::MemoryType::as_str),
                "message_id": one.message_id,
                "quote": one.quote,
            });
            writeln!(out, "{object}")?;
            continue;
        }
        let what = one
            .path
            .as_deref()
            .or(one.name.as_deref())
            .unwrap_or("the turn");
        let head = format!("{} {}", one.action.as_str(), clean(what));
        writeln!(out, "{}", speech.paint(Style::Bold, &head))?;
        writeln!(out, "    why: {} [{}]", clean(&one.why), clean(&one.code))?;
        if let Some(quote) = &one.quote {
            writeln!(out, "    you said: {}", clean(quote))?;
        }
        let message = match &one.message_id {
            Some(id) => format!(", message {}", clean(id)),
            None => String::new(),
        };
        let place = format!(
            "{} in session {}, turn {}{message}",
            shown_time(one.time),
            clean(&one.session),
            one.turn
        );
        writeln!(out, "    {}", speech.paint(Style::Dim, &place))?;
    }
    out.flush()?;
    Ok(())
}

/// When the memory was recalled, under each path that it is known by, newest first.
fn recalls_of(
    store: &Store,
    names: &BTreeSet<String>,
    decided: &[Decided],
) -> Result<Vec<LoggedRecall>, Failure> {
    let mut paths = names.clone();
    paths.extend(decided.iter().filter_map(|one| one.path.clone()));
    let mut recalled = Vec::new();
    for path in paths {
        recalled.extend(RecallLog::about(store, &path)?);
    }
    recalled.sort_by_key(|one| std::cmp::Reverse((one.time, one.turn)));
    Ok(recalled)
}

fn print_recalled(recalled: &[LoggedRecall], names: bool, speech: Speech) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for one in recalled {
        if speech.json {
            let verified = one.verified.as_ref().map(|verified| {
                json!({
                    "holds": verified.holds,
                    "gone": verified.gone,
                    "unknown": verified.unknown,
                    "gone_claims": verified.gone_claims,
                })
            });
            let object = json!({
                "time": one.time.to_string(),
                "session": one.session,
                "turn": one.turn,
                "action": "recalled",
                "path": one.path,
                "why": one.why,
                "score": rounded(one.score),
                "verified": verified,
            });
            writeln!(out, "{object}")?;
            continue;
        }
        let head = if names {
            format!("recalled {}", clean(&one.path))
        } else {
            "recalled".to_owned()
        };
        writeln!(out, "{}", speech.paint(Style::Bold, &head))?;
        writeln!(out, "    matched: {}", clean(&one.why))?;
        if let Some(verified) = one.verified.as_ref().filter(|one| !one.summary.is_empty()) {
            let style = if verified.gone > 0 {
                Style::Yellow
            } else {
                Style::Dim
            };
            let line = format!("checked: {}", clean(&verified.summary));
            writeln!(out, "    {}", speech.paint(style, &line))?;
        }
        let place = format!(
            "{} in session {}, turn {}",
            shown_time(one.time),
            clean(&one.session),
            one.turn
        );
        writeln!(out, "    {}", speech.paint(Style::Dim, &place))?;
    }
    out.flush()?;
    Ok(())
}
