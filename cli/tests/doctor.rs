//! `memstrata doctor`: each check, with the thing it checks broken for real.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::{Home, SAVE_ROLE};
use crate::schema;
use crate::team::Machine;
use crate::team_server::Server;

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
    let project = home.path().join("work");
    std::fs::create_dir(&project).expect("a folder");
    home.git("work", &["init", "-q"]);
    home.git("work", &["commit", "-q", "--allow-empty", "-m", "first"]);
    let mut command = home.command(&[SAVE_ROLE, &["--project"]].concat());
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

const AGENTS: [&str; 5] = ["claude-code", "codex", "gemini", "opencode", "cursor"];

/// Makes the settings of every agent, in folders below these.
fn make_agents(claude: &Path, claude_file: &Path, codex: &Path, config: &Path, home: &Path) {
    let write = |folder: &Path, file: &str, text: &str| {
        std::fs::create_dir_all(folder).expect("folders");
        std::fs::write(folder.join(file), text).expect("a file");
    };
    write(claude, "settings.json", "{}");
    write(claude_file, ".claude.json", "{}");
    write(codex, "config.toml", "model = \"x\"\n");
    write(&home.join(".gemini"), "settings.json", "{}");
    write(&config.join("opencode"), "opencode.json", "{}");
    write(&home.join(".cursor"), "mcp.json", "{}");
}

/// What `setup` writes, `doctor` finds, wherever the agents were told to keep their settings.
#[test]
fn agents_are_found_where_setup_finds_them() {
    let standard = Home::new();
    let path = standard.path().to_owned();
    let moved = Home::new();
    let other = moved.path().to_owned();
    let folder = |name: &str| other.join(name).to_str().expect("UTF-8").to_owned();
    let (claude, codex, config) = (folder("cc"), folder("cx"), folder("xdg"));
    let variables = [
        ("CLAUDE_CONFIG_DIR", claude.as_str()),
        ("CODEX_HOME", codex.as_str()),
        ("XDG_CONFIG_HOME", config.as_str()),
    ];
    make_agents(
        &path.join(".claude"),
        &path,
        &path.join(".codex"),
        &path.join(".config"),
        &path,
    );
    let claude = other.join("cc");
    make_agents(
        &claude,
        &claude,
        &other.join("cx"),
        &other.join("xdg"),
        &other,
    );
    for (home, variables) in [(&standard, &[][..]), (&moved, &variables[..])] {
        let findings = examine_with(home, 1, variables);
        for agent in AGENTS {
            expect(&findings, agent, "warn", "does not know the memory");
            assert_eq!(
                of(&findings, agent)["remedy"],
                format!("memstrata setup {agent}")
            );
            let mut setup = home.command(&["setup", agent]);
            setup.envs(variables.iter().copied());
            assert!(setup.output().expect("the program runs").status.success());
        }
        let findings = examine_with(home, 0, variables);
        for agent in ["claude-code", "codex", "gemini"] {
            expect(&findings, agent, "ok", "hooks and MCP server");
        }
        for agent in ["opencode", "cursor"] {
            expect(&findings, agent, "ok", "MCP server");
        }
    }
    // Without the variables nobody is there.
    expect(&examine(&moved, 0), "gemini", "ok", "hooks");
    std::fs::remove_dir_all(other.join(".gemini")).expect("a removal");
    std::fs::remove_dir_all(other.join(".cursor")).expect("a removal");
    expect(&examine(&moved, 0), "agents", "ok", "memstrata setup AGENT");
}

#[test]
fn hooks_that_are_half_there_or_lead_nowhere_are_found() {
    let home = Home::new();
    let path = home.path().join(".claude/settings.json");
    std::fs::create_dir_all(home.path().join(".claude")).expect("a folder");
    std::fs::write(&path, "{}").expect("a file");
    home.run(&["setup", "claude-code"]).expect(0);
    examine(&home, 0);
    let text = std::fs::read_to_string(&path).expect("settings");
    let mut settings: Value = serde_json::from_str(&text).expect("JSON");
    let hooks = settings["hooks"].as_object_mut().expect("hooks");
    let all = hooks.len();
    hooks.remove("PreToolUse");
    std::fs::write(&path, settings.to_string()).expect("a file");
    let part = format!("only {} of {all} hooks", all - 1);
    expect(&examine(&home, 1), "claude-code", "warn", &part);

    let gone = text.replace(env!("CARGO_BIN_EXE_memstrata"), "/nowhere/memstrata");
    std::fs::write(&path, gone).expect("a file");
    let findings = examine(&home, 1);
    expect(
        &findings,
        "claude-code",
        "fail",
        "not there: /nowhere/memstrata",
    );

    // Where `setup` would refuse it is no remedy, and a file that is there counts.
    std::fs::write(&path, "{\"hooks\": ").expect("a file");
    let findings = examine(&home, 1);
    expect(&findings, "claude-code", "warn", "cannot be changed");
    let remedy = of(&findings, "claude-code")["remedy"].to_string();
    assert!(remedy.contains("mend the file, then"), "{remedy}");

    // Hooks of the project alone are hooks.
    std::fs::write(&path, "{}").expect("a file");
    home.file(".claude/settings.local.json", &text);
    expect(&examine(&home, 0), "claude-code", "ok", "hooks");
}

/// Runs `doctor` as nobody, as whom permissions count.
#[cfg(unix)]
fn as_nobody(home: &Home) -> Vec<Value> {
    use std::os::unix::process::CommandExt;
    const NOBODY: u32 = 65_534;
    if !rustix::process::geteuid().is_root() {
        return examine_any(home.command(&["doctor", "--json", "--offline"]));
    }
    let given = std::process::Command::new("chown")
        .args(["-R", "65534:65534"])
        .arg(home.path())
        .status();
    assert!(given.expect("chown runs").success());
    // The build folder may be closed to others; a copy beside the home is not.
    let program = home.path().join("memstrata");
    if !program.exists() {
        std::fs::copy(env!("CARGO_BIN_EXE_memstrata"), &program).expect("a copy");
    }
    let mut command = std::process::Command::new(program);
    command
        .args(["doctor", "--json", "--offline"])
        .current_dir(home.project())
        .env_clear()
        .env("HOME", home.path())
        .uid(NOBODY)
        .gid(NOBODY);
    examine_any(command)
}

#[cfg(unix)]
fn examine_any(mut command: std::process::Command) -> Vec<Value> {
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let output = loop {
        match command.output() {
            // Another test forked while the copy was being written, and holds it open until its child runs.
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                std::thread::yield_now();
            }
            output => break output.expect("the program runs"),
        }
    };
    let run = crate::harness::Run::from(output);
    schema::check(SCHEMA, &run);
    run.json()
}

#[cfg(unix)]
#[test]
fn folders_and_files_that_cannot_be_written_or_read_are_found() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    std::fs::set_permissions(home.path(), PermissionsExt::from_mode(0o755)).expect("a mode");
    save(&home, "Role", "Go.");
    let (memory, state) = places(&home);
    let findings = as_nobody(&home);
    assert!(
        findings.iter().all(|one| one["status"] == "ok"),
        "{findings:?}"
    );
    let claude = home.path().join(".claude");
    for (path, mode, check, part) in [
        (&memory, 0o500, "folder", "you cannot write"),
        (&memory, 0o000, "folder", "you cannot write"),
        (&state, 0o500, "folder", "you cannot write"),
        (&state, 0o000, "folder", "can only be read"),
        (&claude, 0o500, "home", "you cannot write"),
        (&claude, 0o000, "home", "you cannot write"),
        (&memory.join("MEMORY.md"), 0o000, "index", "not permitted"),
        (
            &memory.join("user_role.md"),
            0o000,
            "memories",
            "could not be read",
        ),
    ] {
        let before = std::fs::metadata(path).expect("it is there").permissions();
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("a mode");
        let findings = as_nobody(&home);
        std::fs::set_permissions(path, before).expect("a mode");
        let found = of(&findings, check);
        let detail = found["detail"].to_string();
        assert!(
            found["status"] != "ok" && detail.contains(part),
            "{} {mode:o}: {found}",
            path.display()
        );
        assert!(!found["remedy"].to_string().contains("shorten"), "{found}");
    }
}

/// A server that does one thing with whoever connects, and what `doctor` says about it.
fn server_that(does: fn(&mut std::net::TcpStream)) -> Value {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            does(&mut stream);
        }
    });
    let machine = Machine::with_remote(&url, "git@example.com:acme/rocket.git");
    of_server(&machine)
}

fn of_server(machine: &Machine) -> Value {
    let run = machine.run(&["doctor", "--json"]);
    schema::check(SCHEMA, &run);
    let findings = run.json();
    of(&findings, "server").clone()
}

#[test]
fn a_team_server_is_asked_and_its_silence_is_bounded() {
    use std::io::{Read, Write};
    let server = Server::start();
    let mut machine = Machine::new(&server);
    let found = of_server(&machine);
    assert_eq!(found["status"], "ok");
    assert!(
        found["detail"].to_string().contains("holds nothing"),
        "{found}"
    );
    let shared = "---\nname: Merge\ndescription: d\ntype: project\n---\n\nSquash.\n\n**Why:** x\n**How to apply:** y\n";
    machine.write("project_merge.md", shared);
    machine.run(&["team", "sync"]).expect(0);
    assert_eq!(of_server(&machine)["detail"], "reachable");
    machine.set("MEMSTRATA_TEAM_TOKEN", "another");
    let found = of_server(&machine);
    assert_eq!(found["status"], "fail");
    assert!(
        found["detail"].to_string().contains("token")
            && found["remedy"].to_string().contains("memstrata team login"),
        "{found}"
    );
    drop(server);
    let found = of_server(&machine);
    assert_eq!(found["status"], "fail");
    assert!(
        found["detail"].to_string().contains("cannot be reached"),
        "{found}"
    );
    assert!(found["remedy"].is_string(), "{found}");

    let found = server_that(|stream| {
        let mut ask = [0; 1_024];
        let _ = stream.read(&mut ask);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
        // A drop now and then, for ever.
        while stream.write_all(b"x").is_ok() {
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
    });
    assert_eq!(found["status"], "fail");
    assert!(
        found["detail"].to_string().contains("no whole answer"),
        "{found}"
    );
    let found = server_that(|stream| {
        let _ = stream.write_all(b"\x1b[2Jgarbage\r\n\r\n");
    });
    assert_eq!(found["status"], "fail");
    assert!(!found.to_string().contains("\\u001b"), "{found}");
}

#[test]
fn turns_that_wait_have_a_remedy_that_a_person_can_run() {
    let home = Home::new();
    save(&home, "Role", "Go.");
    let (_, state) = places(&home);
    let transcript = home.file("s1.jsonl", "");
    let queue = state.join("hook/queue");
    std::fs::create_dir_all(&queue).expect("a folder");
    let job = json!({"agent": "claude-code", "session": "s1", "transcript": transcript,
        "before_compaction": false, "time": "2026-03-05T14:02:11Z"});
    std::fs::write(queue.join("2026-03-05-1-0.json"), job.to_string()).expect("a file");
    let findings = examine(&home, 1);
    let remedy = of(&findings, "worker")["remedy"]
        .as_str()
        .expect("a remedy");
    let named = format!("`memstrata extract {}`", transcript.display());
    assert!(
        remedy.contains(&named) && !remedy.contains("worker"),
        "{remedy}"
    );
    let help = home.run(&["--help"]).expect(0).out;
    assert!(help.contains("extract"), "{help}");
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
    expect(&findings, "model", "ok", "--model only");
    std::fs::write(
        &file,
        "[model]\nbackend = \"anthropic\"\nname = \"claude-haiku-5-5\"\nused_for = [\"recall\"]\n",
    )
    .expect("a file");
    let findings = examine_with(&home, 0, &[("ANTHROPIC_API_KEY", "none")]);
    expect(&findings, "model", "ok", "for recall with --model only");
    std::fs::write(
        &file,
        "[model]\nbackend = \"command\"\nname = \"x\"\ncommand = [\"/nowhere/model\", \"-p\"]\n",
    )
    .expect("a file");
    expect(
        &examine(&home, 1),
        "model",
        "fail",
        "not there: /nowhere/model",
    );
    std::fs::write(&file, "[model]\nbackend = \"abacus\"\nname = \"x\"\n").expect("a file");
    expect(&examine(&home, 1), "model", "fail", "backend");
}
