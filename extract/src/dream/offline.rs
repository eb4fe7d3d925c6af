//! The plan that needs no model.

use super::limits::Limits;
use super::plan::{Draft, Plan, Step, StepKind, StepSource};
use super::snapshot::Snapshot;
use super::{dates, duplicates, index};

/// Most replaced dates that a reason names.
const SHOWN_DATES: usize = 3;

impl Plan {
    /// The distillation without a model: absolute dates, exact and near duplicates, and the index. Nothing
    /// else is touched, and the same snapshot always gives the same plan.
    ///
    /// ```
    /// use memdir::Timestamp;
    /// use memdir_extract::dream::{Limits, Plan, Snapshot};
    ///
    /// let monday: Timestamp = "2026-03-02T09:00:00Z".parse()?;
    /// let file = b"---\nname: Freeze\ndescription: when it begins\ntype: project\n---\n\nThe freeze begins Thursday.\n";
    /// let snapshot = Snapshot::new(monday.date(0)).with_file("project_freeze.md", file, monday);
    /// let plan = Plan::offline(&snapshot, &Limits::default());
    /// assert!(plan.diff().contains("-The freeze begins Thursday.\n+The freeze begins 2026-03-05.\n"));
    /// assert!(plan.diff().contains("create MEMORY.md"));
    /// # Ok::<(), memdir::InvalidTime>(())
    /// ```
    pub fn offline(snapshot: &Snapshot, limits: &Limits) -> Self {
        let span = tracing::info_span!("dream.plan", steps = tracing::field::Empty).entered();
        let mut draft = Draft::new(snapshot);
        for path in &snapshot.with_secrets {
            draft.note(format!(
                "{} holds a credential and is left alone",
                path.as_str()
            ));
        }
        // Before anything is merged: a line that moves to another memory would be counted from its day.
        let mut dated = Vec::new();
        for path in draft.memories() {
            if snapshot.is_editable(&path) {
                let replaced = dates::fix(&mut draft, &path);
                if !replaced.is_empty() {
                    dated.push((path, replaced));
                }
            }
        }
        duplicates::merge(&mut draft);
        for (path, replaced) in dated {
            if draft.read(&path).is_none() {
                continue;
            }
            let shown: Vec<String> = replaced
                .iter()
                .take(SHOWN_DATES)
                .map(|(phrase, date)| format!("`{phrase}` is {date}"))
                .collect();
            let more = replaced.len().saturating_sub(SHOWN_DATES);
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            draft.steps.push(Step {
                kind: StepKind::Dates,
                sources: vec![StepSource::whole(path.as_str())],
                path,
                from: Vec::new(),
                reason: format!("{}{more}", shown.join(", ")),
            });
        }
        index::bring_up_to_date(&mut draft, &limits.index);
        span.record("steps", draft.steps.len());
        draft.into_plan()
    }
}
