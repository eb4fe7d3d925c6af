//! Recorded and synthetic payloads of three agents: each gets a valid answer, whatever state the home is in.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Agent, shapes};

/// The payloads lie beside the workspace; where they do not, that is said.
#[expect(clippy::print_stdout, reason = "a test that checks nothing says so")]
fn samples() -> Option<Vec<(String, Value)>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/samples/hook-payloads");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!(
            "NOT RUN: there are no sample payloads at {}",
            folder.display()
        );
        return None;
    };
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

fn agent_of(name: &str) -> &'static str {
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

/// Breaks something in the home of an agent.
type Break = fn(&Agent);

#[test]
fn a_home_that_is_of_no_use_never_fails_the_agent() {
    let Some(samples) = samples() else { return };
    let breaks: [(&str, Break); 4] = [
        ("no home", |agent| {
            std::fs::remove_dir_all(agent.home.path().join(".claude")).unwrap_or_default();
        }),
        ("broken settings", |agent| {
            let folder = agent.home.path().join(".claude");
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(folder.join("settings.json"), "{ not json").expect("a file");
            std::fs::write(folder.join("memstrata.toml"), "= nor toml").expect("a file");
        }),
        ("a file in its place", |agent| {
            std::fs::remove_dir_all(agent.home.path().join(".claude")).unwrap_or_default();
            std::fs::write(agent.home.path().join(".claude"), "").expect("a file");
        }),
        ("broken state", |agent| {
            std::fs::remove_file(agent.home.path().join(".claude")).unwrap_or_default();
            agent.save("One", "of two", "text");
            let state = agent.place()["state_dir"]
                .as_str()
                .map(PathBuf::from)
                .expect("a path");
            std::fs::remove_dir_all(&state).expect("removed");
            std::fs::write(&state, "no folder").expect("a file");
        }),
    ];
    let mut agent = Agent::new("claude-code");
    for (what, breaks) in breaks {
        breaks(&agent);
        for (name, payload) in samples
            .iter()
            .filter(|(name, _)| !name.contains("real-hook"))
        {
            agent.name = agent_of(name);
            let mut payload = payload.clone();
            payload["cwd"] = json!(agent.home.project());
            let input = payload.to_string();
            let run = agent.home.run_with(&["hook", agent.name], input.as_bytes());
            assert_eq!(
                (run.code, run.err.as_str()),
                (Some(0), ""),
                "{what}: {name}"
            );
            let event = payload["hook_event_name"].as_str().expect("a name");
            shapes::check(agent.name, event, &run.out);
        }
    }
}
