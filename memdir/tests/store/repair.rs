//! What the next one who opens the store makes of every state that a dying process can leave.

use std::collections::BTreeMap;
use std::path::Path;

use memdir::{Expect, MemoryType, PurgeOptions, SaveRequest, Scope, Store};

use crate::support::{Scratch, folder_bytes, person, request};

type Files = BTreeMap<String, Vec<u8>>;

/// Replaces everything below a folder.
fn set(folder: &Path, files: &Files) {
    if folder.exists() {
        std::fs::remove_dir_all(folder).unwrap();
    }
    for (path, bytes) in files {
        let file = folder.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, bytes).unwrap();
    }
    std::fs::create_dir_all(folder).unwrap();
}

/// The state files with the newest journal segment cut to its first `lines` lines and then `rest`
/// bytes of the next one.
fn cut_journal(state: &Files, lines: usize, rest: usize) -> Files {
    let mut cut = state.clone();
    let (_, segment) = cut
        .iter_mut()
        .rfind(|(path, _)| path.starts_with("journal/"))
        .unwrap();
    let kept: Vec<&[u8]> = segment.split_inclusive(|byte| *byte == b'\n').collect();
    let mut bytes = kept[..lines].concat();
    if let Some(next) = kept.get(lines) {
        bytes.extend_from_slice(&next[..rest.min(next.len() - 1)]);
    }
    *segment = bytes;
    cut
}

fn journal_lines(state: &Files) -> usize {
    let (_, segment) = state
        .iter()
        .rfind(|(path, _)| path.starts_with("journal/"))
        .unwrap();
    segment.split(|byte| *byte == b'\n').count() - 1
}

/// Does `operation` and then tries every state in which a process could have died on the way.
fn check(prepare: impl Fn(&Store), operation: impl Fn(&Store)) {
    let scratch = Scratch::default();
    let store = scratch.open();
    prepare(&store);
    let before = scratch.bytes();
    operation(&store);
    drop(store);
    let after = scratch.bytes();
    let state = folder_bytes(&scratch.state_dir());
    assert_ne!(before, after, "the operation does something");

    let changed: Vec<&String> = before
        .keys()
        .chain(after.keys())
        .filter(|path| before.get(*path) != after.get(*path))
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    assert!(changed.len() < 8, "every subset is tried");
    let lines = journal_lines(&state);

    // Died while it wrote its intention: nothing has happened.
    for rest in [0, 1, 17, 300] {
        set(&scratch.memory_dir(), &before);
        set(&scratch.state_dir(), &cut_journal(&state, lines - 2, rest));
        let store = scratch.open();
        assert_eq!(store.open_report().finished_operation, None);
        assert_eq!(scratch.bytes(), before, "intention cut at {rest}");
        // And the journal goes on.
        store.save(&request("later"), &person()).unwrap();
        store.undo(&person()).unwrap();
        assert_eq!(scratch.bytes(), before);
    }
    // Died after any of the files, with or without part of the note that it was done.
    for subset in 0..1_u32 << changed.len() {
        for rest in [0, 9] {
            let mut files = before.clone();
            for (at, path) in changed.iter().enumerate() {
                if subset & (1 << at) == 0 {
                    continue;
                }
                match after.get(*path) {
                    Some(bytes) => files.insert((*path).clone(), bytes.clone()),
                    None => files.remove(*path),
                };
            }
            set(&scratch.memory_dir(), &files);
            set(&scratch.state_dir(), &cut_journal(&state, lines - 1, rest));
            let report = scratch.open().open_report().clone();
            assert!(report.finished_operation.is_some());
            assert_eq!(scratch.bytes(), after, "subset {subset:b} of {changed:?}");
            // Once is enough.
            assert_eq!(scratch.open().open_report().finished_operation, None);
            assert_eq!(scratch.bytes(), after);
        }
    }
}

fn two_memories(store: &Store) {
    store.save(&request("a"), &person()).unwrap();
    store.save(&request("b"), &person()).unwrap();
}

#[test]
fn a_half_done_save_is_finished() {
    check(two_memories, |store| {
        store.save(&request("c"), &person()).unwrap();
    });
    check(two_memories, |store| {
        let request = request("c").with_scope(Scope::Team);
        store.save(&request, &person()).unwrap();
    });
}

#[test]
fn a_half_done_replacement_is_finished() {
    check(two_memories, |store| {
        let request = SaveRequest::new(MemoryType::Feedback, "a", "new", "new")
            .replacing("a", Expect::Anything);
        store.save(&request, &person()).unwrap();
    });
}

#[test]
fn a_half_done_removal_is_finished() {
    check(two_memories, |store| {
        store.remove("a", &person()).unwrap();
    });
}

#[test]
fn a_half_done_renaming_is_finished() {
    check(two_memories, |store| {
        store.rename("a", "c", &person()).unwrap();
    });
}

#[test]
fn a_half_done_undo_is_finished() {
    check(two_memories, |store| {
        store.undo(&person()).unwrap();
    });
}

#[test]
fn a_half_done_rollback_is_finished() {
    check(
        |store| {
            two_memories(store);
            store.snapshot("before").unwrap();
            store.remove("a", &person()).unwrap();
            store.save(&request("c"), &person()).unwrap();
        },
        |store| {
            let newest = store.snapshots().unwrap().remove(0);
            store.rollback(&newest.id, &person()).unwrap();
        },
    );
}

#[test]
fn a_half_done_purge_is_finished() {
    let scratch = Scratch::default();
    let store = scratch.open();
    two_memories(&store);
    let before = scratch.bytes();
    let state_before = folder_bytes(&scratch.state_dir());
    store
        .purge("a", &PurgeOptions::default(), &person())
        .unwrap();
    let after = scratch.bytes();
    let state_after = folder_bytes(&scratch.state_dir());
    drop(store);

    // The intention is on disk as another process would have written it, and nothing is done.
    let segment = |state: &Files| {
        let found = state.iter().rfind(|(path, _)| path.starts_with("journal/"));
        found.map(|(path, _)| path.clone()).unwrap()
    };
    let purged = String::from_utf8(state_after[&segment(&state_after)].clone()).unwrap();
    assert!(!purged.contains("feedback_a.md"), "{purged}");
    let intention = purge_intention(3, "feedback_a.md");
    let mut half = state_before.clone();
    half.get_mut(&segment(&state_before))
        .unwrap()
        .extend(intention.into_bytes());
    for files in [&before, &after] {
        set(&scratch.memory_dir(), files);
        set(&scratch.state_dir(), &half);
        let report = scratch.open().open_report().clone();
        assert_eq!(report.finished_operation, Some(3));
        assert_eq!(scratch.bytes(), after);
        let state = folder_bytes(&scratch.state_dir());
        let text = String::from_utf8(state[&segment(&state)].clone()).unwrap();
        assert!(!text.contains("feedback_a.md"), "{text}");
        assert_eq!(scratch.open().open_report().finished_operation, None);
    }
}

/// The line that a purge writes before it does anything, put together by hand.
fn purge_intention(sequence: u64, path: &str) -> String {
    let json = format!(
        "{{\"record\":\"operation\",\"version\":1,\"sequence\":{sequence},\
         \"time\":\"2026-03-05T14:02:11Z\",\"operation\":\"purge\",\"actor\":\"test\",\
         \"changes\":[{{\"path\":\"{path}\",\"before\":null,\"after\":null}}]}}"
    );
    let checksum = memdir::ContentHash::of(json.as_bytes()).to_string();
    format!("{} {json}\n", &checksum[..16])
}

#[test]
fn what_another_program_wrote_meanwhile_is_kept() {
    let scratch = Scratch::default();
    let store = scratch.open();
    two_memories(&store);
    store.save(&request("c"), &person()).unwrap();
    drop(store);
    let state = folder_bytes(&scratch.state_dir());
    let lines = journal_lines(&state);
    // The process died before it wrote anything, and a person edited both files since.
    scratch.write("feedback_c.md", "by hand\n");
    scratch.write("MEMORY.md", "# By hand\n- [b](feedback_b.md) — mine\n");
    set(&scratch.state_dir(), &cut_journal(&state, lines - 1, 0));
    scratch.open();
    assert_eq!(scratch.read("feedback_c.md"), "by hand\n");
    assert_eq!(
        scratch.read("MEMORY.md"),
        "# By hand\n- [b](feedback_b.md) — mine\n- [c](feedback_c.md) — about c\n"
    );
}

#[test]
fn a_damaged_line_in_the_middle_costs_that_operation_only() {
    let scratch = Scratch::default();
    let store = scratch.open();
    for name in ["a", "b", "c"] {
        store.save(&request(name), &person()).unwrap();
    }
    drop(store);
    let mut state = folder_bytes(&scratch.state_dir());
    let (_, segment) = state
        .iter_mut()
        .rfind(|(path, _)| path.starts_with("journal/"))
        .unwrap();
    // A byte of the second operation's line.
    let mut starts = segment
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n');
    let second = starts.nth(1).unwrap().0 + 60;
    segment[second] ^= 1;
    set(&scratch.state_dir(), &state);

    let store = scratch.open();
    assert_eq!(store.history_of_all().unwrap().damaged_lines, 1);
    assert!(store.history("a").unwrap().revisions.len() == 1);
    store.save(&request("d"), &person()).unwrap();
    assert_eq!(store.undo(&person()).unwrap().paths[0], "feedback_d.md");
}
