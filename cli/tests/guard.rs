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
    let git = |arguments: &[&str]| home.git("project", arguments);
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

#[test]
fn a_command_is_decoded_or_refused_with_the_rule() {
    let home = Home::new();
    home.file("a.md", "one\n");
    home.file("b c.md", "two\n");
    let good = home
        .run(&["guard", "shell", "grep -n 'one' *.md | head -5"])
        .expect(0);
    assert_eq!(good.out, "grep -n one a.md 'b c.md'\nhead -5\n");
    let good = home
        .run(&["guard", "shell", "ls -l && cat a.md", "--json"])
        .expect(0);
    let value = json!([["ls", "-l"], ["cat", "a.md"]]);
    assert_eq!(good.json(), [json!({"ok": true, "value": value})]);
    for (command, reason) in [
        ("rm a.md", "program"),
        ("ls $(rm a.md)", "syntax"),
        ("cat a.md > b.md", "syntax"),
        ("tail -f a.md", "option"),
        ("find . -delete", "option"),
        ("cat /etc/passwd", "outside"),
        ("cat ../../x", "outside"),
        ("cat /dev/zero", "special"),
        ("ls\u{202e}", "character"),
        ("cat", "input"),
        ("", "empty"),
    ] {
        let bad = home
            .run(&["guard", "shell", command, "--json"])
            .expect(3)
            .json();
        assert_eq!(
            (&bad[0]["ok"], &bad[0]["kind"], &bad[0]["reason"]),
            (&json!(false), &json!("shell"), &json!(reason)),
            "{command}: {bad:?}"
        );
        assert!(home.project().join("a.md").exists());
    }
}

#[cfg(unix)]
#[test]
fn a_command_does_not_read_through_a_link_that_leads_out() {
    let home = Home::new();
    home.file("in/a.md", "one\n");
    std::os::unix::fs::symlink("/etc", home.project().join("out")).expect("a link");
    home.run(&["guard", "shell", "cat in/a.md"]).expect(0);
    home.run(&["guard", "shell", "cat out/passwd"]).expect(3);
}

#[test]
fn many_commands_are_checked_in_one_go() {
    let home = Home::new();
    let other = home.file("other/x.md", "x");
    let other = other.parent().expect("a folder").to_str().expect("UTF-8");
    let lines = [
        json!({"kind": "context", "cwd": other}),
        json!({"id": 1, "kind": "shell", "input": "cat x.md"}),
        json!({"id": 2, "kind": "shell", "input": "cat x.md; rm x.md"}),
        json!({"id": 3, "kind": "shell", "input_hex": "6c73ff"}),
    ];
    let input = lines.map(|line| line.to_string()).join("\n");
    let answers = home
        .run_with(&["guard", "batch"], input.as_bytes())
        .expect(0)
        .json();
    assert_eq!(
        answers[0],
        json!({"id": 1, "ok": true, "value": [["cat", "x.md"]]})
    );
    assert_eq!(
        (&answers[1]["ok"], &answers[1]["reason"]),
        (&json!(false), &json!("program"))
    );
    assert_eq!(answers[2]["ok"], json!(false));
}

#[test]
fn a_listing_needs_no_key_and_a_read_does() {
    let home = Home::new();
    home.file("a.md", "text\n");
    let root = home.project();
    let root = root.to_str().expect("UTF-8");
    assert_eq!(
        home.run(&["guard", "fs", root, "list"]).expect(0).out,
        "a.md\n"
    );
    for operation in ["read", "write"] {
        let run = home.run(&["guard", "fs", root, operation]).expect(2);
        assert!(run.err.contains("<KEY>"), "{}", run.err);
    }
}
