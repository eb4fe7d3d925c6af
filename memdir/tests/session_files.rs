//! Small files of sessions: names, bounds, what is pruned.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use memdir::SessionFiles;
use memdir::pathguard::{MemoryRoot, RootOptions, SyncPolicy};
use tempfile::TempDir;

const FILES: SessionFiles = SessionFiles::new("notes", "json")
    .with_max_files(3)
    .with_max_bytes(10);

fn state() -> (TempDir, MemoryRoot) {
    let folder = tempfile::tempdir().unwrap();
    let root = MemoryRoot::open(folder.path(), &RootOptions::default()).unwrap();
    (folder, root)
}

#[test]
fn plain_ids_stand_for_themselves_and_all_others_have_files_of_their_own() {
    let plain = ["5c0375b4-57a5", "a", "under_score", &"x".repeat(100)];
    let hashed = [
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "a b",
        "A",
        "nul",
        "con",
        "x.json",
        "ünïcode",
        "部署",
        "a\0b",
        "a\n",
        &"x".repeat(101),
        &"x".repeat(100_000),
    ];
    let mut names = BTreeSet::new();
    for id in plain {
        let key = FILES.key(id);
        assert_eq!(key.as_str(), format!("notes/{id}.json"));
        names.insert(key.as_str().to_lowercase());
    }
    for id in hashed {
        let key = FILES.key(id);
        assert!(key.as_str().starts_with("notes/x-"), "{key:?} of {id:?}");
        assert!(key.as_str().len() < 60, "{key:?}");
        names.insert(key.as_str().to_lowercase());
    }
    assert_eq!(names.len(), plain.len() + hashed.len());
}

#[test]
fn a_file_is_read_back_and_replaced_and_removed() {
    let (_folder, root) = state();
    assert_eq!(FILES.read(&root, "one").unwrap(), None);
    assert!(!FILES.remove(&root, "one").unwrap());
    for bytes in [&b"first"[..], b"\xFF\0", b""] {
        FILES.write(&root, "one", bytes, SyncPolicy::Full).unwrap();
        assert_eq!(FILES.read(&root, "one").unwrap().as_deref(), Some(bytes));
        assert_eq!(FILES.read(&root, "two").unwrap(), None);
    }
    assert!(FILES.remove(&root, "one").unwrap());
    assert_eq!(FILES.read(&root, "one").unwrap(), None);
}

#[test]
fn a_file_that_is_too_large_counts_as_none() {
    let (folder, root) = state();
    FILES.write(&root, "one", b"{}", SyncPolicy::None).unwrap();
    std::fs::write(folder.path().join("notes/one.json"), [b'x'; 11]).unwrap();
    assert_eq!(FILES.read(&root, "one").unwrap(), None);
}

#[test]
fn the_longest_unchanged_go_first_and_nothing_else_goes() {
    let (folder, root) = state();
    assert_eq!(FILES.prune(&root), 0);
    let ids = ["c", "a", "e", "b", "d"];
    for (age, id) in ids.iter().enumerate() {
        FILES.write(&root, id, b"{}", SyncPolicy::None).unwrap();
        let file = folder.path().join(format!("notes/{id}.json"));
        let file = std::fs::File::options().write(true).open(file).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000 + age as u64);
        file.set_modified(time).unwrap();
    }
    std::fs::write(folder.path().join("notes/other.txt"), "a person's").unwrap();
    let names = |keys: Vec<memdir::pathguard::PathKey>| {
        let names = keys.iter().map(|key| key.as_str().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(
        names(FILES.keys(&root).unwrap()),
        ids.map(|id| format!("notes/{id}.json"))
    );
    assert_eq!(FILES.prune(&root), 2);
    assert_eq!(
        names(FILES.keys(&root).unwrap()),
        ["notes/e.json", "notes/b.json", "notes/d.json"]
    );
    assert!(folder.path().join("notes/other.txt").exists());
}
