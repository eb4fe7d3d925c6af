//! The tool Bash.

use serde_json::json;

use crate::sandbox::as_nobody;
use crate::support::{Tree, call};

#[test]
fn a_read_only_command_runs_in_the_project_and_may_read_the_memory() {
    as_nobody(
        "tools::shell::a_read_only_command_runs_in_the_project_and_may_read_the_memory",
        |folder| {
            let tree = Tree::inside(folder);
            tree.file("project/a.md", "one\ntwo\n");
            let note = tree.file("memory/note.md", "remembered\n");
            let toolbox = tree.toolbox();
            let run = |command: String| call(&toolbox, "Bash", json!({ "command": command }));
            assert_eq!(
                run("ls && wc -l < a.md".to_owned()).unwrap_err(),
                "`<` redirects; only `2>/dev/null` and `2>&1` are allowed (at byte 12)"
            );
            assert_eq!(run("cat a.md | wc -l".to_owned()).unwrap(), "2");
            assert_eq!(
                run(format!("cat {}", note.display())).unwrap(),
                "remembered"
            );
            assert_eq!(
                run("grep nothing a.md".to_owned()).unwrap(),
                "[exit code 1]"
            );
            assert_eq!(run("grep -q one a.md".to_owned()).unwrap(), "[no output]");
            let missing = run("ls missing".to_owned()).unwrap();
            assert!(
                missing.contains("No such file") && missing.ends_with("[exit code 2]"),
                "{missing}"
            );
        },
    );
}

#[test]
fn everything_else_is_refused_with_a_reason() {
    as_nobody(
        "tools::shell::everything_else_is_refused_with_a_reason",
        |folder| {
            let tree = Tree::inside(folder);
            tree.file("project/a.md", "one\n");
            std::os::unix::fs::symlink(tree.outside(), tree.project().join("link")).unwrap();
            let toolbox = tree.toolbox();
            for command in [
                "rm a.md",
                "cat /etc/passwd",
                "cat link/secret.md",
                "ls > b",
                "cat $HOME",
                "tail -f a.md",
                "",
            ] {
                let reason = call(&toolbox, "Bash", json!({ "command": command })).unwrap_err();
                assert!(reason.contains("(at byte "), "{command}: {reason}");
            }
            let input = json!({ "command": "ls", "run_in_background": true });
            assert_eq!(
                call(&toolbox, "Bash", input).unwrap_err(),
                "nothing may run in the background"
            );
            assert_eq!(tree.read("project/a.md"), "one\n");
        },
    );
}

#[test]
fn long_output_and_credentials_are_cut() {
    as_nobody(
        "tools::shell::long_output_and_credentials_are_cut",
        |folder| {
            let tree = Tree::inside(folder);
            let key = ["AK", "IA", "Z7Q2M4X5P3R6T2WB"].concat();
            tree.file("project/a.md", format!("key = {key}\n"));
            tree.file("project/long.md", "line\n".repeat(100_000));
            let toolbox = tree.toolbox();
            let text = call(&toolbox, "Bash", json!({ "command": "cat a.md" })).unwrap();
            assert!(
                !text.contains(&key) && text.contains("[redacted:"),
                "{text}"
            );
            let text = call(&toolbox, "Bash", json!({ "command": "cat long.md" })).unwrap();
            assert!(
                text.len() < 31_000 && text.ends_with("[cut: more output than a result may have]")
            );
        },
    );
}
