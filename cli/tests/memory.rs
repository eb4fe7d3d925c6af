//! The commands on the memory folder, from the first save to the purge.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::{Home, Run};

fn save(home: &Home, title: &str, body: &str) -> Run {
    let description = format!("what {title} is about");
    home.run_with(
        &[
            "save",
            "--type",
            "project",
            "--name",
            title,
            "--description",
            &description,
            "--json",
            "-",
        ],
        body.as_bytes(),
    )
}

fn names(home: &Home) -> Vec<String> {
    let lines = home.run(&["list", "--json"]).expect(0).json();
    let mut names: Vec<String> = lines
        .iter()
        .map(|line| line["name"].as_str().expect("a name").to_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_memory_is_saved_listed_shown_and_indexed() {
    let home = Home::new();
    let saved = save(
        &home,
        "Deploy window",
        "Tuesdays.\n\n**Why:** on-call\n**How to apply:** propose it\n",
    );
    let saved = saved.expect(0).json();
    assert_eq!(saved[0]["path"], "project_deploy_window.md");
    assert!(
        saved[0]["hash"].is_string() && saved[0]["index"]["lines"] == 1,
        "{saved:?}"
    );

    let listed = home.run(&["list", "--json"]).expect(0).json();
    let mut keys: Vec<&String> = listed[0].as_object().expect("an object").keys().collect();
    keys.sort();
    assert_eq!(
        keys,
        [
            "bytes",
            "description",
            "modified",
            "name",
            "path",
            "tokens",
            "type"
        ]
    );
    assert_eq!(
        (&listed[0]["name"], &listed[0]["type"]),
        (&json!("Deploy window"), &json!("project"))
    );

    let shown = home.run(&["show", "deploy window"]).expect(0);
    assert!(shown.out.starts_with("---\nname: Deploy window\n") && shown.out.contains("Tuesdays."));
    let index = home.run(&["index"]).expect(0);
    assert!(
        index
            .out
            .contains("[Deploy window](project_deploy_window.md)"),
        "{}",
        index.out
    );
    assert!(index.err.contains("of 200 lines"), "{}", index.err);
    assert!(home.run(&["check"]).expect(0).out.is_empty());
}

#[test]
fn an_existing_memory_is_replaced_only_with_its_hash() {
    let home = Home::new();
    let first = save(&home, "Window", "one\n").expect(0).json();
    let refused = save(&home, "Window", "two\n").expect(5);
    assert!(refused.err.contains("project_window.md"), "{}", refused.err);
    let hash = first[0]["hash"].as_str().expect("a hash");
    let replace = |hash: &str, body: &str| {
        home.run_with(
            &[
                "save",
                "--type",
                "project",
                "--name",
                "Window",
                "--description",
                "d",
                "--expect",
                hash,
                "-",
            ],
            body.as_bytes(),
        )
    };
    replace(hash, "two\n").expect(0);
    replace(hash, "three\n").expect(5);
    replace("no hash", "three\n").expect(2);
    assert!(
        home.run(&["show", "Window"])
            .expect(0)
            .out
            .ends_with("two\n")
    );
}

#[test]
fn forget_undo_history_and_restore_bring_things_back() {
    let home = Home::new();
    let reasons = "\n**Why:** w\n**How to apply:** h\n";
    save(&home, "Window", &format!("one\n{reasons}")).expect(0);
    save(&home, "Other", &format!("text\n{reasons}")).expect(0);
    home.run(&["forget", "Window"]).expect(0);
    assert_eq!(names(&home), ["Other"]);
    home.run(&["show", "Window"]).expect(4);
    home.run(&["undo"]).expect(0);
    assert_eq!(names(&home), ["Other", "Window"]);
    home.run(&["rename", "Window", "Deploys"]).expect(0);
    assert_eq!(names(&home), ["Deploys", "Other"]);
    let history = home.run(&["history", "Deploys", "--json"]).expect(0).json();
    let operations: Vec<&Value> = history.iter().map(|line| &line["operation"]).collect();
    assert!(
        operations.contains(&&json!("rename")) && operations.contains(&&json!("save")),
        "{history:?}"
    );
    home.run(&["forget", "Deploys"]).expect(0);
    home.run(&["restore", "Deploys"]).expect(0);
    assert_eq!(names(&home), ["Deploys", "Other"]);
    assert!(home.run(&["check"]).expect(0).out.is_empty());
}

#[test]
fn purge_leaves_nothing_of_a_memory_anywhere_below_the_home() {
    let home = Home::new();
    let word = "quixotic-marmalade-77";
    save(&home, "Window", &format!("{word}\n")).expect(0);
    home.run(&["forget", "Window"]).expect(0);
    let holds = |path: &PathBuf| {
        let found = Command::new("grep")
            .args(["-rl", word])
            .arg(path)
            .output()
            .expect("grep runs");
        !found.stdout.is_empty()
    };
    let root = home.path().to_path_buf();
    assert!(holds(&root), "the history keeps it");
    home.run(&["purge", "Window"]).expect(0);
    assert!(!holds(&root));
    home.run(&["undo"]).expect(3);
}

#[test]
fn a_team_memory_with_a_credential_is_refused_without_showing_it() {
    let home = Home::new();
    let token = ["gh", "p_", "16C7e42F292c6912E7", "710c838347Ae178B4a"].concat();
    let body = format!("first\nthe token is {token}\n");
    let arguments = [
        "save",
        "--team",
        "--type",
        "reference",
        "--name",
        "Bot",
        "--description",
        "d",
        "-",
    ];
    let refused = home.run_with(&arguments, body.as_bytes()).expect(3);
    assert!(refused.err.contains("github-pat"), "{}", refused.err);
    for piece in token.as_bytes().windows(8) {
        assert!(
            !refused
                .err
                .contains(std::str::from_utf8(piece).expect("ASCII"))
        );
    }
    assert!(names(&home).is_empty());
    let arguments = [
        "save",
        "--type",
        "reference",
        "--name",
        "Bot",
        "--description",
        "d",
        "-",
    ];
    let warned = home.run_with(&arguments, body.as_bytes()).expect(0);
    assert!(warned.err.contains("github-pat"), "{}", warned.err);
    home.run(&["check"]).expect(1);
}

#[test]
fn where_tells_the_folder_and_what_decided_and_makes_nothing() {
    let home = Home::new();
    let place = home.run(&["where", "--json"]).expect(0).json();
    assert_eq!(place[0]["decided_by"]["source"], "default");
    assert_eq!(place[0]["exists"], false);
    assert!(!home.memory_dir().exists());
    let other = home.path().join("elsewhere");
    let other = other.to_str().expect("UTF-8");
    let moved = home
        .run(&["where", "--json", "--memory-dir", other])
        .expect(0)
        .json();
    assert_eq!(moved[0]["memory_dir"], other);
    home.run(&["where"]).expect(0);
}

#[test]
fn settings_committed_to_a_repository_cannot_move_the_folder() {
    let home = Home::new();
    let before = home.memory_dir();
    home.file(
        ".claude/settings.json",
        r#"{"autoMemoryDirectory": "~/.ssh"}"#,
    );
    home.file(
        ".memstrata/config.toml",
        "[memory]\ndirectory = \"~/.ssh\"\n",
    );
    let run = home.run(&["where", "--json"]).expect(0).json();
    assert_eq!(run[0]["memory_dir"], before.to_str().expect("UTF-8"));
    assert!(!run[0]["warnings"].as_array().expect("a list").is_empty());
    save(&home, "Window", "one\n").expect(0);
    assert!(!home.path().join(".ssh").exists());
}

#[test]
fn a_worktree_shares_the_memory_of_its_main_repository() {
    let home = Home::new();
    home.git(".", &["init", "-q", "project"]);
    home.git(
        ".",
        &[
            "-C",
            "project",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "first",
        ],
    );
    home.git(".", &["-C", "project", "worktree", "add", "-q", "../tree"]);
    save(&home, "Window", "one\n").expect(0);
    let tree = home.path().join("tree");
    let tree = tree.to_str().expect("UTF-8");
    let listed = home
        .run(&["list", "--json", "--project", tree])
        .expect(0)
        .json();
    assert_eq!(listed.len(), 1);
}

#[test]
fn a_renamed_project_is_offered_its_memories_and_takes_them_over() {
    let home = Home::new();
    home.git(".", &["init", "-q", "project"]);
    home.git(
        ".",
        &[
            "-C",
            "project",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "first",
        ],
    );
    let path = std::env::var("PATH").expect("a search path");
    let run = |arguments: &[&str]| {
        let mut command = home.command(arguments);
        command.env("PATH", &path).current_dir(home.path());
        Run::from(command.output().expect("the program runs"))
    };
    let project = home.project();
    let project = project.to_str().expect("UTF-8");
    run(&[
        "save",
        "--project",
        project,
        "--type",
        "user",
        "--name",
        "Role",
        "--description",
        "d",
        "backend",
    ])
    .expect(0);
    std::fs::rename(home.project(), home.path().join("renamed")).expect("a rename");
    let renamed = home.path().join("renamed");
    let renamed = renamed.to_str().expect("UTF-8");
    let offered = run(&["list", "--project", renamed]).expect(0);
    assert!(
        offered.out.is_empty() && offered.err.contains("memstrata adopt"),
        "{}",
        offered.err
    );
    let adopted = run(&["adopt", "--project", renamed, "--json"]).expect(0);
    crate::schema::check(include_str!("../../docs/schemas/adopt.json"), &adopted);
    let listed = run(&["list", "--json", "--project", renamed])
        .expect(0)
        .json();
    assert_eq!(listed[0]["name"], "Role");
    run(&["adopt", "--project", renamed]).expect(4);
}

#[test]
fn check_finds_and_fix_mends_as_one_change() {
    let home = Home::new();
    save(&home, "Window", "one\n\n**Why:** w\n**How to apply:** h\n").expect(0);
    let orphan = home.memory_dir().join("user_role.md");
    std::fs::write(
        &orphan,
        "---\nname: Role\ndescription: what they do\ntype: user\n---\n\nGo.\n",
    )
    .expect("a file");
    let found = home.run(&["check", "--json"]).expect(1).json();
    let mut keys: Vec<&String> = found[0].as_object().expect("an object").keys().collect();
    keys.sort();
    assert_eq!(
        keys,
        ["code", "fixable", "line", "message", "path", "severity"]
    );
    home.run(&["check", "--fix"]).expect(0);
    assert!(home.run(&["index"]).expect(0).out.contains("user_role.md"));
    home.run(&["undo"]).expect(0);
    home.run(&["check"]).expect(1);
}

#[test]
fn the_prompt_is_stable_and_says_what_it_costs() {
    let home = Home::new();
    save(&home, "Window", "one\n").expect(0);
    let first = home.run(&["prompt"]).expect(0);
    assert!(first.out.starts_with("# auto memory") && first.out.contains("project_window.md"));
    assert!(first.err.contains("tokens"), "{}", first.err);
    assert_eq!(home.run(&["prompt"]).expect(0).out, first.out);
    assert!(
        home.run(&["prompt", "--team"])
            .expect(0)
            .out
            .contains("## Memory scope")
    );
    assert!(
        home.run(&["prompt", "--log-mode"])
            .expect(0)
            .out
            .contains("YYYY-MM-DD")
    );
    assert_ne!(
        home.run(&["prompt", "--no-index-step"]).expect(0).out,
        first.out
    );
    assert!(home.memory_dir().is_dir());
}

#[test]
fn a_log_entry_goes_to_the_file_of_the_day() {
    let home = Home::new();
    let entry = home.run(&["log", "shipped 1.2", "--json"]).expect(0).json();
    let path = entry[0]["path"].as_str().expect("a path");
    assert!(path.starts_with("logs/20"), "{path}");
    let text = std::fs::read_to_string(home.memory_dir().join(path)).expect("a file");
    assert!(text.contains("shipped 1.2"));
    home.run(&["log", ""]).expect(3);
}

#[test]
fn the_inbox_is_empty_and_unknown_candidates_are_not_found() {
    let home = Home::new();
    assert!(home.run(&["inbox"]).expect(0).out.is_empty());
    home.run(&["inbox", "accept", "nothing"]).expect(4);
}
