//! The tool Grep.

use forked_agent::ToolLimits;
use serde_json::{Value, json};

use crate::support::{Tree, call};

fn tree() -> Tree {
    let tree = Tree::new();
    tree.file("project/a.md", "alpha\nbeta\ngamma\nBeta again\n");
    tree.file("project/src/main.rs", "fn main() {\r\n    beta();\r\n}\r\n");
    tree.file("project/src/data.bin", b"beta\0beta");
    tree.file("project/记忆.md", "偏好:测试\n");
    tree
}

/// Searches and returns the result with paths relative to the project.
fn search(tree: &Tree, input: Value) -> String {
    let text = call(&tree.toolbox(), "Grep", input).unwrap();
    text.replace(&format!("{}/", tree.project().display()), "")
}

#[test]
fn the_three_kinds_of_output_are_those_agents_know() {
    let tree = tree();
    assert_eq!(
        search(&tree, json!({ "pattern": "beta" })),
        "a.md\nsrc/main.rs"
    );
    assert_eq!(
        search(
            &tree,
            json!({ "pattern": "beta", "output_mode": "content" })
        ),
        "a.md:2:beta\nsrc/main.rs:2:    beta();"
    );
    assert_eq!(
        search(
            &tree,
            json!({ "pattern": "beta", "output_mode": "content", "-n": false, "-i": true })
        ),
        "a.md:beta\na.md:Beta again\nsrc/main.rs:    beta();"
    );
    assert_eq!(
        search(
            &tree,
            json!({ "pattern": "(?i)beta", "output_mode": "count" })
        ),
        "a.md:2\nsrc/main.rs:1"
    );
    assert_eq!(search(&tree, json!({ "pattern": "nowhere" })), "[no match]");
    assert_eq!(search(&tree, json!({ "pattern": "测试" })), "记忆.md");
}

#[test]
fn files_are_chosen_by_path_pattern_and_type() {
    let tree = tree();
    let names = |extra: Value| {
        let mut input = json!({ "pattern": "beta" });
        input
            .as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        search(&tree, input)
    };
    assert_eq!(names(json!({ "glob": "*.rs" })), "src/main.rs");
    assert_eq!(names(json!({ "glob": "src/**" })), "src/main.rs");
    assert_eq!(names(json!({ "glob": "*.{rs,md}" })), "a.md\nsrc/main.rs");
    assert_eq!(names(json!({ "type": "rust" })), "src/main.rs");
    assert_eq!(names(json!({ "path": "src" })), "src/main.rs");
    assert_eq!(names(json!({ "path": "a.md" })), "a.md");
    assert_eq!(names(json!({ "path": "a.md", "glob": "*.md" })), "a.md");
}

#[test]
fn lines_around_a_match_are_marked_and_groups_are_apart() {
    let tree = Tree::new();
    tree.file("project/a.txt", "1\n2\nhit\n4\n5\n6\n7\nhit\nhit\n10\n");
    assert_eq!(
        search(
            &tree,
            json!({ "pattern": "hit", "output_mode": "content", "-C": 1 })
        ),
        "a.txt-2-2\na.txt:3:hit\na.txt-4-4\n--\na.txt-7-7\na.txt:8:hit\na.txt:9:hit\na.txt-10-10"
    );
    assert_eq!(
        search(
            &tree,
            json!({ "pattern": "hit", "output_mode": "content", "-A": 1, "-n": false })
        ),
        "a.txt:hit\na.txt-4\n--\na.txt:hit\na.txt:hit\na.txt-10"
    );
    assert_eq!(
        search(
            &tree,
            json!({ "pattern": "^10$", "output_mode": "content", "-B": 50 })
        )
        .lines()
        .count(),
        10
    );
}

#[test]
fn a_pattern_spans_lines_only_when_asked_to() {
    let tree = tree();
    let lines = |pattern: &str, multiline: bool| {
        search(
            &tree,
            json!({ "pattern": pattern, "output_mode": "content", "multiline": multiline, "glob": "a.md" }),
        )
    };
    assert_eq!(lines("beta\\s+gamma", false), "[no match]");
    assert_eq!(lines("beta\\s+gamma", true), "a.md:2:beta\na.md:3:gamma");
    assert_eq!(
        lines("alpha.*gamma", true),
        "a.md:1:alpha\na.md:2:beta\na.md:3:gamma"
    );
    assert_eq!(lines("[^a]+", false).lines().count(), 4);
    assert_eq!(lines("again$", false), "a.md:4:Beta again");
    assert_eq!(lines("x*", true).lines().count(), 4);
}

#[test]
fn the_end_of_a_line_is_found_before_a_carriage_return() {
    let tree = tree();
    let found = search(
        &tree,
        json!({ "pattern": "\\{$", "output_mode": "content" }),
    );
    assert_eq!(found, "src/main.rs:1:fn main() {");
}

#[test]
fn results_are_bounded_and_say_so() {
    let tree = Tree::new();
    tree.file("project/a.txt", "hit\n".repeat(1_000));
    let found = search(
        &tree,
        json!({ "pattern": "hit", "output_mode": "content", "head_limit": 2 }),
    );
    assert_eq!(
        found,
        "a.txt:1:hit\na.txt:2:hit\n[cut: there may be more; narrow the search or raise head_limit]"
    );
    let mut limits = ToolLimits::default();
    limits.result_bytes = 500;
    let toolbox = tree.toolbox().with_limits(limits);
    let found = call(
        &toolbox,
        "Grep",
        json!({ "pattern": "hit", "output_mode": "content" }),
    )
    .unwrap();
    assert!(
        found.len() < 560 && found.ends_with("[cut: more than 500 bytes]"),
        "{found}"
    );
    tree.file("project/long.md", "y".repeat(100_000));
    let found = search(
        &tree,
        json!({ "pattern": "y", "output_mode": "content", "glob": "*.md" }),
    );
    assert!(found.len() < 600 && found.ends_with('…'), "{}", found.len());
    // Only the first megabyte of a file is searched, and the result says that there is more.
    tree.file(
        "project/huge.log",
        format!("{}needle\n", "z\n".repeat(600_000)),
    );
    let found = search(&tree, json!({ "pattern": "needle", "glob": "*.log" }));
    assert!(found.starts_with("[cut: "), "{found}");
}

#[test]
fn a_hostile_pattern_is_refused_or_cheap() {
    let tree = Tree::new();
    tree.file("project/a.txt", "a".repeat(100_000));
    let toolbox = tree.toolbox();
    let error = call(&toolbox, "Grep", json!({ "pattern": "(a" })).unwrap_err();
    assert_eq!(error, "`(a` is no valid regular expression");
    let error = call(&toolbox, "Grep", json!({ "pattern": "(\\w{500}){500}" })).unwrap_err();
    assert_eq!(error, "the pattern is too large when compiled");
    let error = call(&toolbox, "Grep", json!({ "pattern": "a".repeat(5_000) })).unwrap_err();
    assert_eq!(error, "the pattern has more than 4096 bytes");
    assert!(call(&toolbox, "Grep", json!({ "pattern": "(a*)*(a*)*b" })).is_ok());
    let error = call(
        &toolbox,
        "Grep",
        json!({ "pattern": "a", "type": "nonsense" }),
    )
    .unwrap_err();
    assert_eq!(error, "`nonsense` is no known file type");
    let error = call(
        &toolbox,
        "Grep",
        json!({ "pattern": "a", "output_mode": "all" }),
    )
    .unwrap_err();
    assert!(error.contains("output_mode"));
}

#[test]
fn credentials_in_matching_lines_are_taken_out() {
    let tree = Tree::new();
    let key = ["AK", "IA", "Z7Q2M4X5P3R6T2WB"].concat();
    tree.file("project/a.txt", format!("key = {key}\n"));
    let found = search(&tree, json!({ "pattern": "key", "output_mode": "content" }));
    assert!(
        found.contains("[redacted:") && !found.contains(&key),
        "{found}"
    );
}
