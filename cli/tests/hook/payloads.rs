//! Recorded and synthetic payloads of three agents: each gets a valid answer, whatever state the home is in.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::Agent;

/// The payloads lie beside the workspace; where they do not, that is said.
pub(super) fn samples() -> Option<Vec<(String, Value)>> {
    let folder = test_support::samples(env!("CARGO_MANIFEST_DIR"), "hook-payloads")?;
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    files.sort();
    let mut samples = Vec::new();
    for file in files {
        let name = file
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let text = std::fs::read_to_string(&file).expect("a readable sample");
        if file
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            samples.push((name, serde_json::from_str(&text).expect("JSON")));
        } else {
            // A log of real calls under another program's keys.
            for (number, line) in text.lines().enumerate() {
                let mut call: Value = serde_json::from_str(line).expect("JSON");
                call["hook_event_name"] = call["event"].take();
                samples.push((format!("claude-{name}:{}", number + 1), call));
            }
        }
    }
    Some(samples)
}

pub(super) fn agent_of(name: &str) -> &'static str {
    match name.split('-').next() {
        Some("codex") => "codex",
        Some("gemini") => "gemini",
        _ => "claude-code",
    }
}

#[test]
fn every_sample_payload_gets_a_valid_answer() {
    let Some(samples) = samples() else { return };
    assert!(samples.len() > 50, "{} samples", samples.len());
    let mut agent = Agent::new("claude-code");
    for (name, payload) in samples {
        agent.name = agent_of(&name);
        // The folders in the samples do not exist; once as they are, once in a project that does.
        agent.answer(&payload);
        let mut here = payload;
        here["cwd"] = json!(agent.home.project());
        agent.answer(&here);
    }
    agent.finish();
}
