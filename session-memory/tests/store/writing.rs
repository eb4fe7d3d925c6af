//! Commits: what is refused, who may write, and what a cursor means.

use agent_model::{Block, Message, Role};
use session_memory::{
    Author, Cursor, Draft, Entry, ErrorKind, NOTES_FILE, NotesLimits, SIDE_CAR_FILE, SessionFile,
    Structure,
};

use super::{FILES, Folder, commit, draft, notes, number};

#[test]
fn notes_that_would_not_be_read_back_are_refused_and_change_nothing() {
    let folder = Folder::new();
    let file = folder.file();
    commit(&file, 1);
    let before = FILES.map(|name| folder.read(name));
    let bad = [
        ("Worklog", "```\nan open fence".to_owned()),
        ("Worklog", "## Session Title\nstolen".to_owned()),
        ("Current State", "## A section of my own".to_owned()),
        ("Worklog", "x".repeat(2 << 20)),
        (
            "Worklog",
            "_Step by step, one short line each: what was done._".to_owned(),
        ),
    ];
    for (heading, body) in bad {
        let mut locked = file.lock().expect("a lock");
        let draft = Draft::new(notes(2).with_body(heading, &body), None, Author::Model);
        let error = locked.commit(&draft).expect_err("refused");
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
        assert_eq!(FILES.map(|name| folder.read(name)), before);
    }
    assert_eq!(number(&file), Some(1));
}

#[test]
fn an_edit_during_an_update_is_never_overwritten() {
    let folder = Folder::new();
    let file = folder.file();
    commit(&file, 1);
    let mut locked = file.lock().expect("a lock");
    let edited = notes(1).with_body("Learnings", "mine").print();
    folder.write(NOTES_FILE, &edited);
    let error = locked.commit(&draft(2)).expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::EditedMeanwhile);
    drop(locked);
    assert_eq!(folder.read(NOTES_FILE).expect("a file"), edited.as_bytes());
    let committed = file.read().expect("readable").expect("notes");
    assert_eq!(committed.notes.body("Learnings"), Some("mine"));
}

#[test]
fn one_writer_at_a_time() {
    let folder = Folder::new();
    let (one, other) = (folder.file(), folder.file());
    let locked = one.lock().expect("a lock");
    assert_eq!(other.lock().expect_err("held").kind(), ErrorKind::Busy);
    drop(locked);
    drop(other.lock().expect("free"));
}

#[test]
fn reading_makes_nothing_and_a_missing_folder_is_not_found() {
    let folder = Folder::new();
    let missing = SessionFile::open(&folder.path(), Structure::default());
    assert_eq!(missing.expect_err("missing").kind(), ErrorKind::NotFound);
    assert!(!folder.path().exists());
}

#[test]
fn errors_name_files_and_sections_and_no_contents() {
    let folder = Folder::new();
    let file = folder.file().with_limits(NotesLimits::default());
    let mut locked = file.lock().expect("a lock");
    let draft = Draft::new(
        notes(1).with_body("Worklog", "```\nthe word is mellon"),
        None,
        Author::Model,
    );
    let error = locked.commit(&draft).expect_err("refused");
    let shown = format!("{error} {error:?}");
    assert!(
        !shown.contains("mellon") && shown.contains("open-fence"),
        "{shown}"
    );
    assert!(folder.read(SIDE_CAR_FILE).is_none());
}

#[test]
fn a_cursor_finds_its_message_and_no_other() {
    let text = |id: &str, text: &str| Entry::Message(Message::assistant(text).with_id(id));
    let entries = vec![text("a", "one"), text("b", "two"), text("c", "three")];
    let cursor = Cursor::at_end(&entries[..2], 500).expect("a cursor");
    assert_eq!((cursor.message_id(), cursor.context_tokens()), ("b", 500));
    let cases: &[(&str, Vec<Entry>, Option<usize>)] = &[
        ("the same conversation", entries.clone(), Some(1)),
        ("rewound", entries[..1].to_vec(), None),
        (
            "another branch",
            vec![text("a", "one"), text("x", "two")],
            None,
        ),
        (
            "grown since",
            vec![text("a", "one"), text("b", "two and more")],
            Some(0),
        ),
        (
            "grown, and the first",
            vec![text("b", "two and more")],
            None,
        ),
        (
            "a part of the reply came later",
            vec![text("a", "one"), text("b", "two"), text("b", "more")],
            Some(1),
        ),
        ("nothing", Vec::new(), None),
    ];
    for (name, entries, expected) in cases {
        assert_eq!(cursor.find(entries), *expected, "{name}");
    }
    let without = [Entry::Message(Message::new(
        Role::User,
        vec![Block::Text("x".into())],
    ))];
    assert_eq!(Cursor::at_end(&without, 1), None);
    // Messages without an id are covered by the next one before them that has one.
    let mixed = [entries[0].clone(), without[0].clone()];
    assert_eq!(
        Cursor::at_end(&mixed, 1).expect("a cursor").message_id(),
        "a"
    );
}

#[test]
fn a_side_car_with_the_last_revision_there_is_does_not_end_the_session() {
    let folder = Folder::new();
    let file = folder.file();
    commit(&file, 1);
    let side_car = String::from_utf8(folder.read(SIDE_CAR_FILE).expect("a file")).expect("text");
    let last = side_car.replace("\"revision\": 1", &format!("\"revision\": {}", u64::MAX));
    assert_ne!(last, side_car);
    folder.write(SIDE_CAR_FILE, last);
    commit(&file, 2);
    assert_eq!(number(&file), Some(2));
}

#[test]
fn too_many_texts_aside_are_a_persons_to_look_at() {
    let folder = Folder::new();
    let file = folder.file();
    commit(&file, 1);
    for number in 0..16 {
        folder.write(NOTES_FILE, format!("shopping list {number}"));
        drop(file.lock().expect("a lock"));
    }
    folder.write(NOTES_FILE, "shopping list 16");
    assert_eq!(file.lock().expect_err("refused").kind(), ErrorKind::Refused);
    assert_eq!(
        folder.read(NOTES_FILE).as_deref(),
        Some(&b"shopping list 16"[..])
    );
    assert_eq!(folder.aside().len(), 16);
    assert_eq!(number(&file), Some(1), "readers go on");
}
