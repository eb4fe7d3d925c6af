//! The plan as JSON, as programs read it.

use memdir::ContentHash;
use pathguard::PathKey;
use serde_json::{Value, json};

use super::plan::{FileChange, Plan, Step, StepSource};
use super::refusal::Refusal;
use super::review::Figures;

impl Plan {
    /// The plan with what it would come to, as one JSON object with the keys `steps`, `changes`, `notes`,
    /// `figures` and `refusals`. Differences come with credentials replaced by the name of their rule.
    pub fn to_json(&self, figures: &Figures, refusals: &[Refusal]) -> Value {
        json!({
            "steps": self.steps.iter().map(step).collect::<Vec<_>>(),
            "changes": self.changes.iter().map(change).collect::<Vec<_>>(),
            "notes": self.notes,
            "figures": {
                "entries": figures.entries,
                "entries_dropped": figures.entries_dropped,
                "bytes": figures.bytes,
                "bytes_dropped": figures.bytes_dropped,
                "changes": figures.changes,
                "bytes_written": figures.bytes_written,
                "index_lines": figures.index.map(|budget| budget.lines),
                "index_bytes": figures.index.map(|budget| budget.bytes),
            },
            "refusals": refusals.iter().map(refusal).collect::<Vec<_>>(),
        })
    }
}

fn step(step: &Step) -> Value {
    json!({
        "kind": step.kind.as_str(),
        "path": step.path.as_str(),
        "from": step.from.iter().map(PathKey::as_str).collect::<Vec<_>>(),
        "sources": step.sources.iter().map(source).collect::<Vec<_>>(),
        "reason": step.reason,
    })
}

fn source(source: &StepSource) -> Value {
    json!({ "place": source.place, "quote": source.quote.as_deref().map(secret_scan::redact) })
}

fn change(change: &FileChange) -> Value {
    let hash = |bytes: &Option<Vec<u8>>| {
        bytes
            .as_deref()
            .map(|bytes| ContentHash::of(bytes).to_string())
    };
    json!({
        "path": change.path.as_str(),
        "action": change.action(),
        "before": hash(&change.before),
        "after": hash(&change.after),
        "diff": change.diff(),
    })
}

fn refusal(refusal: &Refusal) -> Value {
    json!({
        "kind": refusal.kind.as_str(),
        "path": refusal.path,
        "message": refusal.message,
    })
}
