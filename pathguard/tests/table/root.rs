//! Opening roots.

use pathguard::{Backend, BackendChoice, ErrorKind, MemoryRoot, RootOptions};

use super::{Place, check_kind, for_each_backend, key, names_in, quick};
use crate::BACKENDS;

#[test]
fn a_root_must_exist_and_be_a_folder() {
    for_each_backend(|place| {
        let options = place.root.options();
        let open = |name: &str| MemoryRoot::open(&place.path(name), options);
        check_kind(open("missing"), ErrorKind::NotFound, "missing");
        place.plant("file", "x");
        check_kind(open("file"), ErrorKind::NotDirectory, "file");
        check_kind(open("file/below"), ErrorKind::NotDirectory, "below a file");
        let again = open(".").unwrap().folder_metadata();
        assert_eq!(again.inode, place.root.folder_metadata().inode);
    });
}

#[test]
fn missing_folders_of_a_root_are_made() {
    for_each_backend(|place| {
        let path = place.path("a/b/c");
        let root = MemoryRoot::open_or_create(&path, place.root.options()).unwrap();
        root.write(key("x.md"), b"x", &quick()).unwrap();
        let again = MemoryRoot::open_or_create(&path, place.root.options()).unwrap();
        assert_eq!(again.read(key("x.md"), 9).unwrap().bytes, b"x");
        assert_eq!(names_in(&place.path("a/b")), ["c"]);
        let dots = place.path("d/../../e");
        let made = MemoryRoot::open_or_create(&dots, place.root.options());
        check_kind(made, ErrorKind::Traversal, "dots in the missing part");
        assert_eq!(names_in(place.root.path()), ["a"]);
    });
}

#[cfg(unix)]
#[test]
fn a_root_may_be_reached_through_links_but_not_through_one_to_nothing() {
    super::unprivileged(super::here!(), || {
        for_each_backend(|place| {
            place.plant("real/x.md", "x");
            std::os::unix::fs::symlink("real", place.path("link")).unwrap();
            std::os::unix::fs::symlink("nothing", place.path("dangling")).unwrap();
            std::os::unix::fs::symlink("loop", place.path("loop")).unwrap();
            let open = |name: &str| MemoryRoot::open(&place.path(name), place.root.options());
            assert_eq!(
                open("link").unwrap().read(key("x.md"), 9).unwrap().bytes,
                b"x"
            );
            check_kind(open("dangling"), ErrorKind::Dangling, "dangling");
            check_kind(open("loop"), ErrorKind::Loop, "loop");
            let make = MemoryRoot::open_or_create(&place.path("dangling"), place.root.options());
            check_kind(make, ErrorKind::Dangling, "made through a link to nothing");
            check_kind(
                place.root.open_sub(key("link")),
                ErrorKind::Traversal,
                "below a root",
            );
        });
    });
}

#[test]
fn a_root_below_keeps_its_folder_and_its_options() {
    for_each_backend(|place| {
        place.plant("a/b/x.md", "x");
        let sub = place.root.open_sub(key("a/b")).unwrap();
        assert_eq!(sub.path(), place.path("a").join("b"));
        assert_eq!(sub.backend(), place.root.backend());
        assert_eq!(sub.read(key("x.md"), 9).unwrap().bytes, b"x");
        sub.verify_still_linked().unwrap();
        std::fs::rename(place.path("a"), place.path("moved")).unwrap();
        assert_eq!(sub.read(key("x.md"), 9).unwrap().bytes, b"x");
        check_kind(
            sub.write(key("y.md"), b"y", &quick()),
            ErrorKind::Changed,
            "moved",
        );
    });
}

#[test]
fn a_root_is_shared_between_threads() {
    for_each_backend(|place| {
        place.plant("x.md", "x");
        std::thread::scope(|scope| {
            for number in 0..4 {
                scope.spawn(move || {
                    let name = format!("{number}.md");
                    for _ in 0..50 {
                        place
                            .root
                            .write(key(&name), name.as_bytes(), &quick())
                            .unwrap();
                        assert_eq!(place.root.read(key("x.md"), 9).unwrap().bytes, b"x");
                        let read = place.root.read(key(&name), 9).unwrap();
                        assert_eq!(read.bytes, name.as_bytes());
                    }
                });
            }
        });
    });
}

#[test]
fn leftovers_of_killed_writers_are_removed_and_nothing_else() {
    for_each_backend(|place| {
        let kept = ["x.md", ".hidden", "a/y.md", "a/.b/z.md"];
        for name in kept {
            place.plant(name, "x");
        }
        let temporary = ".pathguard-0123456789abcdef0123456789abcdef";
        for folder in ["", "a/", "a/.b/"] {
            place.plant(&format!("{folder}{temporary}"), "half");
        }
        assert_eq!(
            place.root.remove_temporaries(0).unwrap(),
            0,
            "all are younger than that"
        );
        assert_eq!(place.root.remove_temporaries(i128::MAX).unwrap(), 3);
        for name in kept {
            assert!(place.path(name).exists(), "{name}");
        }
        assert_eq!(names_in(place.root.path()), [".hidden", "a", "x.md"]);
    });
}

#[test]
fn a_forced_backend_is_used_or_refused() {
    for &backend in BACKENDS {
        let place = Place::new(backend);
        let used = place.root.backend();
        match backend {
            BackendChoice::Forced(forced) => assert_eq!(used, forced),
            // The faults: what ENOSYS and EPERM of the first call lead to.
            BackendChoice::AutoWithFault(_) => assert_eq!(used, Backend::Components),
            _ => {}
        }
    }
    let foreign = if cfg!(windows) {
        Backend::OpenAt2
    } else {
        Backend::CapStd
    };
    let is_here = BACKENDS.contains(&BackendChoice::Forced(foreign));
    let options = RootOptions::new().with_backend(BackendChoice::Forced(foreign));
    let scratch = tempfile::tempdir().unwrap();
    if !is_here {
        let opened = MemoryRoot::open(scratch.path(), &options);
        check_kind(
            opened,
            ErrorKind::Unsupported,
            "a backend of another platform",
        );
    }
}

/// Compiles only if roots can be sent and shared.
fn send_and_sync<T: Send + Sync>(_: &T) {}

#[test]
fn a_root_shows_where_it_is_and_not_more() {
    for_each_backend(|place| {
        let text = format!("{:?}", place.root);
        send_and_sync(&place.root);
        assert!(
            text.contains("MemoryRoot") && text.contains("root"),
            "{text}"
        );
    });
}
