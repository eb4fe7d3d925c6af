//! `memstrata history` and `memstrata restore`.

use std::io::{self, Write};

use memstrata::memdir::ErrorKind;
use serde_json::json;

use super::{LOOK_ON, memories_first, not_found, save, shown_time};
use crate::cli::Global;
use crate::cli::memory::{History, Restore};
use crate::context::{open, person};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, Style, clean};

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
    for revision in history.revisions.iter().take(arguments.limit) {
        if speech.json {
            let object = json!({
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
            });
            writeln!(out, "{object}")?;
        } else {
            let note = revision
                .note
                .as_deref()
                .map(|note| format!("  {note}"))
                .unwrap_or_default();
            writeln!(
                out,
                "{}  {}  {}  {}  {}{}",
                speech.paint(Style::Bold, &format!("{:>5}", revision.sequence)),
                shown_time(revision.time),
                revision.operation.as_str(),
                clean(&revision.path),
                speech.paint(Style::Dim, &clean(&revision.actor)),
                clean(&note),
            )?;
        }
    }
    out.flush()?;
    if history.revisions.is_empty() {
        let folder = store.dir().display().to_string();
        speech.say(&format!("no changes yet in {}", clean(&folder)));
    }
    if history.cut || history.revisions.len() > arguments.limit {
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
