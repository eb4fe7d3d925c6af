//! Quiet, and what has to hold then.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Figures;
use super::client::{Ended, Person};
use super::editor::move_to_free;
use super::ledger::{Ledger, all_files, is_markdown, memories};
use super::server::Servers;

/// All clients one after the other, this often at most.
const MOST_ROUNDS: usize = 12;

/// Lets all clients sync until nothing moves any more; how many rounds that took.
pub(super) fn settle(
    people: &[Person],
    ledger: &Ledger,
    renamed: &mut usize,
) -> Result<usize, String> {
    let mut last = String::new();
    for round in 1..=MOST_ROUNDS {
        let mut moved = Vec::new();
        for person in people {
            match person.sync(ledger, true, None)? {
                Ended::Reported(report) => {
                    let twins = rename_twins(person, &report)?;
                    *renamed += twins;
                    let done = report["done"]
                        .as_array()
                        .is_some_and(|done| !done.is_empty());
                    if done || twins > 0 || report["pending"] != false {
                        moved.push(format!("{}: {report}", person.name));
                    }
                }
                Ended::Failed(why) => moved.push(format!("{}: {why}", person.name)),
                Ended::Killed => {}
            }
        }
        if moved.is_empty() {
            return Ok(round);
        }
        last = moved.join("\n");
    }
    Err(format!(
        "after {MOST_ROUNDS} rounds something still moves:\n{last}"
    ))
}

/// Does what the client asks a person to do: renames one of two files that are one on some file systems. An
/// editor that changes the case of a name in the moment in which the client writes the file makes such twins.
fn rename_twins(person: &Person, report: &Value) -> Result<usize, String> {
    let mut renamed = 0;
    for note in report["notes"].as_array().into_iter().flatten() {
        let (Some(key), Some("Held(Twin)")) = (note["key"].as_str(), note["note"].as_str()) else {
            continue;
        };
        let from = person.team().join(key);
        if from.is_file() {
            let to = from.with_extension(format!("twin-of-{}.md", person.name));
            move_to_free(&from, &to).map_err(|error| format!("{}: {error}", from.display()))?;
            renamed += 1;
        }
    }
    Ok(renamed)
}

/// What killed clients left is removed once it is old enough to be of no living writer. An hour later:
pub(super) fn age_temporaries(people: &[Person]) -> Result<usize, String> {
    let mut aged = 0;
    for person in people {
        for key in all_files(person.root()) {
            if key.contains(".pathguard-") {
                let path = person.root().join(&key);
                let earlier = std::time::SystemTime::now() - std::time::Duration::from_secs(4_000);
                let file = std::fs::OpenOptions::new().append(true).open(&path);
                let done = file.and_then(|file| file.set_modified(earlier));
                done.map_err(|error| format!("{}: {error}", path.display()))?;
                aged += 1;
            }
        }
    }
    Ok(aged)
}

/// What has to hold after quiet.
pub(super) fn reckon(
    people: &[Person],
    ledger: &Ledger,
    servers: &Servers,
) -> Result<Figures, String> {
    let files = memories(&people[0].team());
    for person in &people[1..] {
        let other = memories(&person.team());
        if files != other {
            return Err(format!(
                "the folders of {} and {} differ: {}",
                people[0].name,
                person.name,
                difference(&files, &other)
            ));
        }
    }
    let token = servers.token("reckoner")?;
    let entries: BTreeMap<String, String> = match servers.snapshot(&token)? {
        Value::Object(mut snapshot) => {
            let entries = snapshot.remove("entries").unwrap_or_default();
            serde_json::from_value(entries).map_err(|error| error.to_string())?
        }
        other => return Err(format!("the server answered {other}")),
    };
    if files != entries {
        return Err(format!(
            "folders and server differ: {}",
            difference(&files, &entries)
        ));
    }
    for person in people {
        nothing_is_left_over(person)?;
    }
    for (key, text) in &files {
        if let Some(line) = text.lines().find(|line| ledger.is_foreign(line)) {
            return Err(format!("{key} is torn: {line:?} was written by nobody"));
        }
    }
    let balance = ledger.balance(&files);
    if let Some(line) = balance.lost.first() {
        return Err(format!(
            "{} acknowledged edits are lost, of {}; the first: {line:?}",
            balance.lost.len(),
            balance.acknowledged
        ));
    }
    let check = servers.run(&["check"])?;
    if !check.status.success() {
        let said = String::from_utf8_lossy(&check.stdout).into_owned();
        return Err(format!("the server's check found: {said}"));
    }
    Ok(Figures {
        edits: balance.written,
        acknowledged: balance.acknowledged,
        lost: balance.lost.len(),
        overtaken: balance.lost_before_sync,
        conflict_copies: files
            .keys()
            .filter(|key| key.contains(".conflict-"))
            .count(),
        doubled: balance.doubled,
        ..Figures::default()
    })
}

/// No temporary file, nothing unsent.
fn nothing_is_left_over(person: &Person) -> Result<(), String> {
    let says = |what: &str, key: &str| Err(format!("{} of {} is {what}", key, person.name));
    for key in all_files(&person.team()) {
        let hidden = key.split('/').any(|part| part.starts_with('.'));
        if (hidden && key != ".memstrata-team") || (!hidden && !is_markdown(&key)) {
            return says("left over in the team folder", &key);
        }
    }
    for key in all_files(person.root()) {
        if key.split('/').any(|part| part.starts_with(".pathguard-")) {
            return says("a temporary file", &key);
        }
        if key.split('/').any(|part| part == "outbox") {
            return says("unsent", &key);
        }
    }
    Ok(())
}

fn difference(one: &BTreeMap<String, String>, other: &BTreeMap<String, String>) -> String {
    let keys = one
        .keys()
        .chain(other.keys().filter(|key| !one.contains_key(*key)));
    let different = keys.filter(|key| one.get(*key) != other.get(*key));
    let shown = different
        .take(5)
        .map(|key| format!("\n--- {key}\n{:?}\n{:?}", one.get(key), other.get(key)));
    shown.collect()
}
