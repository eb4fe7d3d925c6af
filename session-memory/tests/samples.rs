//! Every recorded session of the sample collection, offline: what the session file names, and that a
//! compaction gives a list that the API would accept.

use std::path::{Path, PathBuf};

use agent_model::Message;
use agent_transcript::{FileRole, Options, Transcript};
use session_memory::{
    CompactLimits, Compacted, Entry, Ledger, Notes, Session, Structure, WhyNot, check_messages,
    compact, context_tokens, entries_of, mend,
};
use token_count::Estimator;

/// All files of the three agents, or none where the collection is missing, said loudly.
fn files() -> Vec<PathBuf> {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/samples");
    let mut files = Vec::new();
    let mut folders: Vec<PathBuf> = ["claude-code", "codex", "gemini-cli"]
        .iter()
        .map(|agent| samples.join(agent))
        .collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_transcript = path
                .extension()
                .is_some_and(|extension| extension == "json" || extension == "jsonl");
            if path.is_dir() {
                folders.push(path);
            } else if is_transcript && !path.to_string_lossy().ends_with(".meta.json") {
                files.push(path);
            }
        }
    }
    if files.is_empty() {
        println!("SKIPPED: no samples at {}", samples.display());
    }
    files.sort();
    files
}

/// The sessions of persons among them, with messages.
fn sessions() -> Vec<(PathBuf, Transcript, Vec<Entry>)> {
    let read = |path: PathBuf| {
        let transcript = Transcript::open(&path, &Options::default()).ok()?;
        let entries = entries_of(&transcript);
        let is_session = transcript.session().role == FileRole::Session;
        (is_session && !entries.is_empty()).then_some((path, transcript, entries))
    };
    files().into_iter().filter_map(read).collect()
}

/// What the calls of a session say, by plain rules of their own and not by the code under test: the
/// files that were changed, and the commands that failed.
#[derive(Default)]
struct Told {
    changed: Vec<String>,
    failed: Vec<String>,
}

/// Looks at the calls with the plainest rules: names of edit tools, patches, error flags, exit codes.
fn told(entries: &[Entry]) -> Told {
    let mut told = Told::default();
    let messages: Vec<&Message> = entries.iter().filter_map(Entry::message).collect();
    for call in messages.iter().flat_map(|message| message.tool_uses()) {
        let mut results = messages.iter().flat_map(|message| message.tool_results());
        let result = results.find(|result| result.tool_use_id == call.id);
        let text = result
            .map(agent_model::ToolResult::joined_text)
            .unwrap_or_default();
        let exit_fails = [
            "Exit code: ",
            "Exit Code: ",
            "\"exit_code\":",
            "exited with code ",
        ]
        .iter()
        .filter_map(|mark| text.split_once(mark))
        .any(|(_, behind)| !behind.trim_start().starts_with('0'));
        let fails = result.is_some_and(|result| result.is_error) || exit_fails;
        let text_of = |key: &str| call.input.get(key).and_then(serde_json::Value::as_str);
        match call.name.as_str() {
            "Edit" | "Write" | "MultiEdit" | "NotebookEdit" | "write_file" | "replace"
                if !fails =>
            {
                let path = text_of("file_path").or_else(|| text_of("notebook_path"));
                told.changed.extend(path.map(str::to_owned));
            }
            "apply_patch" if !fails => {
                let patch = call
                    .input
                    .as_str()
                    .or_else(|| text_of("input"))
                    .unwrap_or_default();
                let files = patch.lines().filter_map(|line| line.split_once(" File: "));
                told.changed
                    .extend(files.map(|(_, path)| path.trim().to_owned()));
            }
            "Bash" | "shell_command" | "exec_command" | "run_shell_command" if fails => {
                let command = text_of("command")
                    .or_else(|| text_of("cmd"))
                    .unwrap_or_default();
                let line = command.trim().lines().next().unwrap_or_default();
                told.failed.push(line.chars().take(150).collect());
            }
            _ => {}
        }
    }
    told
}

#[test]
fn the_offline_session_file_names_files_failures_and_the_newest_instruction() {
    let (mut files, mut failures, mut instructions) = (0, 0, 0);
    for (path, transcript, entries) in sessions() {
        let notes = Ledger::from_entries(&entries).to_notes(&Structure::default());
        let text = notes.print();
        let name = path.display();
        let limits = session_memory::NotesLimits::default();
        let read = Notes::parse(text.as_bytes(), &Structure::default(), &limits);
        assert_eq!(read.as_ref(), Ok(&notes), "{name}");
        assert_eq!(notes.oversized(&limits, &Estimator::new()), [], "{name}");
        let told = told(&entries);
        for changed in &told.changed {
            assert!(text.contains(changed.as_str()), "{name}: {changed}\n{text}");
        }
        for failed in &told.failed {
            let errors = notes.body("Errors & Corrections").expect("a section");
            assert!(
                errors.contains(failed.as_str()),
                "{name}: {failed}\n{errors}"
            );
        }
        let spoken = transcript.entries().iter().rev();
        let newest = spoken
            .map(agent_transcript::Entry::person_text)
            .find(|text| !text.trim().is_empty());
        if let Some(newest) = &newest {
            let task = notes.body("Task specification").expect("a section");
            let quoted: Vec<String> = newest
                .trim()
                .lines()
                .map(|line| format!("> {line}"))
                .collect();
            assert!(
                task.contains(quoted.join("\n").trim_end()),
                "{name}: {newest}\n{task}"
            );
        }
        files += told.changed.len();
        failures += told.failed.len();
        instructions += usize::from(newest.is_some());
    }
    println!("{files} files, {failures} failing commands, {instructions} newest instructions");
    assert!(
        files + failures + instructions == 0 || (files > 5 && failures > 4 && instructions > 9)
    );
}

/// Compacts as the program does: by notes from the ledger.
fn compacted(entries: &[Entry], limits: &CompactLimits) -> Result<Compacted, WhyNot> {
    let notes = Ledger::from_entries(entries).to_notes(&Structure::default());
    let session = Session {
        entries,
        notes: Some(&notes),
        covered: entries.len().checked_sub(1),
        transcript_path: Some("/logs/session.jsonl"),
    };
    compact(&session, limits, &Estimator::new())
}

/// The newest message of the person in the live part.
fn newest_live(entries: &[Entry]) -> Option<&Message> {
    let boundary = entries
        .iter()
        .rposition(|entry| matches!(entry, Entry::Boundary(_)));
    entries[boundary.map_or(0, |at| at + 1)..]
        .iter()
        .rev()
        .find_map(|entry| match entry {
            Entry::Instruction(message) => Some(message),
            _ => None,
        })
}

#[test]
fn compaction_gives_a_list_that_is_accepted_and_keeps_the_newest_instruction_whole() {
    // Short sessions gain nothing by the default limits, so that they are cut with a small tail too.
    let mut small = CompactLimits::default();
    small.tail_least_tokens = 200;
    small.tail_least_texts = 1;
    let mut results = 0;
    for (path, _, entries) in sessions() {
        let name = path.display();
        for limits in [CompactLimits::default(), small.clone()] {
            let messages = match compacted(&entries, &limits) {
                Ok(compacted) => {
                    results += 1;
                    assert!(compacted.tokens_after < compacted.tokens_before, "{name}");
                    compacted.messages
                }
                Err(WhyNot::NotSmaller) => mend(&entries),
                Err(other) => panic!("{name}: {other}"),
            };
            assert_eq!(check_messages(&messages), Ok(()), "{name}");
            if let Some(newest) = newest_live(&entries) {
                let kept = messages
                    .iter()
                    .any(|message| message.text().contains(newest.text().trim()));
                assert!(kept, "{name}: lost {:?}", newest.text());
            }
        }
    }
    println!("{results} lists behind a summary");
    assert!(results == 0 || results > 10, "{results}");
}

#[test]
fn a_compacted_sample_can_be_compacted_again() {
    let mut limits = CompactLimits::default();
    limits.tail_least_tokens = 200;
    limits.tail_least_texts = 1;
    for (path, _, mut entries) in sessions() {
        let Ok(first) = compacted(&entries, &limits) else {
            continue;
        };
        let before = entries.len();
        entries.extend(first.into_entries());
        // The whole conversation once more, as if it went on like that.
        let again: Vec<Entry> = entries[..before]
            .iter()
            .filter(|entry| !matches!(entry, Entry::Boundary(_)))
            .cloned()
            .collect();
        entries.extend(again);
        match compacted(&entries, &limits) {
            Ok(second) => assert_eq!(check_messages(&second.messages), Ok(())),
            Err(WhyNot::NotSmaller) => {}
            Err(other) => panic!("{}: {other}", path.display()),
        }
    }
}

#[test]
fn the_size_of_a_recorded_context_is_anchored_on_the_providers_figures() {
    for (path, transcript, _) in sessions() {
        let tokens = context_tokens(&transcript, &Estimator::new());
        let last = transcript.live().iter().rev().find_map(|entry| entry.usage);
        if let Some(usage) = last.filter(|usage| usage.total() > 0) {
            assert!(tokens >= usage.total(), "{}", path.display());
        }
    }
}
