//! `memstrata history` and `memstrata restore`.

use std::io::{self, Write};

use memstrata::memdir::{ErrorKind, Revision};
use serde_json::{Value, json};

use super::{LOOK_ON, memories_first, not_found, save, shown_time};
use crate::cli::Global;
use crate::cli::memory::{History, Restore};
use crate::context::{open, person};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, Style, clean};

/// So many files of one change are named in a line.
const MOST_PATHS: usize = 4;

/// Shows what was changed, newest first.
pub(crate) fn history(
    arguments: &History,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let store = open(global, environment, speech)?;
    let mut history = match &arguments.name {
        Some(name) => store
            .history(name)
            .map_err(|error| not_found(error, LOOK_ON))?,
        None => store.history_of_all()?,
    };
    // The files of one operation have no order of their own.
    for same in history
        .revisions
        .chunk_by_mut(|left, right| left.sequence == right.sequence)
    {
        same.sort_by(|left, right| memories_first(&left.path).cmp(&memories_first(&right.path)));
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut changes = history
        .revisions
        .chunk_by(|left, right| left.sequence == right.sequence);
    for change in changes.by_ref().take(arguments.limit) {
        if speech.json {
            for revision in change {
                writeln!(out, "{}", revision_json(revision))?;
            }
        } else {
            writeln!(out, "{}", line(change, speech))?;
        }
    }
    let are_more = changes.next().is_some();
    out.flush()?;
    if history.revisions.is_empty() {
        let folder = store.dir().display().to_string();
        speech.say(&format!("no changes yet in {}", clean(&folder)));
    }
    if history.cut || are_more {
        speech.say("there are older changes; --limit shows more");
    }
    if history.damaged_lines > 0 {
        speech.say(&format!(
            "damaged lines of the history, left out: {}",
            history.damaged_lines
        ));
    }
    Ok(Exit::Done)
}

fn revision_json(revision: &Revision) -> Value {
    json!({
        "sequence": revision.sequence,
        "time": revision.time.to_string(),
        "operation": revision.operation.as_str(),
        "path": revision.path,
        "actor": revision.actor,
        "session": revision.session,
        "note": revision.note,
        "undoes": revision.undoes,
        "before": revision.before.as_ref().map(ToString::to_string),
        "after": revision.after.as_ref().map(ToString::to_string),
    })
}

/// One change as a line: the files of it share number, time and author.
fn line(change: &[Revision], speech: Speech) -> String {
    let Some(first) = change.first() else {
        return String::new();
    };
    let paths: Vec<&str> = change
        .iter()
        .take(MOST_PATHS)
        .map(|revision| revision.path.as_str())
        .collect();
    let more = change.len() - paths.len();
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let note = first.note.as_deref();
    let note = note.map(|note| format!("  {note}")).unwrap_or_default();
    format!(
        "{}  {}  {}  {}{more}  {}{}",
        speech.paint(Style::Bold, &format!("{:>5}", first.sequence)),
        shown_time(first.time),
        first.operation.as_str(),
        clean(&paths.join(", ")),
        speech.paint(Style::Dim, &clean(&first.actor)),
        clean(&note),
    )
}

/// Brings back what a memory was.
pub(crate) fn restore(
    arguments: &Restore,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let (name, sequence) = split(&arguments.name);
    let store = open(global, environment, speech)?;
    let saved =
        store
            .restore(name, sequence, &person())
            .map_err(|error| match name.rsplit_once('@') {
                Some((known, after))
                    if error.kind() == ErrorKind::NotFound && store.history(known).is_ok() =>
                {
                    let wrong = format!(
                        "`{after}` is no number; the number after @ is one of `memstrata history`"
                    );
                    Failure::new(Exit::Usage, wrong)
                }
                // A memory that is known has its own advice: which number to give.
                _ if store.history(name).is_ok() => error.into(),
                _ => not_found(error, LOOK_ON),
            })?;
    save::report_as("restored", &saved, speech)
}

/// Splits `NAME@NUMBER`. A title may hold an `@` itself, so only digits behind the last one count.
fn split(text: &str) -> (&str, Option<u64>) {
    match text.rsplit_once('@') {
        Some((name, digits)) if !name.is_empty() => match digits.parse() {
            Ok(sequence) => (name, Some(sequence)),
            Err(_) => (text, None),
        },
        _ => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn only_digits_behind_the_last_at_sign_are_a_number() {
        assert_eq!(split("user_role@12"), ("user_role", Some(12)));
        assert_eq!(split("ask @ana@7"), ("ask @ana", Some(7)));
        assert_eq!(split("ask @ana"), ("ask @ana", None));
        assert_eq!(split("@7"), ("@7", None));
        assert_eq!(split("role"), ("role", None));
    }
}
