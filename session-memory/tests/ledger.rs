//! The action ledger: what was done, from the calls and nothing else.

use agent_model::{Block, Message, Role, ToolResult, ToolUse};
use serde_json::{Value, json};
use session_memory::{Entry, Ledger, Outcome, Structure};

fn call(id: &str, name: &str, input: Value) -> Entry {
    Entry::Message(Message::new(
        Role::Assistant,
        vec![Block::ToolUse(ToolUse::new(id, name, input))],
    ))
}

fn result(id: &str, text: &str) -> Entry {
    Entry::Message(Message::new(
        Role::User,
        vec![Block::ToolResult(ToolResult::text(id, text))],
    ))
}

fn failed(id: &str, text: &str) -> Entry {
    Entry::Message(Message::new(
        Role::User,
        vec![Block::ToolResult(ToolResult::error(id, text))],
    ))
}

fn session() -> Vec<Entry> {
    vec![
        Entry::Instruction(Message::user("make the parser accept tabs")),
        call("1", "Read", json!({"file_path": "src/lexer.rs"})),
        result("1", "fn lex() {}"),
        call("2", "Read", json!({"file_path": "docs/grammar.md"})),
        result("2", "grammar"),
        call(
            "3",
            "Edit",
            json!({"file_path": "src/lexer.rs", "old_string": "a", "new_string": "b"}),
        ),
        result("3", "done"),
        call("4", "Bash", json!({"command": "cargo test"})),
        failed("4", "error[E0308]: mismatched types"),
        call(
            "5",
            "Edit",
            json!({"file_path": "src/lexer.rs", "old_string": "b", "new_string": "c"}),
        ),
        result("5", "done"),
        call("6", "Bash", json!({"command": "cargo test"})),
        result("6", "ok. 12 passed"),
        call(
            "7",
            "Write",
            json!({"file_path": "/not/allowed.rs", "content": "x"}),
        ),
        failed("7", "permission denied"),
        Entry::Message(Message::assistant("Tabs are accepted now; all tests pass.")),
        Entry::Instruction(Message::user("good, now form feeds\n# not a heading")),
        call("8", "Bash", json!({"command": "git status"})),
    ]
}

#[test]
fn files_commands_failures_and_instructions_come_from_the_calls() {
    let ledger = Ledger::from_entries(&session());
    assert_eq!(ledger.changed, ["src/lexer.rs"]);
    assert_eq!(ledger.read, ["docs/grammar.md"]);
    let commands: Vec<(&str, usize, Outcome)> = ledger
        .commands
        .iter()
        .map(|run| (run.command.as_str(), run.times, run.outcome))
        .collect();
    assert_eq!(
        commands,
        [
            ("cargo test", 2, Outcome::Succeeded),
            ("git status", 1, Outcome::Unknown)
        ]
    );
    assert_eq!(ledger.failures.len(), 2);
    assert_eq!(ledger.failures[0].tried, "ran `cargo test`");
    assert_eq!(
        ledger.failures[0].followed_by.as_deref(),
        Some("changed `src/lexer.rs`")
    );
    assert_eq!(ledger.instructions.len(), 2);
    assert_eq!(
        ledger.last_reply.as_deref(),
        Some("Tabs are accepted now; all tests pass.")
    );
}

#[test]
fn the_session_file_holds_the_newest_instruction_word_for_word() {
    let notes = Ledger::from_entries(&session()).to_notes(&Structure::default());
    let task = notes.body("Task specification").expect("a section");
    assert!(
        task.contains("> good, now form feeds\n> # not a heading"),
        "{task}"
    );
    assert!(
        notes
            .body("Files and Functions")
            .expect("a section")
            .contains("- src/lexer.rs")
    );
    assert!(
        notes
            .body("Errors & Corrections")
            .expect("a section")
            .contains("mismatched types")
    );
    assert!(
        notes
            .body("Workflow")
            .expect("a section")
            .contains("`cargo test`: succeeded, ran 2 times")
    );
}

#[test]
fn the_tools_of_other_agents_are_understood() {
    let entries = [
        call(
            "1",
            "shell",
            json!({"command": ["bash", "-lc", "pytest -q"]}),
        ),
        result(
            "1",
            "{\"output\":\"1 failed\",\"metadata\":{\"exit_code\":1}}",
        ),
        call(
            "2",
            "apply_patch",
            json!({"input": "*** Begin Patch\n*** Update File: a.py\n*** Add File: b.py\n*** End Patch"}),
        ),
        result("2", "Exit code: 0\nSuccess"),
        call("3", "exec_command", json!({"cmd": "ls"})),
        result("3", "Process exited with code 0\nfiles"),
        call("4", "replace", json!({"file_path": "c.go"})),
        result("4", "ok"),
        call("5", "read_file", json!({"absolute_path": "/p/d.ts"})),
        result("5", "text"),
        call("6", "run_shell_command", json!({"command": "make"})),
        result("6", "Exit Code: 2"),
        call("7", "unknown_tool", json!([1, 2])),
        call("8", "Read", json!("no object")),
    ];
    let ledger = Ledger::from_entries(&entries);
    assert_eq!(ledger.changed, ["a.py", "b.py", "c.go"]);
    assert_eq!(ledger.read, ["/p/d.ts"]);
    let outcomes: Vec<Outcome> = ledger.commands.iter().map(|run| run.outcome).collect();
    assert_eq!(
        outcomes,
        [Outcome::Failed, Outcome::Succeeded, Outcome::Failed]
    );
    assert_eq!(ledger.commands[0].command, "pytest -q");
}

#[test]
fn long_lists_are_cut_at_the_old_end_and_say_so() {
    let entries: Vec<Entry> = (0..500)
        .flat_map(|n| {
            let id = format!("{n}");
            [
                call(&id, "Write", json!({"file_path": format!("src/{n}.rs")})),
                result(&id, "ok"),
            ]
        })
        .collect();
    let notes = Ledger::from_entries(&entries).to_notes(&Structure::default());
    let files = notes.body("Files and Functions").expect("a section");
    assert!(files.contains("(440 older ones left out)") && files.contains("src/499.rs"));
    assert!(files.lines().count() < 80);
}

#[test]
fn nothing_in_a_session_can_break_the_structure_of_its_file() {
    let evil = [
        "\n## Session Title\nstolen",
        "x\n```\nopen",
        "~~~",
        "_Step by step, one short line each: what was done._",
        "a\r\r\nb\r\n\r",
        "\u{feff}## Worklog",
        "end\u{a0}\u{c}",
        "# Session Memory",
        "<!-- \u{0} \u{1b}[2J -->",
        "\t## Learnings\n    ## Learnings\n## Learnings ##",
    ];
    for text in evil {
        for path in [
            text.to_owned(),
            format!("{text}\n"),
            format!("a\n{text}\nb"),
        ] {
            let entries = vec![
                Entry::Instruction(Message::user(&path)),
                call("1", "Read", json!({"file_path": path})),
                failed("1", &path),
                call("2", "Edit", json!({"file_path": path})),
                result("2", &path),
                call("3", "Bash", json!({"command": path})),
                failed("3", &path),
                call("4", "Write", json!({"file_path": path})),
                failed("4", &path),
                call("5", "Task", json!({"prompt": path})),
                call("6", "Read", json!({"file_path": path})),
                Entry::Message(Message::assistant(&path)),
                Entry::Instruction(Message::user(&path)),
            ];
            let structure = Structure::default();
            let notes = Ledger::from_entries(&entries).to_notes(&structure);
            let limits = session_memory::NotesLimits::default();
            let read = session_memory::Notes::parse(notes.print().as_bytes(), &structure, &limits);
            assert_eq!(read, Ok(notes), "{path:?}");
        }
    }
}

#[test]
fn a_session_of_very_many_calls_is_read_in_linear_time() {
    // No clock: with the square of the length this would not end within the limit of the test runner.
    let entries: Vec<Entry> = (0..200_000)
        .flat_map(|n| {
            let id = format!("{n}");
            let lone = call(
                &format!("l{n}"),
                "Bash",
                json!({"command": format!("run {n}")}),
            );
            [
                call(&id, "Write", json!({"file_path": format!("{n}.rs")})),
                result(&id, "ok"),
                lone,
            ]
        })
        .collect();
    let ledger = Ledger::from_entries(&entries);
    assert_eq!(
        (ledger.changed.len(), ledger.commands.len()),
        (200_000, 200_000)
    );
}

#[test]
fn a_slash_command_with_words_is_an_instruction_as_it_was_typed() {
    let recorded = "<command-message>x</command-message>\n<command-name>/review</command-name>\n<command-args>the parser, please</command-args>";
    let ledger = Ledger::from_entries(&[Entry::Instruction(Message::user(recorded))]);
    assert_eq!(ledger.instructions, ["/review the parser, please"]);
}

#[test]
fn a_cut_leaves_no_half_of_a_credential() {
    let token = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let half = &token[..12];
    for fill in 90..170 {
        let command = format!("echo {} {token}", "x".repeat(fill));
        let output = format!("{token} error: {}", "y ".repeat(fill));
        let entries = [
            call("a", "Bash", json!({ "command": command })),
            failed("a", &output),
        ];
        let ledger = Ledger::from_entries(&entries);
        for shown in [&ledger.failures[0].tried, &ledger.failures[0].error] {
            let left = shown.replace(&token, "");
            assert!(!left.contains(half), "{fill}: {shown}");
            assert!(!left.contains(&token[28..]), "{fill}: {shown}");
        }
    }
}
