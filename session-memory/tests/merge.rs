//! The ledger beside what a person or a model wrote.

use agent_model::{Block, Message, Role, ToolResult, ToolUse};
use proptest::prelude::*;
use serde_json::json;
use session_memory::{Entry, Ledger, LedgerText, Notes, Structure};

fn ledger(files: &[&str]) -> Ledger {
    let mut entries = vec![Entry::Instruction(Message::user("go"))];
    for path in files {
        let call = ToolUse::new(*path, "Write", json!({"file_path": path}));
        entries.push(Entry::Message(Message::new(
            Role::Assistant,
            vec![Block::ToolUse(call)],
        )));
        let result = Block::ToolResult(ToolResult::text(*path, "ok"));
        entries.push(Entry::Message(Message::new(Role::User, vec![result])));
    }
    Ledger::from_entries(&entries)
}

const FILES: &str = "Files and Functions";

fn files(notes: &Notes) -> &str {
    notes.body(FILES).expect("a section")
}

#[test]
fn text_of_others_stays_and_the_ledgers_is_replaced() {
    let empty = Notes::empty(&Structure::default());
    let (notes, last) = ledger(&["a.rs"]).update(&empty, &LedgerText::default());
    assert_eq!(files(&notes), "Changed:\n- a.rs");

    // Nobody touched it.
    let (next, _) = ledger(&["a.rs", "b.rs"]).update(&notes, &last);
    assert_eq!(files(&next), "Changed:\n- a.rs\n- b.rs");

    // A person wrote around it.
    let around = notes
        .clone()
        .with_body(FILES, "mine\n\nChanged:\n- a.rs\n\nalso mine");
    let (next, _) = ledger(&["a.rs", "b.rs"]).update(&around, &last);
    assert_eq!(
        files(&next),
        "mine\n\nChanged:\n- a.rs\n- b.rs\n\nalso mine"
    );

    // A person wrote inside it and took a line out.
    let (two, last_two) = ledger(&["a.rs", "b.rs"]).update(&empty, &LedgerText::default());
    let inside = two.with_body(FILES, "Changed:\n- a.rs, the lexer");
    let (next, _) = ledger(&["a.rs", "b.rs", "c.rs"]).update(&inside, &last_two);
    assert_eq!(files(&next), "Changed:\n- a.rs, the lexer\n\n- c.rs");
}

#[test]
fn a_model_written_section_gets_the_files_once() {
    let notes = Notes::empty(&Structure::default()).with_body(FILES, "src/a.rs: the lexer");
    let mut state = (notes, LedgerText::default());
    for _ in 0..3 {
        state = ledger(&["src/a.rs"]).add_facts(&state.0, &state.1);
    }
    assert_eq!(
        files(&state.0),
        "src/a.rs: the lexer\n\nChanged, from the tool calls:\n- src/a.rs"
    );
    // Facts touch no other section, and what the ledger wrote there stays known to be its own.
    let (full, last) = ledger(&["src/a.rs"]).update(&state.0, &state.1);
    let (_, after) = ledger(&["src/a.rs"]).add_facts(&full, &last);
    assert!(
        after
            .sections()
            .any(|(heading, _)| heading == "Task specification")
    );
}

#[test]
fn sections_that_a_template_lacks_go_into_its_last_one() {
    let structure =
        Structure::from_template("# N\n\n## Worklog\n\n## Rest\n").expect("a structure");
    let notes = ledger(&["a.rs"]).to_notes(&structure);
    assert!(
        notes
            .body("Worklog")
            .expect("a section")
            .contains("1 file changed")
    );
    let rest = notes.body("Rest").expect("a section");
    assert!(rest.contains("### Task specification") && rest.contains("- a.rs"));
    let text = notes.print();
    let limits = session_memory::NotesLimits::default();
    assert_eq!(
        Notes::parse(text.as_bytes(), &structure, &limits),
        Ok(notes)
    );
}

proptest! {
    #[test]
    fn no_line_of_a_person_is_ever_lost(
        lines in prop::collection::vec("[a-z ]{0,12}", 0..8),
        at in 0usize..4,
        old in prop::collection::vec("[a-e]", 0..5),
        new in prop::collection::vec("[a-e]", 0..5),
    ) {
        let paths = |list: &[String]| -> Vec<String> { list.iter().map(|name| format!("src/{name}.rs")).collect() };
        let (old, new) = (paths(&old), paths(&new));
        let of = |paths: &[String]| ledger(&paths.iter().map(String::as_str).collect::<Vec<_>>());
        let (notes, last) = of(&old).update(&Notes::empty(&Structure::default()), &LedgerText::default());
        let mut body: Vec<String> = files(&notes).lines().map(str::to_owned).collect();
        let place = at.min(body.len());
        body.splice(place..place, lines.iter().cloned());
        let (next, _) = of(&new).update(&notes.with_body(FILES, &body.join("\n")), &last);
        let after: Vec<&str> = files(&next).lines().map(str::trim).collect();
        for line in lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()) {
            prop_assert!(after.contains(&line), "{line:?} is gone from {after:?}");
        }
        for path in new.iter().filter(|path| !old.contains(path)) {
            prop_assert!(files(&next).contains(path.as_str()));
        }
    }
}
