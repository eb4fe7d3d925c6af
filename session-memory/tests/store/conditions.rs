//! Every state in which a crash, an editor, a disk or a stranger may leave the two files.

use session_memory::{
    Author, Condition, ErrorKind, NOTES_FILE, SIDE_CAR_FILE, SessionFile, Structure,
};

use super::{FILES, Folder, commit, cursor, draft, names, notes, number, unfinished};

/// A folder with a commit of 1 and then of 2, and both files as they were after each.
fn two_commits() -> (Folder, [Vec<Vec<u8>>; 2]) {
    let folder = Folder::new();
    let file = folder.file();
    let states = [1, 2].map(|number| {
        commit(&file, number);
        FILES
            .map(|name| folder.read(name).expect("a file"))
            .to_vec()
    });
    (folder, states)
}

#[test]
fn a_commit_is_read_back_whole() {
    let folder = Folder::new();
    let file = folder.file();
    assert_eq!(file.read().expect("readable"), None);
    assert_eq!(file.condition().expect("readable"), Condition::Absent);
    commit(&file, 1);
    commit(&file, 2);
    assert_eq!(number(&file), Some(2));
    assert_eq!(file.condition().expect("readable"), Condition::Whole);
    assert_eq!(
        folder.read(NOTES_FILE).expect("a file"),
        notes(2).print().into_bytes()
    );
    assert_eq!(
        names(&folder.path()),
        [
            "session-memory.json",
            "session-memory.lock",
            "session-memory.md"
        ]
    );
}

#[test]
fn a_crash_between_any_two_steps_leaves_a_committed_pair() {
    let (folder, [first, second]) = two_commits();
    let file = folder.file();
    let half = unfinished(&second[1], Some((&first[0], 1)));
    let steps: [(&[u8], &[u8], u64, Condition); 4] = [
        (&first[0], &first[1], 1, Condition::Whole),
        (&first[0], &half, 2, Condition::Unfinished),
        (&second[0], &half, 2, Condition::Unfinished),
        (&second[0], &second[1], 2, Condition::Whole),
    ];
    for (markdown, side_car, expected, condition) in steps {
        folder.write(NOTES_FILE, markdown);
        folder.write(SIDE_CAR_FILE, side_car);
        assert_eq!(file.condition().expect("readable"), condition);
        assert_eq!(number(&file), Some(expected));
        // The next writer finishes it, and the reader sees the same.
        assert_eq!(file.lock().expect("a lock").found(), &condition);
        assert_eq!(file.condition().expect("readable"), Condition::Whole);
        assert_eq!(number(&file), Some(expected));
    }
    // The first commit ever, killed before there was a Markdown.
    folder.remove(NOTES_FILE);
    folder.write(SIDE_CAR_FILE, unfinished(&first[1], None));
    assert_eq!(number(&file), Some(1));
    drop(file.lock().expect("a lock"));
    assert_eq!(folder.read(NOTES_FILE).as_deref(), Some(&*first[0]));
}

#[test]
fn a_persons_edit_counts_and_stays_byte_for_byte() {
    let (folder, _) = two_commits();
    let file = folder.file();
    let edited = String::from_utf8(folder.read(NOTES_FILE).expect("a file")).expect("text");
    let edited = edited.replace("at 2", "at 2, waiting for the review   ");
    folder.write(NOTES_FILE, &edited);
    let committed = file.read().expect("readable").expect("notes");
    assert!(
        committed
            .notes
            .body("Current State")
            .expect("a section")
            .contains("waiting")
    );
    assert_eq!(
        (committed.cursor, committed.author),
        (cursor(2), Author::Person)
    );
    let mut locked = file.lock().expect("a lock");
    assert_eq!(locked.found(), &Condition::Edited);
    assert_eq!(folder.read(NOTES_FILE).expect("a file"), edited.as_bytes());
    // And an update that starts from it replaces it knowingly.
    locked.commit(&draft(3)).expect("a commit");
    drop(locked);
    assert_eq!(number(&file), Some(3));
}

#[test]
fn an_edit_that_meets_an_unfinished_commit_wins_and_loses_nothing() {
    let (folder, [first, second]) = two_commits();
    let file = folder.file();
    let edited = String::from_utf8(first[0].clone())
        .expect("text")
        .replace("at 1", "by hand");
    folder.write(NOTES_FILE, &edited);
    folder.write(SIDE_CAR_FILE, unfinished(&second[1], Some((&first[0], 1))));
    let committed = file.read().expect("readable").expect("notes");
    assert!(
        committed
            .notes
            .body("Current State")
            .expect("a section")
            .starts_with("by hand")
    );
    assert_eq!(
        committed.cursor,
        cursor(1),
        "what 2 covered is to be covered again"
    );
    assert_eq!(
        file.lock().expect("a lock").found(),
        &Condition::EditedBeforeReplacement
    );
    assert_eq!(folder.read(NOTES_FILE).expect("a file"), edited.as_bytes());
    assert_eq!(
        folder.aside(),
        [String::from_utf8(second[0].clone()).expect("text")]
    );
}

#[test]
fn a_rough_edit_is_mended_by_the_next_update_and_keeps_all_contents() {
    let (folder, _) = two_commits();
    let file = folder.file();
    let text = String::from_utf8(folder.read(NOTES_FILE).expect("a file")).expect("text");
    let edited = text
        .replace("## Learnings\n", "")
        .replace("## Workflow\n", "## Workflow\nmake all\n")
        + "\n## My own section\nmine\n";
    folder.write(NOTES_FILE, &edited);
    assert_eq!(number(&file), Some(2), "readers keep what was committed");
    let locked = file.lock().expect("a lock");
    assert!(matches!(locked.found(), Condition::EditedRoughly(_)));
    drop(locked);
    let committed = file.read().expect("readable").expect("notes");
    assert_eq!(file.condition().expect("readable"), Condition::Whole);
    let printed = committed.notes.print();
    for wanted in [
        "make all",
        "### My own section\nmine",
        "number 2",
        "- step 2",
    ] {
        assert!(printed.contains(wanted), "{wanted}");
    }
    assert_eq!(committed.cursor, cursor(2));
}

#[test]
fn a_file_that_was_cut_off_anywhere_is_restored() {
    let (folder, [_, second]) = two_commits();
    let file = folder.file();
    let whole = &second[0];
    let last_section = whole.len() - 300 * 30;
    for end in (0..last_section).step_by(97).chain([whole.len() - 5]) {
        for zeros in [0, 512] {
            let mut torn = whole[..end].to_vec();
            torn.extend(vec![0; zeros]);
            folder.write(NOTES_FILE, &torn);
            assert_eq!(number(&file), Some(2), "cut at {end}, {zeros} zeros");
            assert!(matches!(
                file.condition().expect("readable"),
                Condition::Damaged(_)
            ));
        }
    }
    drop(file.lock().expect("a lock"));
    assert_eq!(folder.read(NOTES_FILE).as_ref(), Some(whole));
    assert_eq!(
        folder.aside(),
        [""; 0],
        "there was nothing in it that is not in the side-car"
    );
}

#[test]
fn the_beginning_of_another_text_never_reaches_a_reader() {
    let (folder, _) = two_commits();
    let file = folder.file();
    let other = notes(7).print();
    let sections = other.find("## Worklog").expect("a section");
    for end in (0..sections).step_by(61) {
        if other.is_char_boundary(end) {
            folder.write(NOTES_FILE, &other[..end]);
            assert_eq!(number(&file), Some(2), "cut at {end}");
        }
    }
    // Half of the headings are there: it is mended, and the sections that were cut off come back.
    folder.write(NOTES_FILE, &other[..sections]);
    drop(file.lock().expect("a lock"));
    let committed = file.read().expect("readable").expect("notes");
    assert_eq!(committed.notes.body("Session Title"), Some("number 7"));
    assert_eq!(committed.notes.body("Worklog"), notes(2).body("Worklog"));
}

#[test]
fn what_is_no_session_file_is_kept_aside_and_the_committed_text_comes_back() {
    let (folder, [_, second]) = two_commits();
    let file = folder.file();
    let foreign: [&[u8]; 5] = [
        b"a shopping list\n",
        b"\xff\xfe binary",
        &[0; 4096],
        b"# Session Memory\n\n## Session Title\n```\nnever closed",
        &vec![b'x'; 2 << 20],
    ];
    for bytes in foreign {
        folder.write(NOTES_FILE, bytes);
        assert_eq!(number(&file), Some(2));
        drop(file.lock().expect("a lock"));
        assert_eq!(folder.read(NOTES_FILE).as_ref(), Some(&second[0]));
    }
    // Zeros are nothing; the other four are somebody's.
    assert_eq!(folder.aside().len(), 4);
}

#[test]
fn a_deleted_file_stays_deleted() {
    let (folder, _) = two_commits();
    let file = folder.file();
    folder.remove(NOTES_FILE);
    assert_eq!(file.read().expect("readable"), None);
    assert_eq!(file.condition().expect("readable"), Condition::Deleted);
    let mut locked = file.lock().expect("a lock");
    assert_eq!(locked.base(), None);
    locked.commit(&draft(5)).expect("a commit");
    drop(locked);
    assert_eq!(number(&file), Some(5));
}

#[test]
fn a_damaged_side_car_costs_the_cursor_and_nothing_else() {
    let (folder, [first, second]) = two_commits();
    let file = folder.file();
    let whole = second[1].clone();
    let mut flipped = whole.clone();
    let place = flipped
        .windows(8)
        .position(|window| window == b"number 2")
        .expect("the text");
    flipped[place + 7] = b'3';
    let mut cases: Vec<Vec<u8>> = (0..whole.len())
        .step_by(331)
        .map(|end| whole[..end].to_vec())
        .collect();
    cases.extend([
        flipped,
        b"{}".to_vec(),
        b"[1]".to_vec(),
        vec![0; whole.len()],
        b"{\"v\":0}".to_vec(),
        vec![b'['; 100_000],
        vec![b' '; 17 << 20],
    ]);
    for bytes in cases {
        folder.write(NOTES_FILE, &second[0]);
        folder.write(SIDE_CAR_FILE, &bytes);
        let committed = file.read().expect("readable").expect("notes");
        assert_eq!((committed.notes, committed.cursor), (notes(2), None));
        assert_eq!(
            file.lock().expect("a lock").found(),
            &Condition::WithoutSideCar
        );
        assert_eq!(file.condition().expect("readable"), Condition::Whole);
    }
    // Without a usable text in the side-car, a cut Markdown is nothing that a reader may see.
    folder.write(SIDE_CAR_FILE, b"{");
    folder.write(NOTES_FILE, &first[0][..700]);
    assert_eq!(file.read().expect("readable"), None);
}

#[test]
fn a_side_car_of_a_later_version_is_left_alone() {
    let (folder, _) = two_commits();
    let file = folder.file();
    let later = br#"{"v":2,"anything":true}"#;
    folder.write(SIDE_CAR_FILE, later);
    assert_eq!(file.read().expect_err("refused").kind(), ErrorKind::TooNew);
    assert_eq!(file.lock().expect_err("refused").kind(), ErrorKind::TooNew);
    assert_eq!(folder.read(SIDE_CAR_FILE).as_deref(), Some(&later[..]));
}

#[cfg(unix)]
#[test]
fn links_pipes_and_folders_are_refused_and_stay() {
    let outside = tempfile::NamedTempFile::new().expect("a file");
    for name in FILES {
        let (folder, _) = two_commits();
        let file = folder.file();
        let path = folder.path().join(name);
        folder.remove(name);
        std::os::unix::fs::symlink(outside.path(), &path).expect("a link");
        assert_eq!(
            file.read().expect_err("refused").kind(),
            ErrorKind::Refused,
            "{name}"
        );
        assert_eq!(
            file.lock().expect_err("refused").kind(),
            ErrorKind::Refused,
            "{name}"
        );
        folder.remove(name);
        std::fs::create_dir(&path).expect("a folder");
        assert_eq!(
            file.read().expect_err("refused").kind(),
            ErrorKind::Refused,
            "{name}"
        );
        assert_eq!(
            file.lock().expect_err("refused").kind(),
            ErrorKind::Refused,
            "{name}"
        );
    }
    assert_eq!(std::fs::read(outside.path()).expect("a file"), b"");
}

#[test]
fn a_new_template_takes_the_contents_of_the_old_one_along() {
    let (folder, _) = two_commits();
    let template = "# Notes\n\n## Where we are\n_now_\n\n## Current State\n\n## Rest\n_all else_\n";
    let structure = Structure::from_template(template).expect("a structure");
    let file = SessionFile::open(&folder.path(), structure).expect("a folder");
    let committed = file.read().expect("readable").expect("notes");
    assert!(
        committed
            .notes
            .body("Current State")
            .expect("a section")
            .starts_with("at 2")
    );
    let rest = committed.notes.body("Rest").expect("a section");
    assert!(rest.contains("### Session Title\n\nnumber 2") && rest.contains("### Worklog"));
    assert_eq!(committed.cursor, cursor(2));
}
