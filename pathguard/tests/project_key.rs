//! The names of project folders.

use std::path::Path;

use pathguard::project_key;
use proptest::prelude::*;

#[test]
fn paths_become_the_names_that_agents_use() {
    for (path, key) in [
        ("/home/dev/proj/teapot", "-home-dev-proj-teapot"),
        ("/Users/ada/FastPlot", "-Users-ada-FastPlot"),
        ("/home/ada/a-b", "-home-ada-a-b"),
        ("/home/ada/a_b", "-home-ada-a-b"),
        ("/home/ada/a/b", "-home-ada-a-b"),
        ("/home/ada/.hidden", "-home-ada--hidden"),
        (
            r"C:\Users\ada\Documents\UNIGE-Main",
            "C--Users-ada-Documents-UNIGE-Main",
        ),
        ("/", "-"),
        ("", ""),
        ("/srv/日本", "-srv---"),
        ("/srv/😀", "-srv---"),
        ("/srv/café", "-srv-caf-"),
        ("/srv/cafe\u{301}", "-srv-caf-"),
    ] {
        assert_eq!(project_key(Path::new(path)), key, "{path:?}");
    }
}

#[test]
fn long_paths_are_cut_and_get_a_hash() {
    let at_the_limit = format!("/{}", "a".repeat(199));
    assert_eq!(
        project_key(Path::new(&at_the_limit)),
        format!("-{}", "a".repeat(199))
    );
    // The hashes are what JavaScript makes of the code units:
    // `Math.abs(units.reduce((h, c) => (h << 5) - h + c | 0, 0)).toString(36)`.
    for (path, hash) in [
        (format!("/{}", "a".repeat(200)), "b6ymvl"),
        (format!("/home/dev/{}x", "deep/".repeat(60)), "txn9ml"),
        (format!("/srv/{}", "記憶".repeat(150)), "g21qor"),
        (format!("/srv/{}", "😀".repeat(150)), "yu68dz"),
    ] {
        let key = project_key(Path::new(&path));
        assert_eq!(&key[200..], format!("-{hash}"), "{path}");
    }
}

proptest! {
    #[test]
    fn keys_hold_only_letters_digits_and_dashes(path in any::<String>()) {
        let key = project_key(Path::new(&path));
        prop_assert!(key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'), "{}", key);
        prop_assert!(key.len() <= 200 + 1 + 7);
    }
}
