//! Listing.

use pathguard::{EntryKind, ListLimits, ListProblemKind, Listing, TraversalReason};

use super::{for_each_backend, key};

fn keys(listing: &Listing) -> Vec<&str> {
    listing
        .entries
        .iter()
        .map(|entry| entry.key.as_str())
        .collect()
}

#[test]
fn everything_below_the_root_is_listed_in_order() {
    for_each_backend(|place| {
        for name in [
            "b.md",
            "a/z.md",
            "a/y/x.md",
            "a.md",
            "記憶/茶.md",
            "C.md",
            ".hidden/x.md",
            ".h",
        ] {
            place.plant(name, name);
        }
        let listing = place.root.list(&ListLimits::new()).unwrap();
        let expected = [
            "C.md",
            "a",
            "a.md",
            "a/y",
            "a/y/x.md",
            "a/z.md",
            "b.md",
            "記憶",
            "記憶/茶.md",
        ];
        assert_eq!(keys(&listing), expected);
        assert!(
            !listing.cut && listing.problems.is_empty(),
            "{:?}",
            listing.problems
        );
        for entry in &listing.entries {
            let found = place.root.metadata(entry.key.as_ref()).unwrap();
            assert_eq!(entry.metadata, Some(found));
            assert_eq!(entry.kind, found.kind);
        }
        let all = place
            .root
            .list(&ListLimits::new().with_hidden(true))
            .unwrap();
        assert_eq!(all.entries.len(), expected.len() + 3);
    });
}

#[test]
fn limits_cut_and_say_so() {
    for_each_backend(|place| {
        for number in 0..30 {
            place.plant(&format!("d/{number:02}.md"), "x");
        }
        place.plant("other.txt", "x");
        let list = |limits: &ListLimits| place.root.list(limits).unwrap();
        let exact = list(&ListLimits::new().with_max_entries(32));
        assert_eq!((exact.entries.len(), exact.cut), (32, false));
        let fewer = list(&ListLimits::new().with_max_entries(31));
        assert_eq!((fewer.entries.len(), fewer.cut), (31, true));
        let none = list(&ListLimits::new().with_max_entries(0));
        assert_eq!((none.entries.len(), none.cut), (0, true));

        let shallow = list(&ListLimits::new().with_max_depth(1));
        assert_eq!(keys(&shallow), ["d", "other.txt"]);
        assert!(shallow.cut, "what lies in the folder is missing");
        assert_eq!(shallow.problems[0].kind, ListProblemKind::TooDeep);

        let markdown = list(&ListLimits::new().with_extension("MD"));
        assert_eq!(markdown.entries.len(), 31, "30 files and their folder");
        let mut limits = ListLimits::new();
        limits.max_names = 5;
        assert!(list(&limits).cut);
        let bare = list(&ListLimits::new().with_metadata(false));
        assert!(bare.entries.iter().all(|entry| entry.metadata.is_none()));
        assert_eq!(bare.entries.len(), 32);
    });
}

#[test]
fn names_that_are_no_keys_are_problems_beside_the_rest() {
    for_each_backend(|place| {
        place.plant("good.md", "x");
        for (name, reason) in [
            ("CON.md", TraversalReason::DeviceName),
            ("a\u{202e}b.md", TraversalReason::BidiControl),
            ("\u{2025}", TraversalReason::DotComponent),
        ] {
            place.plant(name, "x");
            let listing = place.root.list(&ListLimits::new()).unwrap();
            assert_eq!(keys(&listing), ["good.md"], "{name:?}");
            assert_eq!(listing.problems.len(), 1);
            let problem = &listing.problems[0];
            assert_eq!(problem.kind, ListProblemKind::NotAKey(reason), "{name:?}");
            assert_eq!(problem.name, name);
            assert!(
                problem
                    .shown
                    .chars()
                    .all(|c| !c.is_control() && c != '\u{202e}')
            );
            std::fs::remove_file(place.path(name)).unwrap();
        }
    });
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf_8_and_links_and_special_files_are_problems() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    super::unprivileged(super::here!(), || {
        for_each_backend(|place| {
            place.plant("d/good.md", "x");
            let name = OsStr::from_bytes(b"d/caf\xe9.md");
            std::fs::write(place.root.path().join(name), "x").unwrap();
            let folder = OsStr::from_bytes(b"\xff");
            std::fs::create_dir(place.root.path().join(folder)).unwrap();
            std::fs::write(place.root.path().join(folder).join("x.md"), "x").unwrap();
            std::os::unix::fs::symlink("../outside", place.path("out")).unwrap();
            std::os::unix::fs::symlink("out", place.path("d/loop.md")).unwrap();
            let socket = std::os::unix::net::UnixListener::bind(place.path("socket")).unwrap();
            let mut listing = place.root.list(&ListLimits::new()).unwrap();
            assert_eq!(keys(&listing), ["d", "d/good.md"]);
            listing.problems.sort_by(|a, b| a.name.cmp(&b.name));
            let problems: Vec<_> = listing
                .problems
                .iter()
                .map(|problem| {
                    let folder = problem.folder.as_ref().map(pathguard::PathKey::as_str);
                    (folder, problem.name.as_bytes(), problem.kind)
                })
                .collect();
            let not_utf8 = ListProblemKind::NotAKey(TraversalReason::NotUtf8);
            let expected: [(Option<&str>, &[u8], ListProblemKind); 5] = [
                (Some("d"), b"caf\xe9.md", not_utf8),
                (Some("d"), b"loop.md", ListProblemKind::Link),
                (None, b"out", ListProblemKind::Link),
                (None, b"socket", ListProblemKind::Special),
                (None, b"\xff", not_utf8),
            ];
            assert_eq!(problems, expected);
            for problem in &listing.problems {
                let (code, text) = (problem.kind.as_str(), problem.kind.to_string());
                assert!(text.starts_with("it ") && !text.ends_with('.'), "{text}");
                assert!(
                    code.chars()
                        .all(|c| c.is_ascii_lowercase() || c == '-' || c == '8')
                );
            }
            drop(socket);
        });
    });
}

#[test]
fn problems_are_bounded_too() {
    for_each_backend(|place| {
        for number in 0..20 {
            place.plant(&format!("{number}~\u{202e}"), "x");
        }
        let mut limits = ListLimits::new();
        limits.max_problems = 7;
        let listing = place.root.list(&limits).unwrap();
        assert_eq!((listing.problems.len(), listing.cut), (7, true));
    });
}

#[test]
fn a_root_below_lists_its_own_part() {
    for_each_backend(|place| {
        place.plant("a/b/x.md", "x");
        place.plant("y.md", "y");
        let sub = place.root.open_sub(key("a")).unwrap();
        let listing = sub.list(&ListLimits::new()).unwrap();
        assert_eq!(keys(&listing), ["b", "b/x.md"]);
        assert_eq!(listing.entries[0].kind, EntryKind::Directory);
    });
}

#[test]
fn a_tree_deeper_than_the_process_has_descriptors_is_listed() {
    for_each_backend(|place| {
        let path = vec!["d"; 63].join("/");
        place.plant(&format!("{path}/x.md"), "x");
        let listing = place.root.list(&ListLimits::new()).unwrap();
        assert_eq!((listing.entries.len(), listing.cut), (64, false));
        assert!(listing.problems.is_empty(), "{:?}", listing.problems);
    });
}
