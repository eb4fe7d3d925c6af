//! Taking back, bringing back, and what the history says.

use memdir::{ErrorKind, Expect, MemoryType, OperationKind, SaveRequest};

use crate::support::{Scratch, person, request};

#[test]
fn undo_takes_back_exactly_the_last_operation() {
    let scratch = Scratch::default();
    let store = scratch.open();
    let me = person();
    let mut states = vec![scratch.bytes()];
    let mut step = |done: Option<u64>| {
        assert!(done.is_some());
        states.push(scratch.bytes());
    };
    step(store.save(&request("a"), &me).unwrap().sequence);
    step(store.save(&request("b"), &me).unwrap().sequence);
    let replaced =
        SaveRequest::new(MemoryType::Feedback, "a", "new", "new").replacing("a", Expect::Anything);
    step(store.save(&replaced, &me).unwrap().sequence);
    step(store.rename("a", "c", &me).unwrap().sequence);
    step(Some(store.remove("b", &me).unwrap().sequence));

    let kinds = ["remove", "rename", "save", "save", "save"];
    for (at, kind) in kinds.into_iter().enumerate() {
        states.pop();
        // The history is on disk, not in the open store.
        let undone = scratch.open().undo(&me).unwrap();
        assert_eq!(undone.operation.as_str(), kind);
        assert_eq!(Some(&scratch.bytes()), states.last(), "after {at} undos");
    }
    assert_eq!(store.undo(&me).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn an_undo_leaves_what_another_program_added_to_the_index() {
    let scratch = Scratch::default();
    let store = scratch.open();
    store.save(&request("a"), &person()).unwrap();
    store.save(&request("b"), &person()).unwrap();
    let edited = format!("# By hand\n\n{}- [x](x.md)\n", scratch.read("MEMORY.md"));
    scratch.write("MEMORY.md", &edited);
    store.undo(&person()).unwrap();
    assert_eq!(
        scratch.read("MEMORY.md"),
        "# By hand\n\n- [a](feedback_a.md) — about a\n- [x](x.md)\n"
    );
}

#[test]
fn an_undo_does_not_overwrite_what_another_program_wrote() {
    let scratch = Scratch::default();
    let store = scratch.open();
    store.save(&request("a"), &person()).unwrap();
    scratch.write("feedback_a.md", "edited by hand\n");
    let before = scratch.bytes();
    let error = store.undo(&person()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StaleHash);
    assert_eq!(error.current().unwrap().path, "feedback_a.md");
    assert_eq!(scratch.bytes(), before);
}

#[test]
fn a_removed_memory_comes_back_by_name() {
    let scratch = Scratch::default();
    let store = scratch.open();
    store.save(&request("a"), &person()).unwrap();
    let before = scratch.bytes();
    store.remove("a", &person()).unwrap();
    assert_eq!(store.read("a").unwrap_err().kind(), ErrorKind::NotFound);
    store.restore("a", None, &person()).unwrap();
    assert_eq!(scratch.bytes(), before);
}

#[test]
fn history_follows_a_memory_through_renames_and_restores_any_revision() {
    let scratch = Scratch::default();
    let store = scratch.open();
    let me = person();
    let first = store.save(&request("a"), &me).unwrap();
    let replaced = SaveRequest::new(MemoryType::Feedback, "a", "second", "second")
        .replacing("a", Expect::Hash(first.hash));
    store.save(&replaced, &me).unwrap();
    store.save(&request("other"), &me).unwrap();
    store.rename("a", "b", &me).unwrap();

    let history = store.history("b").unwrap();
    let kinds: Vec<OperationKind> = history.revisions.iter().map(|one| one.operation).collect();
    assert_eq!(
        kinds,
        [
            OperationKind::Rename,
            OperationKind::Save,
            OperationKind::Save
        ]
    );
    assert_eq!(history.revisions[0].path, "feedback_b.md");
    assert_eq!(history.revisions[2].path, "feedback_a.md");
    assert_eq!(history.revisions[2].after, Some(first.hash));
    assert!(!history.cut);

    let oldest = history.revisions[2].sequence;
    let restored = store.restore("b", Some(oldest), &me).unwrap();
    assert_eq!(restored.path.as_str(), "feedback_b.md");
    assert_eq!(restored.hash, first.hash);
    assert_eq!(
        store.restore("b", Some(99), &me).unwrap_err().kind(),
        ErrorKind::NotFound
    );
    assert_eq!(
        store.history("nobody").unwrap_err().kind(),
        ErrorKind::NotFound
    );
}

#[test]
fn an_operation_that_somebody_undid_by_hand_does_not_stop_the_next_undo() {
    let scratch = Scratch::default();
    let store = scratch.open();
    store.save(&request("a"), &person()).unwrap();
    let one = scratch.bytes();
    store.save(&request("b"), &person()).unwrap();
    std::fs::remove_file(scratch.memory_dir().join("feedback_b.md")).unwrap();
    scratch.write("MEMORY.md", &one["MEMORY.md"]);

    let undone = store.undo(&person()).unwrap();
    assert_eq!((undone.undone, scratch.bytes()), (2, one));
    let undone = store.undo(&person()).unwrap();
    assert_eq!(undone.undone, 1);
    assert!(!scratch.memory_dir().join("feedback_a.md").exists());
}
