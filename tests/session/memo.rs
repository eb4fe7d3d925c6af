//! What a session remembers between its processes.

use std::path::Path;

use memstrata::SessionMemo;
use memstrata::pathguard::{MemoryRoot, RootOptions};
use memstrata::recall::ContentHash;
use memstrata::session::MAX_SURFACED;
use proptest::prelude::*;

fn open(folder: &Path) -> MemoryRoot {
    MemoryRoot::open(folder, &RootOptions::default()).expect("a folder")
}

fn shown(path: &str, text: &str) -> (String, ContentHash) {
    (path.to_owned(), ContentHash::of(text.as_bytes()))
}

#[test]
fn a_memory_stands_once_in_the_list_and_the_oldest_go_first() {
    let mut memo = SessionMemo::default();
    memo.note_shown(&[shown("a.md", "one"), shown("b.md", "one")]);
    memo.note_shown(&[shown("a.md", "two")]);
    memo.note_learned("b.md");
    let expected = [
        memstrata::recall::Surfaced::with_hash("a.md", ContentHash::of(b"two")),
        memstrata::recall::Surfaced::path("b.md"),
    ];
    assert_eq!(memo.surfaced().collect::<Vec<_>>(), expected);
    for number in 0..MAX_SURFACED {
        memo.note_learned(&format!("{number}.md"));
    }
    assert_eq!(memo.surfaced().count(), MAX_SURFACED);
    assert!(memo.surfaced().all(|seen| !expected.contains(&seen)));
    assert!(memo.forget_surfaced());
    assert!(!memo.forget_surfaced());
}

#[test]
fn each_session_has_a_memo_of_its_own_whatever_its_id() {
    let scratch = tempfile::tempdir().unwrap();
    let state = open(scratch.path());
    let ids = ["one", "One", "../one", "", "部署"];
    for (turn, id) in (1..).zip(ids) {
        let mut memo = SessionMemo::load(&state, id);
        assert_eq!(memo, SessionMemo::default(), "{id:?} is new");
        memo.turn = turn;
        memo.note_learned(&format!("{turn}.md"));
        memo.keep(&state, id).unwrap();
        assert_eq!(SessionMemo::load(&state, id), memo);
    }
    for (turn, id) in (1..).zip(ids) {
        assert_eq!(SessionMemo::load(&state, id).turn, turn);
    }
}

#[test]
fn what_is_no_memo_of_the_session_counts_as_none() {
    let table = [
        "",
        "{}",
        "[]",
        "\u{0}",
        r#"{"v":1,"session":"two","turn":3,"surfaced":[]}"#,
        r#"{"v":2,"session":"one","turn":3,"surfaced":[]}"#,
        r#"{"v":1,"session":"one","turn":-3,"surfaced":[]}"#,
        r#"{"v":1,"session":"one","turn":3,"surfaced":[]"#,
    ];
    for text in table {
        assert_eq!(
            SessionMemo::from_bytes(text.as_bytes(), "one"),
            None,
            "{text}"
        );
    }
    let memo = br#"{"v":1,"session":"one","turn":3,"surfaced":[["a.md","no hash"]],"later":1}"#;
    let memo = SessionMemo::from_bytes(memo, "one").unwrap();
    assert_eq!((memo.turn, memo.surfaced().count()), (3, 1));
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        drop(SessionMemo::from_bytes(&bytes, "one"));
    }
}
