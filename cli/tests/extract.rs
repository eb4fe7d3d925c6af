//! `memstrata extract` and `memstrata explain` about it.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::harness::Home;
use crate::schema;

const EXTRACT: &str = include_str!("../../docs/schemas/extract.json");
const EXPLAIN: &str = include_str!("../../docs/schemas/explain-decision.json");

const EXPLAIN_NONE: &str = include_str!("../../docs/schemas/explain-none.json");

const RULE: &str = "From now on, ask before you add a dependency, we got burned by one.";
const OTHER: &str = "I'm a data scientist with ten years of R and new to Rust.";

/// One line of a Claude Code session; messages hang on each other by their numbers.
fn line(home: &Home, number: usize, role: &str, text: &str) -> Value {
    json!({
        "type": role,
        "uuid": format!("m{number}"),
        "parentUuid": number.checked_sub(1).filter(|parent| *parent > 0).map(|parent| format!("m{parent}")),
        "sessionId": "5c0375b4",
        "cwd": home.project(),
        "timestamp": "2026-03-02T09:30:00.000Z",
        "message": { "role": role, "content": [{ "type": "text", "text": text }] },
    })
}

/// Writes a transcript in which a person says these things and gets answers.
fn transcript(home: &Home, said: &[&str]) -> PathBuf {
    let mut lines = String::new();
    for (at, text) in said.iter().enumerate() {
        for (number, role, text) in [
            (2 * at + 1, "user", *text),
            (2 * at + 2, "assistant", "Understood."),
        ] {
            lines.push_str(&line(home, number, role, text).to_string());
            lines.push('\n');
        }
    }
    let path = home.path().join("5c0375b4.jsonl");
    std::fs::write(&path, lines).expect("a transcript");
    path
}

fn run(home: &Home, arguments: &[&str]) -> crate::harness::Run {
    home.run(arguments)
}

#[test]
fn a_session_is_learned_from_once_and_goes_on_where_it_stopped() {
    let home = Home::new();
    let path = transcript(&home, &[RULE, "Fix the login test."]);
    let file = path.to_str().expect("UTF-8");
    let dry = run(&home, &["extract", file, "--dry-run", "--json"]).expect(0);
    schema::check(EXTRACT, &dry);
    assert!(
        run(&home, &["list", "--json"]).expect(0).out.is_empty(),
        "a dry run saves nothing"
    );

    let first = run(&home, &["extract", file, "--json"]).expect(0);
    schema::check(EXTRACT, &first);
    let written = first.json();
    assert_eq!(written, dry.json());
    assert_eq!(written.len(), 1);
    assert_eq!(written[0]["action"], "created");
    let listed = run(&home, &["list", "--json"]).expect(0).json();
    assert_eq!(listed[0]["path"], written[0]["path"]);

    assert_eq!(written[0]["session"], "5c0375b4");
    let folder = PathBuf::from(written[0]["folder"].as_str().expect("a folder"));
    assert!(
        folder
            .join(written[0]["path"].as_str().expect("a path"))
            .is_file()
    );

    let again = run(&home, &["extract", file, "--json"]).expect(0);
    schema::check(EXTRACT, &again);
    assert_eq!(again.json()[0]["looked_at"], 0);
    let again = run(&home, &["extract", file]).expect(0);
    assert!(
        again.out.is_empty() && again.err.contains("nothing is new"),
        "{}",
        again.err
    );

    transcript(&home, &[RULE, "Fix the login test.", OTHER]);
    let more = run(&home, &["extract", file, "--json"]).expect(0).json();
    assert_eq!(more.len(), 1, "{more:?}");
    assert_ne!(more[0]["path"], written[0]["path"]);
    // For people: what was saved, and the words it rests on.
    let home = Home::new();
    transcript(&home, &[RULE]);
    let path = home.path().join("5c0375b4.jsonl");
    let text = run(&home, &["extract", path.to_str().expect("UTF-8")]).expect(0);
    assert!(
        text.out.starts_with("created feedback_") && text.out.contains(RULE),
        "{}",
        text.out
    );
}

#[test]
fn a_session_with_nothing_to_keep_says_so() {
    let home = Home::new();
    let path = transcript(&home, &["Fix the login test.", "Now the other one."]);
    let file = path.to_str().expect("UTF-8");
    let dry = run(&home, &["extract", file, "--dry-run", "--json"]).expect(0);
    schema::check(EXTRACT, &dry);
    let summary = &dry.json()[0];
    assert_eq!(summary["looked_at"], 4);
    assert_eq!(summary["why"], "nothing worth keeping");
    let text = run(&home, &["extract", file]).expect(0);
    let wanted = "looked at 4 messages, nothing worth keeping; `memstrata explain --session 5c0375b4` says why";
    assert!(
        text.out.is_empty() && text.err.contains(wanted),
        "{}",
        text.err
    );
    run(&home, &["explain", "--session", "5c0375b4"]).expect(0);
}

#[test]
fn what_was_decided_can_be_asked_for() {
    let home = Home::new();
    let path = transcript(&home, &[RULE]);
    run(&home, &["extract", path.to_str().expect("UTF-8")]).expect(0);
    let file = run(&home, &["list", "--json"]).expect(0).json()[0]["path"].clone();
    let file = file.as_str().expect("a path");
    for arguments in [
        ["explain", file, "--json"],
        ["explain", "--session=5c0375b4", "--json"],
    ] {
        let explained = run(&home, &arguments).expect(0);
        schema::check(EXPLAIN, &explained);
        let decided = &explained.json()[0];
        assert_eq!(decided["action"], "created");
        assert_eq!(decided["path"], file);
        assert_eq!(decided["session"], "5c0375b4");
        assert_eq!(decided["message_id"], "m1");
        assert!(RULE.contains(decided["quote"].as_str().expect("a quote")));
    }
    let text = run(&home, &["explain", file]).expect(0);
    for part in [
        "created",
        "why:",
        "you said: From now on",
        "in session 5c0375b4, turn 1, message m1",
    ] {
        assert!(text.out.contains(part), "{part}: {}", text.out);
    }
    // A memory that a person saved says so, and names that nobody knows are not found.
    run(
        &home,
        &[
            "save",
            "--type",
            "user",
            "--name",
            "Role",
            "--description",
            "d",
            "Writes Go.",
        ],
    )
    .expect(0);
    let own = run(&home, &["explain", "Role"]).expect(0);
    assert!(
        own.out.is_empty() && own.err.contains("was first saved by hand"),
        "{}",
        own.err
    );
    run(&home, &["explain", "nobody"]).expect(4);
    for (name, code) in [("Role", 0), ("nobody", 4)] {
        let none = run(&home, &["explain", name, "--json"]).expect(code);
        schema::check(EXPLAIN_NONE, &none);
        assert_eq!(none.json()[0], json!({ "name": name, "decisions": [] }));
    }
    let unknown = run(&home, &["explain", "--session", "nobody"]).expect(4);
    assert!(unknown.err.contains("--project"), "{}", unknown.err);
    run(&home, &["explain"]).expect(2);
    run(&home, &["explain", "Role", "--session", "x"]).expect(2);

    // What is purged is gone from there too.
    run(&home, &["purge", file]).expect(0);
    run(&home, &["explain", "--session", "5c0375b4"]).expect(4);
}

#[test]
fn modes_missing_files_and_other_formats_are_told_apart() {
    let home = Home::new();
    let path = transcript(&home, &[RULE]);
    let file = path.to_str().expect("UTF-8");
    run(&home, &["extract", "nowhere.jsonl"]).expect(4);
    let notes = home.file("notes.txt", "no session\n");
    run(&home, &["extract", notes.to_str().expect("UTF-8")]).expect(2);
    std::fs::create_dir_all(home.path().join(".claude")).expect("a folder");
    let settings = home.path().join(".claude/memstrata.toml");
    for (mode, word) in [("read", "mode read"), ("off", "memory is off")] {
        std::fs::write(&settings, format!("[modes]\npersistent = \"{mode}\"\n")).expect("a file");
        let skipped = run(&home, &["extract", file]).expect(0);
        assert!(skipped.err.contains(word), "{}", skipped.err);
    }
    std::fs::write(&settings, "[modes]\npersistent = \"ask\"\n").expect("a file");
    let asked = run(&home, &["extract", file, "--json"]).expect(0).json();
    assert_eq!(asked[0]["action"], "proposed");
    let inbox = run(&home, &["inbox", "list", "--json"]).expect(0);
    assert_eq!(inbox.json().len(), 1);
    assert!(run(&home, &["list"]).expect(0).out.is_empty());
}

#[test]
fn memories_go_to_the_project_that_the_session_was_about() {
    let home = Home::new();
    let path = transcript(&home, &[RULE]);
    let elsewhere = home.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).expect("a folder");
    let mut command = home.command(&["extract", path.to_str().expect("UTF-8")]);
    let output = command
        .current_dir(&elsewhere)
        .output()
        .expect("the program runs");
    assert!(output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("into ") && said.contains("(the session's project)"),
        "{said}"
    );
    assert_eq!(run(&home, &["list", "--json"]).expect(0).json().len(), 1);
    let mut command = home.command(&["list", "--json"]);
    let output = command
        .current_dir(&elsewhere)
        .output()
        .expect("the program runs");
    assert!(output.stdout.is_empty());
}

#[test]
fn two_processes_extract_one_after_the_other() {
    let home = Home::new();
    let path = transcript(&home, &[RULE, OTHER]);
    let file = path.to_str().expect("UTF-8");
    let children: Vec<_> = (0..4)
        .map(|_| {
            home.command(&["extract", file, "--quiet"])
                .spawn()
                .expect("it starts")
        })
        .collect();
    for child in children {
        let code = child.wait_with_output().expect("it ends").status.code();
        assert!(matches!(code, Some(0 | 5)), "{code:?}");
    }
    let listed = run(&home, &["list", "--json"]).expect(0).json();
    assert_eq!(listed.len(), 2, "{listed:?}");
}
