//! Removing, renaming and making folders.

use pathguard::{ErrorKind, RenameOptions};

use super::{check_kind, for_each_backend, key, names_in};

#[test]
fn a_rename_moves_and_never_replaces_unless_told_to() {
    for_each_backend(|place| {
        let root = &place.root;
        place.plant("a.md", "a");
        place.plant("b.md", "b");
        place.plant("d/c.md", "c");
        let never = RenameOptions::new();
        check_kind(
            root.rename(key("a.md"), key("b.md"), &never),
            ErrorKind::Exists,
            "onto b",
        );
        check_kind(
            root.rename(key("x.md"), key("y.md"), &never),
            ErrorKind::NotFound,
            "missing",
        );
        check_kind(
            root.rename(key("a.md"), key("x/a.md"), &never),
            ErrorKind::NotFound,
            "no folder",
        );
        root.rename(key("a.md"), key("d/a.md"), &never).unwrap();
        root.rename(
            key("d/c.md"),
            key("b.md"),
            &never.clone().with_replace(true),
        )
        .unwrap();
        assert_eq!(root.read(key("b.md"), 9).unwrap().bytes, b"c");
        assert_eq!(names_in(root.path()), ["b.md", "d"]);
        assert_eq!(names_in(&place.path("d")), ["a.md"]);
    });
}

#[test]
fn a_folder_can_be_renamed_but_not_onto_anything() {
    for_each_backend(|place| {
        let root = &place.root;
        place.plant("d/x.md", "x");
        std::fs::create_dir(place.path("empty")).unwrap();
        place.plant("file.md", "f");
        for replace in [false, true] {
            let options = RenameOptions::new().with_replace(replace);
            let onto = |to| root.rename(key("d"), key(to), &options);
            check_kind(onto("empty"), ErrorKind::NotRegular, "an empty folder");
            let kind = if replace {
                ErrorKind::NotDirectory
            } else {
                ErrorKind::Exists
            };
            check_kind(onto("file.md"), kind, "a file");
        }
        let into_itself = root.rename(key("d"), key("d/e"), &RenameOptions::new());
        check_kind(into_itself, ErrorKind::Collision, "into itself");
        root.rename(key("d"), key("e"), &RenameOptions::new())
            .unwrap();
        assert_eq!(root.read(key("e/x.md"), 9).unwrap().bytes, b"x");
        assert_eq!(names_in(root.path()), ["e", "empty", "file.md"]);
    });
}

#[test]
fn files_and_empty_folders_are_removed_by_their_own_calls() {
    for_each_backend(|place| {
        let root = &place.root;
        place.plant("d/x.md", "x");
        check_kind(
            root.remove(key("d")),
            ErrorKind::NotRegular,
            "remove a folder",
        );
        check_kind(
            root.remove_dir(key("d")),
            ErrorKind::NotEmpty,
            "a full folder",
        );
        check_kind(
            root.remove_dir(key("d/x.md")),
            ErrorKind::NotDirectory,
            "remove_dir a file",
        );
        check_kind(root.remove(key("y.md")), ErrorKind::NotFound, "missing");
        check_kind(
            root.remove_dir(key("y")),
            ErrorKind::NotFound,
            "missing folder",
        );
        root.remove(key("d/x.md")).unwrap();
        root.remove_dir(key("d")).unwrap();
        assert!(names_in(root.path()).is_empty());
    });
}

#[test]
fn folders_are_made_as_far_as_they_are_missing() {
    for_each_backend(|place| {
        let root = &place.root;
        root.create_dirs(key("a/b/c")).unwrap();
        root.create_dirs(key("a/b/d")).unwrap();
        root.create_dirs(key("a/b/d")).unwrap();
        assert_eq!(names_in(&place.path("a/b")), ["c", "d"]);
        place.plant("file", "f");
        check_kind(
            root.create_dirs(key("file")),
            ErrorKind::NotDirectory,
            "a file",
        );
        check_kind(
            root.create_dirs(key("file/x")),
            ErrorKind::NotDirectory,
            "below a file",
        );
    });
}

#[test]
fn several_makers_of_the_same_folders_all_succeed() {
    for_each_backend(|place| {
        for round in 0..20 {
            let name = format!("{round}/a/b/c");
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| place.root.create_dirs(key(&name)).unwrap());
                }
            });
            assert!(place.root.metadata(key(&name)).unwrap().is_dir());
        }
    });
}
