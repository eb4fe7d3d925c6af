//! Decides what the side agent may do: the permission table, then the review of each text.

use std::sync::Arc;

use agent_model::ToolUse;
use forked_agent::{Action, Call, Change, Gate, Permissions, Place, Verdict};
use memdir::{INDEX_FILE, Memory};
use pathguard::PathKey;
use serde_json::Value;

use crate::backend::Work;
use crate::dream::is_protected;
use crate::proposal::Source;
use crate::review::{Approved, Candidate, Refusal, Refused};

/// A memory that a person wrote keeps at least this part of its lines, in per cent of their bytes.
const MIN_KEPT_PERCENT: usize = 50;

/// Shorter texts may be replaced whole: there is little to lose, and the journal has it.
const MIN_GUARDED_BYTES: usize = 200;

pub(super) struct MemoryGate {
    table: Permissions,
    work: Arc<Work>,
}

impl MemoryGate {
    pub(super) fn new(work: Arc<Work>) -> Self {
        Self {
            table: Permissions::default(),
            work,
        }
    }
}

impl Gate for MemoryGate {
    fn decide(&self, call: &Call<'_>) -> Verdict {
        if let Err(error) = self.work.may_go_on() {
            return Verdict::deny(error.to_string());
        }
        if let Action::Edit(place) | Action::Write(place) = call.action
            && is_index(place)
        {
            return Verdict::deny(
                "the index is kept for you: a memory gets its line when it is written",
            );
        }
        self.table.decide(call)
    }

    fn decide_change(&self, change: &Change<'_>) -> Verdict {
        let allowed = self.table.decide_change(change);
        if allowed != Verdict::Allow {
            return allowed;
        }
        match judge(&self.work, change) {
            Ok(_) => Verdict::Allow,
            Err(refused) => {
                let memory = Memory::parse(change.after.as_bytes());
                let key = key_of(change.place);
                self.work.record_refusal(
                    &refused,
                    key.as_ref(),
                    memory.name(),
                    memory.memory_type(),
                    &quote(change.tool_use, &memory),
                );
                Verdict::Deny(refused.reason)
            }
        }
    }
}

/// Holds the text of a write against what was said.
pub(super) fn judge(work: &Work, change: &Change<'_>) -> Result<Approved, Refused> {
    let memory = Memory::parse(change.after.as_bytes());
    let key = key_of(change.place);
    if let Some(before) = change.before {
        check_replaced(before, &memory)?;
    }
    let source = match memory.value("origin").as_deref() {
        Some("tool") => Source::Tool,
        _ => Source::Person,
    };
    work.review.judge(&Candidate {
        path: key.as_ref(),
        memory_type: memory.memory_type(),
        name: memory.name(),
        description: memory.description(),
        body: memory.body(),
        quote: &quote(change.tool_use, &memory),
        source,
        needs_reason: true,
    })
}

/// The quote stands in the front matter, or beside the text in the call where the host's tools allow it.
fn quote(call: &ToolUse, memory: &Memory) -> String {
    let beside = call.input.get("evidence").and_then(Value::as_str);
    match beside {
        Some(quote) => quote.to_owned(),
        None => memory.value("evidence").unwrap_or_default(),
    }
}

/// What a person wrote is changed, not replaced.
fn check_replaced(before: &str, after: &Memory) -> Result<(), Refused> {
    let refuse = |reason: &str| {
        Err(Refused {
            refusal: Refusal::Known,
            reason: reason.to_owned(),
        })
    };
    if is_protected(before.as_bytes()) {
        return refuse("this memory is protected; a person changes it");
    }
    let old = Memory::parse(before.as_bytes());
    if old.value("evidence").is_some() || old.body().len() < MIN_GUARDED_BYTES {
        return Ok(());
    }
    let new: std::collections::HashSet<&str> = after.body().lines().map(str::trim).collect();
    let lines = old.body().lines().map(str::trim);
    let (mut all, mut kept) = (0, 0);
    for line in lines {
        all += line.len();
        kept += if new.contains(line) { line.len() } else { 0 };
    }
    if kept * 100 < all * MIN_KEPT_PERCENT {
        return refuse(
            "a person wrote this memory and most of it would be gone; change only what the user's words \
             change, or write another file",
        );
    }
    Ok(())
}

pub(super) fn key_of(place: &Place) -> Option<PathKey> {
    place.key().map(pathguard::PathKeyRef::to_owned)
}

fn is_index(place: &Place) -> bool {
    place
        .key()
        .is_some_and(|key| key.file_name().eq_ignore_ascii_case(INDEX_FILE))
}
