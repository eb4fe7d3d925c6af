//! The tool FileEdit.

use serde_json::{Value, json};

use crate::support::{Tree, call};

fn edit(tree: &Tree, path: &str, old: &str, new: &str, all: bool) -> Result<String, String> {
    let path = tree.memory().join(path);
    let input: Value =
        json!({ "file_path": path, "old_string": old, "new_string": new, "replace_all": all });
    call(&tree.toolbox(), "FileEdit", input)
}

#[test]
fn a_unique_text_is_replaced_and_nothing_else() {
    let tree = Tree::new();
    tree.file("memory/a.md", "one two\nthree\n");
    let said = edit(&tree, "a.md", "two", "四", false).unwrap();
    assert_eq!(
        said,
        format!("changed {}", tree.memory().join("a.md").display())
    );
    assert_eq!(tree.read("memory/a.md"), "one 四\nthree\n");
}

#[test]
fn a_text_that_is_there_twice_needs_more_around_it_or_replace_all() {
    let tree = Tree::new();
    tree.file("memory/a.md", "x y x\n");
    assert!(
        edit(&tree, "a.md", "x", "z", false)
            .unwrap_err()
            .contains("more than once")
    );
    assert_eq!(tree.read("memory/a.md"), "x y x\n");
    edit(&tree, "a.md", "x", "z", true).unwrap();
    assert_eq!(tree.read("memory/a.md"), "z y z\n");
    tree.file("memory/b.md", "aaa");
    assert!(
        edit(&tree, "b.md", "aa", "b", false)
            .unwrap_err()
            .contains("more than once")
    );
}

#[test]
fn an_edit_that_cannot_be_made_says_why_and_changes_nothing() {
    let tree = Tree::new();
    tree.file("memory/a.md", "text\n");
    tree.file("memory/latin.md", b"caf\xe9\n");
    for (path, old, new, reason) in [
        ("a.md", "missing", "x", "`old_string` is not in the file"),
        ("a.md", "text", "text", "are the same"),
        ("a.md", "", "x", "`old_string` is empty and the file is not"),
        ("none.md", "a", "b", "the file does not exist"),
        ("latin.md", "a", "b", "not UTF-8"),
    ] {
        let error = edit(&tree, path, old, new, false).unwrap_err();
        assert!(error.contains(reason), "{path} {old:?}: {error}");
    }
    assert_eq!(tree.read("memory/a.md"), "text\n");
    assert!(!tree.memory().join("none.md").exists());
}

#[test]
fn an_empty_old_text_makes_a_new_file() {
    let tree = Tree::new();
    edit(&tree, "sub/new.md", "", "text\n", false).unwrap();
    assert_eq!(tree.read("memory/sub/new.md"), "text\n");
}

#[test]
fn an_edit_keeps_line_ends_and_a_byte_order_mark() {
    let tree = Tree::new();
    tree.file("memory/a.md", "\u{feff}one\r\ntwo\r\n");
    edit(&tree, "a.md", "two", "2", false).unwrap();
    assert_eq!(tree.read("memory/a.md"), "\u{feff}one\r\n2\r\n");
}
