//! Applied as one operation, taken back as one, and not at all when somebody was faster.

use memdir::{ErrorKind, OperationKind};
use memdir_extract::dream::{Approved, Limits, Plan, Snapshot};

use super::fixture::{Folder, assert_same, me, memories};

fn approved(folder: &Folder) -> Approved {
    let snapshot = Snapshot::read(&folder.open()).unwrap();
    let plan = Plan::offline(&snapshot, &Limits::default());
    plan.approve(&snapshot, &Limits::default()).unwrap()
}

#[test]
fn a_dry_run_changes_not_one_byte_of_folder_or_state() {
    let folder = Folder::grown();
    folder.open();
    let before = folder.all_bytes();
    let store = folder.open();
    let snapshot = Snapshot::read(&store).unwrap();
    let plan = Plan::offline(&snapshot, &Limits::default());
    let (figures, refusals) = plan.review(&snapshot, &Limits::default());
    assert!(!plan.diff().is_empty() && plan.to_json(&figures, &refusals).is_object());
    plan.approve(&snapshot, &Limits::default()).unwrap();
    assert_same(&folder.all_bytes(), &before);
}

#[test]
fn apply_then_undo_is_the_identity_in_bytes() {
    let folder = Folder::grown();
    let before = folder.bytes();
    let store = folder.open();
    let approved = approved(&folder);
    let sequence = approved.apply(&store, &me()).unwrap();
    assert!(sequence.is_some());
    let after = folder.bytes();
    assert_eq!(memories(&after), 52, "eight memories went into others");
    for change in &approved.plan().changes {
        assert_eq!(after.get(change.path.as_str()), change.after.as_ref());
    }
    // Raw logs stay, whatever was distilled from them.
    for (path, bytes) in before.iter().filter(|(path, _)| path.starts_with("logs/")) {
        assert_eq!(after.get(path), Some(bytes));
    }
    let undone = store.undo(&me()).unwrap();
    assert_eq!(
        (undone.operation, Some(undone.undone)),
        (OperationKind::Apply, sequence)
    );
    assert_same(&folder.bytes(), &before);
}

#[test]
fn a_file_that_changed_since_the_snapshot_stops_all_of_it() {
    // One that the plan changes, one that it takes away, one that it only rests on, and the index.
    for path in [
        "project_freeze.md",
        "reference_office_0a.md",
        "reference_office_0b.md",
        "MEMORY.md",
    ] {
        let folder = Folder::grown();
        let store = folder.open();
        // The lock file is made by the first who takes the lock.
        store.snapshot("before").unwrap();
        let approved = approved(&folder);
        let mut bytes = folder.bytes()[path].clone();
        bytes.extend_from_slice(b"\nsomebody was faster\n");
        folder.write(path, bytes);
        let before = folder.all_bytes();
        let error = approved.apply(&store, &me()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StaleHash, "{path}");
        assert_eq!(error.current().unwrap().path, path);
        assert_same(&folder.all_bytes(), &before);
    }
}

#[test]
fn a_log_that_grew_and_a_memory_that_is_not_concerned_stop_nothing() {
    let folder = Folder::grown();
    let store = folder.open();
    let approved = approved(&folder);
    store.log("one more entry", &me()).unwrap();
    folder.write("project_01.md", "---\nname: edited\n---\n\nmeanwhile\n");
    assert!(approved.apply(&store, &me()).unwrap().is_some());
    assert_eq!(
        folder.bytes()["project_01.md"],
        b"---\nname: edited\n---\n\nmeanwhile\n"
    );
}

#[test]
fn a_folder_without_an_index_gets_one_and_loses_it_again() {
    let folder = Folder::grown();
    std::fs::remove_file(folder.path().join("MEMORY.md")).unwrap();
    let before = folder.bytes();
    let store = folder.open();
    approved(&folder).apply(&store, &me()).unwrap();
    let index = String::from_utf8(folder.bytes()["MEMORY.md"].clone()).unwrap();
    assert_eq!(index.lines().count(), 52);
    store.undo(&me()).unwrap();
    assert_same(&folder.bytes(), &before);
}
