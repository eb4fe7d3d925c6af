//! Collisions over many keys.

use pathguard::{ErrorKind, KeySet, PathKeyRef, fold_key};
use proptest::prelude::*;

fn insert(keys: &mut KeySet, raw: &str) -> Result<(), pathguard::Error> {
    keys.insert(PathKeyRef::parse(raw).unwrap())
}

#[test]
fn twins_are_found_in_either_order() {
    for (a, b, collide) in [
        ("a.md", "a.md", true),
        ("a.md", "A.MD", true),
        ("a.md", "b.md", false),
        ("café.md", "cafe\u{301}.md", true),
        ("CAFÉ.md", "cafe\u{301}.md", true),
        ("Straße.md", "STRASSE.md", true),
        ("ẞ.md", "ss.md", true),
        ("ﬁ.md", "FI.md", true),
        ("Σίσυφος.md", "σίσυφοσ.md", true),
        ("ΣΊΣΥΦΟΣ.md", "σίσυφος.md", true),
        ("\u{212a}.md", "k.md", true),
        ("Å.md", "\u{212b}.md", true),
        ("ǅ.md", "ǆ.md", true),
        ("ſ.md", "s.md", true),
        ("ᾳ.md", "ΑΙ.md", true),
        ("ⅷ.md", "Ⅷ.md", true),
        ("ｆｕｌｌ.md", "ＦＵＬＬ.md", true),
        // Half width is another character, and so are these.
        ("ｆｕｌｌ.md", "full.md", false),
        ("記憶.md", "记忆.md", false),
        ("ö.md", "o.md", false),
        ("가.md", "\u{1100}\u{1161}.md", true),
        // Folders.
        ("team/a.md", "team/b.md", false),
        ("team/a.md", "Team/b.md", true),
        ("team/a.md", "team", true),
        ("team/a.md", "TEAM", true),
        ("a/b/c.md", "a/b", true),
        ("a/b/c.md", "A/x.md", true),
        ("a/b/c.md", "a/B/d.md", true),
        ("a", "a.b/c", false),
        ("ab/c", "a/bc", false),
    ] {
        for (first, second) in [(a, b), (b, a)] {
            let mut keys = KeySet::new();
            insert(&mut keys, first).unwrap();
            let result = insert(&mut keys, second);
            assert_eq!(result.is_err(), collide, "{first:?} then {second:?}");
            assert_eq!(keys.len(), if collide { 1 } else { 2 });
            if let Err(error) = result {
                assert_eq!(error.kind(), ErrorKind::Collision);
                assert!(error.conflicting_key().is_some() && error.key().is_some());
                assert!(error.to_string().contains("the other is"), "{error}");
            }
        }
    }
}

#[test]
fn folding_joins_every_character_with_its_other_cases() {
    for c in '\u{80}'..=char::MAX {
        let folded = fold_key(c.encode_utf8(&mut [0; 4]));
        let (upper, lower): (String, String) =
            (c.to_uppercase().collect(), c.to_lowercase().collect());
        assert_eq!(fold_key(&upper), folded, "{c:?}");
        assert_eq!(fold_key(&lower), folded, "{c:?}");
        assert_eq!(
            fold_key(&folded),
            folded,
            "{c:?}: folding twice changes nothing"
        );
    }
}

#[test]
fn a_key_that_collides_leaves_the_set_as_it_was() {
    let mut keys = KeySet::new();
    insert(&mut keys, "a/x.md").unwrap();
    // `b` would be made on the way to the collision.
    assert!(insert(&mut keys, "A/b/c.md").is_err());
    insert(&mut keys, "b").unwrap();
    insert(&mut keys, "a/b").unwrap();
    assert_eq!(keys.len(), 3);
    assert!(!keys.is_empty());
    let found = keys.find(PathKeyRef::parse("A/X.md").unwrap()).unwrap();
    assert_eq!(found.as_str(), "a/x.md");
    assert!(
        keys.find(PathKeyRef::parse("a").unwrap()).is_none(),
        "a folder is no key of the set"
    );
}

#[test]
fn a_manifest_of_thousands_is_checked() {
    let mut keys = KeySet::new();
    for number in 0..10_000 {
        insert(&mut keys, &format!("d{}/note-{number}.md", number % 7)).unwrap();
    }
    assert_eq!(keys.len(), 10_000);
    assert!(insert(&mut keys, "d3/NOTE-3.md").is_err());
}

proptest! {
    #[test]
    fn folding_forgets_case_and_form(name in "\\PC{0,20}") {
        use unicode_forms::{nfc, nfd};
        let folded = fold_key(&name);
        prop_assert_eq!(&fold_key(&nfd(&name)), &fold_key(&nfc(&name)));
        prop_assert_eq!(name.matches('/').count(), folded.matches('/').count());
    }

    #[test]
    fn ascii_folds_as_ascii(name in "[ -~]{0,40}") {
        prop_assert_eq!(fold_key(&name), name.to_ascii_lowercase());
        prop_assert_eq!(fold_key(&name.to_ascii_uppercase()), fold_key(&name));
    }

    #[test]
    fn collisions_are_mutual(a in "[aAbBéE\u{301}/ß]{1,6}", b in "[aAbBéE\u{301}/ßs]{1,6}") {
        if let (Ok(a), Ok(b)) = (PathKeyRef::parse(&a), PathKeyRef::parse(&b)) {
            let collides = |first, second| {
                let mut keys = KeySet::new();
                keys.insert(first).unwrap();
                keys.insert(second).is_err()
            };
            prop_assert_eq!(collides(a, b), collides(b, a));
        }
    }
}

/// Normal forms, for the test above.
mod unicode_forms {
    use unicode_normalization::UnicodeNormalization;

    pub(super) fn nfc(text: &str) -> String {
        text.nfc().collect()
    }

    pub(super) fn nfd(text: &str) -> String {
        text.nfd().collect()
    }
}
