//! A folder and a file that are exchanged for links, again and again, while they are used.
//!
//! An escape is a byte of the outside file that is read, a change outside, or a name of the outside
//! folder that is listed. Every design that checks a path and then opens it has them.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use pathguard::{AppendOptions, ListLimits, MemoryRoot, RenameOptions, SyncPolicy};
use rustix::fs::{CWD, RenameFlags};

use super::{Place, SECRET, here, key, names_in, quick, unprivileged};
use crate::BACKENDS;

/// Rounds for each operation and backend; more by the environment.
const ROUNDS: u32 = 20_000;

fn rounds() -> u32 {
    match std::env::var("PATHGUARD_RACE_ROUNDS") {
        Ok(rounds) => rounds.parse().expect("PATHGUARD_RACE_ROUNDS is a number"),
        Err(_) => ROUNDS,
    }
}

/// What an operation that was not refused saw.
enum Outcome {
    Done,
    Refused,
    Escaped(String),
}

/// Runs an operation that must not escape on each backend.
fn race(name: &str, operation: impl Fn(&MemoryRoot, u32) -> Outcome) {
    let mut raced = Vec::new();
    for &backend in BACKENDS {
        let place = Place::new(backend);
        // The faults lead to a backend that has been here already.
        if raced.contains(&place.root.backend()) {
            continue;
        }
        raced.push(place.root.backend());
        let counts = run(&place, rounds(), &operation);
        println!("{name} on {backend:?}: {counts:?}");
        assert_eq!(counts.escaped, None, "{name} on {backend:?}");
        assert!(
            counts.done > 0 && counts.refused > 0,
            "{name} on {backend:?} met no race"
        );
        place.check_outside();
    }
}

#[derive(Debug, Default)]
struct Counts {
    done: u32,
    refused: u32,
    /// The first escape, which ends the race.
    escaped: Option<String>,
}

/// `d` is a folder and `e` a link to the outside; `f.md` is a file and `g.md` a link to the outside
/// file. Another thread exchanges each pair while the operation is repeated.
fn run(place: &Place, rounds: u32, operation: impl Fn(&MemoryRoot, u32) -> Outcome) -> Counts {
    place.plant("d/secret.md", "inside");
    place.plant("f.md", "inside");
    symlink(place.outside(""), place.path("e")).unwrap();
    symlink(place.outside("secret.md"), place.path("g.md")).unwrap();
    let done = AtomicBool::new(false);
    let mut counts = Counts::default();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                exchange(&place.path("d"), &place.path("e"));
                exchange(&place.path("f.md"), &place.path("g.md"));
            }
        });
        for round in 0..rounds {
            match operation(&place.root, round) {
                Outcome::Done => counts.done += 1,
                Outcome::Refused => counts.refused += 1,
                Outcome::Escaped(what) => {
                    counts.escaped = Some(format!("round {round}: {what}"));
                    break;
                }
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    counts
}

fn exchange(a: &Path, b: &Path) {
    // Atomic: at every moment there is something at both names.
    rustix::fs::renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).unwrap();
}

fn one_of<'a>(round: u32) -> &'a str {
    if round.is_multiple_of(2) {
        "d/secret.md"
    } else {
        "f.md"
    }
}

#[test]
fn a_path_that_is_checked_and_then_opened_escapes_in_this_race() {
    // Else the tests below would prove nothing.
    unprivileged(here!(), || {
        let place = Place::new(BACKENDS[0]);
        let counts = run(&place, u32::MAX, |root, round| {
            let path = root.path().join(one_of(round));
            let is_inside = path
                .canonicalize()
                .is_ok_and(|real| real.starts_with(root.path().canonicalize().unwrap()));
            match std::fs::read(path) {
                _ if !is_inside => Outcome::Refused,
                Ok(bytes) if bytes == SECRET.as_bytes() => Outcome::Escaped("the secret".into()),
                _ => Outcome::Done,
            }
        });
        println!("{counts:?}");
        assert!(counts.escaped.is_some());
    });
}

#[test]
fn reading_never_returns_what_lies_outside() {
    unprivileged(here!(), || {
        race("read", |root, round| {
            match root.read(key(one_of(round)), 1024) {
                Ok(read) if read.bytes == SECRET.as_bytes() => {
                    Outcome::Escaped("the secret".into())
                }
                Ok(_) => Outcome::Done,
                Err(_) => Outcome::Refused,
            }
        });
    });
}

#[test]
fn writing_never_changes_what_lies_outside() {
    unprivileged(here!(), || {
        // `race` looks at the outside folder at the end: whatever is written there stays.
        race("write", |root, round| {
            let result = match round % 4 {
                0 | 1 => root
                    .write(key(one_of(round)), b"inside", &quick())
                    .map(drop),
                2 => {
                    let options = AppendOptions::new().with_sync(SyncPolicy::None);
                    root.append(key("d/log.md"), b"x", &options).map(drop)
                }
                _ => root.create_dirs(key("d/folder")),
            };
            if result.is_ok() {
                Outcome::Done
            } else {
                Outcome::Refused
            }
        });
    });
}

#[test]
fn listing_never_shows_what_lies_outside() {
    unprivileged(here!(), || {
        race("list", |root, _| {
            let listing = root.list(&ListLimits::new()).unwrap();
            let below = |entry: &pathguard::Entry| entry.key.as_str().contains('/');
            let sizes: Vec<_> = listing
                .entries
                .iter()
                .filter(|entry| below(entry))
                .filter_map(|entry| entry.metadata)
                .map(|metadata| metadata.len)
                .collect();
            // The file of the same name outside is longer than the one inside.
            match sizes[..] {
                [] => Outcome::Refused,
                [6] => Outcome::Done,
                _ => Outcome::Escaped(format!("{:?}", listing.entries)),
            }
        });
    });
}

#[test]
fn removing_and_renaming_never_reach_outside() {
    unprivileged(here!(), || {
        race("remove and rename", |root, round| {
            let result = if round.is_multiple_of(2) {
                let options = RenameOptions::new().with_sync(SyncPolicy::None);
                root.rename(key("d/secret.md"), key("taken.md"), &options)
                    .and_then(|()| root.rename(key("taken.md"), key("d/secret.md"), &options))
            } else {
                root.remove(key("d/nothing.md"))
            };
            // A rename there and no way back leaves the file aside; fetch it home.
            if root.metadata(key("taken.md")).is_ok() {
                let options = RenameOptions::new()
                    .with_replace(true)
                    .with_sync(SyncPolicy::None);
                while root
                    .rename(key("taken.md"), key("d/secret.md"), &options)
                    .is_err()
                {
                    std::thread::yield_now();
                }
            }
            if result.is_ok() {
                Outcome::Done
            } else {
                Outcome::Refused
            }
        });
    });
}

#[test]
fn a_folder_that_is_moved_outside_takes_no_secret_with_it() {
    unprivileged(here!(), || {
        for &backend in BACKENDS {
            let place = Place::new(backend);
            place.plant("a/b/x.md", "inside");
            let done = AtomicBool::new(false);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        std::fs::rename(place.path("a/b"), place.outside("b")).unwrap();
                        std::fs::rename(place.outside("b"), place.path("a/b")).unwrap();
                    }
                });
                for _ in 0..rounds().min(ROUNDS) {
                    // There is no name that leads from the moved folder to its new neighbours.
                    if let Ok(read) = place.root.read(key("a/b/x.md"), 1024) {
                        assert_eq!(read.bytes, b"inside");
                    }
                    drop(place.root.write(key("a/b/y.md"), b"y", &quick()));
                }
                done.store(true, Ordering::Relaxed);
            });
            place.check_outside();
            assert!(
                names_in(&place.path("a/b"))
                    .iter()
                    .all(|name| !name.starts_with('.'))
            );
        }
    });
}
