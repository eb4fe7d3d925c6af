//! One line per key: what was done, what was not, what would be.

use std::io::Write;

use memstrata::team_sync::client::{Done, Note, SyncReport};
use memstrata::team_sync::{Action, HoldReason, Step};
use serde_json::json;

use crate::exit::Failure;
use crate::terminal::{Speech, Style, clean};

/// What is said about one key.
pub(super) struct Line {
    key: Option<String>,
    action: &'static str,
    detail: String,
    style: Style,
}

impl Line {
    /// A line that is neither good nor bad.
    pub(super) fn new(key: &str, action: &'static str, detail: &str) -> Self {
        Self {
            key: Some(key.to_owned()),
            action,
            detail: detail.to_owned(),
            style: Style::Bold,
        }
    }

    /// A line that is about no memory.
    pub(super) fn about_all(action: &'static str, detail: &str) -> Self {
        Self {
            key: None,
            ..Self::new("", action, detail)
        }
    }

    fn of_note(key: &str, note: &Note) -> Self {
        let (action, detail) = match note {
            Note::Held(reason) => ("held", reason.text().to_owned()),
            Note::BlockedHere(why) => ("blocked", why.clone()),
            Note::RefusedThere(why) => ("refused", why.clone()),
            Note::ChangedMeanwhile => (
                "changed-meanwhile",
                "it changed while it was being replaced; the next run looks again".to_owned(),
            ),
            Note::NotTaken(why) => ("not-taken", why.clone()),
            other => ("left", format!("{other:?}")),
        };
        let mut line = Self::new(key, action, &detail);
        line.style = Style::Yellow;
        line
    }

    /// Prints it: an object, or a line for people.
    pub(super) fn print(&self, out: &mut impl Write, speech: Speech) -> Result<(), Failure> {
        if speech.json {
            let object =
                json!({"key": self.key, "action": self.action, "detail": clean(&self.detail)});
            writeln!(out, "{object}")?;
            return Ok(());
        }
        let action = format!("{:<17}", self.action);
        write!(
            out,
            "{} {}",
            speech.paint(self.style, &action),
            clean(self.key.as_deref().unwrap_or_default())
        )?;
        if self.detail.is_empty() {
            writeln!(out)?;
        } else {
            writeln!(out, "  {}", clean(&self.detail))?;
        }
        Ok(())
    }
}

/// What a run has done, then what it has left.
pub(super) fn of_report(report: &SyncReport) -> Vec<Line> {
    let done = report.done.iter().map(|(key, done)| {
        let detail = match done {
            Done::Conflict => {
                "both had changed and did not merge: yours stays, theirs lies beside it (`team conflicts`)"
            }
            Done::Merged => "both had changed; what both wrote is in it",
            _ => "",
        };
        let mut line = Line::new(key.as_str(), done.as_str(), detail);
        line.style = if *done == Done::Conflict {
            Style::Yellow
        } else {
            Style::Green
        };
        line
    });
    done.chain(of_notes(&report.notes)).collect()
}

/// What is left undone, and why.
pub(super) fn of_notes(notes: &[(String, Note)]) -> Vec<Line> {
    let line = |(key, note): &(String, Note)| Line::of_note(key, note);
    notes.iter().map(line).collect()
}

/// What a sync would do; nothing for what is in step already.
pub(super) fn of_step(step: &Step) -> Option<Line> {
    let (action, detail) = match &step.action {
        Action::Upload { base: None, .. } => ("new-here", ""),
        Action::Upload { .. } => ("changed-here", ""),
        Action::Download { over: None, .. } => ("new-there", ""),
        Action::Download { .. } => ("changed-there", ""),
        Action::Merge { .. } => ("changed-on-both", "a sync merges the two"),
        Action::RenameLocal { .. } => ("renamed-there", ""),
        Action::RemoveLocal { .. } => ("deleted-there", ""),
        Action::DeleteRemote { .. } => ("deleted-here", ""),
        Action::Hold(HoldReason::TooManyDeletes) => (
            "held",
            "too many files are gone at once; `team sync --confirm-deletes` deletes them for all",
        ),
        Action::Hold(reason) => ("held", reason.text()),
        // In step already, or gone on both sides.
        _ => return None,
    };
    Some(Line::new(step.key.as_str(), action, detail))
}

/// Whether a text was kept beside another.
pub(super) fn has_conflict(report: &SyncReport) -> bool {
    report.done.iter().any(|(_, done)| *done == Done::Conflict)
}
