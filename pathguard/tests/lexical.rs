//! Paths by their text alone.

use std::path::Path;

use pathguard::lexically_normal;
use proptest::prelude::*;

#[test]
fn dots_are_taken_out_by_name() {
    let table = [
        ("", ""),
        (".", ""),
        ("..", ""),
        ("a/..", ""),
        ("a/../..", ""),
        ("../a", "a"),
        ("a/../../b", "b"),
        ("./a/./b/.", "a/b"),
        ("a/b/../c", "a/c"),
        ("a//b///c/", "a/b/c"),
        ("...", "..."),
        ("a/..b/.c", "a/..b/.c"),
        ("/", "/"),
        ("/..", "/"),
        ("/../../etc", "/etc"),
        ("/home/ana/./app/../notes.md", "/home/ana/notes.md"),
        ("~/a/../b", "~/b"),
        ("%2e%2e/a", "%2e%2e/a"),
        ("下/../上", "上"),
    ];
    for (path, expected) in table {
        let normal = lexically_normal(Path::new(path));
        assert_eq!(normal, Path::new(expected), "{path}");
    }
}

#[cfg(unix)]
#[test]
fn names_that_are_no_text_are_kept() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let bytes = |bytes: &'static [u8]| Path::new(OsStr::from_bytes(bytes));
    let normal = lexically_normal(bytes(b"/a/\xFF/./b\n"));
    assert_eq!(normal, bytes(b"/a/\xFF/b\n"));
}

proptest! {
    #[test]
    fn no_dots_are_left_and_once_is_enough(
        parts in proptest::collection::vec(prop_oneof!["\\.{1,3}", "[a-c]", "/"], 0..12),
        is_absolute in any::<bool>(),
    ) {
        let text = format!("{}{}", if is_absolute { "/" } else { "" }, parts.join("/"));
        let normal = lexically_normal(Path::new(&text));
        prop_assert_eq!(normal.has_root(), Path::new(&text).has_root());
        let dots = normal.iter().any(|part| part == "." || part == "..");
        prop_assert!(!dots, "{} of {}", normal.display(), text);
        prop_assert_eq!(lexically_normal(&normal), normal);
    }
}
