//! `memstrata doctor`: each check, with the thing it checks broken for real.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::harness::Home;
use crate::schema;

const SCHEMA: &str = include_str!("../../docs/schemas/doctor.json");

/// Runs the doctor, with git on the search path, and gives back what it found.
#[track_caller]
fn examine(home: &Home, code: i32) -> Vec<Value> {
    examine_with(home, code, &[])
}

#[track_caller]
fn examine_with(home: &Home, code: i32, variables: &[(&str, &str)]) -> Vec<Value> {
    let mut command = home.command(&["doctor", "--json", "--offline"]);
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.envs(variables.iter().copied());
    let run = crate::harness::Run::from(command.output().expect("the program runs")).expect(code);
    schema::check(SCHEMA, &run);
    run.json()
}

/// What a check found.
#[track_caller]
fn of<'a>(findings: &'a [Value], check: &str) -> &'a Value {
    let found = findings.iter().find(|one| one["check"] == check);
    found.unwrap_or_else(|| panic!("no check {check}: {findings:?}"))
}

/// Asserts the status of a check, a part of its words, and that a finding has a remedy.
#[track_caller]
fn expect(findings: &[Value], check: &str, status: &str, part: &str) {
    let found = of(findings, check);
    let detail = found["detail"].as_str().expect("words");
    assert_eq!(found["status"], status, "{found}");
    assert!(detail.contains(part), "{found}");
    assert_eq!(found["remedy"].is_string(), status != "ok", "{found}");
}

fn save(home: &Home, title: &str, body: &str) {
    let arguments = [
        "save",
        "--type",
        "user",
        "--name",
        title,
        "--description",
        "what it is",
        body,
    ];
    home.run(&arguments).expect(0);
}

/// The memory folder and the state folder.
fn places(home: &Home) -> (PathBuf, PathBuf) {
    let place = home.run(&["where", "--json"]).expect(0).json();
    let path = |name: &str| PathBuf::from(place[0][name].as_str().expect("a path"));
    (path("memory_dir"), path("state_dir"))
}

#[test]
fn a_fresh_machine_and_a_used_one_pass_all_checks() {
    let home = Home::new();
    let findings = examine(&home, 0);
    expect(&findings, "folder", "ok", "is made with the first memory");
    assert!(
        !home.path().join(".claude").exists(),
        "looking made a folder"
    );
    save(&home, "Role", "Writes Go.");
    let findings = examine(&home, 0);
    assert!(findings.len() > 15, "{findings:?}");
    for check in [
        "git", "home", "settings", "modes", "folder", "history", "index", "memories", "inbox",
        "lease",
    ] {
        expect(&findings, check, "ok", "");
    }
    let said = home.run(&["doctor"]);
    assert!(said.out.contains("ok    folder"), "{}", said.out);
}

#[test]
fn git_that_is_not_found_is_said() {
    let home = Home::new();
    let run = home.run(&["doctor", "--json", "--offline"]).expect(1);
    expect(&run.json(), "git", "warn", "not found");
}

#[test]
fn a_home_that_is_no_folder_or_anybodys_is_found() {
    let home = Home::new();
    let file = home.file("plain", "x");
    let findings = examine_with(
        &home,
        1,
        &[("MEMSTRATA_HOME", file.to_str().expect("UTF-8"))],
    );
    expect(&findings, "home", "fail", "no folder");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        save(&home, "Role", "Go.");
        let folder = home.path().join(".claude");
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o777)).expect("a mode");
        expect(
            &examine(&home, 1),
            "home",
            "warn",
            "others than you can write",
        );
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o700)).expect("a mode");
        examine(&home, 0);
    }
}

#[test]
fn settings_that_are_broken_or_ignored_are_found() {
    let home = Home::new();
    std::fs::create_dir_all(home.path().join(".claude")).expect("a folder");
    let file = home.path().join(".claude/memstrata.toml");
    std::fs::write(&file, "[modes]\npersistent = \"sometimes\"\n").expect("a file");
    expect(&examine(&home, 1), "settings", "fail", "modes.persistent");
    std::fs::write(&file, "[modes]\npersistent = \"off\"\n").expect("a file");
    expect(&examine(&home, 1), "modes", "warn", "switched off");
    std::fs::remove_file(&file).expect("a removal");
    home.file(
        ".memstrata/config.toml",
        "memory_dir = \"/tmp/elsewhere\"\n",
    );
    expect(&examine(&home, 1), "settings", "warn", "memory_dir");
}

#[test]
fn a_memory_folder_that_cannot_be_used_is_found() {
    let home = Home::new();
    save(&home, "Role", "Go.");
    let (memory, state) = places(&home);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&memory, PermissionsExt::from_mode(0o755)).expect("a mode");
        expect(&examine(&home, 1), "folder", "warn", "can look into");
        std::fs::set_permissions(&memory, PermissionsExt::from_mode(0o700)).expect("a mode");
    }
    let aside = state.with_file_name("aside");
    std::fs::rename(&state, &aside).expect("a rename");
    std::fs::write(&state, "in the way").expect("a file");
    expect(&examine(&home, 1), "folder", "fail", "can only be read");
    std::fs::remove_file(&state).expect("a removal");
    std::fs::rename(&aside, &state).expect("a rename");
    std::fs::rename(&memory, memory.with_file_name("other")).expect("a rename");
    std::fs::write(&memory, "in the way").expect("a file");
    expect(&examine(&home, 1), "folder", "fail", "");
}

#[test]
fn a_full_index_and_bad_memories_are_found() {
    let home = Home::new();
    save(&home, "Role", "Go.");
    let (memory, _) = places(&home);
    let index = std::fs::read_to_string(memory.join("MEMORY.md")).expect("an index");
    let lines = |count: usize| {
        let more: Vec<String> = (0..count).map(|number| format!("note {number}")).collect();
        format!("{index}{}\n", more.join("\n"))
    };
    std::fs::write(memory.join("MEMORY.md"), lines(170)).expect("an index");
    expect(&examine(&home, 1), "index", "warn", "nearly full");
    std::fs::write(memory.join("MEMORY.md"), lines(300)).expect("an index");
    expect(&examine(&home, 1), "index", "fail", "over its budget");
    std::fs::write(memory.join("MEMORY.md"), &index).expect("an index");
    examine(&home, 0);

    let dead = format!("{index}- [Gone](user_gone.md) — it was here\n");
    std::fs::write(memory.join("MEMORY.md"), dead).expect("an index");
    let findings = examine(&home, 1);
    let found = of(&findings, "memories");
    assert_ne!(found["status"], "ok", "{found}");
    std::fs::write(memory.join("MEMORY.md"), &index).expect("an index");

    let secret = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    save(&home, "Key", &format!("It is {secret}."));
    let findings = examine(&home, 1);
    expect(&findings, "credentials", "fail", "user_key.md");
    assert!(!findings.iter().any(|one| one.to_string().contains(&secret)));
    home.run(&["purge", "Key"]).expect(0);
    examine(&home, 0);
}

#[test]
fn a_damaged_history_is_found() {
    let home = Home::new();
    save(&home, "Role", "Go.");
    let (_, state) = places(&home);
    let journal = state.join("journal");
    let mut damaged = 0;
    for entry in std::fs::read_dir(&journal).expect("the journal") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            std::fs::write(&path, "{\"not\": \"ours\"}\ngarbage\n").expect("a file");
            damaged += 1;
        }
    }
    assert!(damaged > 0, "no file in {}", journal.display());
    expect(&examine(&home, 1), "history", "warn", "cannot be read");
}

#[test]
fn memories_under_an_old_key_are_found() {
    let home = Home::new();
    let git = |folder: &std::path::Path, arguments: &[&str]| {
        let done = std::process::Command::new("git")
            .args(arguments)
            .current_dir(folder)
            .env("GIT_AUTHOR_NAME", "a")
            .env("GIT_AUTHOR_EMAIL", "a@example.com")
            .env("GIT_COMMITTER_NAME", "a")
            .env("GIT_COMMITTER_EMAIL", "a@example.com")
            .env("HOME", home.path())
            .output()
            .expect("git runs");
        assert!(done.status.success(), "{done:?}");
    };
    let project = home.path().join("work");
    std::fs::create_dir(&project).expect("a folder");
    git(&project, &["init", "-q"]);
    git(&project, &["commit", "-q", "--allow-empty", "-m", "first"]);
    let mut command = home.command(&[
        "save",
        "--type",
        "user",
        "--name",
        "Role",
        "--description",
        "d",
        "Go.",
        "--project",
    ]);
    command
        .arg(&project)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    assert!(command.output().expect("the program runs").status.success());
    let moved = home.path().join("renamed");
    std::fs::rename(&project, &moved).expect("a rename");
    let moved = moved.to_str().expect("UTF-8").to_owned();
    let list = |arguments: &[&str]| {
        let mut command = home.command(&[arguments, &["--project", &moved, "--json"]].concat());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        crate::harness::Run::from(command.output().expect("the program runs"))
    };
    // The folder of the new key is made by the first command that needs one.
    list(&["prompt"]).expect(0);
    let findings = list(&["doctor", "--offline"]).expect(1).json();
    expect(&findings, "identity", "warn", "under another key");
    assert!(
        of(&findings, "identity")["remedy"]
            .as_str()
            .is_some_and(|remedy| remedy.starts_with("memstrata adopt "))
    );
}

#[test]
fn what_waits_for_a_person_is_found() {
    let home = Home::new();
    save(&home, "Role", "Go.");
    let (_, state) = places(&home);
    let inbox = state.join("inbox");
    std::fs::create_dir_all(&inbox).expect("a folder");
    let item = json!({
        "version": 1, "time": "2026-03-05T14:02:11Z", "actor": "extract", "base": null,
        "path": "user_one.md",
        "text": "---\nname: one\ndescription: d\ntype: user\n---\n\nText.\n",
    });
    std::fs::write(inbox.join("one-1.json"), item.to_string()).expect("a file");
    expect(&examine(&home, 1), "inbox", "warn", "1 memory waits");
    std::fs::write(inbox.join("one-1.json"), "garbage").expect("a file");
    expect(&examine(&home, 1), "inbox", "warn", "one-1");
}

#[test]
fn a_dead_extraction_and_forgotten_turns_are_found() {
    let home = Home::new();
    save(&home, "Role", "Go.");
    let (_, state) = places(&home);
    let lease = |released: bool| {
        json!({"v": 1, "owner": "test", "session": "s1", "number": 1,
            "heartbeat": "2026-03-05T14:02:11Z", "expires": "2026-03-05T14:03:11Z", "released": released})
    };
    std::fs::write(state.join("lease.json"), lease(false).to_string()).expect("a file");
    expect(&examine(&home, 1), "lease", "warn", "ended without a word");
    std::fs::write(state.join("lease.json"), lease(true).to_string()).expect("a file");
    examine(&home, 0);

    let queue = state.join("hook/queue");
    std::fs::create_dir_all(&queue).expect("a folder");
    let job = json!({"agent": "claude-code", "session": "s1", "transcript": "/none.jsonl",
        "before_compaction": false, "time": "2026-03-05T14:02:11Z"});
    std::fs::write(queue.join("2026-03-05-1-0.json"), job.to_string()).expect("a file");
    expect(&examine(&home, 1), "worker", "warn", "for over an hour");
}

#[test]
fn errors_of_hooks_are_found_as_long_as_they_are_new() {
    let home = Home::new();
    let folder = home.path().join(".claude/memstrata");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(
        folder.join("hook.log"),
        "2020-01-01T00:00:00Z worker: old\n",
    )
    .expect("a file");
    expect(
        &examine(&home, 0),
        "hook-log",
        "ok",
        "no error in the last 7 days",
    );
    std::fs::write(
        folder.join("hook.log"),
        "2099-01-01T00:00:00Z worker: the disk is full\n",
    )
    .expect("a file");
    expect(&examine(&home, 1), "hook-log", "warn", "the disk is full");
}

#[test]
fn agents_that_do_not_know_the_memory_are_found() {
    let home = Home::new();
    let write = |file: &str, text: &str| {
        let path = home.path().join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        std::fs::write(path, text).expect("a file");
    };
    write(".claude/settings.json", "{}");
    write(".codex/config.toml", "model = \"x\"\n");
    write(".gemini/settings.json", "{}");
    write(".config/opencode/opencode.json", "{}");
    write(".cursor/mcp.json", "{}");
    let findings = examine(&home, 1);
    for agent in ["claude-code", "codex", "gemini", "opencode", "cursor"] {
        expect(&findings, agent, "warn", "does not know the memory");
        assert_eq!(
            of(&findings, agent)["remedy"],
            format!("memstrata setup {agent}")
        );
    }
    let program = env!("CARGO_BIN_EXE_memstrata");
    let hook = |agent: &str, program: &str| {
        json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": format!("{program} hook {agent}")}]}]}})
            .to_string()
    };
    write(".claude/settings.json", &hook("claude-code", program));
    write(".codex/hooks.json", &hook("codex", program));
    write(
        ".gemini/settings.json",
        &hook("gemini", "/nowhere/memstrata"),
    );
    write(
        ".config/opencode/opencode.json",
        r#"{"mcp": {"memstrata": {"type": "local", "command": ["memstrata", "mcp"]}}}"#,
    );
    write(
        ".cursor/mcp.json",
        r#"{"mcpServers": {"memstrata": {"command": "memstrata", "args": ["mcp"]}}}"#,
    );
    let findings = examine(&home, 1);
    expect(&findings, "claude-code", "ok", "hooks are installed");
    expect(&findings, "codex", "ok", "hooks are installed");
    expect(&findings, "gemini", "fail", "not there: /nowhere/memstrata");
    expect(&findings, "opencode", "ok", "MCP server");
    expect(&findings, "cursor", "ok", "MCP server");
}

#[test]
fn a_server_and_a_model_that_cannot_be_used_are_found() {
    let home = Home::new();
    let findings = examine_with(
        &home,
        1,
        &[("MEMSTRATA_TEAM_URL", "https://memory.example.com")],
    );
    expect(&findings, "server", "fail", "git remote");
    std::fs::create_dir_all(home.path().join(".claude")).expect("a folder");
    let file = home.path().join(".claude/memstrata.toml");
    std::fs::write(
        &file,
        "[model]\nbackend = \"anthropic\"\nname = \"claude-haiku-5-5\"\n",
    )
    .expect("a file");
    expect(&examine(&home, 1), "model", "fail", "");
    let findings = examine_with(&home, 0, &[("ANTHROPIC_API_KEY", "none")]);
    expect(&findings, "model", "ok", "configured");
    std::fs::write(&file, "[model]\nbackend = \"abacus\"\nname = \"x\"\n").expect("a file");
    expect(&examine(&home, 1), "model", "fail", "backend");
}
