//! The tool on a memory folder: index, history and modes hold for it as for every other writer.

use memstrata::memdir::{FixedClock, Mode, Modes, Origin, Scope, Store, StoreOptions, Writer};
use memstrata::memory_tool::MemoryTool;
use serde_json::json;

use super::{ask, create, credential, view};

fn options() -> StoreOptions {
    let now = "2026-03-05T14:02:11Z".parse().expect("a time");
    StoreOptions::new(FixedClock::new(now, 0))
}

fn open(folder: &std::path::Path, options: StoreOptions) -> Store {
    Store::open(&folder.join("memory"), options).expect("a store")
}

fn tool(folder: &std::path::Path) -> MemoryTool {
    let origin = Origin::new(Writer::Host, "memory-tool");
    MemoryTool::on_store(open(folder, options()), origin)
}

#[test]
fn each_change_is_one_operation_with_its_index_line_and_can_be_undone() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let tool = tool(scratch.path());
    let store = open(scratch.path(), options());
    let me = Origin::person("test");
    let index = || store.load_index(Scope::Private).expect("an index").text;

    let text = "---\nname: Tabs\ndescription: tabs, not spaces\ntype: feedback\n---\n\nTabs.\n";
    assert!(!create(&tool, "/memories/feedback_tabs.md", text).is_error);
    assert!(index().contains("feedback_tabs.md"), "{}", index());
    let edit = json!({"command": "str_replace", "path": "/memories/feedback_tabs.md", "old_str": "Tabs.",
        "new_str": "Tabs everywhere."});
    assert!(!ask(&tool, &edit).is_error);
    let moved = json!({"command": "rename", "old_path": "/memories/feedback_tabs.md",
        "new_path": "/memories/style/tabs.md"});
    assert_eq!(
        ask(&tool, &moved).text,
        "Successfully renamed /memories/feedback_tabs.md to /memories/style/tabs.md"
    );
    assert!(index().contains("style/tabs.md") && !index().contains("feedback_tabs.md"));
    assert!(
        !ask(
            &tool,
            &json!({"command": "delete", "path": "/memories/style/tabs.md"})
        )
        .is_error
    );
    assert!(!index().contains("tabs"), "{}", index());

    for _ in 0..4 {
        store.undo(&me).expect("an operation to undo");
    }
    assert!(store.undo(&me).is_err(), "four changes are four operations");
}

#[test]
fn a_folder_moves_and_leaves_with_its_index_lines() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let tool = tool(scratch.path());
    let store = open(scratch.path(), options());
    for name in ["one", "two"] {
        let text = format!("---\nname: {name}\ndescription: d\ntype: user\n---\n\nText.\n");
        create(&tool, &format!("/memories/old/{name}.md"), &text);
    }
    create(&tool, "/memories/old/state.json", "{}");
    let moved = ask(
        &tool,
        &json!({"command": "rename", "old_path": "/memories/old", "new_path": "/memories/new"}),
    );
    assert!(!moved.is_error, "{moved:?}");
    let index = store.load_index(Scope::Private).expect("an index").text;
    assert!(
        index.contains("new/one.md") && !index.contains("old/"),
        "{index}"
    );
    assert!(view(&tool, "/memories/old").is_error);
    assert!(!view(&tool, "/memories/new/state.json").is_error);
    let gone = ask(
        &tool,
        &json!({"command": "delete", "path": "/memories/new"}),
    );
    assert!(!gone.is_error, "{gone:?}");
    assert!(view(&tool, "/memories/new").is_error);
    let index = store.load_index(Scope::Private).expect("an index").text;
    assert!(!index.contains("one.md"), "{index}");
    // What a folder held comes back.
    store
        .restore("new/one.md", None, &Origin::person("test"))
        .expect("a revision");
}

#[test]
fn modes_and_credentials_bind_the_tool() {
    let secret = credential();
    let modes = |mode| Modes::all(mode);
    for (mode, part) in [
        (Mode::Off, "switched off"),
        (Mode::Read, "mode read"),
        (Mode::Ask, "a person decides"),
    ] {
        let scratch = tempfile::tempdir().expect("a temporary folder");
        let store = open(scratch.path(), options().with_modes(modes(mode)));
        let tool = MemoryTool::on_store(store, Origin::new(Writer::Host, "memory-tool"));
        let refused = create(&tool, "/memories/a.md", "text\n");
        assert!(
            refused.is_error && refused.text.contains(part),
            "{mode}: {refused:?}"
        );
        assert_eq!(view(&tool, "/memories").is_error, mode == Mode::Off);
    }
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let tool = tool(scratch.path());
    let refused = create(&tool, "/memories/a.md", &format!("token {secret}\n"));
    assert!(
        refused.is_error && !refused.text.contains(&secret),
        "{refused:?}"
    );
}

/// Everything in the folder with its text, for a comparison.
fn tree(folder: &std::path::Path) -> Vec<(std::path::PathBuf, Option<String>)> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder).expect("a folder");
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            found.extend(tree(&path));
            found.push((path, None));
        } else {
            let text = std::fs::read_to_string(&path).expect("a text");
            found.push((path, Some(text)));
        }
    }
    found.sort();
    found
}

#[test]
fn in_modes_that_write_nothing_no_command_changes_anything() {
    for mode in [Mode::Off, Mode::Read, Mode::Ask] {
        let scratch = tempfile::tempdir().expect("a temporary folder");
        let before = tool(scratch.path());
        for path in ["a.md", "notes.txt", "d/x.md"] {
            assert!(!create(&before, &format!("/memories/{path}"), "text\n").is_error);
        }
        let memory = scratch.path().join("memory");
        std::fs::create_dir_all(memory.join("empty/below")).expect("folders");
        let store = open(scratch.path(), options().with_modes(Modes::all(mode)));
        let tool = MemoryTool::on_store(store, Origin::new(Writer::Host, "memory-tool"));
        let known = tree(&memory);
        for (old, new) in [
            ("a.md", "b.md"),
            ("a.md", "b.txt"),
            ("notes.txt", "b.txt"),
            ("d", "e"),
            ("empty", "full"),
            ("empty/below", "deep/er/still"),
        ] {
            let (old, new) = (format!("/memories/{old}"), format!("/memories/{new}"));
            for input in [
                json!({"command": "create", "path": new, "file_text": "x"}),
                json!({"command": "str_replace", "path": old, "old_str": "text", "new_str": "x"}),
                json!({"command": "insert", "path": old, "insert_line": 0, "insert_text": "x"}),
                json!({"command": "rename", "old_path": old, "new_path": new}),
                json!({"command": "delete", "path": old}),
            ] {
                let answer = ask(&tool, &input);
                assert!(answer.is_error, "{mode}: {input}: {answer:?}");
            }
        }
        assert_eq!(tree(&memory), known, "{mode}");
    }
}

#[test]
fn the_memory_of_a_team_that_is_switched_off_is_there_for_nobody() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let team = scratch.path().join("memory/team");
    create(&tool(scratch.path()), "/memories/a.md", "text\n");
    std::fs::create_dir_all(team.join("empty")).expect("folders");
    std::fs::write(team.join("t.md"), "zebra\n").expect("a file");
    let mut modes = Modes::all(Mode::Auto);
    modes.team = Mode::Off;
    let store = open(scratch.path(), options().with_modes(modes));
    let tool = MemoryTool::on_store(store, Origin::new(Writer::Host, "memory-tool"));
    assert!(!view(&tool, "/memories").text.contains("team"));
    for path in [
        "/memories/team",
        "/memories/Team/t.md",
        "/memories/team/empty",
    ] {
        for input in [
            json!({"command": "view", "path": path}),
            json!({"command": "create", "path": format!("{path}/new.md"), "file_text": "x"}),
            json!({"command": "rename", "old_path": path, "new_path": "/memories/mine"}),
            json!({"command": "rename", "old_path": "/memories/a.md", "new_path": format!("{path}/a.md")}),
            json!({"command": "delete", "path": path}),
        ] {
            let answer = ask(&tool, &input);
            assert!(
                answer.is_error && answer.text.contains("switched off"),
                "{input}: {answer:?}"
            );
            let folder = scratch.path().display().to_string();
            assert!(!answer.text.contains(&folder), "{answer:?}");
        }
    }
    assert!(team.join("t.md").is_file() && team.join("empty").is_dir());
}

#[test]
fn two_tools_on_one_store_lose_no_edit() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    create(&tool(scratch.path()), "/memories/a.md", "start\n");
    std::thread::scope(|scope| {
        for writer in 0..2 {
            let path = scratch.path();
            scope.spawn(move || {
                let tool = tool(path);
                for number in 0..10 {
                    let input = json!({"command": "insert", "path": "/memories/a.md", "insert_line": 1,
                        "insert_text": format!("writer {writer} number {number}")});
                    // Refused in so many words is not lost: a host tries again.
                    while ask(&tool, &input).is_error {}
                }
            });
        }
    });
    let text = std::fs::read_to_string(scratch.path().join("memory/a.md")).expect("the file");
    assert_eq!(text.lines().count(), 21, "{text}");
}
