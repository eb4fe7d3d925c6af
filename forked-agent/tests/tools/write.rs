//! The tool FileWrite, and where writes go.

use std::sync::{Arc, Mutex};

use forked_agent::{Change, Ended, Sink, ToolLimits};
use serde_json::json;

use crate::support::{Tree, call, calls, results, run, text};

#[test]
fn a_new_file_is_made_with_the_folders_above_it_for_its_owner_only() {
    let tree = Tree::new();
    let path = tree.memory().join("team/notes.md");
    let said = call(
        &tree.toolbox(),
        "FileWrite",
        json!({ "file_path": path, "content": "text\n" }),
    );
    assert_eq!(said.unwrap(), format!("created {}", path.display()));
    assert_eq!(tree.read("memory/team/notes.md"), "text\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_file_that_was_not_read_is_not_replaced() {
    let tree = Tree::new();
    let path = tree.file("memory/a.md", "precious\n");
    let write = json!({ "file_path": path, "content": "new\n" });
    let error = call(&tree.toolbox(), "FileWrite", write.clone()).unwrap_err();
    assert!(error.contains("exists; read it first"), "{error}");
    assert_eq!(tree.read("memory/a.md"), "precious\n");

    let read = json!({ "file_path": path });
    let outcome = run(
        &tree.toolbox(),
        vec![calls(&[("Read", read)]), calls(&[("Write", write)])],
    );
    assert_eq!(outcome.ended, Ended::Written);
    assert!(!outcome.writes[0].created);
    assert_eq!(tree.read("memory/a.md"), "new\n");
}

#[test]
fn a_file_that_somebody_changed_since_it_was_read_is_not_replaced() {
    let tree = Tree::new();
    let path = tree.file("memory/a.md", "one\n");
    let other = path.clone();
    let mut turn = 0;
    let model = agent_model::ScriptedModel::from_fn(move |_| {
        turn += 1;
        Ok(match turn {
            1 => calls(&[("Read", json!({ "file_path": other }))]),
            2 => {
                std::fs::write(&other, "changed by somebody\n").unwrap();
                calls(&[("Write", json!({ "file_path": other, "content": "mine\n" }))])
            }
            _ => text("gave up"),
        })
    });
    let (toolbox, gate) = (tree.toolbox(), forked_agent::Permissions::default());
    let agent = forked_agent::SideAgent::new(&model, &toolbox, &gate);
    let parent = agent_model::Request::new(Vec::new());
    let outcome = crate::support::block_on(forked_agent::fork(&agent, parent, "go"));
    assert_eq!(outcome.ended, Ended::Finished);
    assert!(
        outcome.failed[0]
            .reason
            .contains("has changed since it was read")
    );
    assert_eq!(tree.read("memory/a.md"), "changed by somebody\n");
}

#[test]
fn what_the_agent_wrote_itself_counts_as_read() {
    let tree = Tree::new();
    let path = tree.memory().join("a.md");
    let write = |content: &str| ("Write", json!({ "file_path": path, "content": content }));
    let outcome = run(
        &tree.toolbox(),
        vec![calls(&[write("one\n"), write("two\n")])],
    );
    assert_eq!((outcome.ended, outcome.writes.len()), (Ended::Written, 2));
    assert_eq!(
        (outcome.writes[0].created, outcome.writes[1].created),
        (true, false)
    );
    assert_eq!(tree.read("memory/a.md"), "two\n");
}

#[test]
fn a_write_that_changes_nothing_or_is_too_large_is_refused() {
    let tree = Tree::new();
    let path = tree.file("memory/a.md", "same\n");
    let replies = vec![
        calls(&[("Read", json!({ "file_path": path }))]),
        calls(&[("Write", json!({ "file_path": path, "content": "same\n" }))]),
        text("done"),
    ];
    let outcome = run(&tree.toolbox(), replies);
    assert!(
        outcome.failed[0]
            .reason
            .contains("holds exactly this already")
    );
    assert!(outcome.writes.is_empty());

    let mut limits = ToolLimits::default();
    limits.file_bytes = 10;
    let toolbox = tree.toolbox().with_limits(limits);
    let new = tree.memory().join("b.md");
    let error = call(
        &toolbox,
        "Write",
        json!({ "file_path": new, "content": "x".repeat(11) }),
    );
    assert!(error.unwrap_err().contains("at most 10 may be written"));
}

/// Keeps what it is given.
#[derive(Debug, Default)]
struct Kept(Mutex<Vec<(String, Option<String>, String)>>);

impl Sink for Kept {
    fn write(&self, change: &Change<'_>) -> Result<(), String> {
        let key = change.place.key().unwrap().as_str().to_owned();
        if key == "refused.md" {
            return Err("the store is read-only".to_owned());
        }
        let before = change.before.map(str::to_owned);
        self.0
            .lock()
            .unwrap()
            .push((key, before, change.after.to_owned()));
        Ok(())
    }
}

#[test]
fn a_sink_of_the_host_takes_the_writes_and_may_refuse() {
    let tree = Tree::new();
    tree.file("memory/a.md", "one\n");
    let sink = Arc::new(Kept::default());
    let toolbox = tree.toolbox().with_sink(sink.clone());
    let path = |name: &str| tree.memory().join(name);
    let outcome = run(
        &toolbox,
        vec![
            calls(&[
                (
                    "Edit",
                    json!({ "file_path": path("a.md"), "old_string": "one", "new_string": "two" }),
                ),
                (
                    "Write",
                    json!({ "file_path": path("refused.md"), "content": "x" }),
                ),
            ]),
            text("done"),
        ],
    );
    let expected = [(
        "a.md".to_owned(),
        Some("one\n".to_owned()),
        "two\n".to_owned(),
    )];
    assert_eq!(*sink.0.lock().unwrap(), expected);
    assert_eq!(outcome.writes.len(), 1);
    assert_eq!(
        results(&outcome.messages)[1],
        Err("the store is read-only".to_owned())
    );
    assert_eq!(
        tree.read("memory/a.md"),
        "one\n",
        "the sink alone decides what reaches the disk"
    );
}
