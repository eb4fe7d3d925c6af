//! What a compaction of 2,000 messages costs, beside the least that anybody has to do with them: copying
//! the list, and counting its tokens.

use std::hint::black_box;

use agent_model::{Block, Message, Role, ToolResult, ToolUse};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;
use session_memory::{
    Author, CompactLimits, Cursor, Draft, Entry, Ledger, Notes, Session, SessionFile, Structure,
    check_messages, compact, mend,
};
use token_count::{Estimator, TokenCounter};

const MESSAGES: usize = 2_000;

/// Four bytes a token: a counter that costs nothing, so that only the cut is measured.
struct Quarter;

impl TokenCounter for Quarter {
    fn count(&self, text: &str) -> usize {
        text.len().div_ceil(4)
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        Some(self.count(text)).filter(|tokens| *tokens <= limit)
    }
}

/// A session as agents record them: a person's message now and then, replies with parallel calls, results
/// of a few hundred bytes and now and then of twenty thousand.
fn session() -> Vec<Entry> {
    let mut entries = Vec::with_capacity(MESSAGES);
    let mut round = 0;
    while entries.len() < MESSAGES {
        if round % 20 == 0 {
            let said = format!("now change module {round} so that the tests of it pass");
            entries.push(Entry::Instruction(
                Message::user(said).with_id(format!("u{round}")),
            ));
        }
        let calls: Vec<String> = (0..=round % 3).map(|n| format!("c{round}-{n}")).collect();
        let mut blocks = vec![Block::Text(format!(
            "I look at module {round}, then run its tests."
        ))];
        blocks.extend(calls.iter().enumerate().map(|(n, id)| {
            let path = format!("src/module_{}.rs", round % 90);
            let (name, input) = match n {
                0 => (
                    "Edit",
                    json!({"file_path": path, "old_string": "a", "new_string": "b"}),
                ),
                1 => (
                    "Bash",
                    json!({"command": format!("cargo test module_{round}")}),
                ),
                _ => ("Read", json!({"file_path": path})),
            };
            Block::ToolUse(ToolUse::new(id, name, input))
        }));
        let reply = Message::new(Role::Assistant, blocks).with_id(format!("a{round}"));
        entries.push(Entry::Message(reply));
        let results = calls.iter().map(|id| {
            let lines = if round % 40 == 0 { 400 } else { 8 };
            let text = "test module::case_of_the_day ... ok, 12 assertions\n".repeat(lines);
            Block::ToolResult(ToolResult::text(id, text))
        });
        let results = Message::new(Role::User, results.collect()).with_id(format!("r{round}"));
        entries.push(Entry::Message(results));
        round += 1;
    }
    entries.truncate(MESSAGES);
    entries
}

fn messages(entries: &[Entry]) -> Vec<Message> {
    entries.iter().filter_map(Entry::message).cloned().collect()
}

fn compaction(criterion: &mut Criterion) {
    let entries = session();
    let notes = Ledger::from_entries(&entries).to_notes(&Structure::default());
    let session = Session {
        entries: &entries,
        notes: Some(&notes),
        covered: Some(entries.len() - 40),
        transcript_path: Some("/logs/session.jsonl"),
    };
    let limits = CompactLimits::default();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = SessionFile::create(folder.path(), Structure::default()).expect("a session folder");
    let cursor = Cursor::at_end(&entries[..entries.len() - 40], 150_000);
    let draft = Draft::new(notes.clone(), cursor, Author::Ledger);
    let mut locked = file.lock().expect("a lock");
    locked.commit(&draft).expect("a commit");
    drop(locked);

    let mut group = criterion.benchmark_group("2000_messages");
    group.bench_function("baseline_copy_the_list", |bencher| {
        bencher.iter(|| messages(black_box(&entries)));
    });
    group.bench_function("baseline_count_the_tokens", |bencher| {
        let counter = Estimator::new();
        let count = |entry: &Entry| {
            entry
                .message()
                .map_or(0, |message| message.tokens(&counter))
        };
        bencher.iter(|| black_box(&entries).iter().map(count).sum::<u64>());
    });
    group.bench_function("cut_and_validate", |bencher| {
        bencher.iter(|| compact(black_box(&session), &limits, &Quarter).expect("a list"));
    });
    group.bench_function("mend_and_validate_whole", |bencher| {
        bencher.iter(|| {
            let list = mend(black_box(&entries));
            check_messages(&list).expect("a good list");
            list
        });
    });
    group.bench_function("end_to_end_from_disk", |bencher| {
        bencher.iter(|| {
            let committed = file.read().expect("readable").expect("notes");
            let covered = committed.cursor.and_then(|cursor| cursor.find(&entries));
            let session = Session {
                entries: black_box(&entries),
                notes: Some(&committed.notes),
                covered,
                transcript_path: Some("/logs/session.jsonl"),
            };
            compact(&session, &limits, &Estimator::new()).expect("a list")
        });
    });
    group.bench_function("ledger_of_the_session", |bencher| {
        bencher.iter(|| Ledger::from_entries(black_box(&entries)).to_notes(&Structure::default()));
    });
    group.finish();

    let mut group = criterion.benchmark_group("session_file");
    let text = notes.print();
    group.bench_function("baseline_write_one_file_and_sync", |bencher| {
        let path = folder.path().join("plain.md");
        bencher.iter(|| {
            let mut plain = std::fs::File::create(&path).expect("a file");
            std::io::Write::write_all(&mut plain, text.as_bytes()).expect("a written file");
            plain.sync_all().expect("a synced file");
        });
    });
    group.bench_function("commit", |bencher| {
        let mut locked = file.lock().expect("a lock");
        bencher.iter(|| locked.commit(&draft).expect("a commit"));
    });
    group.bench_function("read", |bencher| {
        bencher.iter(|| file.read().expect("readable"));
    });
    group.bench_function("parse", |bencher| {
        let (structure, limits) = (Structure::default(), session_memory::NotesLimits::default());
        bencher.iter(|| Notes::parse(black_box(text.as_bytes()), &structure, &limits));
    });
    group.finish();
}

criterion_group!(benches, compaction);
criterion_main!(benches);
