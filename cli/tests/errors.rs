//! How a command fails: the exit code, the words for people, the object for programs.

use serde_json::{Value, json};

use crate::harness::{Home, Run};
use crate::schema;

const SCHEMA: &str = include_str!("../../docs/schemas/error.json");

/// The object on standard error: the last line, behind what was said on the way.
#[track_caller]
fn error_of(run: &Run) -> Value {
    let line = run.err.lines().last().unwrap_or_default();
    let object: Value =
        serde_json::from_str(line).unwrap_or_else(|_| panic!("no object: {}", run.err));
    let schema = serde_json::from_str(SCHEMA).expect("a JSON schema");
    schema::check_value(&schema, &object);
    assert_eq!(object["error"]["exit_code"], json!(run.code), "{object}");
    object
}

#[test]
fn every_failure_is_one_object_under_json() {
    let home = Home::new();
    home.file("note.txt", "text");
    let table: &[(&[&str], i32, &str, &str)] = &[
        (&["--no-such-flag"], 2, "usage", "--no-such-flag"),
        (&["no-such-command"], 2, "usage", "no-such-command"),
        (&["save", "--type", "user"], 2, "usage", "--name"),
        (
            &[
                "save",
                "--type",
                "wrong",
                "--name",
                "n",
                "--description",
                "d",
                "x",
            ],
            2,
            "usage",
            "wrong",
        ),
        (
            &[
                "save",
                "--type",
                "user",
                "--name",
                " ",
                "--description",
                "d",
                "x",
            ],
            2,
            "usage",
            "--name is empty",
        ),
        (&["show", "none"], 4, "not-found", "none"),
        (&["forget", "none"], 4, "not-found", "none"),
        (&["rename", "none", "new"], 4, "not-found", "none"),
        (&["purge", "none"], 4, "not-found", "none"),
        (&["restore", "none"], 4, "not-found", "none"),
        (&["verify", "none"], 4, "not-found", "none"),
        (&["inbox", "show", "none"], 4, "not-found", "none"),
        (&["adopt", "none"], 4, "not-found", ""),
        (&["extract", "none.jsonl"], 4, "not-found", "none.jsonl"),
        (
            &["session", "show", "none.jsonl"],
            4,
            "not-found",
            "none.jsonl",
        ),
        (&["scan", "none.txt"], 4, "not-found", "none.txt"),
        (&["where", "--memory-dir", "/"], 3, "refused", ""),
        (&["list", "--memory-dir", "/"], 3, "refused", ""),
        (&["mcp", "--memory-dir", "/"], 3, "refused", ""),
        (&["memory-tool", "/"], 3, "refused", ""),
        (
            &["team", "pull"],
            6,
            "unavailable",
            "team memory does not run",
        ),
    ];
    for (arguments, code, kind, part) in table {
        let run = home.run(&[*arguments, &["--json"]].concat()).expect(*code);
        let object = error_of(&run);
        let error = &object["error"];
        assert_eq!(error["kind"], json!(kind), "{arguments:?}: {error}");
        let message = error["message"].as_str().expect("a message");
        assert!(message.contains(part), "{arguments:?}: {message}");
        assert!(
            !message.starts_with("error:") && !message.contains("Usage:"),
            "{message}"
        );
        // Without --json the same is a line for people.
        let plain = home.run(arguments).expect(*code);
        assert!(
            serde_json::from_str::<Value>(plain.err.trim()).is_err(),
            "{}",
            plain.err
        );
    }
}

#[test]
fn help_and_version_are_no_errors_under_json() {
    let home = Home::new();
    for arguments in [
        &["--json", "--help"][..],
        &["--json", "save", "-h"],
        &["--json", "--version"],
    ] {
        let run = home.run(arguments).expect(0);
        assert!(
            !run.out.is_empty() && run.err.is_empty(),
            "{arguments:?}: {}",
            run.err
        );
    }
}

#[test]
fn what_stands_behind_two_dashes_is_no_option() {
    let home = Home::new();
    let run = home.run(&["show", "--", "--json"]).expect(4);
    assert!(run.err.starts_with("memstrata: "), "{}", run.err);
}

#[cfg(unix)]
#[test]
fn a_person_at_a_terminal_is_told_that_the_text_is_waited_for() {
    use std::fs::File;
    use std::io::Write;
    use std::process::Stdio;

    use rustix::fs::{Mode, OFlags};
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    let home = Home::new();
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&ours).expect("a terminal");
    unlockpt(&ours).expect("a terminal");
    let name = ptsname(&ours, Vec::new()).expect("a name");
    let theirs = rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty())
        .expect("its other end");
    let child = home
        .command(&[
            "save",
            "--type",
            "user",
            "--name",
            "Role",
            "--description",
            "what they do",
        ])
        .stdin(Stdio::from(theirs))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut keyboard = File::from(ours);
    // The text, and the key that ends it.
    keyboard
        .write_all(b"Writes Go.\n\x04")
        .expect("keys are taken");
    let output = child.wait_with_output().expect("the program ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("reading the text from standard input; end it with Ctrl-D"),
        "{said}"
    );
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(
        home.run(&["show", "Role"])
            .expect(0)
            .out
            .contains("Writes Go.")
    );
}
