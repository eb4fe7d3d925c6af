//! Names, listing, snapshots, logs, several files at once, and folders that cannot be written.

use memdir::{ContentHash, Edit, ErrorKind, ListOptions, Origin, Scope, Store, Writer};
use pathguard::PathKey;

use crate::support::{Scratch, TestClock, person, request};

fn key(path: &str) -> PathKey {
    PathKey::parse(path).unwrap()
}

#[test]
fn a_name_is_a_path_a_stem_or_a_title() {
    let scratch = Scratch::default();
    scratch.write("user_role.md", "---\nname: Wer ich bin\n---\n");
    scratch.write("sub/deep.md", "---\nname: Tief\n---\n");
    scratch.write("team/user_role.md", "---\nname: Wer wir sind\n---\n");
    scratch.write("twin_1.md", "---\nname: Twin\n---\n");
    scratch.write("twin_2.md", "---\nname: twin\n---\n");
    scratch.write("日本.md", "---\nname: 日本\n---\n");
    let store = scratch.open();
    let table = [
        ("user_role.md", Ok("user_role.md")),
        ("team/user_role.md", Ok("team/user_role.md")),
        ("Wer ich bin", Ok("user_role.md")),
        ("wer ICH bin ", Ok("user_role.md")),
        ("deep", Ok("sub/deep.md")),
        ("DEEP", Ok("sub/deep.md")),
        ("tief", Ok("sub/deep.md")),
        ("日本", Ok("日本.md")),
        ("user_role", Err(ErrorKind::Ambiguous)),
        ("twin", Err(ErrorKind::Ambiguous)),
        ("nobody", Err(ErrorKind::NotFound)),
        ("", Err(ErrorKind::NotFound)),
        ("../x", Err(ErrorKind::NotFound)),
        ("MEMORY.md", Err(ErrorKind::NotFound)),
    ];
    for (name, expected) in table {
        let found = store.find(name);
        match (&found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found.as_str(), expected, "{name}"),
            (Err(error), Err(kind)) => assert_eq!(error.kind(), kind, "{name}"),
            _ => panic!("{name}: {found:?}, expected {expected:?}"),
        }
    }
    let error = store.find("twin").unwrap_err();
    assert_eq!(error.candidates(), ["twin_1.md", "twin_2.md"]);
    assert!(
        error.to_string().contains("twin_1.md, twin_2.md"),
        "{error}"
    );
}

#[test]
fn the_list_is_newest_first_and_says_when_it_was_cut() {
    let scratch = Scratch::default();
    for (file, time) in [
        ("a", "2026-01-02"),
        ("b", "2026-01-03"),
        ("c", "2026-01-01"),
    ] {
        let text = format!("---\nname: {file}\nmodified: {time}T00:00:00Z\n---\n");
        scratch.write(&format!("{file}.md"), text);
    }
    scratch.write(
        "team/d.md",
        "---\nname: d\nmodified: 2026-01-02T00:00:00Z\n---\n",
    );
    scratch.write("logs/2026/01/2026-01-01.md", "- 10:00 x\n");
    scratch.write("notes.txt", "no memory\n");
    let store = scratch.open();
    let paths = |options: ListOptions| {
        let list = store.list(&options).unwrap();
        let paths: Vec<String> = list
            .memories
            .iter()
            .map(|memory| memory.path.as_str().to_owned())
            .collect();
        (paths.join(" "), list.cut)
    };
    let all = ListOptions::default();
    assert_eq!(paths(all), ("b.md a.md team/d.md c.md".to_owned(), false));
    assert_eq!(paths(all.with_limit(2)), ("b.md a.md".to_owned(), true));
    assert_eq!(
        paths(all.with_scope(Scope::Team)),
        ("team/d.md".to_owned(), false)
    );
    assert_eq!(
        paths(all.with_scope(Scope::Private)),
        ("b.md a.md c.md".to_owned(), false)
    );
}

#[test]
fn a_snapshot_is_gone_back_to_as_one_operation() {
    let scratch = Scratch::default();
    let store = scratch.open();
    store.save(&request("a"), &person()).unwrap();
    store.save(&request("b"), &person()).unwrap();
    let then = scratch.bytes();
    let id = store.snapshot("before consolidation").unwrap();
    store.remove("a", &person()).unwrap();
    store.save(&request("c"), &person()).unwrap();
    scratch.write("feedback_b.md", "edited by hand\n");
    let now = scratch.bytes();

    assert!(store.rollback(&id, &person()).unwrap().is_some());
    assert_eq!(scratch.bytes(), then);
    assert_eq!(store.rollback(&id, &person()).unwrap(), None);
    store.undo(&person()).unwrap();
    assert_eq!(scratch.bytes(), now);

    let info = store.snapshots().unwrap();
    assert_eq!(info.len(), 1);
    assert_eq!(
        (info[0].label.as_str(), info[0].files),
        ("before consolidation", 3)
    );
    let unknown = memdir::SnapshotId::new("../../etc/passwd");
    assert_eq!(
        store.rollback(&unknown, &person()).unwrap_err().kind(),
        ErrorKind::Refused
    );
}

#[test]
fn the_number_of_snapshots_is_bounded() {
    let scratch = Scratch::default();
    let store = scratch.open();
    store.save(&request("a"), &person()).unwrap();
    let ids: Vec<_> = (0..12).map(|_| store.snapshot("x").unwrap()).collect();
    let kept: Vec<_> = store
        .snapshots()
        .unwrap()
        .into_iter()
        .map(|info| info.id)
        .collect();
    assert_eq!(kept.len(), memdir::limits::SNAPSHOTS_MAX);
    assert_eq!(kept[0], ids[11]);
}

#[test]
fn several_edits_are_one_operation_or_none() {
    let scratch = Scratch::default();
    let store = scratch.open();
    let a = store.save(&request("a"), &person()).unwrap();
    let before = scratch.bytes();
    let write = |path: &str, expect| Edit::Write {
        path: key(path),
        expect,
        bytes: b"---\nname: n\n---\nnew\n".to_vec(),
    };
    let remove = |expect| Edit::Remove {
        path: a.path.clone(),
        expect,
    };
    let stale = [write("n.md", None), remove(ContentHash::of(b"else"))];
    let error = store.apply(&stale, &person()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StaleHash);
    assert_eq!(scratch.bytes(), before);

    let edits = [write("n.md", None), remove(a.hash)];
    assert!(store.apply(&edits, &person()).unwrap().is_some());
    let files: Vec<String> = scratch.bytes().into_keys().collect();
    assert_eq!(files, ["MEMORY.md", "n.md"]);
    store.rebuild_index(Scope::Private, &person()).unwrap();
    assert_eq!(scratch.read("MEMORY.md"), "- [n](n.md)\n");
    store.undo(&person()).unwrap();
    store.undo(&person()).unwrap();
    assert_eq!(scratch.bytes(), before);
}

#[test]
fn an_edit_may_rest_on_a_file_that_it_leaves_alone() {
    let scratch = Scratch::default();
    let store = scratch.open();
    let a = store.save(&request("a"), &person()).unwrap();
    let b = store.save(&request("b"), &person()).unwrap();
    let edits = |kept: ContentHash| {
        [
            Edit::Remove {
                path: b.path.clone(),
                expect: b.hash,
            },
            Edit::Keep {
                path: a.path.clone(),
                expect: kept,
            },
        ]
    };
    let before = scratch.bytes();
    let error = store.apply(&edits(ContentHash::of(b"else")), &person());
    let error = error.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StaleHash);
    assert_eq!(error.current().unwrap().path, a.path.as_str());
    assert_eq!(scratch.bytes(), before);

    store.apply(&edits(a.hash), &person()).unwrap();
    let kept = &before[a.path.as_str()];
    assert_eq!(scratch.bytes().get(a.path.as_str()), Some(kept));
    assert!(!scratch.bytes().contains_key(b.path.as_str()));
}

#[test]
fn log_entries_go_to_the_day_of_the_user_and_are_only_appended() {
    let scratch = Scratch::default();
    let store = scratch.open();
    store.log("first", &person()).unwrap();
    let entry = store.log("second\nwith more", &person()).unwrap();
    assert_eq!(entry.path.as_str(), "logs/2026/03/2026-03-05.md");
    assert_eq!(
        scratch.read(entry.path.as_str()),
        "- 14:02 first\n- 14:02 second\n  with more\n"
    );
    // Half an entry of a writer that died does not swallow the next one.
    scratch.write(entry.path.as_str(), "- 14:02 cut of");
    store.log("third", &person()).unwrap();
    assert_eq!(
        scratch.read(entry.path.as_str()),
        "- 14:02 cut of\n- 14:02 third\n"
    );

    // Ten hours ahead it is tomorrow already.
    let clock = TestClock {
        offset_seconds: 36_000,
        ..TestClock::default()
    };
    let options = memdir::StoreOptions::new(clock);
    let east = Store::open(&scratch.memory_dir(), options).unwrap();
    let entry = east.log("late", &person()).unwrap();
    assert_eq!(entry.path.as_str(), "logs/2026/03/2026-03-06.md");

    let too_long = "x".repeat(memdir::limits::LOG_ENTRY_MAX_BYTES + 1);
    let error = store.log(&too_long, &person()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    // A log is no memory and in no index.
    assert!(
        store
            .list(&ListOptions::default())
            .unwrap()
            .memories
            .is_empty()
    );
}

#[test]
fn a_file_that_no_memory_may_be_is_refused() {
    let scratch = Scratch::default();
    let store = scratch.open();
    for path in [
        "MEMORY.md",
        "team/memory.md",
        "logs/x.md",
        ".hidden.md",
        "state.json",
    ] {
        let file = memdir::SaveFile::new(key(path), "text");
        let error = store.save_file(&file, &person()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused, "{path}");
    }
    assert!(scratch.bytes().is_empty());
}

#[test]
fn a_memory_over_the_limit_is_refused_and_a_file_over_it_is_read_in_part() {
    let scratch = Scratch::default();
    let store = scratch.open();
    let long = "x".repeat(memdir::limits::MEMORY_MAX_BYTES as usize + 1);
    let file = memdir::SaveFile::new(key("long.md"), long.clone());
    let error = store.save_file(&file, &person()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    let team = memdir::SaveFile::new(key("team/long.md"), &long[..300_000]);
    let error = store.save_file(&team, &person()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);

    scratch.write("long.md", format!("---\nname: long\n---\n{long}"));
    let read = store.read("long").unwrap();
    assert!(read.memory.is_cut());
    assert_eq!(read.hash, None);
    assert_eq!(
        store.list(&ListOptions::default()).unwrap().memories.len(),
        1
    );
}

#[cfg(unix)]
#[test]
fn links_in_the_folder_are_neither_read_nor_written() {
    let scratch = Scratch::default();
    let store = scratch.open();
    let outside = scratch.folder.path().join("outside.md");
    std::fs::write(&outside, "---\nname: outside\n---\n").unwrap();
    let link = scratch.memory_dir().join("feedback_a.md");
    std::os::unix::fs::symlink(&outside, &link).unwrap();
    assert_eq!(
        store.find("outside").unwrap_err().kind(),
        ErrorKind::NotFound
    );
    let list = store.list(&ListOptions::default()).unwrap();
    assert!(list.memories.is_empty());
    assert_eq!(list.problems.len(), 1, "{:?}", list.problems);
    let error = store.save(&request("a"), &person()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert_eq!(
        std::fs::read_to_string(&outside).unwrap(),
        "---\nname: outside\n---\n"
    );
}

#[test]
fn a_lock_that_is_held_too_long_is_an_error_that_says_so() {
    let scratch = Scratch::default();
    scratch.open().save(&request("a"), &person()).unwrap();
    let lock = std::fs::File::open(scratch.state_dir().join("lock")).unwrap();
    lock.lock().unwrap();
    let options = scratch
        .options()
        .with_lock_wait(std::time::Duration::from_millis(10));
    // Opening and reading do not need the lock.
    let store = Store::open(&scratch.memory_dir(), options).unwrap();
    assert!(store.read("a").is_ok());
    let error = store.save(&request("b"), &person()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Busy);
    drop(lock);
    store.save(&request("b"), &person()).unwrap();
}

#[test]
fn a_store_without_a_state_folder_can_be_read() {
    let scratch = Scratch::default();
    scratch.write("a.md", "---\nname: a\n---\n");
    // A file stands where the state folder would have to be.
    std::fs::write(scratch.state_dir(), "in the way").unwrap();
    let store = scratch.open();
    assert!(!store.is_writable());
    assert!(store.open_report().read_only.is_some());
    assert!(store.read("a").is_ok());
    let error = store.save(&request("b"), &person()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().contains("state folder"), "{error}");
}

#[test]
fn threads_share_one_store() {
    let scratch = Scratch::default();
    let store = scratch.open();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let store = &store;
            scope.spawn(move || {
                let origin = Origin::new(Writer::Host, "thread");
                for number in 0..10 {
                    let name = format!("t{thread} n{number}");
                    store.save(&request(&name), &origin).unwrap();
                }
            });
        }
    });
    assert_eq!(
        store.list(&ListOptions::default()).unwrap().memories.len(),
        40
    );
    assert_eq!(scratch.read("MEMORY.md").lines().count(), 40);
}

#[test]
fn old_history_expires_and_the_last_operation_stays() {
    let scratch = Scratch::default();
    let mut limits = memdir::JournalLimits::default();
    limits.max_age_days = 90;
    let options = scratch.options().with_journal_limits(limits);
    let store = Store::open(&scratch.memory_dir(), options).unwrap();
    for name in ["a", "b", "c", "d"] {
        store.save(&request(name), &person()).unwrap();
        scratch.clock.advance_days(60);
    }
    // A segment is closed after 30 days, and what ended more than 90 days ago is dropped.
    let history = store.history_of_all().unwrap();
    let mut sequences: Vec<u64> = history.revisions.iter().map(|one| one.sequence).collect();
    sequences.dedup();
    assert_eq!(sequences, [4, 3, 2]);
    assert_eq!(store.undo(&person()).unwrap().undone, 4);
}
