//! Shows a snapshot to a model and reads what it asks for.

use std::collections::BTreeSet;

use agent_model::{AnswerSchema, Message, Model, Request, Usage};
use memdir::{Memory, MemoryType};
use pathguard::PathKey;
use serde_json::{Value, json};
use token_count::{Estimator, Factor, TokenCounter};

use super::limits::Limits;
use super::operation::{Operation, plan_of};
use super::plan::{Plan, StepKind, StepSource};
use super::snapshot::Snapshot;

/// What the model is told; the folder follows as the only message.
const INSTRUCTIONS: &str = include_str!("../../templates/dream.md");

/// What a model asked for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Asked {
    /// What it asked for.
    pub operations: Vec<Operation>,
    /// What it was not shown for lack of room, in sentences.
    pub left_out: Vec<String>,
    /// What it cost.
    pub usage: Usage,
    seen: BTreeSet<PathKey>,
}

impl Asked {
    /// The plan that follows; as [`Plan::from_operations`], and only memories that the model was shown whole
    /// may be changed.
    ///
    /// `snapshot` must be the one that it was asked about.
    pub fn plan(&self, snapshot: &Snapshot, limits: &Limits) -> Plan {
        let mut plan = plan_of(snapshot, &self.operations, Some(&self.seen), limits);
        plan.notes.extend(self.left_out.iter().cloned());
        plan
    }
}

/// Asks a model once how to distil a snapshot.
///
/// It gets memories and logs, the newest first, up to [`Limits::max_input_tokens`], as JSON lines, so that no
/// text can pose as another file or as an instruction of ours. Credentials are replaced by the name of their
/// rule, and a file that holds one cannot be changed by the answer. A back end without tools will do.
///
/// # Errors
///
/// As the model's: among them a budget that is used up, where the model is metered.
pub async fn ask(
    model: &dyn Model,
    snapshot: &Snapshot,
    limits: &Limits,
) -> Result<Asked, agent_model::Error> {
    let (request, shown) = request(model.name(), snapshot, limits);
    let reply = model.ask(&request).await?;
    let schema = schema();
    let answer = reply.answer(&schema)?;
    let listed = answer["operations"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    Ok(Asked {
        operations: listed.iter().filter_map(operation).collect(),
        left_out: shown.left_out,
        usage: reply.usage,
        seen: shown.seen,
    })
}

/// What fits into a request.
struct Shown {
    seen: BTreeSet<PathKey>,
    left_out: Vec<String>,
}

fn request(model: &str, snapshot: &Snapshot, limits: &Limits) -> (Request, Shown) {
    let counter = Estimator::with_factor(Factor::of_model(model));
    let cost = |line: &str| counter.count(line) as u64 + 1;
    let mut shown = Shown {
        seen: BTreeSet::new(),
        left_out: Vec::new(),
    };
    let mut lines =
        vec![json!({ "kind": "today", "date": snapshot.today.to_string() }).to_string()];
    for (at, fact) in snapshot.facts.iter().enumerate() {
        let line = json!({
            "place": format!("fact-{}", at + 1),
            "kind": "fact",
            "path": fact.path,
            "claim": secret_scan::redact(&fact.claim),
            "detail": secret_scan::redact(&fact.detail),
        });
        lines.push(line.to_string());
    }
    let fixed: u64 = lines.iter().map(|line| cost(line)).sum();
    let mut room = limits
        .max_input_tokens
        .saturating_sub(fixed + cost(INSTRUCTIONS) + cost(&schema().schema.to_string()));
    // Logs may take half; what they leave is for the memories.
    let mut for_logs = room / 2;
    let mut cut = 0;
    // The newest first: a log is named after its day.
    for (path, file) in snapshot.logs.iter().rev() {
        let text = String::from_utf8_lossy(&file.bytes);
        let text = secret_scan::redact(&text);
        let line = json!({ "place": path.as_str(), "kind": "log", "text": text }).to_string();
        let tokens = cost(&line);
        if tokens > for_logs {
            cut += 1;
            continue;
        }
        for_logs -= tokens;
        room -= tokens;
        lines.push(line);
    }
    if cut > 0 {
        let note = format!("{cut} daily logs were not shown to the model for lack of room");
        shown.left_out.push(note);
    }
    show_memories(snapshot, room, &cost, &mut lines, &mut shown);
    let request = Request::new(vec![Message::user(lines.join("\n"))])
        .with_system(INSTRUCTIONS)
        .with_answer(schema())
        .with_limits(
            agent_model::Limits::default()
                .with_max_output_tokens(limits.max_output_tokens)
                .with_timeout(limits.timeout),
        );
    (request, shown)
}

fn show_memories(
    snapshot: &Snapshot,
    mut room: u64,
    cost: &dyn Fn(&str) -> u64,
    lines: &mut Vec<String>,
    shown: &mut Shown,
) {
    let mut memories: Vec<_> = snapshot.memories.iter().collect();
    memories.sort_by_key(|(path, file)| (std::cmp::Reverse(file.modified), (*path).clone()));
    let mut cut = 0;
    for (path, file) in memories {
        let memory = Memory::parse(&file.bytes);
        let may_change = snapshot.is_editable(path);
        let line = json!({
            "place": path.as_str(),
            "kind": "memory",
            "read_only": !may_change,
            "type": memory.type_text(),
            "name": secret_scan::redact(memory.name()),
            "description": secret_scan::redact(memory.description()),
            "modified": file.modified.date(snapshot.offset_seconds).to_string(),
            "body": secret_scan::redact(memory.body()),
        });
        let line = line.to_string();
        let tokens = cost(&line);
        if tokens > room {
            cut += 1;
            continue;
        }
        room -= tokens;
        lines.push(line);
        if may_change {
            shown.seen.insert(path.clone());
        }
    }
    if cut > 0 {
        let note = format!("{cut} memories were not shown to the model for lack of room");
        shown.left_out.push(note);
    }
}

fn schema() -> AnswerSchema {
    let text = json!({ "type": "string" });
    let mut types: Vec<&str> = MemoryType::ALL.iter().map(|kind| kind.as_str()).collect();
    types.push("");
    let source = json!({
        "type": "object",
        "properties": { "place": text, "quote": text },
        "required": ["place", "quote"],
        "additionalProperties": false,
    });
    let operation = json!({
        "type": "object",
        "properties": {
            "kind": { "type": "string", "enum": KINDS.map(StepKind::as_str) },
            "path": text,
            "from": { "type": "array", "items": text },
            "type": { "type": "string", "enum": types },
            "name": text,
            "description": text,
            "body": text,
            "sources": { "type": "array", "items": source },
            "reason": text,
        },
        "required": ["kind", "path", "from", "type", "name", "description", "body", "sources", "reason"],
        "additionalProperties": false,
    });
    AnswerSchema::new(
        "distillation",
        json!({
            "type": "object",
            "properties": { "operations": { "type": "array", "items": operation } },
            "required": ["operations"],
            "additionalProperties": false,
        }),
    )
}

/// What a model may ask for.
const KINDS: [StepKind; 4] = [
    StepKind::Merge,
    StepKind::Rewrite,
    StepKind::Delete,
    StepKind::Topic,
];

/// Reads one operation; the schema has been checked, so nothing is missing.
fn operation(value: &Value) -> Option<Operation> {
    let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let list = |key: &str| value[key].as_array().map_or(&[][..], Vec::as_slice);
    let kind = KINDS
        .into_iter()
        .find(|kind| value["kind"] == kind.as_str())?;
    Some(Operation {
        kind,
        path: text("path"),
        from: list("from")
            .iter()
            .filter_map(|path| path.as_str().map(str::to_owned))
            .collect(),
        memory_type: MemoryType::parse(&text("type")),
        name: text("name"),
        description: text("description"),
        body: text("body"),
        sources: list("sources")
            .iter()
            .map(|source| {
                let text = |key: &str| source[key].as_str().unwrap_or_default();
                StepSource::quoted(text("place"), text("quote"))
            })
            .collect(),
        reason: text("reason"),
    })
}
