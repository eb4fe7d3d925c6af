//! The plugin folder for Claude Code: valid, and the same as what `setup` installs.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::Home;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins/claude-code")
}

#[track_caller]
fn read(path: &Path) -> Value {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_manifest_and_the_marketplace_name_the_plugin() {
    let manifest = read(&folder().join(".claude-plugin/plugin.json"));
    assert_eq!(manifest["name"], "memstrata");
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    let root = folder().join("../..");
    let market = read(&root.join(".claude-plugin/marketplace.json"));
    let plugin = &market["plugins"][0];
    assert_eq!(plugin["name"], manifest["name"]);
    let source = plugin["source"].as_str().expect("a path");
    assert!(source.starts_with("./"), "{source}");
    assert!(
        root.join(source)
            .join(".claude-plugin/plugin.json")
            .is_file()
    );
}

#[test]
fn its_hooks_and_its_server_are_those_of_setup() {
    let home = Home::new();
    home.run(&["setup", "claude-code"]).expect(0);
    let installed = |file: &str| {
        let text = std::fs::read_to_string(home.path().join(file)).expect("a file");
        let program = env!("CARGO_BIN_EXE_memstrata");
        serde_json::from_str::<Value>(&text.replace(program, "memstrata")).expect("JSON")
    };
    let hooks = read(&folder().join("hooks/hooks.json"));
    assert_eq!(hooks["hooks"], installed(".claude/settings.json")["hooks"]);
    let server = read(&folder().join(".mcp.json"));
    assert_eq!(
        server["mcpServers"],
        installed(".claude.json")["mcpServers"]
    );
}

#[test]
fn its_commands_exist() {
    let home = Home::new();
    let hooks = read(&folder().join("hooks/hooks.json"));
    let events = hooks["hooks"].as_object().expect("an object");
    for (event, groups) in events {
        let command = groups[0]["hooks"][0]["command"]
            .as_str()
            .expect("a command");
        let mut words = command.split(' ');
        assert_eq!(words.next(), Some("memstrata"), "{event}");
        let arguments: Vec<&str> = words.collect();
        let call = json!({"hook_event_name": event, "session_id": "s", "cwd": home.project()});
        let run = home
            .run_with(&arguments, call.to_string().as_bytes())
            .expect(0);
        assert_eq!(run.err, "", "{event}");
    }
    let server = read(&folder().join(".mcp.json"));
    let arguments = server["mcpServers"]["memstrata"]["args"]
        .as_array()
        .expect("words");
    let mut arguments: Vec<&str> = arguments.iter().filter_map(Value::as_str).collect();
    arguments.push("--help");
    home.run(&arguments).expect(0);
}
