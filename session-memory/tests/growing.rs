//! A ledger that grows with its conversation: it says what the whole says, and reads nothing twice.

use std::borrow::Cow;

use agent_model::{Block, Message, Role, ToolResult, ToolUse};
use agent_transcript::{Entry as Recorded, Origin};
use serde_json::json;
use session_memory::{
    Boundary, CompactLimits, Entry, Ledger, LedgerReader, LedgerText, Notes, Session, Structure,
    compact, entries_from,
};
use token_count::Estimator;

use crate::histories::Random;

/// Words that no session file may hold.
const HIDDEN: &str = "hush";

fn clean(text: &str) -> Cow<'_, str> {
    if text.contains(HIDDEN) {
        Cow::Owned(text.replace(HIDDEN, "[taken out]"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The same, of a whole ledger.
fn cleaned(mut ledger: Ledger) -> Ledger {
    for text in ledger.texts_mut() {
        *text = clean(text).into_owned();
    }
    ledger
}

/// A recorded session with calls of every kind, answered at once, late, twice or never.
fn recorded(random: &mut Random, steps: u64) -> Vec<Recorded> {
    let mut entries: Vec<Recorded> = Vec::new();
    let mut open: Vec<String> = Vec::new();
    for step in 0..steps {
        let (message, origin) = match random.below(10) {
            0 => (said(random), Origin::Person),
            1 => {
                let text = "<command-name>/do</command-name><command-args>it</command-args>";
                (Message::user(text), Origin::Command)
            }
            2 => (Message::user("done"), Origin::CommandOutput),
            3..=6 => (reply(random, step, &mut open), Origin::Assistant),
            _ => (results(random, &mut open), Origin::Tool),
        };
        let mut entry = Recorded::new(message.with_id(format!("m{step}")));
        entry.origin = origin;
        entry.model_visible = random.below(20) > 0;
        entries.push(entry);
    }
    entries
}

fn said(random: &mut Random) -> Message {
    let text = match random.below(4) {
        0 => "  ".to_owned(),
        1 => format!("{HIDDEN}: do {}\nand more", random.below(30)),
        2 => "word ".repeat(3_000),
        _ => format!("do {}", random.below(30)),
    };
    Message::user(text)
}

fn reply(random: &mut Random, step: u64, open: &mut Vec<String>) -> Message {
    let mut blocks = vec![Block::Text(format!("reply {step} {HIDDEN}"))];
    for number in 0..random.below(4) {
        let name = random.below(12);
        let (tool, input) = match random.below(7) {
            0 => ("Read", json!({"file_path": format!("src/{name}.rs")})),
            1 => ("Edit", json!({"file_path": format!("src/{name}.rs")})),
            2 => ("Bash", json!({"command": format!("cargo test {name}")})),
            3 => (
                "Bash",
                json!({"command": format!("cat {HIDDEN} {name}\nls")}),
            ),
            4 => (
                "apply_patch",
                json!({"input": format!("*** Update File: a{name}\n*** Add File: b{name}")}),
            ),
            5 => ("Task", json!({"description": format!("look into {name}")})),
            _ => ("Grep", json!({"pattern": "x"})),
        };
        // Now and then an id comes again.
        let id = format!(
            "c{}",
            (step * 4 + number).saturating_sub(random.below(30) / 29)
        );
        blocks.push(Block::ToolUse(ToolUse::new(&id, tool, input)));
        open.push(id);
    }
    Message::new(Role::Assistant, blocks)
}

fn results(random: &mut Random, open: &mut Vec<String>) -> Message {
    let mut blocks = Vec::new();
    for _ in 0..random.below(3) {
        if open.is_empty() {
            break;
        }
        let id = open.swap_remove(random.below(open.len() as u64) as usize);
        blocks.push(Block::ToolResult(match random.below(3) {
            0 => ToolResult::error(&id, format!("error: no such {HIDDEN} thing")),
            1 => ToolResult::text(&id, "Process exited with code 2"),
            _ => ToolResult::text(&id, "fine"),
        }));
    }
    Message::new(Role::User, blocks)
}

#[test]
fn a_ledger_that_grows_says_what_the_whole_says() {
    let structure = Structure::default();
    for seed in 0..80 {
        let mut random = Random::new(seed);
        let recorded = recorded(&mut random, 120);
        let mut reader = LedgerReader::new().with_clean(clean);
        let (mut notes, mut last) = (Notes::empty(&structure), LedgerText::default());
        let (mut whole_notes, mut whole_last) = (notes.clone(), last.clone());
        let mut count = 0;
        while count < recorded.len() {
            count = (count + random.below(20) as usize).min(recorded.len());
            let so_far = &recorded[..count];
            reader.follow(so_far);
            let whole = cleaned(Ledger::from_entries(&entries_from(so_far, &[])));
            assert_eq!(reader.ledger(), whole, "seed {seed}, {count} messages");
            (notes, last) = reader.update(&notes, &last);
            (whole_notes, whole_last) = whole.update(&whole_notes, &whole_last);
            assert_eq!(notes, whole_notes, "seed {seed}, {count} messages");
            assert_eq!(last, whole_last, "seed {seed}, {count} messages");
            assert!(!notes.print().contains(HIDDEN), "seed {seed}");
        }
    }
}

#[test]
fn another_branch_is_read_from_its_beginning() {
    let trunk = recorded(&mut Random::new(1), 60);
    let mut branch = trunk[..40].to_vec();
    let mut other = recorded(&mut Random::new(2), 60);
    for entry in &mut other {
        let id = entry.message.id.take().unwrap_or_default();
        *entry = Recorded::new(entry.message.clone().with_id(format!("other-{id}")));
    }
    branch.extend(other);
    let mut reader = LedgerReader::new();
    for conversation in [&trunk[..], &trunk[..40], &branch, &branch[40..], &trunk] {
        reader.follow(conversation);
        let whole = Ledger::from_entries(&entries_from(conversation, &[]));
        assert_eq!(reader.ledger(), whole);
    }
}

#[test]
fn messages_without_ids_are_read_again_and_counted_once() {
    let said = |text: &str| Recorded::new(Message::user(text));
    let mut reader = LedgerReader::new();
    for count in 1..4 {
        let recorded: Vec<Recorded> = (0..count).map(|n| said(&format!("do {n}"))).collect();
        reader.follow(&recorded);
        assert_eq!(reader.ledger().instructions.len(), count);
    }
    reader.follow(&[said("something else")]);
    assert_eq!(reader.ledger().instructions, ["something else"]);
}

#[test]
fn a_call_that_a_thousand_others_came_after_is_given_up() {
    let call = |n: usize| {
        let call = ToolUse::new(
            format!("c{n}"),
            "Bash",
            json!({"command": format!("run {n}")}),
        );
        Entry::Message(Message::new(Role::Assistant, vec![Block::ToolUse(call)]))
    };
    let result = |n: usize| {
        let result = ToolResult::text(format!("c{n}"), "fine");
        Entry::Message(Message::new(Role::User, vec![Block::ToolResult(result)]))
    };
    let mut entries: Vec<Entry> = (0..1_500).map(call).collect();
    entries.extend([result(3), result(1_499)]);
    let ledger = Ledger::from_entries(&entries);
    let outcome = |n: usize| {
        let command = format!("run {n}");
        let mut runs = ledger.commands.iter();
        runs.find(|run| run.command == command)
            .map(|run| run.outcome)
    };
    assert_eq!(ledger.commands.len(), 1_500);
    assert_eq!(outcome(3), Some(session_memory::Outcome::Unknown));
    assert_eq!(outcome(1_499), Some(session_memory::Outcome::Succeeded));
}

#[test]
fn a_compaction_needs_only_what_is_live() {
    let (limits, counter) = (CompactLimits::default(), Estimator::new());
    let mut compacted = 0;
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let (before, after) = (recorded(&mut random, 60), recorded(&mut random, 200));
        let mut all = before.clone();
        all.extend(after.into_iter().enumerate().map(|(n, mut entry)| {
            entry.message.id = Some(format!("live{n}"));
            entry
        }));
        let mut reader = LedgerReader::new();
        reader.follow(&all);
        let mut entries = entries_from(&before, &[]);
        entries.push(Entry::Boundary(Boundary::default()));
        let offset = entries.len();
        let live = entries_from(&all[before.len()..], &[]);
        entries.extend(live.iter().cloned());
        let notes = Ledger::from_entries(&entries).to_notes(&Structure::default());
        let covered = offset + live.len() * 3 / 4;
        let of = |entries, covered| Session {
            entries,
            notes: Some(&notes),
            covered: Some(covered),
            transcript_path: Some("/a/file"),
        };
        let whole = compact(&of(&entries, covered), &limits, &counter);
        let mut short = reader.compact(&of(&live, covered - offset), &limits, &counter);
        if let Ok(short) = &mut short {
            short.first_kept_entry += offset;
            compacted += 1;
        }
        assert_eq!(short, whole, "seed {seed}");
    }
    assert!(compacted > 30, "{compacted} compactions");
}
