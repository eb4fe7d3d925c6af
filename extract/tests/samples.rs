//! Recorded sessions: nothing that was injected, synthetic or repeated is mined, and nothing panics.

use std::path::{Path, PathBuf};

use agent_transcript::{Options, Origin, Transcript};
use memdir_extract::{Decided, Material, OfflineBackend, RunNow, SkipReason, Turn};

use crate::support::{Scratch, session};

fn samples() -> Vec<PathBuf> {
    let Some(root) = test_support::samples(env!("CARGO_MANIFEST_DIR"), "") else {
        return Vec::new();
    };
    let mut folders: Vec<PathBuf> = ["claude-code", "codex", "gemini-cli"]
        .iter()
        .map(|name| root.join(name))
        .collect();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).unwrap();
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[test]
fn every_recorded_session_is_extracted_without_harm() {
    for path in samples() {
        let Ok(transcript) = Transcript::open(&path, &Options::default()) else {
            continue;
        };
        let material = Material::of(transcript.entries());
        let mut seen = std::collections::HashSet::new();
        for statement in &material.statements {
            let words: Vec<&str> = statement.text.split_whitespace().collect();
            assert!(
                seen.insert(words.join(" ")),
                "{}: mined twice",
                path.display()
            );
            assert!(
                !statement.text.starts_with("<system-reminder>"),
                "{}",
                path.display()
            );
            // Each comes from exactly one message of a person's.
            let source = transcript.entries().iter().find(|entry| {
                entry.message.id == statement.message_id && statement.message_id.is_some()
            });
            if let Some(source) = source {
                assert_eq!(source.origin, Origin::Person, "{}", path.display());
            }
        }
        let scratch = Scratch::new();
        let extractor = scratch.extractor(OfflineBackend);
        let end = transcript.cursor();
        let turn = Turn::of_transcript(&transcript, &end);
        let first = extractor.run_now(&turn, session(), false);
        let is_conversation = !turn.is_sub_agent();
        match &first {
            RunNow::Skipped(reason) => {
                assert!(
                    !is_conversation || *reason == SkipReason::NothingNew,
                    "{}: {reason:?}",
                    path.display()
                );
            }
            RunNow::Done(decided) => {
                assert!(
                    is_conversation,
                    "{}: no conversation with a person",
                    path.display()
                );
                check(&path, &material, decided);
            }
            other => panic!("{}: {other:?}", path.display()),
        }
        // A second look finds nothing new, and would change nothing.
        let second = extractor.run_now(&turn, session(), false);
        assert!(
            matches!(second, RunNow::Skipped(_)),
            "{}: {second:?}",
            path.display()
        );
    }
}

fn check(path: &Path, material: &Material, decided: &[Decided]) {
    for one in decided {
        if let Some(quote) = &one.quote {
            assert!(
                material.find(quote).is_some(),
                "{}: {quote}",
                path.display()
            );
        }
    }
}

#[test]
fn sub_agents_and_compactions_have_no_person_in_them() {
    for path in samples() {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let Ok(transcript) = Transcript::open(&path, &Options::default()) else {
            continue;
        };
        let end = transcript.cursor();
        let turn = Turn::of_transcript(&transcript, &end);
        if name.starts_with("agent-") {
            assert!(turn.is_sub_agent(), "{name}");
        }
        // Threads of sub-agents stand in the file and not among the messages that are looked at.
        for agent in transcript.sub_agents() {
            for entry in &agent.entries {
                let id = entry.message.id.as_deref();
                let mined = Material::of(transcript.entries());
                let is_mined = mined
                    .statements
                    .iter()
                    .any(|statement| id.is_some() && statement.message_id.as_deref() == id);
                assert!(!is_mined, "{name}: {id:?}");
            }
        }
    }
}
