//! Batches.

use pathguard::{ErrorKind, RenameOptions, WriteMode, WriteOptions};

use super::{check_kind, for_each_backend, key, names_in, quick};

#[test]
fn changes_are_applied_in_order_when_the_batch_is_committed() {
    for_each_backend(|place| {
        let root = &place.root;
        place.plant("old.md", "old");
        let mut batch = root.batch();
        batch.rename(key("old.md"), key("kept.md"), &RenameOptions::new());
        batch.write(key("old.md"), b"new", &quick()).unwrap();
        batch
            .write(
                key("a/b/deep.md"),
                b"deep",
                &quick().with_create_parents(true),
            )
            .unwrap();
        batch.write(key("gone.md"), b"gone", &quick()).unwrap();
        batch.remove(key("gone.md"));
        assert_eq!(batch.len(), 5);
        assert!(root.read(key("a/b/deep.md"), 9).unwrap_err().is_not_found());
        assert_eq!(root.read(key("old.md"), 9).unwrap().bytes, b"old");

        assert_eq!(batch.commit().unwrap().into_result().unwrap(), 5);
        assert_eq!(root.read(key("kept.md"), 9).unwrap().bytes, b"old");
        assert_eq!(root.read(key("old.md"), 9).unwrap().bytes, b"new");
        assert_eq!(root.read(key("a/b/deep.md"), 9).unwrap().bytes, b"deep");
        assert_eq!(names_in(root.path()), ["a", "kept.md", "old.md"]);
    });
}

#[test]
fn a_batch_stops_at_the_first_change_that_fails() {
    for_each_backend(|place| {
        let root = &place.root;
        let mut batch = root.batch();
        batch.write(key("a.md"), b"a", &quick()).unwrap();
        batch.remove(key("missing.md"));
        batch.write(key("b.md"), b"b", &quick()).unwrap();
        let report = batch.commit().unwrap();
        assert_eq!(report.applied(), 1);
        let failure = report.failure().unwrap();
        assert_eq!((failure.index, failure.key.as_str()), (1, "missing.md"));
        assert_eq!(failure.error.kind(), ErrorKind::NotFound);
        check_kind(report.into_result(), ErrorKind::NotFound, "the failure");
        assert_eq!(names_in(root.path()), ["a.md"], "no temporary file stays");
    });
}

#[test]
fn a_batch_that_is_dropped_leaves_nothing() {
    for_each_backend(|place| {
        let mut batch = place.root.batch();
        for number in 0..20 {
            batch
                .write(key(&format!("{number}.md")), b"x", &quick())
                .unwrap();
        }
        drop(batch);
        assert!(names_in(place.root.path()).is_empty());
    });
}

#[test]
fn modes_are_decided_when_the_batch_is_committed() {
    for_each_backend(|place| {
        let root = &place.root;
        let mut batch = root.batch();
        batch
            .write(key("a.md"), b"1", &quick().with_mode(WriteMode::CreateNew))
            .unwrap();
        batch
            .write(
                key("a.md"),
                b"2",
                &quick().with_mode(WriteMode::ReplaceExisting),
            )
            .unwrap();
        batch
            .write(
                key("b.md"),
                b"3",
                &quick().with_mode(WriteMode::ReplaceExisting),
            )
            .unwrap();
        let report = batch.commit().unwrap();
        assert_eq!(report.applied(), 2);
        check_kind(
            report.into_result(),
            ErrorKind::NotFound,
            "b.md does not exist",
        );
        assert_eq!(root.read(key("a.md"), 9).unwrap().bytes, b"2");
        assert_eq!(names_in(root.path()), ["a.md"]);
    });
}

#[test]
fn a_big_batch_waits_once_for_the_files_and_once_for_each_folder() {
    for_each_backend(|place| {
        let root = &place.root;
        root.create_dirs(key("a")).unwrap();
        let before = root.sync_count();
        let mut batch = root.batch();
        for number in 0..50 {
            let name = format!("{}{number}.md", if number % 2 == 0 { "" } else { "a/" });
            batch.write(key(&name), b"x", &WriteOptions::new()).unwrap();
        }
        assert_eq!(batch.commit().unwrap().into_result().unwrap(), 50);
        let waits = root.sync_count() - before;
        // Only Linux can wait for all files at once.
        let files = if cfg!(target_os = "linux") { 1 } else { 50 };
        let is_single = root.backend() != pathguard::Backend::CapStd;
        assert_eq!(waits, if is_single { files } else { 50 } + 2);
    });
}

#[test]
fn a_temporary_file_that_was_exchanged_is_not_put_in_place() {
    for_each_backend(|place| {
        let mut batch = place.root.batch();
        batch.write(key("a.md"), b"mine", &quick()).unwrap();
        let temporary = names_in(place.root.path()).remove(0);
        std::fs::rename(place.path(&temporary), place.path("aside")).unwrap();
        std::fs::write(place.path(&temporary), "theirs").unwrap();
        let report = batch.commit().unwrap();
        check_kind(report.into_result(), ErrorKind::Changed, "exchanged");
        assert!(place.root.read(key("a.md"), 9).unwrap_err().is_not_found());
    });
}

#[test]
fn an_empty_batch_does_nothing() {
    for_each_backend(|place| {
        let batch = place.root.batch();
        assert!(batch.is_empty());
        assert_eq!(batch.commit().unwrap().into_result().unwrap(), 0);
        assert_eq!(place.root.sync_count(), 0);
    });
}
