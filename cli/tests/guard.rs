//! `memstrata guard`: answers, exit codes and the batch form.

use serde_json::{Value, json};

use crate::harness::Home;

#[test]
fn a_key_is_answered_with_itself_or_with_the_rule_that_refused_it() {
    let home = Home::new();
    let good = home.run(&["guard", "key", "feedback_テスト.md"]).expect(0);
    assert_eq!(good.out, "feedback_テスト.md\n");
    let bad = home.run(&["guard", "key", "a/../../b.md"]).expect(3);
    assert_eq!(bad.out, "");
    assert!(bad.err.contains("a/../../b.md"), "{}", bad.err);

    let good = home.run(&["guard", "key", "a.md", "--json"]).expect(0);
    assert_eq!(good.json(), [json!({"ok": true, "value": "a.md"})]);
    let bad = home.run(&["guard", "key", "..", "--json"]).expect(3).json();
    assert_eq!(
        (&bad[0]["ok"], &bad[0]["kind"]),
        (&json!(false), &json!("traversal"))
    );
    assert!(bad[0]["error"].is_string());
}

#[test]
fn a_folder_from_a_setting_is_resolved_or_refused() {
    let home = Home::new();
    let good = home.run(&["guard", "dir", "~/notes"]).expect(0);
    assert_eq!(
        good.out.trim_end(),
        home.path().join("notes").to_str().expect("UTF-8")
    );
    for dir in [
        "",
        "~",
        "~/",
        "~/..",
        "relative",
        "/",
        "//server/share",
        "\\\\server\\share",
        "/proc/self",
    ] {
        home.run(&["guard", "dir", dir]).expect(3);
    }
}

#[test]
fn a_write_is_allowed_inside_the_root_only() {
    let home = Home::new();
    home.file("team/a.md", "text");
    home.file("team-evil/b.md", "text");
    let team = home.project().join("team");
    let team = team.to_str().expect("UTF-8");
    for path in ["new.md", "a.md", "sub/new.md", &format!("{team}/a.md")] {
        home.run(&["guard", "write", team, path]).expect(0);
    }
    for path in [
        "../b.md",
        &format!("{team}-evil/b.md"),
        "/etc/passwd",
        "a.md/b.md",
    ] {
        home.run(&["guard", "write", team, path]).expect(3);
    }
}

#[test]
fn the_canonical_root_of_a_worktree_is_its_main_repository() {
    let home = Home::new();
    let git = |arguments: &[&str]| {
        let done = std::process::Command::new("git")
            .args(["-c", "user.name=n", "-c", "user.email=e@example.com", "-C"])
            .arg(home.project())
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .expect("git runs");
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
    };
    git(&["init", "-q", "main"]);
    git(&["-C", "main", "commit", "-q", "--allow-empty", "-m", "first"]);
    git(&["-C", "main", "worktree", "add", "-q", "../tree"]);
    let real = home
        .project()
        .canonicalize()
        .expect("a real path")
        .join("main");
    for dir in ["main", "tree"] {
        let run = home.run(&["guard", "git", dir]).expect(0);
        assert_eq!(run.out.trim_end(), real.to_str().expect("UTF-8"), "{dir}");
    }
}

#[test]
fn files_are_read_written_and_listed_through_the_guard() {
    let home = Home::new();
    home.file("root/a.md", "first");
    home.file("outside.md", "outside");
    let fs = |arguments: &[&str], input: &str| {
        let all: Vec<&str> = ["guard", "fs", "root"]
            .iter()
            .chain(arguments)
            .copied()
            .collect();
        home.run_with(&all, input.as_bytes())
    };
    assert_eq!(fs(&["read", "a.md"], "").expect(0).out, "first");
    fs(&["write", "a.md"], "second").expect(0);
    assert_eq!(
        fs(&["read", "a.md", "3"], "").expect(0).out,
        "second".repeat(3)
    );
    assert_eq!(fs(&["list", "."], "").expect(0).out, "a.md\n");
    fs(&["read", "none.md"], "").expect(4);
    fs(&["read", "../outside.md"], "").expect(3);
    fs(&["read", "none.md", "5"], "").expect(4);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../outside.md", home.project().join("root/link.md"))
            .expect("a link");
        let run = fs(&["read", "link.md"], "").expect(3);
        assert!(run.out.is_empty());
        fs(&["write", "link.md"], "hostile").expect(3);
        let outside = std::fs::read_to_string(home.project().join("outside.md")).expect("a file");
        assert_eq!(outside, "outside");
        std::fs::hard_link(
            home.project().join("outside.md"),
            home.project().join("root/hard.md"),
        )
        .expect("a hard link");
        fs(&["read", "hard.md"], "").expect(3);
    }
}

#[test]
fn a_batch_answers_every_line_in_order_with_its_id() {
    let home = Home::new();
    home.file("team/a.md", "text");
    let team = home.project().join("team");
    let lines = [
        json!({"kind": "context", "home": home.path(), "cwd": home.project(), "team_dir": team}),
        json!({"id": 1, "kind": "server-key", "input": "a.md"}),
        json!({"id": "two", "kind": "server-key", "input": "a//b.md"}),
        json!({"id": 3, "kind": "server-key", "input_hex": "ff"}),
        json!({"id": 4, "kind": "server-key", "input_hex": "612e6d64"}),
        json!({"id": 5, "kind": "config-dir", "input": "~/notes"}),
        json!({"id": 6, "kind": "write-path", "input": "b.md"}),
        json!({"id": 7, "kind": "write-path", "input": "../b.md"}),
        json!({"id": 8, "kind": "key-set", "inputs": ["a.md", "b.md"]}),
        json!({"id": 9, "kind": "key-set", "inputs": ["a.md", "A.md"]}),
        json!({"id": 10, "kind": "project-root", "input": "team"}),
        json!({"id": 11, "kind": "no-such-kind", "input": ""}),
        json!({"id": 12, "kind": "server-key"}),
    ];
    let input = lines.map(|line| line.to_string()).join("\n");
    let answers = home
        .run_with(&["guard", "batch"], input.as_bytes())
        .expect(0)
        .json();
    let ok: Vec<bool> = answers.iter().map(|answer| answer["ok"] == true).collect();
    assert_eq!(
        ok,
        [
            true, false, false, true, true, true, false, true, false, true, false, false
        ],
        "{answers:#?}"
    );
    assert_eq!(answers[1]["id"], "two");
    assert_eq!(answers[8]["kind"], "collision");
    assert!(
        answers
            .iter()
            .all(|answer| answer["ok"] == true || answer["error"].is_string())
    );
}

#[test]
fn a_broken_line_costs_one_line() {
    let home = Home::new();
    let input = b"{\"id\":1,\"kind\":\"server-key\",\"input\":\"a.md\"}\nnonsense\n\n\xff\n{\"id\":2,\"kind\":\"server-key\",\"input\":\"b.md\"}";
    let answers = home.run_with(&["guard", "batch"], input).expect(2).json();
    assert_eq!(answers.len(), 4);
    assert_eq!(answers[3], json!({"id": 2, "ok": true, "value": "b.md"}));
    assert_eq!(answers[1]["id"], Value::Null);
}

#[test]
fn a_line_without_end_is_answered_and_skipped() {
    let home = Home::new();
    let mut input = vec![b'x'; 5 << 20];
    input.extend_from_slice(b"\n{\"id\":2,\"kind\":\"server-key\",\"input\":\"b.md\"}\n");
    let answers = home.run_with(&["guard", "batch"], &input).expect(2).json();
    assert_eq!(answers.len(), 2);
    assert_eq!(answers[1]["ok"], true);
}
