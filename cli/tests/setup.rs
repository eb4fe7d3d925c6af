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
fn permissions_stay_and_links_are_refused() {
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
    let other = home.path().join("elsewhere.json");
    std::fs::write(&other, "{}\n").expect("a file");
    std::fs::create_dir(home.path().join(".gemini")).expect("a folder");
    symlink(&other, home.path().join(".gemini/settings.json")).expect("a link");
    let run = setup(&home, "gemini", &[]).expect(3);
    assert!(run.err.contains("left alone"), "{}", run.err);
    assert_eq!(std::fs::read_to_string(&other).expect("a file"), "{}\n");
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
