//! Edits by hosts: recorded afterwards, so that they can be taken back.

use memdir::{ErrorKind, OperationKind, Origin, Watch, Writer};
use pathguard::PathKey;

use crate::support::{Scratch, person, request};

fn host() -> Origin {
    Origin::new(Writer::Host, "claude-code")
}

fn key(path: &str) -> PathKey {
    PathKey::parse(path).unwrap()
}

#[test]
fn an_edit_by_a_host_is_in_the_journal_and_can_be_taken_back() {
    let scratch = Scratch::default();
    let store = scratch.open();
    store.save(&request("a"), &person()).unwrap();
    let before = scratch.bytes();
    store
        .watch("tool-1", &Watch::Files(vec![key("feedback_a.md")]))
        .unwrap();
    scratch.write("feedback_a.md", "---\nname: a\n---\nby the host\n");

    // The hook after the edit is another process.
    let store = scratch.open();
    let reconciled = store.reconcile("tool-1", &host()).unwrap();
    assert_eq!(reconciled.changed, [key("feedback_a.md")]);
    assert!(reconciled.sequence.is_some());
    assert!(!reconciled.index_is_untrue);
    let history = store.history("a").unwrap();
    assert_eq!(history.revisions[0].operation, OperationKind::HostEdit);
    assert_eq!(history.revisions[0].actor, "claude-code");
    store.undo(&person()).unwrap();
    assert_eq!(scratch.bytes(), before);
    // The picture is used up.
    assert_eq!(
        store.reconcile("tool-1", &host()).unwrap_err().kind(),
        ErrorKind::NotFound
    );
}

#[test]
fn a_command_may_make_edit_and_delete_any_file() {
    let scratch = Scratch::default();
    let store = scratch.open();
    for name in ["a", "b", "c"] {
        store.save(&request(name), &person()).unwrap();
    }
    let before = scratch.bytes();
    store.watch("bash-1", &Watch::Everything).unwrap();
    std::fs::remove_file(scratch.memory_dir().join("feedback_a.md")).unwrap();
    scratch.write("feedback_b.md", "changed\n");
    scratch.write("new.md", "---\nname: new\n---\n");
    let reconciled = store.reconcile("bash-1", &host()).unwrap();
    assert_eq!(reconciled.removed, [key("feedback_a.md")]);
    assert_eq!(reconciled.changed, [key("feedback_b.md")]);
    assert_eq!(reconciled.created, [key("new.md")]);
    assert!(reconciled.index_is_untrue);
    store.undo(&person()).unwrap();
    assert_eq!(scratch.bytes(), before);
}

#[test]
fn what_the_store_wrote_meanwhile_is_not_taken_for_an_edit() {
    let scratch = Scratch::default();
    let store = scratch.open();
    store.save(&request("a"), &person()).unwrap();
    store.watch("bash-1", &Watch::Everything).unwrap();
    store.save(&request("b"), &person()).unwrap();
    store.remove("a", &person()).unwrap();
    let reconciled = store.reconcile("bash-1", &host()).unwrap();
    assert_eq!(reconciled.sequence, None);
    assert!(reconciled.created.is_empty() && reconciled.removed.is_empty());
}

#[test]
fn an_edit_on_top_of_a_save_is_told_apart_from_it() {
    let scratch = Scratch::default();
    let store = scratch.open();
    store.watch("bash-1", &Watch::Everything).unwrap();
    let saved = store.save(&request("a"), &person()).unwrap();
    let before = scratch.bytes();
    scratch.write("feedback_a.md", "on top\n");
    let reconciled = store.reconcile("bash-1", &host()).unwrap();
    assert_eq!(reconciled.changed, [key("feedback_a.md")]);
    assert!(reconciled.created.is_empty());
    store.undo(&person()).unwrap();
    assert_eq!(scratch.bytes(), before);
    assert_eq!(store.read("a").unwrap().hash, Some(saved.hash));
}

#[test]
fn a_credential_that_a_host_wrote_is_reported() {
    let scratch = Scratch::default();
    let store = scratch.open();
    store
        .watch("tool-1", &Watch::Files(vec![key("team/x.md")]))
        .unwrap();
    let secret = ["AK", "IA", "Z7QX", "J4LM", "N2VK", "5RTW"].concat();
    scratch.write("team/x.md", format!("---\nname: x\n---\n{secret}\n"));
    let reconciled = store.reconcile("tool-1", &host()).unwrap();
    assert_eq!(reconciled.created, [key("team/x.md")]);
    let (path, finding) = &reconciled.secrets[0];
    assert_eq!((path.as_str(), finding.line), ("team/x.md", 4));
}

#[test]
fn an_id_that_could_lead_elsewhere_is_refused() {
    let scratch = Scratch::default();
    let store = scratch.open();
    for id in ["../x", "a/b", "", "a\u{0}b"] {
        let error = store.watch(id, &Watch::Everything).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused, "{id:?}");
    }
}
