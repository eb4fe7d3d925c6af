//! `session update` and `session show`.

use std::io::{self, IsTerminal, Write};

use memstrata::memdir::Clock as _;
use memstrata::session_memory::{NOTES_FILE, update_offline_with};
use memstrata::token_count::{Estimator, TokenCounter};
use memstrata::{ErrorKind, Models};

use super::{Place, Recorded, committed_json};
use crate::clock::SystemClock;
use crate::config;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, clean, clean_lines};

/// What to do when there is nothing to show.
const NO_FILE: &str =
    "this session has no session file yet; `memstrata session update TRANSCRIPT` makes it";

/// Brings the session file up to date.
pub(super) fn update(
    recorded: &Recorded,
    place: &Place,
    models: &Models,
    speech: Speech,
) -> Result<Exit, Failure> {
    if recorded.entries.is_empty() {
        return Err(Failure::new(
            Exit::NotFound,
            "the transcript holds no message",
        ));
    }
    let file = place.create()?;
    let (entries, context) = (&recorded.entries, recorded.context_tokens());
    let today = SystemClock.now().date(SystemClock.offset_seconds());
    // Notes hold no credential, whoever said or printed it.
    let by_rules =
        || update_offline_with(&file, entries, context, &memstrata::session::redact_ledger);
    let committed = match models.update_session_file(&file, &place.config, entries, context, today)
    {
        Some(Ok(committed)) => committed,
        Some(Err(error)) if error.kind() == ErrorKind::Model => {
            config::say_trouble(&error.to_string(), speech);
            by_rules()?
        }
        Some(Err(error)) => return Err(error.into()),
        None => by_rules()?,
    };
    let tokens = Estimator::new().count(&committed.notes.print());
    let mut out = io::stdout().lock();
    if speech.json {
        let mut object = committed_json(&file, &committed);
        object["tokens"] = tokens.into();
        writeln!(out, "{object}")?;
    } else {
        let path = file.folder().join(NOTES_FILE);
        writeln!(out, "{}", clean(&path.to_string_lossy()))?;
        speech.say(&format!(
            "revision {}, {tokens} tokens, up to entry {} of the transcript",
            committed.revision,
            recorded.entries.len()
        ));
    }
    Ok(Exit::Done)
}

/// Prints the session file.
pub(super) fn show(place: &Place, speech: Speech) -> Result<Exit, Failure> {
    let missing = || Failure::new(Exit::NotFound, NO_FILE);
    let file = place.open()?.ok_or_else(missing)?;
    let committed = file.read()?.ok_or_else(missing)?;
    let text = committed.notes.print();
    let mut out = io::stdout().lock();
    if speech.json {
        let mut object = committed_json(&file, &committed);
        object["tokens"] = Estimator::new().count(&text).into();
        object["text"] = text.into();
        writeln!(out, "{object}")?;
    } else if out.is_terminal() {
        write!(out, "{}", clean_lines(&text))?;
    } else {
        // Into a pipe or a file goes what is there, byte for byte.
        out.write_all(text.as_bytes())?;
    }
    Ok(Exit::Done)
}
