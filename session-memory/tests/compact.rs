//! Compaction: what stays, what is mended, and that the API accepts every result.

use agent_model::{Block, Message, Role, ToolResult, ToolUse};
use serde_json::json;
use session_memory::{
    Boundary, CompactLimits, Compacted, Entry, Notes, PutBack, Session, Structure, WhyNot,
    check_messages, compact,
};
use token_count::TokenCounter;

use crate::histories::{Random, history};

/// Four bytes a token: exact enough to steer, and the same on every machine.
struct Quarter;

impl TokenCounter for Quarter {
    fn count(&self, text: &str) -> usize {
        text.len().div_ceil(4)
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        Some(self.count(text)).filter(|tokens| *tokens <= limit)
    }
}

fn notes() -> Notes {
    Notes::empty(&Structure::default())
        .with_body("Current State", "the parser is half done")
        .with_body("Worklog", "- read the grammar\n- wrote the lexer")
}

/// The index of the last entry of that id.
fn covered(entries: &[Entry], cursor: &str) -> Option<usize> {
    let is_it = |entry: &Entry| {
        entry
            .message()
            .is_some_and(|message| message.id.as_deref() == Some(cursor))
    };
    entries.iter().rposition(is_it)
}

fn run(entries: &[Entry], cursor: &str) -> Result<Compacted, WhyNot> {
    let notes = notes();
    let session = Session {
        entries,
        notes: Some(&notes),
        covered: covered(entries, cursor),
        transcript_path: Some("/logs/s.jsonl"),
    };
    compact(&session, &CompactLimits::default(), &Quarter)
}

/// A message of about so many tokens.
fn long(role: Role, id: &str, tokens: usize) -> Entry {
    Entry::Message(
        Message::new(role, vec![Block::Text("word ".repeat(tokens * 4 / 5))]).with_id(id),
    )
}

fn instruction(id: &str, text: &str) -> Entry {
    Entry::Instruction(Message::user(text).with_id(id))
}

/// A conversation of 20 rounds of about 2,000 tokens.
fn conversation() -> Vec<Entry> {
    let rounds = (0..20).flat_map(|round| {
        [
            instruction(&format!("u{round}"), &format!("instruction {round}")),
            long(Role::Assistant, &format!("a{round}"), 2_000),
        ]
    });
    rounds.collect()
}

fn all_text(compacted: &Compacted) -> String {
    compacted
        .messages
        .iter()
        .map(Message::text)
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn the_notes_and_the_newest_messages_stay() {
    let compacted = run(&conversation(), "a15").expect("a result");
    let text = all_text(&compacted);
    assert!(text.contains("the parser is half done") && text.contains("/logs/s.jsonl"));
    // Four rounds are not summarised (8,000 tokens); the reply before them is needed to reach 10,000.
    assert!(text.contains("instruction 19") && text.contains("instruction 16"));
    assert!(!text.contains("instruction 15"));
    assert!(compacted.tokens_after < compacted.tokens_before);
    assert_eq!(compacted.first_kept_entry, 31);
}

#[test]
fn nothing_behind_the_cursor_is_ever_dropped() {
    for cursor in 1..20 {
        let result = run(&conversation(), &format!("a{cursor}"));
        match result {
            Ok(compacted) => {
                let text = all_text(&compacted);
                for round in cursor + 1..20 {
                    assert!(
                        text.contains(&format!("instruction {round}")),
                        "round {round} after {cursor}"
                    );
                }
            }
            Err(WhyNot::NotSmaller) => {}
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn without_notes_there_is_no_compaction() {
    let entries = conversation();
    let limits = CompactLimits::default();
    let session = Session {
        entries: &entries,
        notes: None,
        covered: None,
        transcript_path: None,
    };
    assert_eq!(compact(&session, &limits, &Quarter), Err(WhyNot::NoNotes));
    let untouched = Notes::empty(&Structure::default());
    let session = Session {
        entries: &entries,
        notes: Some(&untouched),
        covered: covered(&entries, "a15"),
        transcript_path: None,
    };
    assert_eq!(compact(&session, &limits, &Quarter), Err(WhyNot::NoNotes));
    assert_eq!(run(&[], "x"), Err(WhyNot::NothingLive));
}

#[test]
fn too_much_behind_the_cursor_is_no_compaction_and_no_gap() {
    let mut entries = conversation();
    entries.push(long(Role::User, "big", 41_000));
    assert!(
        matches!(run(&entries, "a19"), Err(WhyNot::TooMuchUnsummarised { tokens }) if tokens > 40_000)
    );
}

#[test]
fn an_unknown_cursor_is_no_cursor() {
    let entries = conversation();
    assert_eq!(
        run(&entries[..30], "from another branch"),
        Err(WhyNot::NotSmaller)
    );
    assert!(matches!(
        run(&entries, "from another branch"),
        Err(WhyNot::TooMuchUnsummarised { .. })
    ));
}

#[test]
fn only_what_follows_the_last_boundary_is_live() {
    let mut entries = conversation();
    entries.push(Entry::Boundary(Boundary::default()));
    entries.push(Entry::Summary(Message::user("an older summary")));
    entries.extend(conversation());
    let compacted = run(&entries, "a15").expect("a result");
    assert!(!all_text(&compacted).contains("an older summary"));
    assert!(compacted.tokens_before < 50_000);
    assert!(compacted.first_kept_entry > 41);
}

#[test]
fn the_newest_instruction_survives_whole_also_far_before_the_tail() {
    let wanted = format!(
        "never touch the vendored files\n{}",
        "detail ".repeat(3_000)
    );
    let mut entries = conversation();
    entries.push(instruction("wanted", &wanted));
    for round in 0..60 {
        let id = format!("c{round}");
        let call = ToolUse::new(&id, "Read", json!({"file_path": format!("src/{round}.rs")}));
        let reply =
            Message::new(Role::Assistant, vec![Block::ToolUse(call)]).with_id(format!("r{round}"));
        entries.push(Entry::Message(reply));
        let result = Block::ToolResult(ToolResult::text(&id, "line\n".repeat(1_000)));
        entries.push(Entry::Message(
            Message::new(Role::User, vec![result]).with_id(format!("t{round}")),
        ));
    }
    let compacted = run(&entries, "t58").expect("a result");
    let holds = |message: &Message| message.role == Role::User && message.text() == wanted;
    assert_eq!(
        compacted
            .messages
            .iter()
            .filter(|message| holds(message))
            .count(),
        1
    );
    let files = compacted.put_back.iter().find_map(|item| match item {
        PutBack::ReadFiles(files) => Some(files.len()),
        _ => None,
    });
    assert_eq!(files, Some(60));
}

#[test]
fn parallel_results_and_split_replies_become_one_round() {
    let call = |id: &str| Block::ToolUse(ToolUse::new(id, "Bash", json!({"command": "ls"})));
    let result = |id: &str| Block::ToolResult(ToolResult::text(id, format!("result {id}")));
    let part = |block| Entry::Message(Message::new(Role::Assistant, vec![block]).with_id("reply"));
    let answer = |blocks| Entry::Message(Message::new(Role::User, blocks));
    let mut entries = conversation();
    entries.push(instruction("u", "go"));
    entries.push(part(Block::Thinking {
        text: "hm".into(),
        signature: None,
    }));
    entries.push(part(Block::Text("I look".into())));
    entries.push(part(call("1")));
    entries.push(answer(vec![Block::Text("hurry".into()), result("1")]));
    entries.push(part(call("2")));
    entries.push(part(call("3")));
    entries.push(answer(vec![result("3"), result("stray")]));
    let compacted = run(&entries, "a15").expect("a result");
    let [.., reply, results] = compacted.messages.as_slice() else {
        panic!("a round")
    };
    assert_eq!(
        reply.content,
        [
            Block::Text("I look".into()),
            call("1"),
            call("2"),
            call("3")
        ]
    );
    let [first, second, third, text] = results.content.as_slice() else {
        panic!("{results:?}")
    };
    assert_eq!(
        (first, third, text),
        (&result("1"), &result("3"), &Block::Text("hurry".into()))
    );
    let Block::ToolResult(mended) = second else {
        panic!("a result")
    };
    assert!(mended.is_error && mended.tool_use_id == "2");
}

#[test]
fn plan_and_to_do_list_are_put_back() {
    let call = |id: &str, name: &str, input| {
        Entry::Message(Message::new(
            Role::Assistant,
            vec![Block::ToolUse(ToolUse::new(id, name, input))],
        ))
    };
    let mut entries = conversation();
    entries.push(call("1", "TodoWrite", json!({"todos": ["old"]})));
    entries.push(call("2", "TodoWrite", json!({"todos": ["new"]})));
    entries.push(call(
        "3",
        "ExitPlanMode",
        json!({"plan": "first the lexer"}),
    ));
    entries.push(call("4", "Task", json!({"description": "find the bug"})));
    let compacted = run(&entries, "a15").expect("a result");
    assert!(
        compacted
            .put_back
            .contains(&PutBack::Todo(json!({"todos": ["new"]})))
    );
    assert!(
        compacted
            .put_back
            .contains(&PutBack::Plan("first the lexer".into()))
    );
    assert!(
        compacted
            .put_back
            .contains(&PutBack::RunningAgents(vec!["find the bug".into()]))
    );
}

#[test]
fn every_result_is_accepted_smaller_and_keeps_the_newest_instruction() {
    // The full 100,000 run once per change of the crate: SESSION_MEMORY_HISTORIES=100000.
    let wanted = std::env::var("SESSION_MEMORY_HISTORIES")
        .ok()
        .and_then(|n| n.parse().ok());
    let histories: u64 = wanted.unwrap_or(10_000);
    let limits = CompactLimits::default();
    let notes = notes();
    let mut results = 0;
    for seed in 0..histories {
        let mut random = Random::new(seed);
        let entries = history(&mut random);
        let cursor = format!("message{}", random.below(40));
        let session = Session {
            entries: &entries,
            notes: Some(&notes),
            covered: covered(&entries, &cursor),
            transcript_path: None,
        };
        let compacted = match compact(&session, &limits, &Quarter) {
            Ok(compacted) => compacted,
            Err(WhyNot::Refused(fault)) => panic!("seed {seed}: {fault:?}"),
            Err(_) => continue,
        };
        results += 1;
        assert_eq!(check_messages(&compacted.messages), Ok(()), "seed {seed}");
        assert!(
            compacted.tokens_after < compacted.tokens_before,
            "seed {seed}"
        );
        let boundary = entries
            .iter()
            .rposition(|entry| *entry == Entry::Boundary(Boundary::default()));
        let live = &entries[boundary.map_or(0, |index| index + 1)..];
        let newest = live.iter().rev().find_map(|entry| match entry {
            Entry::Instruction(message) => Some(message.text()),
            _ => None,
        });
        if let Some(newest) = newest {
            assert!(
                all_text(&compacted).contains(&newest),
                "seed {seed} lost the newest instruction"
            );
        }
    }
    assert!(
        results > histories / 50,
        "only {results} histories were compacted"
    );
}

#[test]
fn compacting_a_compacted_session_works() {
    let first = run(&conversation(), "a15").expect("a result");
    let mut entries = conversation();
    entries.push(Entry::Boundary(Boundary::default()));
    let mut messages = first.messages.into_iter();
    entries.push(Entry::Summary(messages.next().expect("a summary")));
    entries.extend(messages.map(Entry::Message));
    entries.extend(conversation());
    let second = run(&entries, "a15").expect("a result");
    assert_eq!(check_messages(&second.messages), Ok(()));
}
