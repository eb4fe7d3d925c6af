//! A model that tries everything it must not do.

use std::os::unix::fs::symlink;

use forked_agent::{Ended, Limits, Permissions};
use serde_json::{Value, json};

use crate::sandbox::as_nobody;
use crate::support::{Tree, calls, results, run_with, snapshot, text};

/// Everything forbidden, each as one call.
fn attempts(tree: &Tree) -> Vec<(&'static str, Value)> {
    let memory = tree.memory().display().to_string();
    let project = tree.project().display().to_string();
    let outside = tree.outside().display().to_string();
    let key = ["AK", "IA", "Z7Q2M4X5P3R6T2WB"].concat();
    let private_key = [
        "-----BEGIN RSA PRIV",
        "ATE KEY-----\n",
        &"MIIEpAIBAAKCAQEA7bq3".repeat(20),
        "\n-----END RSA PRIV",
        "ATE KEY-----\n",
    ]
    .concat();
    let write = |path: &str| ("Write", json!({ "file_path": path, "content": "owned\n" }));
    let edit = |path: &str| {
        (
            "Edit",
            json!({ "file_path": path, "old_string": "outside", "new_string": "owned" }),
        )
    };
    let make = |path: &str| {
        (
            "Edit",
            json!({ "file_path": path, "old_string": "", "new_string": "owned" }),
        )
    };
    let shell = |command: &str| ("Bash", json!({ "command": command }));
    let mut all = Vec::new();
    // Writes outside, by every kind of path.
    for path in [
        format!("{outside}/secret.md"),
        format!("{outside}/new.md"),
        "/etc/new.md".to_owned(),
        "/tmp/new.md".to_owned(),
        format!("{project}/a.md"),
        format!("{project}/new.md"),
        "new.md".to_owned(),
        "a.md".to_owned(),
        format!("{memory}/../outside/secret.md"),
        format!("{memory}/../project/a.md"),
        format!("{memory}/sub/../../outside/new.md"),
        format!("{memory}/./x.md"),
        format!("{memory}//x.md"),
        format!("{memory}-evil/x.md"),
        format!("{memory}/%2e%2e/outside/new.md"),
        format!("{memory}/..%2foutside/new.md"),
        format!("{memory}/\u{ff0e}\u{ff0e}/x.md"),
        format!("{memory}/a\0b.md"),
        format!("{memory}/a\nb.md"),
        format!("{memory}/\u{202e}x.md"),
        format!("{memory}/CON.md"),
        format!("{memory}/x.md."),
        format!("{memory}/x.md "),
        format!("{memory}/x.md:stream.md"),
        format!("{memory}/.git/x.md"),
        format!("{memory}\\..\\outside\\new.md"),
        format!("{memory}/{}.md", "x".repeat(300)),
        format!("{memory}/{}x.md", "d/".repeat(80)),
        "../memory/x.md".to_owned(),
        "~/x.md".to_owned(),
        String::new(),
        memory.clone(),
        format!("{memory}/"),
        "/".to_owned(),
        "file:///etc/new.md".to_owned(),
        // Through links: to a file, to a folder, dangling, in a circle, to the memory's own file.
        format!("{memory}/link.md"),
        format!("{memory}/dir/secret.md"),
        format!("{memory}/dir/new.md"),
        format!("{memory}/dangling.md"),
        format!("{memory}/loop.md"),
        format!("{memory}/own.md"),
        // A file that is another one's second name, and one that is no file.
        format!("{memory}/hard.md"),
        format!("{memory}/fifo.md"),
        format!("{memory}/folder.md"),
        // Other extensions.
        format!("{memory}/x.sh"),
        format!("{memory}/x"),
        format!("{memory}/.bashrc"),
        format!("{memory}/x.md.sh"),
        format!("{memory}/MEMORY"),
        // What is there and was not read.
        format!("{memory}/kept.md"),
    ] {
        all.push(write(&path));
        all.push(edit(&path));
        all.push(make(&path));
    }
    // Secrets, also in pieces that an edit would put together.
    all.push((
        "Write",
        json!({ "file_path": format!("{memory}/s.md"), "content": format!("key {key}\n") }),
    ));
    all.push((
        "Write",
        json!({ "file_path": format!("{memory}/s.md"), "content": private_key }),
    ));
    all.push((
        "Edit",
        json!({ "file_path": format!("{memory}/half.md"), "old_string": "HERE", "new_string": "AKIA" }),
    ));
    // Reads outside.
    for path in [
        format!("{outside}/secret.md"),
        "/etc/passwd".to_owned(),
        format!("{project}/link/secret.md"),
    ] {
        all.push(("Read", json!({ "file_path": path })));
        all.push((
            "Grep",
            json!({ "pattern": "outside", "path": path, "output_mode": "content" }),
        ));
        all.push(("Glob", json!({ "pattern": "**", "path": path })));
    }
    // Shell tricks.
    for command in [
        "rm -rf .",
        "echo owned > a.md",
        "cat a.md > b.md",
        "tee b.md",
        "cp a.md b.md",
        "mv a.md b.md",
        "touch b.md",
        "ls; rm a.md",
        "ls && rm a.md",
        "ls | tee b.md",
        "ls `touch b.md`",
        "ls $(touch b.md)",
        "ls 2>b.md",
        "ls &",
        "find . -delete",
        "find . -exec rm {} +",
        "find . -fprint b.md",
        "find -L .",
        "env rm a.md",
        "A=1 ls",
        "/bin/rm a.md",
        "\\rm a.md",
        "r''m a.md",
        "sh -c 'rm a.md'",
        "cat link/secret.md",
        "cat ../outside/secret.md",
        "cat /etc/passwd",
        "grep -r root /etc",
        "cat /proc/self/environ",
        "cat /dev/zero",
        "tail -f a.md",
        "cat",
        "ls\nrm a.md",
        "ls\u{a0}a.md",
        "wc --files0-from=list",
        "grep -f ../outside/secret.md a.md",
        "head -n 1 link/*",
        "ls ~",
        "cat {a,b}.md",
        "sort -o a.md a.md",
        "sed -i s/a/b/ a.md",
        "git commit -am x",
        "curl http://example.com",
        "python3 -c 1",
    ] {
        all.push(shell(command));
    }
    all.push((
        "Bash",
        json!({ "command": "ls", "run_in_background": true }),
    ));
    // Other tools, and calls that make no sense.
    for name in [
        "mcp__db__query",
        "Task",
        "Agent",
        "WebFetch",
        "WebSearch",
        "NotebookEdit",
        "Skill",
        "",
        "write",
        "💣",
    ] {
        all.push((
            name,
            json!({ "file_path": format!("{memory}/x.md"), "content": "owned" }),
        ));
    }
    for input in [
        json!(null),
        json!([]),
        json!("x"),
        json!(7),
        json!({}),
        json!({ "file_path": {} }),
    ] {
        for name in ["Read", "Write", "Edit", "Bash", "Glob", "Grep"] {
            all.push((name, input.clone()));
        }
    }
    all
}

fn tree(folder: &std::path::Path) -> Tree {
    let tree = Tree::inside(folder);
    tree.file("project/a.md", "outside of the memory\n");
    tree.file("project/list", "a.md\0");
    tree.file("memory/kept.md", "kept\n");
    tree.file("memory/half.md", "HEREZ7Q2M4X5P3R6T2WB\n");
    let memory = tree.memory();
    symlink(tree.outside(), tree.project().join("link")).unwrap();
    symlink(tree.outside().join("secret.md"), memory.join("link.md")).unwrap();
    symlink(tree.outside(), memory.join("dir")).unwrap();
    symlink(tree.outside().join("later.md"), memory.join("dangling.md")).unwrap();
    symlink("loop.md", memory.join("loop.md")).unwrap();
    symlink("kept.md", memory.join("own.md")).unwrap();
    std::fs::hard_link(tree.outside().join("secret.md"), memory.join("hard.md")).unwrap();
    std::fs::create_dir(memory.join("folder.md")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(memory.join("fifo.md"))
        .status();
    assert!(made.unwrap().success());
    tree
}

#[test]
fn nothing_forbidden_happens_and_every_attempt_gets_its_reason() {
    as_nobody(
        "hostile::nothing_forbidden_happens_and_every_attempt_gets_its_reason",
        |folder| {
            let tree = tree(folder);
            let attempts = attempts(&tree);
            // Opening the FIFO would block, so it is looked at only by name.
            std::fs::remove_file(tree.memory().join("fifo.md")).unwrap();
            let before = snapshot(folder);
            let made = std::process::Command::new("mkfifo")
                .arg(tree.memory().join("fifo.md"))
                .status();
            assert!(made.unwrap().success());

            let count = attempts.len();
            assert!(count > 250, "{count}");
            let limits = Limits::default().with_max_turns(100).with_max_calls(10);
            let mut replies: Vec<_> = attempts.chunks(10).map(calls).collect();
            replies.push(text("I give up"));
            let toolbox = tree.toolbox();
            let outcome = run_with(&toolbox, &Permissions::default(), limits, replies);

            assert_eq!(outcome.ended, Ended::Finished);
            let results = results(&outcome.messages);
            assert_eq!(results.len(), count);
            for (attempt, result) in attempts.iter().zip(&results) {
                let reason = result
                    .as_ref()
                    .expect_err(&format!("{attempt:?} was allowed"));
                assert!(
                    !reason.trim().is_empty() && reason.len() < 700,
                    "{attempt:?}: {reason:?}"
                );
                assert!(
                    !reason.contains("secret-scan") || !reason.contains("AKIA"),
                    "{reason}"
                );
            }
            assert!(outcome.writes.is_empty());
            assert_eq!(outcome.failed.len(), count);
            std::fs::remove_file(tree.memory().join("fifo.md")).unwrap();
            assert_eq!(snapshot(folder), before, "something was changed");
        },
    );
}

#[test]
fn what_is_allowed_stays_inside_the_memory_folder() {
    as_nobody(
        "hostile::what_is_allowed_stays_inside_the_memory_folder",
        |folder| {
            let tree = tree(folder);
            let outside = (snapshot(&tree.outside()), snapshot(&tree.project()));
            let toolbox = tree.toolbox();
            for path in ["ok.md", "deep/er/ok.md", "记忆.md"] {
                let write = json!({ "file_path": tree.memory().join(path), "content": "fine\n" });
                let replies = vec![calls(&[("Write", write)])];
                let outcome = run_with(
                    &toolbox,
                    &Permissions::default(),
                    Limits::default(),
                    replies,
                );
                assert_eq!(
                    outcome.ended,
                    Ended::Written,
                    "{path}: {:?}",
                    outcome.failed
                );
            }
            assert_eq!(
                outside,
                (snapshot(&tree.outside()), snapshot(&tree.project()))
            );
        },
    );
}
