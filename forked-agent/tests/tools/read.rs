//! The tool FileRead.

use forked_agent::ToolLimits;
use serde_json::json;

use crate::support::{Tree, call};

#[test]
fn lines_come_with_their_numbers() {
    let tree = Tree::new();
    let path = tree.file("project/a.md", "one\ntwo\n\n四\n");
    let text = call(&tree.toolbox(), "FileRead", json!({ "file_path": path })).unwrap();
    assert_eq!(text, "     1\tone\n     2\ttwo\n     3\t\n     4\t四");
}

#[test]
fn every_known_name_and_relative_paths_are_understood() {
    let tree = Tree::new();
    tree.file("project/src/a.md", "one\n");
    let toolbox = tree
        .toolbox()
        .with_alias("read_file", forked_agent::ToolKind::FileRead);
    for name in ["FileRead", "Read", "read_file"] {
        for path in ["src/a.md", "./src/a.md"] {
            let text = call(&toolbox, name, json!({ "file_path": path, "unknown": 1 }));
            assert_eq!(text.unwrap(), "     1\tone", "{name} {path}");
        }
    }
}

#[test]
fn a_part_says_where_the_file_goes_on() {
    let tree = Tree::new();
    let lines: Vec<String> = (1..=10).map(|number| format!("line {number}")).collect();
    let path = tree.file("project/a.txt", lines.join("\n"));
    let toolbox = tree.toolbox();
    let text = call(
        &toolbox,
        "Read",
        json!({ "file_path": path, "offset": 3, "limit": "2" }),
    );
    assert_eq!(
        text.unwrap(),
        "     3\tline 3\n     4\tline 4\n[cut: the file goes on at line 5]"
    );
    let text = call(&toolbox, "Read", json!({ "file_path": path, "offset": 9 }));
    assert_eq!(text.unwrap(), "     9\tline 9\n    10\tline 10");
    let text = call(&toolbox, "Read", json!({ "file_path": path, "offset": 11 }));
    assert_eq!(text.unwrap(), "[the file has fewer lines]");
}

#[test]
fn results_and_lines_are_bounded_at_character_boundaries() {
    let tree = Tree::new();
    let path = tree.file(
        "project/long.md",
        format!("{}\n{}\nend\n", "长".repeat(2_000), "b".repeat(90)),
    );
    let mut limits = ToolLimits::default();
    limits.result_bytes = 2_100;
    let toolbox = tree.toolbox().with_limits(limits);
    let text = call(&toolbox, "Read", json!({ "file_path": path })).unwrap();
    assert!(text.contains("长…\n"), "{text}");
    assert!(
        text.ends_with("[cut: the result is full; go on with offset 2]"),
        "{text}"
    );

    let mut limits = ToolLimits::default();
    limits.file_bytes = 100;
    let toolbox = tree.toolbox().with_limits(limits);
    let text = call(&toolbox, "Read", json!({ "file_path": path })).unwrap();
    assert!(
        text.ends_with("[cut: the file is larger than what is read of one]"),
        "{text}"
    );
}

#[test]
fn what_is_no_text_file_is_named() {
    let tree = Tree::new();
    let binary = tree.file("project/a.bin", b"a\0b");
    let empty = tree.file("project/empty.md", "");
    let toolbox = tree.toolbox();
    let read = |path: &std::path::Path| call(&toolbox, "Read", json!({ "file_path": path }));
    assert_eq!(read(&binary).unwrap_err(), "this is a binary file");
    assert_eq!(read(&empty).unwrap(), "[the file is empty]");
    assert_eq!(
        read(&tree.project()).unwrap_err(),
        "this is a folder; list it with Glob"
    );
    assert!(
        read(&tree.project().join("missing.md"))
            .unwrap_err()
            .contains("no such file")
    );
}

#[test]
fn credentials_are_shown_only_where_the_agent_may_write() {
    let tree = Tree::new();
    let key = ["AK", "IA", "Z7Q2M4X5P3R6T2WB"].concat();
    let line = format!("key = {key}\n");
    let read_only = tree.file("project/.env.txt", &line);
    let writable = tree.file("memory/note.md", &line);
    let toolbox = tree.toolbox();
    let text = call(&toolbox, "Read", json!({ "file_path": read_only })).unwrap();
    assert!(
        !text.contains(&key) && text.contains("[redacted:"),
        "{text}"
    );
    let text = call(&toolbox, "Read", json!({ "file_path": writable })).unwrap();
    assert!(text.contains(&key));
    let toolbox = tree.toolbox().with_redaction(false);
    let text = call(&toolbox, "Read", json!({ "file_path": read_only })).unwrap();
    assert!(text.contains(&key));
}

#[test]
fn wrong_arguments_are_explained() {
    let tree = Tree::new();
    let toolbox = tree.toolbox();
    let cases = [
        (json!({}), "the argument `file_path` is missing"),
        (
            json!({ "file_path": 1 }),
            "the argument `file_path` should be a string",
        ),
        (
            json!({ "file_path": "a", "offset": -1 }),
            "the argument `offset` should be a number from 0 up",
        ),
        (
            json!({ "file_path": "a", "limit": "x" }),
            "the argument `limit` should be a number from 0 up",
        ),
        (json!("no object"), "the arguments are no JSON object"),
    ];
    for (input, reason) in cases {
        assert_eq!(
            call(&toolbox, "Read", input.clone()).unwrap_err(),
            reason,
            "{input}"
        );
    }
}
