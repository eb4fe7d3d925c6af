//! What a host puts back by code after a compaction, because a summary must not be trusted with it.

use std::collections::BTreeSet;

use agent_model::ToolUse;
use serde_json::Value;

use super::history::Entry;
use crate::ledger::Ledger;

/// A thing the host re-establishes itself.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PutBack {
    /// Instruction files such as CLAUDE.md and AGENTS.md: read them again, they may have changed.
    InstructionFiles,
    /// The name of the session, which the host keeps.
    SessionName,
    /// The plan as the model last presented it.
    Plan(String),
    /// The to-do list as the model last wrote it, in the tool's own form.
    Todo(Value),
    /// Side agents that were started and have not come back, in their starters' words.
    RunningAgents(Vec<String>),
    /// Files whose contents the model had read; a host that refuses edits of unread files must know.
    ReadFiles(Vec<String>),
}

const TODO_TOOLS: &[&str] = &["todowrite", "update_plan", "write_todos"];
const PLAN_TOOLS: &[&str] = &["exitplanmode", "exit_plan_mode"];

/// Collects what was in force in the live part of a session, whose ledger is given.
pub(crate) fn collect(live: &[Entry], ledger: &Ledger) -> Vec<PutBack> {
    let calls = || {
        live.iter()
            .rev()
            .filter_map(Entry::message)
            .flat_map(agent_model::Message::tool_uses)
    };
    let newest = |names: &[&str]| -> Option<&ToolUse> {
        calls().find(|call| names.contains(&call.name.to_ascii_lowercase().as_str()))
    };
    let mut list = vec![PutBack::InstructionFiles, PutBack::SessionName];
    if let Some(plan) = newest(PLAN_TOOLS).and_then(|call| call.input.get("plan")?.as_str()) {
        list.push(PutBack::Plan(plan.to_owned()));
    }
    if let Some(todo) = newest(TODO_TOOLS) {
        list.push(PutBack::Todo(todo.input.clone()));
    }
    if !ledger.running.is_empty() {
        list.push(PutBack::RunningAgents(ledger.running.clone()));
    }
    // A file that was changed was read before, or written whole: its state is known either way.
    let read: BTreeSet<&String> = ledger.read.iter().chain(&ledger.changed).collect();
    if !read.is_empty() {
        list.push(PutBack::ReadFiles(read.into_iter().cloned().collect()));
    }
    list
}
