//! `setup`: in and out again without a trace.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::harness::{Home, Run};
use crate::schema;

const AGENTS: [&str; 5] = ["claude-code", "codex", "gemini", "opencode", "cursor"];

/// The files of each agent, below the home folder.
fn files(agent: &str) -> &'static [&'static str] {
    match agent {
        "claude-code" => &[".claude/settings.json", ".claude.json"],
        "codex" => &[
            ".codex/hooks.json",
            ".codex/config.toml",
            ".codex/AGENTS.md",
        ],
        "gemini" => &[".gemini/settings.json", ".gemini/GEMINI.md"],
        "opencode" => &[
            ".config/opencode/opencode.json",
            ".config/opencode/memstrata.md",
        ],
        _ => &[".cursor/mcp.json", "project/.cursor/rules/memstrata.mdc"],
    }
}

fn put(home: &Home, file: &str, text: &str) {
    let path = home.path().join(file);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    std::fs::write(path, text).expect("a file");
}

fn read(home: &Home, file: &str) -> Option<String> {
    std::fs::read_to_string(home.path().join(file)).ok()
}

/// Everything below the home folder: names, and bytes of files.
fn tree(home: &Home) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    fn walk(folder: &Path, found: &mut Vec<(PathBuf, Option<Vec<u8>>)>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(&path, found);
                found.push((path, None));
            } else {
                found.push((path.clone(), std::fs::read(&path).ok()));
            }
        }
    }
    let mut found = Vec::new();
    walk(home.path(), &mut found);
    found.sort();
    found
}

fn setup(home: &Home, agent: &str, more: &[&str]) -> Run {
    let mut arguments = vec!["setup", agent];
    arguments.extend(more);
    home.run(&arguments)
}

#[test]
fn a_home_without_agents_is_as_before_when_everything_is_taken_out() {
    for agent in AGENTS {
        let home = Home::new();
        let before = tree(&home);
        setup(&home, agent, &[]).expect(0);
        for file in files(agent) {
            assert!(home.path().join(file).exists(), "{agent}: {file}");
        }
        setup(&home, agent, &["--remove"]).expect(0);
        let after = tree(&home);
        let names = |tree: &[(PathBuf, Option<Vec<u8>>)]| -> Vec<PathBuf> {
            tree.iter().map(|(path, _)| path.clone()).collect()
        };
        assert_eq!(names(&before), names(&after), "{agent}");
    }
}

#[test]
fn several_agents_leave_no_trace_in_whatever_order_they_go() {
    let home = Home::new();
    let before = tree(&home);
    for first in 0..AGENTS.len() {
        for agent in AGENTS {
            setup(&home, agent, &[]).expect(0);
        }
        for number in 0..AGENTS.len() {
            setup(
                &home,
                AGENTS[(first + number) % AGENTS.len()],
                &["--remove"],
            )
            .expect(0);
        }
        assert_eq!(tree(&home), before, "{}", AGENTS[first]);
    }
}

#[test]
fn existing_files_come_back_byte_for_byte_comments_and_foreign_entries_included() {
    let json = [
        "{}",
        "{}\n",
        "{ }",
        "{\n}\n",
        "{\"a\":1}",
        "\u{feff}{\"a\":1}",
        "{\n  \"a\": 1,\n  \"b\": [1, 2,],\n}\n",
        "// first\n{\n\t// note\n\t\"a\": 1, // one\n\t/* two */ \"hooks\": {} // empty\n}\n// last",
        "{\r\n    \"hooks\": {\r\n        \"Stop\": []\r\n    }\r\n}\r\n",
        "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"say done\"}]}],\"SessionStart\":[]}}",
        "{\n  \"mcpServers\": {\"other\": {\"command\": \"x\"}},\n  \"mcp\": {},\n  \"instructions\": [\"a.md\"]\n}",
        "{\n  \"mcpServers\": {},\n  \"hooks\": {\n    // mine\n  }\n}\n",
    ];
    for agent in AGENTS {
        for text in json {
            let home = Home::new();
            let file = files(agent)
                .iter()
                .find(|file| file.ends_with("json"))
                .expect("one");
            put(&home, file, text);
            round_trip(&home, agent, file);
            for file in files(agent).iter().filter(|file| file.ends_with("json")) {
                put(&home, file, text);
            }
            round_trip(&home, agent, file);
        }
    }
    for text in [
        "",
        "model = \"gpt\"",
        "# note\n[mcp_servers.other]\ncommand = \"x\" # y\n\n",
        "[mcp_servers]\n",
        "a.b = 1\r\n[hooks]\r\n",
        "[[x]]\na = 1\n[profiles.p]\nmodel = 'o'",
    ] {
        let home = Home::new();
        put(&home, ".codex/config.toml", text);
        round_trip(&home, "codex", ".codex/config.toml");
    }
    for text in ["", "# Mine\n", "# Mine\n\nno line end", "crlf\r\n\r\n"] {
        let home = Home::new();
        put(&home, ".codex/AGENTS.md", text);
        put(&home, ".gemini/GEMINI.md", text);
        round_trip(&home, "codex", ".codex/AGENTS.md");
        round_trip(&home, "gemini", ".gemini/GEMINI.md");
    }
}

/// Applies twice, then removes twice.
#[track_caller]
fn round_trip(home: &Home, agent: &str, file: &str) {
    let before = tree(home);
    let text = read(home, file);
    let dry = setup(home, agent, &["--dry-run"]).expect(0);
    assert_eq!(tree(home), before, "{agent}: a dry run changes nothing");
    let run = setup(home, agent, &[]).expect(0);
    assert_eq!(dry.out, run.out, "{agent}: what was shown is what was done");
    let installed = read(home, file);
    assert_ne!(installed, text, "{agent}: {file}");
    let again = setup(home, agent, &[]).expect(0);
    assert_eq!(again.out, "", "{agent}: once is enough");
    assert_eq!(read(home, file), installed);
    setup(home, agent, &["--remove"]).expect(0);
    assert_eq!(read(home, file), text, "{agent}: {file}");
    let again = setup(home, agent, &["--remove"]).expect(0);
    assert_eq!(again.out, "", "{agent}: nothing is left");
    let mut after = tree(home);
    after.retain(|entry| before.contains(entry) || entry.1.is_some());
    assert_eq!(before, after, "{agent}: no file more and none less");
}

#[test]
fn what_is_put_in_is_what_agents_read() {
    let home = Home::new();
    put(
        &home,
        ".claude/settings.json",
        "{\n  // note\n  \"model\": \"opus\"\n}\n",
    );
    setup(&home, "claude-code", &[]).expect(0);
    let text = read(&home, ".claude/settings.json").expect("a file");
    let plain: String = text
        .lines()
        .filter(|line| !line.trim().starts_with("//"))
        .collect();
    let settings: Value = serde_json::from_str(&plain).expect("JSON");
    for event in [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "Stop",
        "PreCompact",
        "SessionEnd",
    ] {
        let handler = &settings["hooks"][event][0]["hooks"][0];
        assert_eq!(handler["type"], "command", "{event} in {text}");
        assert!(
            handler["command"]
                .as_str()
                .is_some_and(|it| it.ends_with(" hook claude-code")),
            "{text}"
        );
    }
    assert_eq!(settings["model"], "opus");
    let server: Value =
        serde_json::from_str(&read(&home, ".claude.json").expect("a file")).expect("JSON");
    assert_eq!(server["mcpServers"]["memstrata"]["args"], json!(["mcp"]));

    setup(&home, "codex", &[]).expect(0);
    let config = read(&home, ".codex/config.toml").expect("a file");
    assert!(
        config.contains("[mcp_servers.memstrata]\ncommand = "),
        "{config}"
    );
    let hooks: Value =
        serde_json::from_str(&read(&home, ".codex/hooks.json").expect("a file")).expect("JSON");
    assert_eq!(
        hooks["hooks"]["Stop"][0]["hooks"][0]["timeout"], 10,
        "in seconds"
    );

    setup(&home, "gemini", &[]).expect(0);
    let gemini: Value =
        serde_json::from_str(&read(&home, ".gemini/settings.json").expect("a file")).expect("JSON");
    assert_eq!(
        gemini["hooks"]["AfterAgent"][0]["hooks"][0]["timeout"], 10_000,
        "in milliseconds"
    );
    assert!(gemini["mcpServers"]["memstrata"].is_object());

    setup(&home, "opencode", &[]).expect(0);
    let opencode: Value =
        serde_json::from_str(&read(&home, ".config/opencode/opencode.json").expect("a file"))
            .expect("JSON");
    assert_eq!(opencode["mcp"]["memstrata"]["type"], "local");
    let file = opencode["instructions"][0].as_str().expect("a path");
    assert!(Path::new(file).is_file(), "{file}");
    // The commands that were put in exist.
    home.run(&["hook", "--help"]).expect(0);
    home.run(&["mcp", "--help"]).expect(0);
}

#[test]
fn an_entry_of_somebody_else_is_left_alone_and_said() {
    let home = Home::new();
    let foreign =
        "{\"mcpServers\": {\"memstrata\": {\"command\": \"docker\", \"args\": [\"run\"]}}}";
    put(&home, ".claude.json", foreign);
    let run = setup(&home, "claude-code", &[]).expect(0);
    assert!(run.err.contains("not ours"), "{}", run.err);
    assert_eq!(read(&home, ".claude.json").as_deref(), Some(foreign));
    setup(&home, "claude-code", &["--remove"]).expect(0);
    assert_eq!(read(&home, ".claude.json").as_deref(), Some(foreign));
}

#[test]
fn a_file_that_was_written_anew_is_cleaned_by_what_it_says() {
    let home = Home::new();
    let before = json!({"model": "opus", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}});
    put(&home, ".claude/settings.json", &before.to_string());
    setup(&home, "claude-code", &[]).expect(0);
    // The agent sorts and reformats its settings.
    let text = read(&home, ".claude/settings.json").expect("a file");
    let value: Value = serde_json::from_str(&text).expect("JSON");
    put(&home, ".claude/settings.json", &format!("{value:#}"));
    let again = setup(&home, "claude-code", &[]).expect(0);
    let text = read(&home, ".claude/settings.json").expect("a file");
    assert_eq!(
        text.matches("hook claude-code").count(),
        7,
        "{}\n{text}",
        again.out
    );
    put(&home, ".claude/settings.json", &format!("{value:#}"));
    // Also without the record.
    std::fs::remove_dir_all(home.path().join(".claude/memstrata")).expect("the record");
    setup(&home, "claude-code", &["--remove"]).expect(0);
    let text = read(&home, ".claude/settings.json").expect("a file");
    assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), before);
}

#[test]
fn what_others_change_in_the_meantime_stays() {
    let home = Home::new();
    put(&home, ".codex/config.toml", "model = \"a\" # mine\n");
    put(&home, ".claude/settings.json", "{\n  \"a\": 1 // one\n}\n");
    for agent in ["codex", "claude-code"] {
        setup(&home, agent, &[]).expect(0);
    }
    let edit = |file: &str, from: &str, to: &str| {
        let text = read(&home, file).expect("a file");
        put(&home, file, &text.replace(from, to));
    };
    edit(
        ".codex/config.toml",
        "model = \"a\"",
        "model = \"b\"\nnew = 1",
    );
    edit(
        ".claude/settings.json",
        "\"a\": 1 // one",
        "\"a\": 2, // two\n  \"b\": 3",
    );
    for agent in ["codex", "claude-code"] {
        setup(&home, agent, &["--remove"]).expect(0);
    }
    assert_eq!(
        read(&home, ".codex/config.toml").as_deref(),
        Some("model = \"b\"\nnew = 1 # mine\n")
    );
    let settings = read(&home, ".claude/settings.json");
    assert_eq!(
        settings.as_deref(),
        Some("{\n  \"a\": 2, // two\n  \"b\": 3\n}\n")
    );
}

#[test]
fn what_cannot_be_understood_is_not_touched() {
    for (agent, file, text) in [
        ("claude-code", ".claude.json", "{ broken"),
        ("claude-code", ".claude.json", "[1]"),
        ("gemini", ".gemini/settings.json", "{\"hooks\": 7}"),
        ("gemini", ".gemini/settings.json", "{'a': 1}"),
        ("gemini", ".gemini/settings.json", "{a: 1}"),
        ("gemini", ".gemini/settings.json", "{\"a\": +1}"),
        ("gemini", ".gemini/settings.json", "{\"a\": 0x10}"),
        ("gemini", ".gemini/settings.json", "{\"a\": NaN}"),
        ("gemini", ".gemini/settings.json", "{\"a\": 1} x"),
        ("gemini", ".gemini/settings.json", "{\"a\": 1}\u{0}"),
        ("gemini", ".gemini/settings.json", "null"),
        (
            "gemini",
            ".gemini/settings.json",
            "{\"hooks\": {\"SessionStart\": {}}}",
        ),
        ("codex", ".codex/config.toml", "= broken"),
        ("codex", ".codex/config.toml", "mcp_servers = 7"),
        (
            "codex",
            ".codex/config.toml",
            "mcp_servers = { a = { command = \"x\" } }",
        ),
        ("cursor", ".cursor/mcp.json", &"[".repeat(100_000)),
    ] {
        let home = Home::new();
        put(&home, file, text);
        let before = tree(&home);
        let run = setup(&home, agent, &[]).expect(3);
        assert!(run.err.contains("left alone"), "{}", run.err);
        assert_eq!(tree(&home), before, "{file} {text:.40}");
    }
}

#[cfg(unix)]
#[test]
fn permissions_stay_and_a_link_stays_a_link() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let home = Home::new();
    put(&home, ".codex/config.toml", "model = \"a\"\n");
    let path = home.path().join(".codex/config.toml");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).expect("a mode");
    setup(&home, "codex", &[]).expect(0);
    let mode = std::fs::metadata(&path)
        .expect("a file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
    let home = Home::new();
    // Many keep their settings in one place and link to them, file by file or folder by folder.
    put(&home, "dotfiles/gemini.json", "{\n  // mine\n}\n");
    put(&home, "dotfiles/claude/settings.json", "{}\n");
    std::fs::create_dir(home.path().join(".gemini")).expect("a folder");
    symlink(
        "../dotfiles/gemini.json",
        home.path().join(".gemini/settings.json"),
    )
    .expect("a link");
    symlink("dotfiles/claude", home.path().join(".claude")).expect("a link");
    let before = tree(&home);
    for (agent, file) in [
        ("gemini", "dotfiles/gemini.json"),
        ("claude-code", "dotfiles/claude/settings.json"),
    ] {
        let run = setup(&home, agent, &[]).expect(0);
        let text = read(&home, file).expect("a file");
        assert!(text.contains(&format!("hook {agent}")), "{text}");
        if agent == "gemini" {
            assert!(run.err.contains("is a link; the file is"), "{}", run.err);
        }
        assert_eq!(setup(&home, agent, &[]).expect(0).out, "");
    }
    for agent in ["gemini", "claude-code"] {
        setup(&home, agent, &["--remove"]).expect(0);
    }
    assert_eq!(tree(&home), before);
    for link in [".gemini/settings.json", ".claude"] {
        assert!(home.path().join(link).is_symlink(), "{link}");
    }
}

#[cfg(unix)]
#[test]
fn links_that_nobody_can_answer_for_are_refused() {
    use std::os::unix::fs::symlink;

    // One that leads nowhere, a loop, and one that a repository may have brought.
    for (agent, file, target) in [
        ("gemini", ".gemini/settings.json", "nowhere.json"),
        ("gemini", ".gemini/settings.json", "settings.json"),
        ("gemini", ".gemini/settings.json", "/dev/null"),
        (
            "cursor",
            "project/.cursor/rules/memstrata.mdc",
            "../../../elsewhere",
        ),
        ("cursor", "project/.cursor", "../elsewhere"),
    ] {
        let home = Home::new();
        put(&home, "elsewhere/x", "");
        let path = home.path().join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        symlink(target, &path).expect("a link");
        let before = tree(&home);
        let run = setup(&home, agent, &[]);
        assert_eq!(run.code, Some(3), "{agent} {target}: {}", run.err);
        assert!(run.err.contains("left alone"), "{}", run.err);
        assert_eq!(tree(&home), before, "{agent} {target}");
    }
}

#[test]
fn what_cannot_be_written_leaves_every_file_as_it_was() {
    for (agent, file) in [
        ("claude-code", ".claude.json"),
        ("codex", ".codex/AGENTS.md"),
        ("gemini", ".gemini/GEMINI.md"),
    ] {
        let home = Home::new();
        for file in files(agent) {
            put(
                &home,
                file,
                if file.ends_with("json") {
                    "{}\n"
                } else {
                    "# mine\n"
                },
            );
        }
        let path = home.path().join(file);
        let mut permissions = std::fs::metadata(&path).expect("a file").permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(&path, permissions).expect("a mode");
        let before = tree(&home);
        let run = setup(&home, agent, &[]).expect(3);
        assert!(run.err.contains("read-only"), "{}", run.err);
        assert_eq!(tree(&home), before, "{agent}");
    }
}

#[test]
fn what_others_add_beside_ours_never_breaks_the_file() {
    let settings = ".claude/settings.json";
    let end = |text: &str, more: &str| {
        let body = text.trim_end().strip_suffix('}').expect("an object");
        format!("{},\n  {more}\n}}\n", body.trim_end())
    };
    let begin = |text: &str, more: &str| text.replacen('{', &format!("{{\n  {more},"), 1);
    for before in [
        "{}",
        "{\n}\n",
        "{ }\n",
        "{\n  // note\n}\n",
        "{\n  \"hooks\": {\n  }\n}\n",
        "{\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t]\n\t}\n}\n",
    ] {
        for at_end in [true, false] {
            if at_end && before.contains("//") {
                continue;
            }
            let home = Home::new();
            put(&home, settings, before);
            setup(&home, "claude-code", &[]).expect(0);
            let text = read(&home, settings).expect("a file");
            let more = "\"x\": [1]";
            let text = if at_end {
                end(&text, more)
            } else {
                begin(&text, more)
            };
            put(&home, settings, &text);
            setup(&home, "claude-code", &[]).expect(0);
            setup(&home, "claude-code", &["--remove"]).expect(0);
            let text = read(&home, settings).expect("a file");
            let plain: String = text
                .lines()
                .filter(|line| !line.trim().starts_with("//"))
                .collect();
            let value: Value =
                serde_json::from_str(&plain).unwrap_or_else(|error| panic!("{error} in {text}"));
            assert_eq!(value["x"], json!([1]), "{text}");
            assert!(!text.contains("memstrata"), "{text}");
            assert_eq!(
                text.contains("// note"),
                before.contains("// note"),
                "{text}"
            );
        }
    }
    // Also a list that nobody needs, when it is not ours.
    let home = Home::new();
    put(&home, settings, "{\n  \"hooks\": {\n  }\n}\n");
    setup(&home, "claude-code", &[]).expect(0);
    let text = read(&home, settings).expect("a file");
    let at = text.rfind("\n  }").expect("the end of the hooks");
    put(
        &home,
        settings,
        &format!("{},\n    \"Notification\": []{}", &text[..at], &text[at..]),
    );
    setup(&home, "claude-code", &["--remove"]).expect(0);
    let text = read(&home, settings).expect("a file");
    let value: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(value, json!({"hooks": {"Notification": []}}));
    // A key of ours that somebody has added to stays whole.
    let home = Home::new();
    put(&home, ".codex/config.toml", "model = \"a\"\n# end\n");
    setup(&home, "codex", &[]).expect(0);
    let text = read(&home, ".codex/config.toml").expect("a file") + "startup_timeout_sec = 20\n";
    put(&home, ".codex/config.toml", &text);
    setup(&home, "codex", &["--remove"]).expect(0);
    assert_eq!(read(&home, ".codex/config.toml"), Some(text));
    // Without the record the comment in front of our table stays.
    let home = Home::new();
    put(&home, ".codex/config.toml", "model = \"a\"\n# end\n");
    setup(&home, "codex", &[]).expect(0);
    std::fs::remove_dir_all(home.path().join(".claude")).expect("the record");
    setup(&home, "codex", &["--remove"]).expect(0);
    assert_eq!(
        read(&home, ".codex/config.toml").as_deref(),
        Some("model = \"a\"\n# end\n")
    );
}

#[test]
fn an_empty_file_is_no_reason_to_refuse() {
    for text in ["", "\n", " \t\r\n", "\u{feff}"] {
        for agent in AGENTS {
            let home = Home::new();
            let file = files(agent)
                .iter()
                .find(|file| file.ends_with("json"))
                .expect("one");
            put(&home, file, text);
            round_trip(&home, agent, file);
        }
    }
}

#[test]
fn every_project_and_every_configuration_folder_is_taken_out_by_itself() {
    let home = Home::new();
    for project in ["one", "two"] {
        std::fs::create_dir(home.path().join(project)).expect("a folder");
    }
    let before = tree(&home);
    let cursor = |project: &str, more: &[&str]| {
        let folder = home.path().join(project).display().to_string();
        let mut arguments = vec!["--project", &folder, "setup", "cursor"];
        arguments.extend(more);
        home.run(&arguments).expect(0);
    };
    cursor("one", &[]);
    cursor("two", &[]);
    cursor("one", &["--remove"]);
    assert!(!home.path().join("one/.cursor").exists());
    assert!(home.path().join("two/.cursor/rules/memstrata.mdc").exists());
    cursor("two", &["--remove"]);
    assert_eq!(tree(&home), before);
    // Also when nobody knows any more what was done.
    cursor("one", &[]);
    std::fs::remove_dir_all(home.path().join(".claude")).expect("the record");
    cursor("one", &["--remove"]);
    assert!(!home.path().join("one/.cursor/rules/memstrata.mdc").exists());
}

#[test]
fn of_two_keys_of_a_name_the_one_that_counts_gets_the_hooks() {
    let home = Home::new();
    let file = ".claude/settings.json";
    put(&home, file, "{\"hooks\": {}, \"hooks\": {\"Stop\": []}}");
    setup(&home, "claude-code", &[]).expect(0);
    let value: Value = serde_json::from_str(&read(&home, file).expect("a file")).expect("JSON");
    assert!(value["hooks"]["Stop"][0]["hooks"].is_array(), "{value}");
    round_trip_after(&home, file);
}

fn round_trip_after(home: &Home, file: &str) {
    setup(home, "claude-code", &["--remove"]).expect(0);
    let text = "{\"hooks\": {}, \"hooks\": {\"Stop\": []}}";
    assert_eq!(read(home, file).as_deref(), Some(text));
}

#[test]
fn a_file_on_one_line_is_indented_as_others_are() {
    let home = Home::new();
    put(&home, ".claude/settings.json", "{\"a\":1}");
    setup(&home, "claude-code", &[]).expect(0);
    let text = read(&home, ".claude/settings.json").expect("a file");
    let widest = text
        .lines()
        .map(|line| line.len() - line.trim_start().len())
        .max();
    assert_eq!(widest, Some(12), "{text}");
}

#[cfg(unix)]
#[test]
fn a_program_in_a_folder_of_any_name_is_started_by_a_shell() {
    let home = Home::new();
    for folder in ["a b", "it's", "a$HOME", "`x`", "a\"b", "a;b&c"] {
        let program = home.path().join(folder).join("memstrata");
        std::fs::create_dir_all(program.parent().expect("a folder")).expect("a folder");
        std::fs::copy(env!("CARGO_BIN_EXE_memstrata"), &program).expect("a copy");
        let run = |more: &[&str]| {
            let status = std::process::Command::new(&program)
                .args(["setup", "codex"])
                .args(more)
                .current_dir(home.project())
                .env_clear()
                .env("HOME", home.path())
                .output()
                .expect("it starts");
            assert!(status.status.success(), "{folder}");
        };
        run(&[]);
        let text = read(&home, ".codex/hooks.json").expect("a file");
        let hooks: Value = serde_json::from_str(&text).expect("JSON");
        let command = hooks["hooks"]["Stop"][0]["hooks"][0]["command"]
            .as_str()
            .expect("a command");
        let output = std::process::Command::new("/bin/sh")
            .args(["-c", &format!("{command} --help")])
            .output()
            .expect("a shell");
        assert!(
            output.status.success(),
            "{command}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        // By what it says, too.
        std::fs::remove_dir_all(home.path().join(".claude")).expect("the record");
        run(&["--remove"]);
        let rest = read(&home, ".codex/hooks.json").unwrap_or_default();
        assert!(!rest.contains("memstrata"), "{folder}: {rest}");
        std::fs::remove_file(&program).expect("removed");
    }
}

#[test]
fn a_setup_that_is_killed_can_be_finished_or_taken_out() {
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    let texts = ["{\n  // mine\n}\n", "model = \"a\" # mine\n", "# mine\n"];
    for round in 0..40_u32 {
        let home = Home::new();
        let all = ["codex", "claude-code"];
        for agent in all {
            for file in files(agent) {
                let text =
                    texts[usize::from(!file.ends_with("json")) + usize::from(file.ends_with("md"))];
                put(&home, file, text);
            }
        }
        let before = tree(&home);
        // In every other round there is an earlier setup, by a program of another place.
        if round % 2 == 1 {
            for agent in all {
                setup(&home, agent, &[]).expect(0);
                let record = format!(".claude/memstrata/setup/{agent}.json");
                for file in files(agent).iter().copied().chain([record.as_str()]) {
                    let text = read(&home, file).expect("a file");
                    put(
                        &home,
                        file,
                        &text.replace(env!("CARGO_BIN_EXE_memstrata"), "/old/memstrata"),
                    );
                }
            }
        }
        let agent = all[usize::from(round % 4 > 1)];
        let kind: &[&str] = if round % 8 > 3 {
            &["setup", agent, "--remove"]
        } else {
            &["setup", agent]
        };
        let mut child = home
            .command(kind)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_micros(700) * round
            && child.try_wait().expect("a child").is_none()
        {
            std::thread::yield_now();
        }
        child.kill().expect("killed");
        child.wait().expect("it ends");
        for file in files(agent) {
            let text = read(&home, file).expect("a file");
            assert!(text.contains("mine"), "round {round}: {file}: {text}");
        }
        if round % 3 == 0 {
            setup(&home, agent, &[]).expect(0);
        }
        for agent in all {
            setup(&home, agent, &["--remove"]).expect(0);
        }
        for (path, bytes) in &before {
            let now = std::fs::read(path).ok();
            assert_eq!(&now, bytes, "round {round}: {}", path.display());
        }
    }
}

#[test]
fn the_json_of_a_setup_has_its_shape() {
    let home = Home::new();
    let shape = include_str!("../../docs/schemas/setup.json");
    for agent in AGENTS {
        for more in [&["--dry-run"][..], &[], &["--remove"]] {
            let mut arguments = vec!["--json", "setup", agent];
            arguments.extend(more);
            schema::check(shape, &home.run(&arguments).expect(0));
        }
    }
}

/// Any JSON with comments, in any layout, whose root is an object.
fn any_settings() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("-1.5e3".to_owned()),
        "[a-z /*{}\\[\\],:é😀]{0,8}".prop_map(|text| json!(text).to_string()),
    ];
    let space = prop_oneof![
        Just(String::new()),
        Just(" ".to_owned()),
        Just("\n\t".to_owned()),
        Just("\r\n  ".to_owned()),
        Just("/* , } */".to_owned()),
        Just(" // ] ,\n".to_owned()),
    ];
    let name = prop_oneof![
        Just("hooks"),
        Just("mcpServers"),
        Just("mcp"),
        Just("instructions"),
        Just("a"),
        Just("Stop"),
        Just("SessionStart"),
        Just("other")
    ];
    let value = leaf.prop_recursive(4, 24, 4, move |inner| {
        let item = (space.clone(), inner.clone(), space.clone());
        let list = (prop::collection::vec(item, 0..4), space.clone());
        let list = list.prop_map(|(items, end)| {
            let items: Vec<String> = items
                .into_iter()
                .map(|(a, value, b)| format!("{a}{value}{b}"))
                .collect();
            format!("[{}{end}]", items.join(","))
        });
        let one = (
            space.clone(),
            name.clone(),
            space.clone(),
            inner,
            space.clone(),
        );
        let object = (
            prop::collection::vec(one, 0..4),
            space.clone(),
            any::<bool>(),
        );
        let object = object.prop_map(|(items, end, trailing)| {
            let mut seen = Vec::new();
            let mut all = Vec::new();
            for (a, name, b, value, c) in items {
                if !seen.contains(&name) {
                    seen.push(name);
                    all.push(format!("{a}\"{name}\"{b}:{value}{c}"));
                }
            }
            let comma = if trailing && !all.is_empty() { "," } else { "" };
            format!("{{{}{comma}{end}}}", all.join(","))
        });
        prop_oneof![list, object.clone(), object]
    });
    value.prop_map(|value| {
        if value.starts_with('{') {
            value
        } else {
            format!("{{\"a\": {value}}}")
        }
    })
}

proptest! {
    // Each case starts six processes.
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_settings_come_back_byte_for_byte(text in any_settings(), agent in prop::sample::select(&AGENTS[..])) {
        let home = Home::new();
        let file = files(agent).iter().find(|file| file.ends_with("json")).expect("one");
        put(&home, file, &text);
        let run = setup(&home, agent, &[]);
        if run.code == Some(3) {
            // `hooks` or a server list of a type that no agent understands.
            prop_assert_eq!(read(&home, file), Some(text));
            return Ok(());
        }
        prop_assert_eq!(run.code, Some(0), "{}", run.err);
        let installed = read(&home, file).expect("a file");
        prop_assert_eq!(setup(&home, agent, &[]).out, "", "{}", installed);
        prop_assert_eq!(setup(&home, agent, &["--remove"]).code, Some(0));
        prop_assert_eq!(read(&home, file), Some(text));
    }
}

#[test]
fn a_person_is_told_what_was_done_and_what_was_not() {
    let home = Home::new();
    let told = |more: &[&str]| setup(&home, "codex", more).expect(0).err;
    assert!(told(&["--dry-run"]).contains("nothing was changed"));
    assert!(told(&[]).contains("/hooks"));
    assert!(told(&[]).contains("everything is there already"));
    assert!(told(&["--remove", "--dry-run"]).contains("nothing was changed"));
    assert!(told(&["--remove"]).contains("the memories are where they were"));
    assert!(told(&["--remove"]).contains("nothing of memstrata is there"));
    // The hooks would look for the memories elsewhere.
    let run = home
        .run(&["--home", "other", "setup", "codex", "--dry-run"])
        .expect(0);
    assert!(run.err.contains("MEMSTRATA_HOME"), "{}", run.err);
}
