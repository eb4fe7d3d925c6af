//! Paths that a model writes, turned into held folders and keys.

use forked_agent::Workspace;
use pathguard::{MemoryRoot, RootOptions};

use crate::support::Tree;

#[test]
fn a_path_leads_to_the_closest_folder_above_it() {
    let tree = Tree::new();
    tree.file("project/memory/a.md", "");
    let open = |path| MemoryRoot::open(path, &RootOptions::default()).unwrap();
    let inner = tree.project().join("memory");
    let workspace = Workspace::new(open(&tree.project())).with_writable(open(&inner));

    let place = workspace
        .resolve(&inner.join("a.md").to_string_lossy())
        .unwrap();
    assert!(place.is_writable());
    assert_eq!(place.key().unwrap().as_str(), "a.md");
    assert_eq!(place.path(), inner.join("a.md"));
    let place = workspace.resolve("memory/a.md").unwrap();
    assert!(place.is_writable(), "a relative path goes the same way");

    let place = workspace
        .resolve(&tree.project().join("memory2/a.md").to_string_lossy())
        .unwrap();
    assert!(
        !place.is_writable(),
        "a name that only begins alike is another folder"
    );
    assert_eq!(place.key().unwrap().as_str(), "memory2/a.md");
}

#[test]
fn the_folder_itself_has_no_key() {
    let tree = Tree::new();
    let workspace = tree.workspace();
    let project = tree.project().display().to_string();
    for raw in [".", "./", "", &project, &format!("{project}/")] {
        let place = workspace.resolve(raw).unwrap();
        assert_eq!(
            (place.key(), place.path()),
            (None, tree.project()),
            "{raw:?}"
        );
    }
}

#[test]
fn a_path_that_is_outside_or_no_key_is_refused_with_a_reason() {
    let tree = Tree::new();
    let workspace = tree.workspace();
    let project = tree.project().display().to_string();
    for raw in [
        "/etc/passwd",
        "/",
        &format!("{project}-evil/a.md"),
        &format!("{project}/../outside/secret.md"),
        &format!("{project}//etc"),
        &format!("{project}/./a.md"),
        "../outside/secret.md",
        "a/../../outside/secret.md",
        "./../outside/secret.md",
        "~/x.md",
        "a\0b",
        "a\nb",
        "a/%2e%2e/b",
        "a\\..\\b",
        "C:/x",
        "\u{202e}dm.a",
        "file:///etc/passwd",
        &"a/".repeat(100),
        &"x".repeat(5_000),
    ] {
        let reason = workspace.resolve(raw).unwrap_err();
        assert!(
            !reason.is_empty() && reason.len() < 600,
            "{raw:?}: {reason}"
        );
        assert!(!reason.chars().any(char::is_control), "{raw:?}: {reason:?}");
    }
}

#[test]
fn names_in_any_language_are_fine() {
    let tree = Tree::new();
    let workspace = tree.workspace();
    for raw in [
        "记忆/偏好.md",
        "заметки.md",
        "v1..2.md",
        "with space.md",
        "😀.md",
        "100%.md",
    ] {
        assert_eq!(workspace.resolve(raw).unwrap().key().unwrap().as_str(), raw);
    }
}

#[test]
fn the_scope_of_commands_covers_the_same_folders() {
    let tree = Tree::new();
    let scope = tree.workspace().scope();
    assert_eq!(scope.directory(), tree.project());
    let mut roots = scope.roots().unwrap().to_vec();
    roots.sort();
    roots.dedup();
    assert_eq!(roots, [tree.memory(), tree.project()]);
}
