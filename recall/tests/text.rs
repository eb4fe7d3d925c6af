//! The tokeniser through its effects: what people write one way is found when asked another way.

use memdir_recall::Query;
use memdir_recall::fuzzing::pieces_of;
use proptest::prelude::*;

use crate::support::{memory, now, open, write};

#[test]
fn a_note_is_found_however_its_words_are_written() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    for (path, name, description) in [
        (
            "a.md",
            "Always call normalizeContainerNumber",
            "before comparing",
        ),
        ("b.md", "DB_POOL_MAX is 40", "because of the proxy"),
        ("c.md", "Times are stored in UTC", "one timezone for all"),
        ("d.md", "支付回调要幂等", "重复通知不能重复入账"),
        ("e.md", "Ｆｕｌｌ-width ＡＰＩ", "compatibility forms"),
        ("f.md", "PAY-1432 double charge", "closed"),
        ("g.md", "Organisation colours", "behaviour in the catalogue"),
        ("h.md", "部署流程", "先灰度再全量"),
    ] {
        write(folder, path, memory("project", name, description, "Text."));
    }
    let mut recall = open(folder, None);
    recall.refresh().unwrap();
    for (query, expected) in [
        ("normalize container number", "a.md"),
        ("normalizecontainernumber", "a.md"),
        ("normalize_container_number", "a.md"),
        ("dbPoolMax", "b.md"),
        ("db-pool-max", "b.md"),
        ("time zone", "c.md"),
        ("timezones", "c.md"),
        ("回调 幂等", "d.md"),
        ("idempotent payment callback", "d.md"),
        ("full width api", "e.md"),
        ("pay-1432", "f.md"),
        ("PAY 1432", "f.md"),
        ("organization colors", "g.md"),
        ("catalog behavior", "g.md"),
        ("deployment procedure", "h.md"),
    ] {
        let answer = recall.rank(&Query::new(query, now()).prefilter(3));
        let first = answer.memories.first().map(|memory| memory.path.as_str());
        assert_eq!(first, Some(expected), "{query}");
    }
}

proptest! {
    #[test]
    fn any_text_is_taken_apart_in_pieces_that_are_in_it(text in "\\PC{0,200}") {
        for piece in pieces_of(&text) {
            prop_assert!(!piece.is_empty());
            prop_assert!(!piece.contains(char::is_whitespace));
        }
    }

    #[test]
    fn a_text_of_bytes_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        drop(pieces_of(&String::from_utf8_lossy(&bytes)));
    }

    #[test]
    fn case_and_connectors_do_not_change_the_joined_form(
        words in prop::collection::vec("[a-z]{3,8}", 2..4),
    ) {
        let joined = |text: &str| pieces_of(text).into_iter().rfind(|p| p.starts_with('='));
        let camel = words.iter().map(|word| word[..1].to_uppercase() + &word[1..]);
        let camel: String = camel.collect();
        let expected = Some(format!("={}", words.concat()));
        prop_assert_eq!(joined(&words.join("_")), expected.clone());
        prop_assert_eq!(joined(&words.join("-")), expected.clone());
        prop_assert_eq!(joined(&camel), expected);
    }
}
