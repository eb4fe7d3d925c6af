//! Names that travel, and names of conflict copies.

use proptest::prelude::*;
use team_sync::{Checksum, ErrorKind, TeamKey};

#[test]
fn keys_of_people_are_taken() {
    for key in [
        "a.md",
        "MEMORY.md",
        "deploy/rollback.md",
        "a/b/c/d.md",
        "feedback_no-mocks.md",
        "记忆.md",
        "café.md",
        "日本語/メモ.md",
        "UPPER.MD",
        "two words.md",
        "project_🚀.md",
    ] {
        assert_eq!(TeamKey::parse(key).expect(key).as_str(), key);
    }
}

#[test]
fn keys_that_could_lead_elsewhere_or_have_no_place_are_refused() {
    let long = format!("{}.md", "a/".repeat(260));
    for key in [
        "",
        ".",
        "..",
        "/a.md",
        "../a.md",
        "a/../b.md",
        "a//b.md",
        "a\\b.md",
        "C:a.md",
        "a.md:x",
        "%2e%2e/a.md",
        "a%2fb.md",
        "．．/a.md",
        "a\0.md",
        "a\n.md",
        ".hidden.md",
        "a/.b/c.md",
        "a.txt",
        "a",
        "a.md.",
        "a.md ",
        "con.md",
        "nul.md",
        "a/",
        "cafe\u{301}.md",
        "a\u{202e}.md",
        "~/a.md",
        ".git/a.md",
        "why?.md",
        "a*b.md",
        "\"a\".md",
        "<a.md",
        "notes/a>b.md",
        "a|b/c.md",
        "com1.md",
        "a /b.md",
        &long,
    ] {
        let error = TeamKey::parse(key).expect_err(key);
        assert_eq!(error.kind(), ErrorKind::Key, "{key:?}");
        assert!(!error.to_string().contains('\u{202e}'), "{error}");
        assert!(error.to_string().len() < 400, "{error}");
    }
}

#[test]
fn a_conflict_copy_is_named_after_the_file_the_client_and_the_text() {
    let key = TeamKey::parse("deploy/rollback.md").expect("a key");
    let hash = Checksum::of("text").short();
    // (client, expected)
    for (client, expected) in [
        ("ana", format!("deploy/rollback.conflict-ana-{hash}.md")),
        (
            "Ana's Mac Book",
            format!("deploy/rollback.conflict-ana-s-mac-book-{hash}.md"),
        ),
        (
            "../..",
            format!("deploy/rollback.conflict-client-{hash}.md"),
        ),
        ("", format!("deploy/rollback.conflict-client-{hash}.md")),
    ] {
        let copy = key.conflict_copy(client, "text").expect("a name");
        assert_eq!(copy.as_str(), expected);
        assert!(copy.is_conflict_copy() && !key.is_conflict_copy());
        // A conflict about the copy does not grow its name.
        let again = copy.conflict_copy(client, "text").expect("a name");
        assert_eq!(again, copy);
    }
}

proptest! {
    #[test]
    fn any_text_is_a_key_or_an_error(text in "\\PC{0,40}|[ -~]{0,600}") {
        if let Ok(key) = TeamKey::parse(&text) {
            prop_assert_eq!(key.as_str(), text);
        }
    }

    #[test]
    fn every_key_of_moderate_depth_has_a_conflict_copy(
        stem in "[a-z记é]{1,80}", folder in "([a-z]{1,20}/){0,3}", client in "\\PC{0,60}", text in "\\PC{0,20}",
    ) {
        let Ok(key) = TeamKey::parse(&format!("{folder}{stem}.md")) else { return Ok(()) };
        let copy = key.conflict_copy(&client, &text).expect("room for a copy");
        prop_assert!(copy.is_conflict_copy());
        prop_assert!(copy.path().file_name().len() <= 255);
    }
}
