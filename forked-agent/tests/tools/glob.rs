//! The tool Glob.

use std::time::{Duration, SystemTime};

use forked_agent::ToolLimits;
use serde_json::json;

use crate::support::{Tree, call};

/// Lists by pattern below the project and returns paths relative to it.
fn list(tree: &Tree, pattern: &str) -> Vec<String> {
    let text = call(&tree.toolbox(), "Glob", json!({ "pattern": pattern })).unwrap();
    let base = format!("{}/", tree.project().display());
    let mut found: Vec<String> = text
        .lines()
        .map(|line| line.strip_prefix(&base).unwrap_or(line).to_owned())
        .collect();
    found.sort();
    found
}

#[test]
fn patterns_match_paths_below_the_folder() {
    let tree = Tree::new();
    for file in [
        "a.md",
        "b.rs",
        "src/c.md",
        "src/deep/d.md",
        "src/e.rs",
        "记忆/f.md",
    ] {
        tree.file(&format!("project/{file}"), "");
    }
    let cases: &[(&str, &[&str])] = &[
        ("*.md", &["a.md"]),
        ("./*.md", &["a.md"]),
        (
            "**/*.md",
            &["a.md", "src/c.md", "src/deep/d.md", "记忆/f.md"],
        ),
        ("src/*", &["src/c.md", "src/e.rs"]),
        (
            "**/*.{rs,md}",
            &[
                "a.md",
                "b.rs",
                "src/c.md",
                "src/deep/d.md",
                "src/e.rs",
                "记忆/f.md",
            ],
        ),
        ("记忆/*", &["记忆/f.md"]),
        ("nothing*", &["[no file matches]"]),
    ];
    for (pattern, expected) in cases {
        assert_eq!(list(&tree, pattern), *expected, "{pattern}");
    }
}

#[test]
fn the_newest_file_comes_first_and_a_long_list_says_what_is_missing() {
    let tree = Tree::new();
    let begin = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for (age, name) in ["oldest", "newest", "middle"]
        .iter()
        .zip([0, 2, 1])
        .map(|(name, age)| (age, name))
    {
        let path = tree.file(&format!("project/{name}.md"), "");
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_modified(begin + Duration::from_secs(age)).unwrap();
    }
    let mut limits = ToolLimits::default();
    limits.names = 2;
    let toolbox = tree.toolbox().with_limits(limits);
    let text = call(&toolbox, "Glob", json!({ "pattern": "*.md" })).unwrap();
    let names: Vec<&str> = text
        .lines()
        .map(|line| line.rsplit('/').next().unwrap())
        .collect();
    assert_eq!(
        names,
        ["newest.md", "middle.md", "[cut: 1 more files match]"]
    );
}

#[test]
fn what_git_ignores_and_hidden_files_are_left_out() {
    let tree = Tree::new();
    for file in [
        "a.md",
        ".hidden.md",
        ".git/x.md",
        "target/b.md",
        "src/c.md",
        "src/skip.md",
        "src/keep/skip.md",
        "docs/target/d.md",
        "build.md/e.md",
    ] {
        tree.file(&format!("project/{file}"), "");
    }
    tree.file(
        "project/.gitignore",
        "/target/\nskip.md\n# comment\n\n[bad\n",
    );
    tree.file("project/src/keep/.gitignore", "!skip.md\n");
    assert_eq!(
        list(&tree, "**/*.md"),
        [
            "a.md",
            "build.md/e.md",
            "docs/target/d.md",
            "src/c.md",
            "src/keep/skip.md"
        ]
    );
}

#[test]
fn rules_above_the_folder_hold_and_a_named_folder_is_looked_into() {
    let tree = Tree::new();
    tree.file("project/.gitignore", "target/\n*.log\n");
    tree.file("project/target/a.md", "");
    tree.file("project/src/b.log", "");
    tree.file("project/src/b.md", "");
    let toolbox = tree.toolbox();
    let in_target = call(
        &toolbox,
        "Glob",
        json!({ "pattern": "*", "path": "target" }),
    )
    .unwrap();
    assert!(in_target.ends_with("target/a.md"), "{in_target}");
    let in_src = call(&toolbox, "Glob", json!({ "pattern": "*", "path": "src/" })).unwrap();
    assert!(
        in_src.ends_with("src/b.md") && !in_src.contains("b.log"),
        "{in_src}"
    );
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let tree = Tree::new();
    tree.file("project/a.md", "");
    std::os::unix::fs::symlink(tree.outside(), tree.project().join("link")).unwrap();
    std::os::unix::fs::symlink("a.md", tree.project().join("b.md")).unwrap();
    assert_eq!(list(&tree, "**"), ["a.md"]);
    let error = call(
        &tree.toolbox(),
        "Glob",
        json!({ "pattern": "*", "path": "link" }),
    )
    .unwrap_err();
    assert!(!error.is_empty());
}

#[test]
fn a_pattern_that_is_none_and_a_folder_elsewhere_are_refused() {
    let tree = Tree::new();
    let toolbox = tree.toolbox();
    let error = call(&toolbox, "Glob", json!({ "pattern": "a[" })).unwrap_err();
    assert_eq!(error, "`a[` is no valid pattern");
    let error = call(
        &toolbox,
        "Glob",
        json!({ "pattern": "*", "path": tree.outside() }),
    )
    .unwrap_err();
    assert!(
        error.ends_with("is outside the folders this agent may touch"),
        "{error}"
    );
    let error = call(
        &toolbox,
        "Glob",
        json!({ "pattern": "*", "path": "missing" }),
    )
    .unwrap_err();
    assert!(error.contains("no such file"), "{error}");
}
