//! Writes to the memory by an agent's own tools.

use std::path::Path;

use serde_json::{Value, json};

use super::{Agent, context, denial};

fn before(agent: &Agent, id: &str, tool: &str, input: &Value) -> Value {
    let event = if agent.name == "gemini" {
        "BeforeTool"
    } else {
        "PreToolUse"
    };
    agent.call(
        "session-1",
        event,
        &json!({"tool_name": tool, "tool_input": input, "tool_use_id": id}),
    )
}

fn after(agent: &Agent, id: &str, tool: &str, input: &Value) -> Value {
    let event = if agent.name == "gemini" {
        "AfterTool"
    } else {
        "PostToolUse"
    };
    agent.call(
        "session-1",
        event,
        &json!({"tool_name": tool, "tool_input": input, "tool_use_id": id, "tool_response": {}}),
    )
}

fn credential() -> String {
    ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat()
}

const MEMORY: &str = "---\nname: Note\ndescription: a note\ntype: project\n---\n\nText.\n";

#[test]
fn writes_of_every_agent_are_recorded_and_can_be_taken_back() {
    for (name, tool) in [
        ("claude-code", "Write"),
        ("codex", "Write"),
        ("gemini", "write_file"),
    ] {
        let agent = Agent::new(name);
        agent.save("Other", "another", "text");
        let path = agent.memory_dir().join("project_note.md");
        let input = json!({"file_path": path, "content": MEMORY});
        assert!(
            denial(&before(&agent, "toolu_1", tool, &input)).is_none(),
            "{name}"
        );
        std::fs::write(&path, MEMORY).expect("the tool writes");
        after(&agent, "toolu_1", tool, &input);
        let history = agent
            .home
            .run(&["--json", "history", "project_note.md"])
            .expect(0);
        let history = history.json();
        assert_eq!(history[0]["actor"], name, "{history:?}");
        assert_eq!(history[0]["session"], "session-1", "{history:?}");
        agent.home.run(&["undo"]).expect(0);
        assert!(!path.exists(), "{name}");
    }
}

#[test]
fn an_edit_is_judged_by_what_it_makes_of_the_file() {
    let agent = Agent::new("claude-code");
    agent.save("Note", "a note", "The token is KEY.");
    let team = agent.memory_dir().join("team");
    std::fs::create_dir(&team).expect("a folder");
    std::fs::write(team.join("note.md"), MEMORY).expect("a file");
    // For the team a credential is refused, in private it is said.
    let replace = |path: &Path, old: &str| json!({"file_path": path, "old_string": old, "new_string": credential()});
    let answer = before(
        &agent,
        "toolu_1",
        "Edit",
        &replace(&team.join("note.md"), "Text"),
    );
    let reason = denial(&answer).expect("a denial");
    assert!(
        reason.contains("credential") && !reason.contains(&credential()),
        "{reason}"
    );
    let private = agent.memory_dir().join("project_note.md");
    let input = replace(&private, "KEY");
    let answer = before(&agent, "toolu_2", "Edit", &input);
    assert_eq!(denial(&answer), None);
    assert!(context(&answer).contains("credential"), "{answer}");
    assert!(!context(&answer).contains(&credential()), "{answer}");
    let text = std::fs::read_to_string(&private).expect("the file");
    std::fs::write(&private, text.replace("KEY", &credential())).expect("the tool writes");
    let answer = after(&agent, "toolu_2", "Edit", &input);
    assert!(
        context(&answer).contains("now holds a credential"),
        "{answer}"
    );
    // Two halves that only together are one.
    let (first, second) = ("ghp_16C7e42F292c6912E", "7710c838347Ae178B4a");
    std::fs::write(team.join("half.md"), format!("{MEMORY}{first}X")).expect("a file");
    let input = json!({"file_path": team.join("half.md"), "old_string": "X", "new_string": second});
    assert!(denial(&before(&agent, "toolu_3", "Edit", &input)).is_some());
}

#[test]
fn ways_around_the_folder_are_closed() {
    let agent = Agent::new("claude-code");
    agent.save("Note", "a note", "text");
    let memory = agent.memory_dir();
    let state = memory.with_file_name("memory-state");
    let project = agent.home.project();
    let mut refused = vec![
        state.join("journal/x"),
        memory.join("../memory-state/x"),
        memory.join("a\u{202e}b.md"),
        memory.join("team/x.sh"),
        memory.join("con.md"),
    ];
    #[cfg(unix)]
    {
        let link = project.join("innocent");
        std::os::unix::fs::symlink(&state, &link).expect("a link");
        refused.push(link.join("x"));
        let dangling = project.join("dangling.md");
        std::os::unix::fs::symlink(state.join("new"), &dangling).expect("a link");
        refused.push(dangling);
    }
    for path in refused {
        let input = json!({"file_path": path, "content": "x"});
        let answer = before(&agent, "toolu_1", "Write", &input);
        assert!(denial(&answer).is_some(), "{}", path.display());
    }
    // A memory of another project is guarded as well, also when there is no project of ours to speak of.
    let other = memory.join("../../-other/memory-state/x");
    let input = json!({"file_path": other, "content": "x"});
    let mut payload = agent.payload(
        "session-1",
        "PreToolUse",
        &json!({"tool_name": "Write", "tool_input": input, "tool_use_id": "toolu_1"}),
    );
    assert!(denial(&agent.answer(&payload)).is_some());
    payload["cwd"] = json!("/does/not/exist");
    assert!(denial(&agent.answer(&payload)).is_some());
    // A sub-agent is no way around either.
    payload["agent_id"] = json!("ab12");
    assert!(denial(&agent.answer(&payload)).is_some());
}

#[test]
fn what_is_not_the_memory_passes_untouched() {
    let agent = Agent::new("claude-code");
    agent.save("Note", "a note", "text");
    let project = agent.home.project();
    for (tool, input) in [
        (
            "Write",
            json!({"file_path": project.join("a.rs"), "content": credential()}),
        ),
        (
            "Write",
            json!({"file_path": project.join("memory/a.md"), "content": "x"}),
        ),
        (
            "Edit",
            json!({"file_path": "relative.md", "old_string": "a", "new_string": "b"}),
        ),
        ("Bash", json!({"command": "cargo test && git status"})),
        ("Bash", json!({"command": "rm -rf target"})),
        (
            "Bash",
            json!({"command": format!("cat {}", agent.memory_dir().join("project_note.md").display())}),
        ),
        (
            "Read",
            json!({"file_path": agent.memory_dir().join("project_note.md")}),
        ),
        (
            "mcp__x__write",
            json!({"file_path": agent.memory_dir().join("x.md")}),
        ),
        ("Bash", json!({})),
        ("Write", json!("text")),
    ] {
        assert!(
            before(&agent, "toolu_1", tool, &input).is_null(),
            "{tool} {input}"
        );
        assert!(
            after(&agent, "toolu_1", tool, &input).is_null(),
            "{tool} {input}"
        );
    }
    assert_eq!(agent.log(), "");
}

#[cfg(unix)]
#[test]
fn a_shell_command_that_could_write_memories_is_recorded_whole() {
    let agent = Agent::new("claude-code");
    agent.save("Note", "a note", "text");
    agent.save("Other", "another", "text");
    let memory = agent.memory_dir();
    let command = format!("cd {} && rm *.md && echo x > new.md", memory.display());
    let input = json!({"command": command});
    assert!(before(&agent, "toolu_1", "Bash", &input).is_null());
    for name in ["project_note.md", "project_other.md", "MEMORY.md"] {
        std::fs::remove_file(memory.join(name)).expect("the command removes it");
    }
    std::fs::write(memory.join("new.md"), "x\n").expect("the command writes it");
    after(&agent, "toolu_1", "Bash", &input);
    agent.home.run(&["undo"]).expect(0);
    assert!(memory.join("project_note.md").exists() && memory.join("MEMORY.md").exists());
    assert!(!memory.join("new.md").exists());
    // Our own folder is nobody's to write, by no spelling.
    let state = memory.with_file_name("memory-state");
    let below = memory
        .strip_prefix(agent.home.path())
        .expect("below the home")
        .display()
        .to_string();
    for command in [
        format!("rm -r {}", state.join("journal").join("x").display()),
        format!("echo x > ~/{below}-state/x"),
        format!("echo x > \"$HOME/{below}-state/x\""),
        format!("tee {}/../memory-state/x", memory.display()),
        format!("cp a '{}/team/a.sh'", memory.display()),
    ] {
        let answer = before(&agent, "toolu_2", "Bash", &json!({"command": command}));
        assert!(denial(&answer).is_some(), "{command}");
    }
}

#[test]
fn in_mode_ask_a_write_goes_to_the_inbox_and_in_mode_read_nowhere() {
    let agent = Agent::new("claude-code");
    agent.save("Other", "another", "text");
    let settings = agent.home.path().join(".claude/memstrata.toml");
    let path = agent.memory_dir().join("project_note.md");
    let input = json!({"file_path": path, "content": MEMORY});
    std::fs::write(&settings, "[modes]\npersistent = \"ask\"\n").expect("a file");
    let answer = before(&agent, "toolu_1", "Write", &input);
    assert!(
        denial(&answer).is_some_and(|reason| reason.contains("memstrata inbox")),
        "{answer}"
    );
    let inbox = agent.home.run(&["--json", "inbox"]).expect(0);
    assert!(inbox.out.contains("project_note.md"), "{}", inbox.out);
    let shell = json!({"command": format!("echo x > {}", path.display())});
    assert!(denial(&before(&agent, "toolu_2", "Bash", &shell)).is_some());
    std::fs::write(&settings, "[modes]\npersistent = \"read\"\n").expect("a file");
    assert!(denial(&before(&agent, "toolu_3", "Write", &input)).is_some());
    std::fs::write(&settings, "[modes]\npersistent = \"off\"\n").expect("a file");
    assert!(before(&agent, "toolu_4", "Write", &input).is_null());
}

#[test]
fn a_check_that_cannot_be_done_refuses_a_memory_and_nothing_else() {
    let agent = Agent::new("claude-code");
    agent.save("Note", "a note", "text");
    let memory = agent.memory_dir();
    let outside = json!({"file_path": agent.home.project().join("a.md"), "content": "x"});
    let inside = json!({"file_path": memory.join("project_note.md"), "content": "x"});
    std::fs::write(agent.home.path().join(".claude/memstrata.toml"), "= broken").expect("a file");
    assert!(denial(&before(&agent, "toolu_1", "Write", &inside)).is_some());
    assert!(before(&agent, "toolu_2", "Write", &outside).is_null());
    std::fs::remove_file(agent.home.path().join(".claude/memstrata.toml")).expect("removed");
    // No place for the picture.
    let state = memory.with_file_name("memory-state");
    std::fs::remove_dir_all(&state).expect("removed");
    std::fs::write(&state, "no folder").expect("a file");
    assert!(denial(&before(&agent, "toolu_3", "Write", &inside)).is_some());
    assert!(before(&agent, "toolu_4", "Write", &outside).is_null());
    assert!(agent.log().contains("refused a write"), "{}", agent.log());
}

#[test]
fn a_patch_of_many_files_is_judged_file_by_file() {
    let agent = Agent::new("codex");
    agent.save("Note", "a note", "text");
    let memory = agent.memory_dir();
    let patch = |path: &Path, text: &str| {
        let path = path.display();
        json!({"command": format!(
            "*** Begin Patch\n*** Add File: src/a.rs\n+fn a() {{}}\n*** Update File: {path}\n@@\n-text\n+{text}\n\
             *** End Patch\n")})
    };
    let inside = patch(&memory.join("project_note.md"), "other");
    assert!(denial(&before(&agent, "toolu_1", "apply_patch", &inside)).is_none());
    let secret = patch(&memory.join("team/note.md"), &credential());
    assert!(denial(&before(&agent, "toolu_2", "apply_patch", &secret)).is_some());
    let state = patch(&memory.with_file_name("memory-state").join("x"), "x");
    assert!(denial(&before(&agent, "toolu_3", "apply_patch", &state)).is_some());
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_is_guarded_however_an_agent_may_read_it() {
    let agent = Agent::new("claude-code");
    agent.save("Note", "a note", "text");
    let memory = agent.memory_dir();
    let below = memory
        .strip_prefix(agent.home.path())
        .expect("below the home");
    let team = memory.join("team/a.md").display().to_string();
    for input in [
        json!({"file_path": format!("~/{}/team/a.md", below.display())}),
        json!({"file_path": format!(" {team}")}),
        json!({"file_path": format!("{team}/")}),
        json!({"path": team}),
        json!({"file_path": "/x/y.md", "absolute_path": team}),
        json!({"file_path": format!("../{}/team/a.md", below.display())}),
        json!({"file_path": format!("/proc/self/root{team}")}),
    ] {
        for (tool, key) in [
            ("Write", "content"),
            ("Edit", "new_string"),
            ("NotebookEdit", "new_source"),
        ] {
            let mut input = input.clone();
            input[key] = json!(credential());
            let answer = before(&agent, "toolu_1", tool, &input);
            assert!(denial(&answer).is_some(), "{tool} {input}");
        }
    }
}

#[test]
fn a_memory_that_a_setting_has_moved_is_guarded_also_when_the_settings_are_broken() {
    let agent = Agent::new("claude-code");
    let notes = agent.home.path().join("notes");
    std::fs::create_dir(&notes).expect("a folder");
    let folder = agent.home.path().join(".claude");
    std::fs::create_dir_all(&folder).expect("a folder");
    let moved = json!({"autoMemoryDirectory": notes}).to_string();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a file");
    write("settings.json", &moved);
    agent.save("Note", "a note", "text");
    let state = agent.place()["state_dir"]
        .as_str()
        .expect("a path")
        .to_owned();
    let note = notes.join("project_note.md");
    assert!(note.exists(), "{}", note.display());
    let check = |what: &str, is_refused: bool, cwd: &Path| {
        for (path, is_refused) in [
            (note.as_path(), is_refused),
            (&Path::new(&state).join("x"), true),
        ] {
            for (tool, input) in [
                ("Write", json!({"file_path": path, "content": MEMORY})),
                (
                    "Bash",
                    json!({"command": format!("rm '{}'", path.display())}),
                ),
            ] {
                let mut payload = agent.payload(
                    "session-1",
                    "PreToolUse",
                    &json!({"tool_name": tool, "tool_input": input, "tool_use_id": "toolu_1"}),
                );
                payload["cwd"] = json!(cwd);
                let answer = agent.answer(&payload);
                assert_eq!(
                    denial(&answer).is_some(),
                    is_refused,
                    "{what}: {tool} {}",
                    path.display()
                );
            }
        }
        let outside = agent.home.path().join("other.md");
        let answer = before(
            &agent,
            "toolu_1",
            "Write",
            &json!({"file_path": outside, "content": "x"}),
        );
        assert!(answer.is_null(), "{what}: {answer}");
    };
    let project = agent.home.project();
    check("as it should be", false, &project);
    check("no folder", true, &agent.home.path().join("nowhere"));
    write("memstrata.toml", "= broken");
    check("broken settings of ours", true, &project);
    std::fs::remove_file(folder.join("memstrata.toml")).expect("removed");
    write("settings.json", &format!("{moved} garbage"));
    check("broken settings of the agent", true, &project);
}
