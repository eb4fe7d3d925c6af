//! Saving: the file, the index line, expectations, and what stays as it was.

use memdir::{ContentHash, ErrorKind, Expect, IndexOutcome, MemoryType, SaveRequest, Scope};

use crate::support::{Scratch, person, request};

#[test]
fn a_save_writes_the_file_and_its_index_line() {
    let scratch = Scratch::default();
    let store = scratch.open();
    let saved = store.save(&request("Run the tests"), &person()).unwrap();

    assert_eq!(saved.path.as_str(), "feedback_run_the_tests.md");
    assert!(!saved.replaced);
    assert!(matches!(saved.index, IndexOutcome::Fine(_)));
    assert_eq!(
        scratch.read("MEMORY.md"),
        "- [Run the tests](feedback_run_the_tests.md) — about Run the tests\n"
    );
    assert_eq!(
        scratch.read("feedback_run_the_tests.md"),
        "---\nname: Run the tests\ndescription: about Run the tests\ntype: feedback\n\
         modified: 2026-03-05T14:02:11Z\n---\n\nBody of Run the tests.\n\n\
         **Why:** because.\n**How to apply:** always.\n"
    );
    let file = scratch.read("feedback_run_the_tests.md");
    assert_eq!(saved.hash, ContentHash::of(file.as_bytes()));
}

#[test]
fn without_index_only_the_file_is_written() {
    let scratch = Scratch::default();
    let saved = scratch
        .open()
        .save(&request("a").without_index(), &person())
        .unwrap();
    assert!(matches!(saved.index, IndexOutcome::Skipped));
    let files: Vec<String> = scratch.bytes().into_keys().collect();
    assert_eq!(files, ["feedback_a.md"]);
}

#[test]
fn a_team_memory_goes_to_the_team_folder_and_its_own_index() {
    let scratch = Scratch::default();
    scratch
        .open()
        .save(&request("a").with_scope(Scope::Team), &person())
        .unwrap();
    let files: Vec<String> = scratch.bytes().into_keys().collect();
    assert_eq!(files, ["team/MEMORY.md", "team/feedback_a.md"]);
    assert_eq!(
        scratch.read("team/MEMORY.md"),
        "- [a](feedback_a.md) — about a\n"
    );
}

#[test]
fn a_second_memory_of_the_same_title_is_refused_with_the_current_state() {
    let scratch = Scratch::default();
    let store = scratch.open();
    let first = store.save(&request("a"), &person()).unwrap();
    let before = scratch.bytes();

    let error = store.save(&request("A"), &person()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StaleHash);
    let current = error.current().unwrap();
    assert_eq!(current.path, "feedback_a.md");
    assert_eq!(current.hash, Some(first.hash));
    assert_eq!(scratch.bytes(), before);
}

#[test]
fn a_replacement_needs_the_hash_that_the_file_has() {
    let scratch = Scratch::default();
    let store = scratch.open();
    let first = store.save(&request("a"), &person()).unwrap();
    let changed = SaveRequest::new(MemoryType::Feedback, "a", "about a", "new");

    let stale = Expect::Hash(ContentHash::of(b"something else"));
    let error = store
        .save(&changed.clone().replacing("a", stale), &person())
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StaleHash);
    assert!(error.to_string().contains("feedback_a.md"), "{error}");

    let request = changed.replacing("a", Expect::Hash(first.hash));
    let second = store.save(&request, &person()).unwrap();
    assert!(second.replaced);
    assert_eq!(store.read("a").unwrap().memory.body(), "new\n");
}

#[test]
fn another_title_with_the_same_slug_gets_its_own_file() {
    let scratch = Scratch::default();
    let store = scratch.open();
    store.save(&request("a b"), &person()).unwrap();
    let second = store.save(&request("a-b"), &person()).unwrap();
    assert_eq!(second.path.as_str(), "feedback_a_b_2.md");
    // And is found again by its title.
    let error = store.save(&request("a-b"), &person()).unwrap_err();
    assert_eq!(error.current().unwrap().path, "feedback_a_b_2.md");
}

#[test]
fn saving_the_same_again_changes_nothing() {
    let scratch = Scratch::default();
    let store = scratch.open();
    store.save(&request("a"), &person()).unwrap();
    let before = scratch.bytes();
    scratch.clock.advance_days(3);
    let again = store
        .save(&request("a").with_expect(Expect::Anything), &person())
        .unwrap();
    assert_eq!(again.sequence, None);
    assert_eq!(scratch.bytes(), before);
}

#[test]
fn a_replacement_keeps_unknown_keys_and_a_hand_written_hook() {
    let scratch = Scratch::default();
    scratch.write(
        "feedback_a.md",
        "---\nname: a\ndescription: about a\ntype: feedback\nowner: core # team\n---\n\nOld.\n",
    );
    let index = "# Mine\n\n* [a](feedback_a.md): read this first!\n\nProse.\n";
    scratch.write("MEMORY.md", index);
    let store = scratch.open();
    let replace = |description: &str| {
        SaveRequest::new(MemoryType::Feedback, "a", description, "New.")
            .replacing("a", Expect::Anything)
    };

    store.save(&replace("about a"), &person()).unwrap();
    assert_eq!(
        scratch.read("feedback_a.md"),
        "---\nname: a\ndescription: about a\ntype: feedback\nowner: core # team\n\
         modified: 2026-03-05T14:02:11Z\n---\n\nNew.\n"
    );
    assert_eq!(scratch.read("MEMORY.md"), index);

    // What the hook tells has changed, so that it is written anew in its place.
    store.save(&replace("all about a"), &person()).unwrap();
    assert_eq!(
        scratch.read("MEMORY.md"),
        "# Mine\n\n* [a](feedback_a.md): all about a\n\nProse.\n"
    );
}

#[test]
fn an_index_over_its_limit_still_gets_the_line_and_says_what_to_shorten() {
    let scratch = Scratch::default();
    let store = scratch.open();
    let mut outcomes = [0; 3];
    for number in 0..205 {
        let saved = store
            .save(&request(&format!("memory {number}")), &person())
            .unwrap();
        match saved.index {
            IndexOutcome::Fine(_) => outcomes[0] += 1,
            IndexOutcome::Near { warning, .. } => {
                assert!(warning.contains("MEMORY.md"), "{warning}");
                outcomes[1] += 1;
            }
            IndexOutcome::Over(over) => {
                assert!(!over.plan.steps.is_empty());
                outcomes[2] += 1;
            }
            IndexOutcome::Skipped => panic!("the index was not skipped"),
            _ => panic!("unknown outcome"),
        }
    }
    // 75 % of 200 lines are 150.
    assert_eq!(outcomes, [149, 51, 5]);
    assert_eq!(scratch.read("MEMORY.md").lines().count(), 205);
}

#[cfg(unix)]
#[test]
fn files_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::default();
    scratch
        .open()
        .save(&request("a").with_scope(Scope::Team), &person())
        .unwrap();
    let mode = |path: &str| {
        let path = scratch.folder.path().join(path);
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    };
    for folder in [
        "memory",
        "memory/team",
        "memory-state",
        "memory-state/journal",
    ] {
        assert_eq!(mode(folder), 0o700, "{folder}");
    }
    for file in [
        "memory/team/MEMORY.md",
        "memory/team/feedback_a.md",
        "memory-state/lock",
    ] {
        assert_eq!(mode(file), 0o600, "{file}");
    }
}
