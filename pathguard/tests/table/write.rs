//! Writing and appending.

use pathguard::{AppendOptions, ErrorKind, SyncPolicy, WriteMode, WriteOptions};

use super::{check_kind, for_each_backend, key, names_in, quick};

#[test]
fn a_file_is_made_and_replaced() {
    for_each_backend(|place| {
        let made = place
            .root
            .write(key("x.md"), b"one", &WriteOptions::new())
            .unwrap();
        assert_eq!((made.len, made.links), (3, 1));
        let replaced = place
            .root
            .write(key("x.md"), b"three", &WriteOptions::new())
            .unwrap();
        assert_eq!(std::fs::read(place.path("x.md")).unwrap(), b"three");
        assert_eq!(place.root.metadata(key("x.md")).unwrap(), replaced);
        assert_ne!(made.inode, replaced.inode, "replaced, not overwritten");
        place.root.write(key("x.md"), b"", &quick()).unwrap();
        assert_eq!(place.root.read(key("x.md"), 0).unwrap().bytes, b"");
        assert_eq!(names_in(place.root.path()), ["x.md"]);
    });
}

#[test]
fn a_mode_that_does_not_fit_changes_nothing() {
    for_each_backend(|place| {
        let new = quick().with_mode(WriteMode::CreateNew);
        let existing = quick().with_mode(WriteMode::ReplaceExisting);
        check_kind(
            place.root.write(key("x.md"), b"1", &existing),
            ErrorKind::NotFound,
            "absent",
        );
        assert!(names_in(place.root.path()).is_empty());
        place.root.write(key("x.md"), b"1", &new).unwrap();
        check_kind(
            place.root.write(key("x.md"), b"2", &new),
            ErrorKind::Exists,
            "present",
        );
        assert_eq!(place.root.read(key("x.md"), 9).unwrap().bytes, b"1");
        place.root.write(key("x.md"), b"2", &existing).unwrap();
        assert_eq!(place.root.read(key("x.md"), 9).unwrap().bytes, b"2");
        assert_eq!(names_in(place.root.path()), ["x.md"]);
    });
}

#[test]
fn of_several_writers_that_make_a_file_one_succeeds() {
    for_each_backend(|place| {
        for round in 0..50 {
            let name = format!("{round}.md");
            let new = quick().with_mode(WriteMode::CreateNew);
            let made = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..4)
                    .map(|_| scope.spawn(|| place.root.write(key(&name), b"x", &new)))
                    .collect();
                let results = threads.into_iter().map(|thread| thread.join().unwrap());
                results
                    .filter(|result| match result {
                        Ok(_) => true,
                        Err(error) => {
                            assert_eq!(error.kind(), ErrorKind::Exists, "{error:?}");
                            false
                        }
                    })
                    .count()
            });
            assert_eq!(made, 1);
        }
        assert_eq!(names_in(place.root.path()).len(), 50);
    });
}

#[test]
fn readers_see_the_old_contents_or_the_new() {
    for_each_backend(|place| {
        let (old, new) = (vec![b'o'; 100_000], vec![b'n'; 50_000]);
        place.root.write(key("x.md"), &old, &quick()).unwrap();
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                for _ in 0..100 {
                    place.root.write(key("x.md"), &new, &quick()).unwrap();
                    place.root.write(key("x.md"), &old, &quick()).unwrap();
                }
            });
            while !writer.is_finished() {
                let bytes = place.root.read(key("x.md"), 1 << 20).unwrap().bytes;
                assert!(
                    bytes == old || bytes == new,
                    "a mixture of {} bytes",
                    bytes.len()
                );
            }
        });
    });
}

#[test]
fn missing_folders_are_an_error_or_made() {
    for_each_backend(|place| {
        let at = key("a/b/c/x.md");
        check_kind(
            place.root.write(at, b"x", &quick()),
            ErrorKind::NotFound,
            "write",
        );
        check_kind(
            place.root.write_target(at),
            ErrorKind::NotFound,
            "write_target",
        );
        let append = AppendOptions::new();
        check_kind(
            place.root.append(at, b"x", &append),
            ErrorKind::NotFound,
            "append",
        );
        assert!(names_in(place.root.path()).is_empty());
        place
            .root
            .write(at, b"x", &quick().with_create_parents(true))
            .unwrap();
        let append = append.with_create_parents(true);
        place.root.append(key("d/e/x.md"), b"x", &append).unwrap();
        assert_eq!(place.root.read(at, 9).unwrap().bytes, b"x");
        assert_eq!(place.root.read(key("d/e/x.md"), 9).unwrap().bytes, b"x");
    });
}

#[test]
fn a_name_of_255_bytes_can_be_written_and_replaced() {
    for_each_backend(|place| {
        let name = format!("{}.md", "n".repeat(252));
        assert_eq!(name.len(), 255);
        for text in ["one", "two"] {
            place
                .root
                .write(key(&name), text.as_bytes(), &quick())
                .unwrap();
            assert_eq!(
                place.root.read(key(&name), 9).unwrap().bytes,
                text.as_bytes()
            );
        }
        let wide = format!("{}.md", "記".repeat(84));
        assert_eq!(wide.len(), 255);
        place.root.write(key(&wide), b"x", &quick()).unwrap();
        assert_eq!(place.root.read(key(&wide), 9).unwrap().bytes, b"x");
    });
}

#[test]
fn a_write_that_fails_leaves_no_temporary_file() {
    for_each_backend(|place| {
        std::fs::create_dir(place.path("x.md")).unwrap();
        let result = place.root.write(key("x.md"), b"x", &quick());
        check_kind(result, ErrorKind::NotRegular, "a folder is in the way");
        let target = place.root.write_target(key("y.md")).unwrap();
        // It appears after the target was checked.
        std::fs::create_dir(place.path("y.md")).unwrap();
        check_kind(
            target.write(b"x", &quick()),
            ErrorKind::NotRegular,
            "it appeared",
        );
        assert_eq!(names_in(place.root.path()), ["x.md", "y.md"]);
    });
}

#[test]
fn a_write_target_stays_in_the_folder_that_was_checked() {
    for_each_backend(|place| {
        place.plant("d/x.md", "old");
        let target = place.root.write_target(key("d/x.md")).unwrap();
        assert_eq!(target.existing().unwrap().len, 3);
        assert_eq!(target.key().as_str(), "d/x.md");
        std::fs::rename(place.path("d"), place.path("moved")).unwrap();
        std::fs::create_dir(place.path("d")).unwrap();
        target.write(b"new", &quick()).unwrap();
        target.append(b" and more", &AppendOptions::new()).unwrap();
        assert!(names_in(&place.path("d")).is_empty());
        assert_eq!(
            std::fs::read(place.path("moved/x.md")).unwrap(),
            b"new and more"
        );
    });
}

#[test]
fn entries_of_several_writers_do_not_mix() {
    for_each_backend(|place| {
        let options = AppendOptions::new().with_sync(SyncPolicy::None);
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let options = &options;
                scope.spawn(move || {
                    for entry in 0..100 {
                        let line = format!("{writer} {entry} {}\n", "x".repeat(200));
                        place
                            .root
                            .append(key("log.md"), line.as_bytes(), options)
                            .unwrap();
                    }
                });
            }
        });
        let text = place.root.read(key("log.md"), 1 << 20).unwrap().bytes;
        let text = String::from_utf8(text).unwrap();
        let mut next = [0; 4];
        for line in text.lines() {
            let [writer, entry, filler] = line.split(' ').collect::<Vec<_>>()[..] else {
                panic!("a mixed line: {line}");
            };
            let writer: usize = writer.parse().unwrap();
            assert_eq!(
                entry.parse::<usize>().unwrap(),
                next[writer],
                "entries of one are in order"
            );
            assert_eq!(filler.len(), 200);
            next[writer] += 1;
        }
        assert_eq!(next, [100; 4]);
    });
}

#[test]
fn appending_makes_a_file_only_when_told_to() {
    for_each_backend(|place| {
        let never = AppendOptions::new().with_create(false);
        check_kind(
            place.root.append(key("x.md"), b"1", &never),
            ErrorKind::NotFound,
            "absent",
        );
        let found = place
            .root
            .append(key("x.md"), b"1", &AppendOptions::new())
            .unwrap();
        assert_eq!(found.len, 1);
        let found = place.root.append(key("x.md"), b"23", &never).unwrap();
        assert_eq!(found.len, 3);
        assert_eq!(place.root.read(key("x.md"), 9).unwrap().bytes, b"123");
    });
}

#[test]
fn a_volatile_root_never_waits_whatever_a_call_asks() {
    for_each_backend(|place| {
        let options = place.root.options().with_volatile(true);
        let root = pathguard::MemoryRoot::open(place.root.path(), &options).unwrap();
        let full = WriteOptions::new().with_create_parents(true);
        root.write(key("a/x.md"), b"x", &full).unwrap();
        root.append(key("a/x.md"), b"y", &AppendOptions::new())
            .unwrap();
        let sub = root.open_sub(key("a")).unwrap();
        sub.write(key("z.md"), b"z", &full).unwrap();
        assert_eq!(root.read(key("a/x.md"), 9).unwrap().bytes, b"xy");
        assert_eq!((root.sync_count(), sub.sync_count()), (0, 0));
    });
}

#[test]
fn waits_for_the_disk_are_counted_and_few() {
    for_each_backend(|place| {
        let root = &place.root;
        let count = |change: &dyn Fn()| {
            let before = root.sync_count();
            change();
            root.sync_count() - before
        };
        let full = WriteOptions::new();
        let write = |name: &str, options: &WriteOptions| {
            root.write(key(name), b"x", options).unwrap();
        };
        assert_eq!(
            count(&|| write("x.md", &full)),
            2,
            "the file and its folder"
        );
        assert_eq!(count(&|| write("x.md", &quick())), 0);
        let append = |name: &str| {
            root.append(key(name), b"x", &AppendOptions::new()).unwrap();
        };
        assert_eq!(count(&|| append("x.md")), 1, "the file");
        assert_eq!(count(&|| append("new.md")), 2, "the file and its folder");
        assert_eq!(
            count(&|| root.create_dirs(key("a/b")).unwrap()),
            2,
            "a folder for each"
        );
        assert_eq!(count(&|| root.create_dirs(key("a/b")).unwrap()), 0);
        assert_eq!(count(&|| root.remove(key("new.md")).unwrap()), 1);
        let sub = root.open_sub(key("a")).unwrap();
        assert_eq!(
            count(&|| {
                sub.write(key("x.md"), b"x", &full).unwrap();
            }),
            2,
            "roots below count too"
        );
        let save = || {
            let mut batch = root.batch();
            batch.write(key("memory.md"), b"text", &full).unwrap();
            batch.write(key("MEMORY.md"), b"index", &full).unwrap();
            assert_eq!(batch.commit().unwrap().into_result().unwrap(), 2);
        };
        assert_eq!(count(&save), 3, "two files and their folder");
    });
}
