//! `memstrata inbox`: memories that wait for a person.

use std::io::{self, Write};

use memstrata::memdir::InboxItem;
use serde_json::{Value, json};

use super::{print, read_standard_input, save, shown_time};
use crate::cli::Global;
use crate::cli::memory::{Inbox, InboxAction};
use crate::context::{open, person};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, Style, clean, clean_lines};

/// Lists, shows, accepts, edits or drops candidates.
pub(crate) fn run(
    arguments: &Inbox,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let store = open(global, environment, speech)?;
    match arguments.action.as_ref().unwrap_or(&InboxAction::List) {
        InboxAction::List => {
            let inbox = store.inbox()?;
            let mut out = io::BufWriter::new(io::stdout().lock());
            for item in &inbox.items {
                if speech.json {
                    writeln!(out, "{}", item_json(item))?;
                } else {
                    let replaces = if item.candidate.base.is_some() {
                        " (replaces what is there)"
                    } else {
                        ""
                    };
                    writeln!(
                        out,
                        "{}  {}  {}{replaces}  {}",
                        speech.paint(Style::Bold, &clean(&item.id)),
                        shown_time(item.time),
                        clean(item.candidate.path.as_str()),
                        clean(item.memory().description()),
                    )?;
                }
            }
            out.flush()?;
            if inbox.items.is_empty() && inbox.problems.is_empty() {
                let folder = store.dir().display().to_string();
                speech.say(&format!(
                    "nothing waits for you; the memories are in {}",
                    clean(&folder)
                ));
            }
            if !inbox.items.is_empty() {
                speech.say("`memstrata inbox show ID` prints one; `accept ID` saves it, `drop ID` drops it");
            }
            for problem in &inbox.problems {
                speech.say(&format!("left out {}", clean(problem)));
            }
        }
        InboxAction::Show { id } => {
            let item = store.inbox_item(id)?;
            if speech.json {
                writeln!(io::stdout(), "{}", item_json(&item))?;
            } else {
                let text = String::from_utf8_lossy(&item.candidate.bytes);
                write!(io::stdout(), "{}", clean_lines(&text))?;
            }
        }
        InboxAction::Accept { id } => {
            return save::report(&store.accept(id, None, &person())?, speech);
        }
        InboxAction::Edit { id } => {
            let text = read_standard_input(speech)?;
            let saved = store.accept(id, Some(text.into_bytes()), &person())?;
            return save::report(&saved, speech);
        }
        InboxAction::Drop { id } => {
            store.drop_candidate(id)?;
            print(
                speech,
                &json!({"id": id, "dropped": true}),
                &format!("dropped {id}"),
            )?;
        }
    }
    Ok(Exit::Done)
}

fn item_json(item: &InboxItem) -> Value {
    let memory = item.memory();
    json!({
        "id": item.id,
        "time": item.time.to_string(),
        "path": item.candidate.path.as_str(),
        "name": memory.name(),
        "description": memory.description(),
        "type": memory.type_text(),
        "actor": item.actor,
        "session": item.session,
        "note": item.note,
        "replaces": item.candidate.base.as_ref().map(ToString::to_string),
        "body": memory.body(),
    })
}
