//! Recalled memories and verdicts as JSON and as text.

use std::io::{self, Write};

use memstrata::recall::{CheckedClaim, Outcome, Recalled, Refresh, Verification};
use serde_json::{Value, json};

use crate::terminal::{Speech, Style, clean};

/// Problems named one by one; of more only the number is said.
const PROBLEMS_NAMED: usize = 5;

/// One line of `recall --json`.
pub(crate) fn memory_json(memory: &Recalled) -> Value {
    json!({
        "path": memory.path.as_str(),
        "mtime": memory.file_time.to_string(),
        "modified": memory.modified.map(|time| time.to_string()),
        "name": memory.name,
        "type": memory.type_text,
        "score": rounded(memory.score),
        "age_days": memory.age.days(),
        "age": memory.age.to_string(),
        "note": memory.age.note(),
        "why": memory.why.to_string(),
        "verified": memory.verified.as_ref().map(verified_json),
    })
}

/// Four places: what lies behind them says nothing, and scores stay readable.
pub(crate) fn rounded(score: f64) -> f64 {
    (score * 1e4).round() / 1e4
}

fn verified_json(verified: &Verification) -> Value {
    let claims: Vec<Value> = verified.claims.iter().map(claim_json).collect();
    json!({
        "holds": verified.holds(),
        "gone": verified.gone(),
        "unknown": verified.unknown(),
        "claims": claims,
    })
}

/// One claim, without the memory it stands in.
fn claim_json(claim: &CheckedClaim) -> Value {
    json!({
        "claim": claim.text,
        "kind": claim.kind.as_str(),
        "outcome": claim.outcome.as_str(),
        "detail": claim.detail,
    })
}

/// One recalled memory for a person.
pub(super) fn memory_text(
    out: &mut impl Write,
    memory: &Recalled,
    speech: Speech,
) -> io::Result<()> {
    let mut facts = Vec::new();
    if !memory.type_text.is_empty() {
        facts.push(clean(&memory.type_text).into_owned());
    }
    if memory.is_team() {
        facts.push("team".to_owned());
    }
    facts.push(memory.age.to_string());
    writeln!(
        out,
        "{}  {}  {}",
        speech.paint(Style::Bold, &clean(&memory.name)),
        clean(memory.path.as_str()),
        speech.paint(Style::Dim, &facts.join(", ")),
    )?;
    if !memory.description.is_empty() {
        writeln!(out, "    {}", clean(&memory.description))?;
    }
    let why = format!("matched: {}", memory.why);
    writeln!(out, "    {}", speech.paint(Style::Dim, &clean(&why)))?;
    if let Some(verified) = memory.verified.as_ref().filter(|v| !v.claims.is_empty()) {
        let style = if verified.gone() > 0 {
            Style::Yellow
        } else {
            Style::Dim
        };
        let checked = format!("checked: {verified}");
        writeln!(out, "    {}", speech.paint(style, &clean(&checked)))?;
    }
    Ok(())
}

/// The style in which an outcome is shown.
pub(crate) fn outcome_style(outcome: &Outcome) -> Style {
    match outcome {
        Outcome::Gone { moved_to: None } => Style::Red,
        Outcome::Gone { .. } => Style::Yellow,
        _ => Style::Dim,
    }
}

/// Says what could not be ranked.
pub(super) fn say_problems(refresh: &Refresh, speech: Speech) {
    for problem in refresh.problems.iter().take(PROBLEMS_NAMED) {
        speech.say(&format!(
            "left out {}: {}",
            clean(&problem.path),
            problem.kind
        ));
    }
    if let Some(more @ 1..) = refresh.problems.len().checked_sub(PROBLEMS_NAMED) {
        speech.say(&format!("left out {more} more"));
    }
    if refresh.cut {
        speech.say("the folder holds more files than are looked at");
    }
}
