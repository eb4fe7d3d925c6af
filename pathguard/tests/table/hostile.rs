//! Everything that can stand where a file should: refused in bounded time, with the right kind, and
//! left alone.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

use pathguard::ErrorKind::{
    Dangling, Denied, HardLink, Loop, NotDirectory, NotRegular, TooLarge, Traversal,
};
use pathguard::{
    AppendOptions, ErrorKind, ListLimits, LockWait, MemoryRoot, RenameOptions, RootCheck,
    RootOptions,
};
use rustix::fs::{CWD, FileType, Mode};

use super::{
    Place, bounded, check_kind, for_each_backend, here, key, names_in, quick, unprivileged,
};
use crate::BACKENDS;

/// One obstacle: how it is made, the key that meets it, and the kinds of refusal when it is read
/// and when it is written.
struct Obstacle {
    name: &'static str,
    make: fn(&Place),
    key: &'static str,
    read: ErrorKind,
    write: ErrorKind,
}

const fn same(
    name: &'static str,
    key: &'static str,
    kind: ErrorKind,
    make: fn(&Place),
) -> Obstacle {
    Obstacle {
        name,
        make,
        key,
        read: kind,
        write: kind,
    }
}

fn link(place: &Place, name: &str, target: impl AsRef<Path>) {
    symlink(target, place.path(name)).unwrap();
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

const OBSTACLES: &[Obstacle] = &[
    same("a FIFO", "x.md", NotRegular, |place| {
        let path = place.path("x.md");
        rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::from(0o600), 0).unwrap();
    }),
    same("a FIFO that nobody may open", "x.md", NotRegular, |place| {
        let path = place.path("x.md");
        rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::empty(), 0).unwrap();
    }),
    same("a socket", "x.md", NotRegular, |place| {
        drop(UnixListener::bind(place.path("x.md")).unwrap());
    }),
    // The only device that anybody may make (Linux 5.8): the whiteout of overlay file systems.
    same("a device", "x.md", NotRegular, |place| {
        let path = place.path("x.md");
        let made = rustix::fs::mknodat(
            CWD,
            &path,
            FileType::CharacterDevice,
            Mode::from(0o600),
            rustix::fs::makedev(0, 0),
        );
        if let Err(error) = made {
            println!("no device could be made here ({error}); a FIFO stands in for it");
            rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::from(0o600), 0).unwrap();
        }
    }),
    same("a folder", "x.md", NotRegular, |place| {
        std::fs::create_dir(place.path("x.md")).unwrap();
    }),
    same(
        "a hard link to an outside file",
        "x.md",
        HardLink,
        |place| {
            std::fs::hard_link(place.outside("secret.md"), place.path("x.md")).unwrap();
        },
    ),
    same(
        "a hard link to a file beside it",
        "x.md",
        HardLink,
        |place| {
            place.plant("y.md", "y");
            std::fs::hard_link(place.path("y.md"), place.path("x.md")).unwrap();
        },
    ),
    same("a link to an outside file", "x.md", Traversal, |place| {
        link(place, "x.md", place.outside("secret.md"));
    }),
    same("a link up and out", "x.md", Traversal, |place| {
        link(place, "x.md", "../outside/secret.md");
    }),
    same("a link that stays inside", "x.md", Traversal, |place| {
        place.plant("y.md", "y");
        link(place, "x.md", "y.md");
    }),
    same("a link to a link that leaves", "x.md", Traversal, |place| {
        link(place, "y.md", "../outside/secret.md");
        link(place, "x.md", "y.md");
    }),
    same("a link to an outside folder", "x.md", Traversal, |place| {
        link(place, "x.md", place.outside(""));
    }),
    same(
        "a link to an outside name that does not exist",
        "x.md",
        Traversal,
        |place| {
            link(place, "x.md", place.outside("nothing.md"));
        },
    ),
    same(
        "a link through the process folder",
        "x.md",
        Traversal,
        |place| {
            link(place, "x.md", "/proc/self/root/etc/hostname");
        },
    ),
    same(
        "a magic link in a folder of links",
        "d/x.md",
        Traversal,
        |place| {
            link(place, "d", "/proc/self/cwd");
        },
    ),
    same("a link to nothing", "x.md", Dangling, |place| {
        link(place, "x.md", "nothing.md");
    }),
    same("a link to nothing in a folder", "x.md", Dangling, |place| {
        std::fs::create_dir(place.path("d")).unwrap();
        link(place, "x.md", "d/nothing.md");
    }),
    same("a link to a link to nothing", "x.md", Dangling, |place| {
        link(place, "y.md", "nothing.md");
        link(place, "x.md", "./y.md");
    }),
    same("a link to itself", "x.md", Loop, |place| {
        link(place, "x.md", "x.md");
    }),
    same("two links in a circle", "x.md", Loop, |place| {
        link(place, "y.md", "x.md");
        link(place, "x.md", "y.md");
    }),
    same("a circle through a folder", "d/x.md", Loop, |place| {
        std::fs::create_dir(place.path("d")).unwrap();
        link(place, "d/x.md", "../d/x.md");
    }),
    same(
        "a folder that is a link out",
        "d/secret.md",
        Traversal,
        |place| {
            link(place, "d", place.outside(""));
        },
    ),
    same(
        "a folder that is a link up and out",
        "d/secret.md",
        Traversal,
        |place| {
            link(place, "d", "../outside");
        },
    ),
    same(
        "a folder that is a link inside",
        "d/x.md",
        Traversal,
        |place| {
            place.plant("e/x.md", "x");
            link(place, "d", "e");
        },
    ),
    same(
        "a folder that is a link to the root",
        "d/x.md",
        Traversal,
        |place| {
            place.plant("x.md", "x");
            link(place, "d", ".");
        },
    ),
    same(
        "a deep folder that is a link",
        "a/b/c/x.md",
        Traversal,
        |place| {
            std::fs::create_dir_all(place.path("a/b")).unwrap();
            link(place, "a/b/c", "../../../outside");
        },
    ),
    same(
        "a folder that is a link to nothing",
        "d/x.md",
        Dangling,
        |place| {
            link(place, "d", "nothing");
        },
    ),
    same(
        "a folder that is a link to itself",
        "d/x.md",
        Loop,
        |place| {
            link(place, "d", "d");
        },
    ),
    same(
        "a file in the place of a folder",
        "d/x.md",
        NotDirectory,
        |place| {
            place.plant("d", "d");
        },
    ),
    same(
        "a FIFO in the place of a folder",
        "d/x.md",
        NotDirectory,
        |place| {
            let path = place.path("d");
            rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::from(0o600), 0).unwrap();
        },
    ),
    same(
        "a folder that may not be searched",
        "d/x.md",
        Denied,
        |place| {
            place.plant("d/x.md", "x");
            set_mode(&place.path("d"), 0o000);
        },
    ),
];

/// Tries every operation that reads or writes one file.
fn try_all(place: &Place, obstacle: &Obstacle) {
    let (root, at) = (&place.root, key(obstacle.key));
    let what = |operation: &str| format!("{} ({operation}, {:?})", obstacle.name, place.backend);
    let mut buffer = Vec::new();

    check_kind(root.read(at, 1024), obstacle.read, &what("read"));
    check_kind(
        root.read_prefix(at, 1024),
        obstacle.read,
        &what("read_prefix"),
    );
    check_kind(
        root.read_range(at, 1, 1024),
        obstacle.read,
        &what("read_range"),
    );
    check_kind(
        root.read_into(at, 1024, &mut buffer),
        obstacle.read,
        &what("read_into"),
    );
    check_kind(root.open_file(at), obstacle.read, &what("open_file"));

    check_kind(
        root.write(at, b"new", &quick()),
        obstacle.write,
        &what("write"),
    );
    let parents = quick().with_create_parents(true);
    check_kind(
        root.write(at, b"new", &parents),
        obstacle.write,
        &what("write with parents"),
    );
    check_kind(root.write_target(at), obstacle.write, &what("write_target"));
    let append = AppendOptions::new();
    check_kind(
        root.append(at, b"new", &append),
        obstacle.write,
        &what("append"),
    );
    check_kind(
        root.lock(at, &LockWait::none()),
        obstacle.write,
        &what("lock"),
    );
    check_kind(
        root.batch().write(at, b"new", &quick()),
        obstacle.write,
        &what("batch"),
    );
    // A folder may be renamed; a rename onto anything but a regular file may not happen.
    if obstacle.name != "a folder" {
        let to = key("renamed.md");
        let options = RenameOptions::new();
        check_kind(
            root.rename(at, to, &options),
            obstacle.write,
            &what("rename from"),
        );
    }
    place.plant("source.md", "source");
    let options = RenameOptions::new().with_replace(true);
    let renamed = root.rename(key("source.md"), at, &options);
    check_kind(renamed, obstacle.write, &what("rename to"));
    std::fs::remove_file(place.path("source.md")).unwrap();
}

#[test]
fn every_obstacle_is_refused_in_bounded_time_with_its_own_kind() {
    unprivileged(here!(), || {
        for obstacle in OBSTACLES {
            for &backend in BACKENDS {
                bounded(move || {
                    let place = Place::new(backend);
                    (obstacle.make)(&place);
                    let before = names_in(place.root.path());
                    try_all(&place, obstacle);
                    assert_eq!(names_in(place.root.path()), before, "{}", obstacle.name);
                    place.check_outside();
                    // So that the scratch folder can be removed.
                    if place.path("d").is_dir() && !place.path("d").is_symlink() {
                        set_mode(&place.path("d"), 0o700);
                    }
                });
            }
        }
    });
}

#[test]
fn a_file_that_may_not_be_read_is_denied_and_may_be_replaced() {
    unprivileged(here!(), || {
        for_each_backend(|place| {
            place.plant("x.md", "x");
            set_mode(&place.path("x.md"), 0o000);
            check_kind(place.root.read(key("x.md"), 1024), Denied, "read");
            let append = AppendOptions::new();
            check_kind(
                place.root.append(key("x.md"), b"y", &append),
                Denied,
                "append",
            );
            // Replacing needs the right to the folder only, as for every program.
            place.root.write(key("x.md"), b"new", &quick()).unwrap();
            assert_eq!(place.root.read(key("x.md"), 1024).unwrap().bytes, b"new");
        });
    });
}

#[test]
fn a_folder_that_may_not_be_read_is_a_problem_of_the_listing_and_denies_the_rest() {
    unprivileged(here!(), || {
        for_each_backend(|place| {
            place.plant("d/x.md", "x");
            place.plant("e.md", "e");
            set_mode(&place.path("d"), 0o000);
            let listing = place.root.list(&ListLimits::new()).unwrap();
            let keys: Vec<_> = listing
                .entries
                .iter()
                .map(|entry| entry.key.as_str())
                .collect();
            assert_eq!(keys, ["d", "e.md"]);
            assert_eq!(listing.problems.len(), 1, "{:?}", listing.problems);
            assert_eq!(
                listing.problems[0].kind,
                pathguard::ListProblemKind::Unreadable
            );
            assert_eq!(listing.problems[0].name, "d");
            check_kind(place.root.metadata(key("d/x.md")), Denied, "metadata");
            check_kind(place.root.create_dirs(key("d/e")), Denied, "create_dirs");
            check_kind(place.root.remove(key("d/x.md")), Denied, "remove");
            set_mode(&place.path("d"), 0o500);
            check_kind(
                place.root.write(key("d/y.md"), b"y", &quick()),
                Denied,
                "write",
            );
            // Nothing stands at the name, so that nothing can have been exchanged there.
            check_kind(place.root.create_dirs(key("d/e")), Denied, "create_dirs");
            let parents = quick().with_create_parents(true);
            check_kind(
                place.root.write(key("d/e/y.md"), b"y", &parents),
                Denied,
                "write with parents",
            );
            let lock = place.root.lock(key("d/lock"), &LockWait::none());
            check_kind(lock, Denied, "lock");
            set_mode(&place.path("d"), 0o700);
        });
    });
}

#[test]
fn a_sparse_file_of_a_tebibyte_is_too_large_and_its_start_can_be_read() {
    unprivileged(here!(), || {
        for_each_backend(|place| {
            let file = std::fs::File::create(place.path("x.md")).unwrap();
            file.set_len(1 << 40).unwrap();
            check_kind(place.root.read(key("x.md"), 1 << 30), TooLarge, "read");
            let start = place.root.read_prefix(key("x.md"), 100).unwrap();
            assert_eq!((start.bytes.len(), start.cut), (100, true));
            assert_eq!(start.metadata.len, 1 << 40);
            let end = place
                .root
                .read_range(key("x.md"), (1 << 40) - 5, 100)
                .unwrap();
            assert_eq!((end.bytes.len(), end.cut), (5, false));
        });
    });
}

#[test]
fn metadata_describes_special_files_and_refuses_links() {
    unprivileged(here!(), || {
        for obstacle in OBSTACLES {
            for_each_backend(|place| {
                (obstacle.make)(place);
                let found = place.root.metadata(key(obstacle.key));
                match obstacle.read {
                    NotRegular | HardLink => assert!(found.is_ok(), "{}", obstacle.name),
                    kind => check_kind(found, kind, obstacle.name),
                }
                if place.path("d").is_dir() && !place.path("d").is_symlink() {
                    set_mode(&place.path("d"), 0o700);
                }
            });
        }
    });
}

#[test]
fn removing_takes_the_name_and_leaves_what_it_led_to() {
    unprivileged(here!(), || {
        for_each_backend(|place| {
            link(place, "a.md", place.outside("secret.md"));
            link(place, "b.md", "b.md");
            std::fs::hard_link(place.outside("secret.md"), place.path("c.md")).unwrap();
            let fifo = place.path("d.md");
            rustix::fs::mknodat(CWD, fifo, FileType::Fifo, Mode::from(0o600), 0).unwrap();
            for name in ["a.md", "b.md", "c.md", "d.md"] {
                place.root.remove(key(name)).unwrap();
            }
            assert!(names_in(place.root.path()).is_empty());
            place.check_outside();
            // But not through a link on the way.
            link(place, "e", place.outside(""));
            check_kind(place.root.remove(key("e/secret.md")), Traversal, "remove");
            check_kind(
                place.root.remove_dir(key("e")),
                Traversal,
                "remove_dir of a link",
            );
            place.check_outside();
        });
    });
}

#[test]
fn hard_links_are_allowed_when_the_options_say_so() {
    unprivileged(here!(), || {
        for &backend in BACKENDS {
            let place = Place::with(
                RootOptions::new()
                    .with_backend(backend)
                    .with_hard_links(true),
            );
            place.plant("x.md", "x");
            std::fs::hard_link(place.path("x.md"), place.path("y.md")).unwrap();
            assert_eq!(place.root.read(key("y.md"), 10).unwrap().bytes, b"x");
            // A replaced name stops being the other one.
            place.root.write(key("y.md"), b"new", &quick()).unwrap();
            assert_eq!(std::fs::read(place.path("x.md")).unwrap(), b"x");
        }
    });
}

type Swap = (&'static str, fn(&Place));

/// Each way to take the folder away from under a root.
const SWAPS: &[Swap] = &[
    ("removed", |place| {
        std::fs::remove_dir_all(place.root.path()).unwrap();
    }),
    ("moved away", |place| {
        std::fs::rename(place.root.path(), place.scratch.path().join("moved")).unwrap();
    }),
    ("replaced by another folder", |place| {
        std::fs::rename(place.root.path(), place.scratch.path().join("moved")).unwrap();
        std::fs::create_dir(place.root.path()).unwrap();
        std::fs::write(place.path("x.md"), "another").unwrap();
    }),
    ("replaced by a link", |place| {
        std::fs::rename(place.root.path(), place.scratch.path().join("moved")).unwrap();
        symlink(place.scratch.path().join("outside"), place.root.path()).unwrap();
    }),
    ("replaced by a file", |place| {
        std::fs::rename(place.root.path(), place.scratch.path().join("moved")).unwrap();
        std::fs::write(place.root.path(), "file").unwrap();
    }),
];

#[test]
fn a_root_that_was_swapped_is_noticed_by_everything_that_is_told_to_look() {
    unprivileged(here!(), || {
        for &(name, swap) in SWAPS {
            for &backend in BACKENDS {
                let options = RootOptions::new().with_backend(backend);
                let place = Place::with(options.with_check_root(RootCheck::Always));
                place.plant("x.md", "x");
                std::fs::create_dir(place.path("d")).unwrap();
                swap(&place);
                check_changed(&place.root, name);
                place.check_outside();
            }
        }
    });
}

fn check_changed(root: &MemoryRoot, name: &str) {
    let at = key("x.md");
    let kind = ErrorKind::Changed;
    check_kind(root.verify_still_linked(), kind, name);
    check_kind(root.read(at, 10), kind, name);
    check_kind(root.metadata(at), kind, name);
    check_kind(root.list(&ListLimits::new()), kind, name);
    check_kind(root.write(at, b"new", &quick()), kind, name);
    check_kind(root.write_target(at), kind, name);
    check_kind(root.append(at, b"new", &AppendOptions::new()), kind, name);
    check_kind(root.remove(at), kind, name);
    check_kind(
        root.rename(at, key("y.md"), &RenameOptions::new()),
        kind,
        name,
    );
    check_kind(root.create_dirs(key("e")), kind, name);
    check_kind(root.remove_dir(key("d")), kind, name);
    check_kind(root.open_sub(key("d")), kind, name);
    check_kind(root.lock(at, &LockWait::none()), kind, name);
    check_kind(root.batch().write(at, b"new", &quick()), kind, name);
    check_kind(root.batch().commit(), kind, name);
    check_kind(root.remove_temporaries(i128::MAX), kind, name);
}

#[test]
fn by_default_a_moved_root_reads_what_it_holds_and_refuses_to_change_it() {
    unprivileged(here!(), || {
        for_each_backend(|place| {
            place.plant("x.md", "x");
            std::fs::rename(place.root.path(), place.scratch.path().join("moved")).unwrap();
            std::fs::create_dir(place.root.path()).unwrap();
            std::fs::write(place.path("x.md"), "another").unwrap();
            assert_eq!(place.root.read(key("x.md"), 10).unwrap().bytes, b"x");
            let written = place.root.write(key("x.md"), b"new", &quick());
            check_kind(written, ErrorKind::Changed, "write");
        });
    });
}
