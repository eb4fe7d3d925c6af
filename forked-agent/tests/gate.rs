//! The gates that come with the crate, and one of a host's own.

use forked_agent::{Action, Call, Change, Gate, Limits, OnlyFile, Permissions, Verdict};
use serde_json::{Value, json};

use crate::support::{Tree, calls, results, run_with, text};

fn ask(tree: &Tree, gate: &dyn Gate, name: &str, input: Value) -> Result<String, String> {
    let replies = vec![calls(&[(name, input)]), text("done")];
    let outcome = run_with(&tree.toolbox(), gate, Limits::default(), replies);
    results(&outcome.messages).remove(0)
}

#[test]
fn the_permission_table_holds() {
    let tree = Tree::new();
    tree.file("project/a.md", "text\n");
    let table = [
        ("Read", json!({ "file_path": "a.md" }), None),
        ("Grep", json!({ "pattern": "text" }), None),
        ("Glob", json!({ "pattern": "*" }), None),
        (
            "Write",
            json!({ "file_path": tree.memory().join("a.md"), "content": "x" }),
            None,
        ),
        (
            "Write",
            json!({ "file_path": tree.memory().join("B.MD"), "content": "x" }),
            None,
        ),
        (
            "Write",
            json!({ "file_path": "b.md", "content": "x" }),
            Some("this folder may only be read"),
        ),
        (
            "Edit",
            json!({ "file_path": "a.md", "old_string": "text", "new_string": "x" }),
            Some("this folder may only be read"),
        ),
        (
            "Write",
            json!({ "file_path": tree.memory().join("a.sh"), "content": "x" }),
            Some("only .md files may be written"),
        ),
        (
            "Write",
            json!({ "file_path": tree.memory().join("a"), "content": "x" }),
            Some("only .md files may be written"),
        ),
        (
            "mcp__server__tool",
            json!({}),
            Some("this agent may only read"),
        ),
        (
            "Task",
            json!({ "prompt": "x" }),
            Some("this agent may only read"),
        ),
        (
            "WebFetch",
            json!({ "url": "http://example.com" }),
            Some("this agent may only read"),
        ),
    ];
    for (name, input, refused) in table {
        let result = ask(&tree, &Permissions::default(), name, input.clone());
        match (refused, result) {
            (None, Ok(_)) => {}
            (Some(reason), Err(said)) if said.contains(reason) => {}
            (_, result) => panic!("{name} {input}: {result:?}"),
        }
    }
    let look = Permissions::read_only();
    let write = json!({ "file_path": tree.memory().join("c.md"), "content": "x" });
    assert_eq!(
        ask(&tree, &look, "Write", write).unwrap_err(),
        "this agent may not write files"
    );
    let mut quiet = Permissions::default();
    quiet.shell = false;
    let error = ask(&tree, &quiet, "Bash", json!({ "command": "ls" })).unwrap_err();
    assert_eq!(error, "this agent may not run commands");
}

#[test]
fn a_credential_is_not_written_and_the_reason_does_not_repeat_it() {
    let tree = Tree::new();
    let key = ["AK", "IA", "Z7Q2M4X5P3R6T2WB"].concat();
    let path = tree.memory().join("a.md");
    let content = format!("one\nkey = {key}\n");
    let write = json!({ "file_path": path, "content": content });
    let reason = ask(&tree, &Permissions::default(), "Write", write.clone()).unwrap_err();
    assert!(
        reason.starts_with("line 2 would hold what looks like a credential"),
        "{reason}"
    );
    assert!(!reason.contains(&key));
    assert!(!path.exists());

    let mut open = Permissions::default();
    open.allow_secrets = true;
    assert!(ask(&tree, &open, "Write", write).is_ok());

    // It is there now: an edit elsewhere in the file is fine, moving in another one is not.
    let edit = |old: &str, new: &str| {
        let input = json!({ "file_path": path, "old_string": old, "new_string": new });
        ask(&tree, &Permissions::default(), "Edit", input)
    };
    assert!(edit("one", "two").is_ok());
    let second = ["AK", "IA", "B3W2N5Y7Q4S6U2XC"].concat();
    assert!(edit("two", &second).is_err());
    assert!(edit(&format!("key = {key}"), "no key").is_ok());
}

#[test]
fn a_credential_put_together_by_an_edit_is_seen() {
    let tree = Tree::new();
    let path = tree.file(
        "memory/a.md",
        ["AK", "IA", "-rest-", "Z7Q2M4X5P3R6T2WB\n"].concat(),
    );
    let input = json!({ "file_path": path, "old_string": "-rest-", "new_string": "" });
    let reason = ask(&tree, &Permissions::default(), "Edit", input).unwrap_err();
    assert!(reason.contains("credential"), "{reason}");
}

#[test]
fn only_one_file_may_be_edited() {
    let tree = Tree::new();
    let path = tree.file("memory/session.md", "one\n");
    tree.file("memory/other.md", "one\n");
    let place = tree.workspace().resolve(&path.to_string_lossy()).unwrap();
    let gate = OnlyFile::new(&place);
    let edit = |path: Value| json!({ "file_path": path, "old_string": "one", "new_string": "two" });
    assert!(ask(&tree, &gate, "Edit", edit(json!(path))).is_ok());
    for (name, input) in [
        ("Edit", edit(json!(tree.memory().join("other.md")))),
        ("Edit", edit(json!(tree.memory().join("SESSION.md")))),
        ("Write", json!({ "file_path": path, "content": "x" })),
        ("Read", json!({ "file_path": path })),
        ("Glob", json!({ "pattern": "*" })),
        ("Bash", json!({ "command": "ls" })),
        ("Task", json!({})),
    ] {
        let reason = ask(&tree, &gate, name, input.clone()).unwrap_err();
        assert!(
            reason.starts_with("this agent may only edit "),
            "{name} {input}: {reason}"
        );
    }
    assert_eq!(tree.read("memory/session.md"), "two\n");
    assert_eq!(tree.read("memory/other.md"), "one\n");
}

/// Wants a reason for each write, beside what the tools themselves need.
struct WithEvidence;

impl Gate for WithEvidence {
    fn decide(&self, call: &Call<'_>) -> Verdict {
        match &call.action {
            Action::Write(_) if call.tool_use.input["evidence"].is_string() => Verdict::Allow,
            _ => Verdict::deny("quote what the user said"),
        }
    }

    fn decide_change(&self, change: &Change<'_>) -> Verdict {
        assert!(
            !format!("{change:?}").contains("likes"),
            "contents stay out of logs"
        );
        if change.after.starts_with("The user") {
            return Verdict::Allow;
        }
        Verdict::deny("begin with the user")
    }
}

#[test]
fn a_gate_of_the_host_sees_the_raw_call_and_the_new_text() {
    let tree = Tree::new();
    let path = tree.memory().join("a.md");
    let mut input = json!({ "file_path": path, "content": "likes tea\n" });
    assert_eq!(
        ask(&tree, &WithEvidence, "Write", input.clone()).unwrap_err(),
        "quote what the user said"
    );
    input["evidence"] = json!("I like tea");
    assert_eq!(
        ask(&tree, &WithEvidence, "Write", input.clone()).unwrap_err(),
        "begin with the user"
    );
    input["content"] = json!("The user likes tea\n");
    assert!(ask(&tree, &WithEvidence, "Write", input).is_ok());
}

/// Lets everything through.
struct Generous;

impl Gate for Generous {
    fn decide(&self, _: &Call<'_>) -> Verdict {
        Verdict::Allow
    }
}

#[test]
fn a_generous_gate_cannot_widen_what_the_tools_do() {
    let tree = Tree::new();
    tree.file("project/a.md", "text\n");
    for (name, input) in [
        (
            "Write",
            json!({ "file_path": tree.project().join("b.md"), "content": "x" }),
        ),
        (
            "Edit",
            json!({ "file_path": "a.md", "old_string": "text", "new_string": "x" }),
        ),
        (
            "Write",
            json!({ "file_path": tree.outside().join("b.md"), "content": "x" }),
        ),
        (
            "Read",
            json!({ "file_path": tree.outside().join("secret.md") }),
        ),
        ("Bash", json!({ "command": "touch b" })),
        ("Task", json!({})),
    ] {
        ask(&tree, &Generous, name, input.clone()).unwrap_err();
    }
    assert_eq!(tree.read("project/a.md"), "text\n");
    assert!(!tree.project().join("b.md").exists() && !tree.outside().join("b.md").exists());
}
