//! Processes that are killed in the middle of something, that share a folder, or that find no room
//! on the disk.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use pathguard::{AppendOptions, ErrorKind, LockWait, MemoryRoot, RootOptions};
use rustix::process::{Resource, Rlimit};

use super::{Place, check_kind, here, key, names_in, quick, unprivileged};
use crate::BACKENDS;

/// Tells a process started by one of these tests where to work.
const FOLDER: &str = "PATHGUARD_TEST_FOLDER";
const BACKEND: &str = "PATHGUARD_TEST_BACKEND";

/// Processes killed on each backend; more by the environment.
const KILLS: usize = 8;

const BYTES: usize = 64 * 1024;
const NAMES: [&str; 4] = ["a.md", "b.md", "c.md", "d/e.md"];

/// Starts `test` of this program again, to work in the folder of `place`. Signals for files that
/// grow too large are ignored there, so that a write fails instead.
fn start(test: &str, place: &Place, backend: usize) -> Child {
    Command::new("/bin/sh")
        .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(FOLDER, place.root.path())
        .env(BACKEND, backend.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The folder to work in, when this process was started to work.
fn started() -> Option<MemoryRoot> {
    let folder = std::env::var_os(FOLDER)?;
    let backend: usize = std::env::var(BACKEND).unwrap().parse().unwrap();
    let options = RootOptions::new().with_backend(BACKENDS[backend]);
    Some(MemoryRoot::open(folder.as_ref(), &options).unwrap())
}

/// Runs `check` for each way of resolving paths once.
fn for_each_way(check: impl Fn(&Place, usize)) {
    let mut seen = Vec::new();
    for (index, &backend) in BACKENDS.iter().enumerate() {
        let place = Place::new(backend);
        if !seen.contains(&place.root.backend()) {
            seen.push(place.root.backend());
            check(&place, index);
        }
    }
}

/// One line for each round, so that the other process knows that this one is at work.
fn say(round: usize) {
    println!("round {round}");
}

fn replace_for_ever(root: &MemoryRoot) -> ! {
    let lock = root.lock(key("lock"), &LockWait::none()).unwrap();
    for round in 0.. {
        let bytes = vec![b'a' + (round % 26) as u8; BYTES];
        root.write(key(NAMES[0]), &bytes, &quick()).unwrap();
        let mut batch = root.batch();
        for name in &NAMES[1..] {
            let options = quick().with_create_parents(true);
            batch.write(key(name), &bytes, &options).unwrap();
        }
        batch.commit().unwrap().into_result().unwrap();
        say(round);
    }
    drop(lock);
    unreachable!("it is killed")
}

#[test]
fn a_writer_that_is_killed_leaves_old_or_new_contents_and_nothing_that_cannot_be_swept() {
    if let Some(root) = started() {
        replace_for_ever(&root);
    }
    let kills = match std::env::var("PATHGUARD_KILLS") {
        Ok(kills) => kills.parse().expect("PATHGUARD_KILLS is a number"),
        Err(_) => KILLS,
    };
    let test = here!();
    unprivileged(test, || {
        for_each_way(|place, backend| {
            let mut swept = 0;
            for kill in 0..kills {
                let mut child = start(test, place, backend);
                let lines = BufReader::new(child.stdout.take().unwrap()).lines();
                // Not at once, and each time after another number of rounds.
                let rounds = lines.filter(|line| line.as_ref().unwrap().starts_with("round"));
                assert_eq!(rounds.take(1 + kill % 7).count(), 1 + kill % 7);
                child.kill().unwrap();
                child.wait().unwrap();
                let lock = place.root.lock(key("lock"), &LockWait::none()).unwrap();
                swept += place.root.remove_temporaries(i128::MAX).unwrap();
                drop(lock);
                for name in NAMES {
                    let bytes = place.root.read(key(name), 1 << 20).unwrap().bytes;
                    assert_eq!(bytes.len(), BYTES, "{name}");
                    assert!(bytes.iter().all(|&byte| byte == bytes[0]), "{name} is torn");
                }
                let left = ["a.md", "b.md", "c.md", "d", "lock"];
                assert_eq!(names_in(place.root.path()), left);
                assert_eq!(names_in(&place.path("d")), ["e.md"]);
            }
            println!(
                "{kills} killed on {:?}, {swept} temporary files",
                place.root.backend()
            );
        });
    });
}

/// Waits for a process that ends by itself.
fn check_passed(child: Child) {
    let output = child.wait_with_output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let ran = printed.contains("1 passed");
    assert!(output.status.success() && ran, "{printed}");
}

/// Reads a number, adds one and writes it, under a lock.
fn count(root: &MemoryRoot) {
    let wait = LockWait::new(60_000, Duration::from_millis(1));
    for _ in 0..200 {
        let lock = root.lock(key("lock"), &wait).unwrap();
        let text = root.read(key("number.md"), 1024).unwrap().bytes;
        let number: u32 = String::from_utf8(text).unwrap().parse().unwrap();
        let next = (number + 1).to_string();
        root.write(key("number.md"), next.as_bytes(), &quick())
            .unwrap();
        drop(lock);
    }
}

#[test]
fn processes_that_take_the_lock_lose_no_update() {
    if let Some(root) = started() {
        return count(&root);
    }
    let test = here!();
    unprivileged(test, || {
        for_each_way(|place, backend| {
            place.plant("number.md", "0");
            let children = [(); 2].map(|()| start(test, place, backend));
            count(&place.root);
            children.into_iter().for_each(check_passed);
            let read = place.root.read(key("number.md"), 1024).unwrap();
            assert_eq!(read.bytes, b"600");
        });
    });
}

/// The operating system gives this process less memory than a file claims to hold.
#[cfg(target_os = "linux")]
fn read_without_memory(root: &MemoryRoot) {
    let limit = Rlimit {
        current: Some(1 << 30),
        maximum: Some(1 << 30),
    };
    rustix::process::setrlimit(Resource::As, limit).unwrap();
    let read = root.read(key("x.md"), u64::MAX);
    check_kind(read, ErrorKind::Io, "read");
    let mut buffer = Vec::new();
    let read = root.read_into(key("x.md"), u64::MAX, &mut buffer);
    check_kind(read, ErrorKind::Io, "read_into");
    let read = root.read_prefix(key("x.md"), 10).unwrap();
    assert_eq!(read.bytes, [0; 10]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_memory_cannot_hold_is_an_error() {
    if let Some(root) = started() {
        return read_without_memory(&root);
    }
    let test = here!();
    unprivileged(test, || {
        for_each_way(|place, backend| {
            let file = std::fs::File::create(place.path("x.md")).unwrap();
            file.set_len(1 << 33).unwrap();
            check_passed(start(test, place, backend));
        });
    });
}

/// The operating system takes 4,096 bytes for a file, and no more.
fn write_without_room(root: &MemoryRoot) {
    let limit = Rlimit {
        current: Some(4096),
        maximum: Some(4096),
    };
    rustix::process::setrlimit(Resource::Fsize, limit).unwrap();
    let bytes = vec![b'x'; 10_000];
    let is_old = || assert_eq!(root.read(key("a.md"), 1024).unwrap().bytes, b"old");
    check_kind(
        root.write(key("a.md"), &bytes, &quick()),
        ErrorKind::Io,
        "write",
    );
    is_old();
    let mut batch = root.batch();
    batch.write(key("a.md"), b"new", &quick()).unwrap();
    batch.write(key("b.md"), b"new", &quick()).unwrap();
    check_kind(
        batch.write(key("c.md"), &bytes, &quick()),
        ErrorKind::Io,
        "batch",
    );
    drop(batch);
    is_old();
    // What fits stays, as the documentation says: another entry may already follow it.
    let append = AppendOptions::new();
    check_kind(
        root.append(key("log.md"), &bytes, &append),
        ErrorKind::Io,
        "append",
    );
    assert_eq!(root.metadata(key("log.md")).unwrap().len, 4096);
    check_kind(
        root.append(key("log.md"), b"y", &append),
        ErrorKind::Io,
        "append to a full file",
    );
    assert_eq!(names_in(root.path()), ["a.md", "log.md"]);
    // And with room it goes on.
    root.write(key("a.md"), b"new", &quick()).unwrap();
}

#[test]
fn without_room_the_old_contents_stay_and_no_temporary_file_does() {
    if let Some(root) = started() {
        return write_without_room(&root);
    }
    let test = here!();
    unprivileged(test, || {
        for_each_way(|place, backend| {
            place.plant("a.md", "old");
            check_passed(start(test, place, backend));
            assert_eq!(place.root.read(key("a.md"), 1024).unwrap().bytes, b"new");
        });
    });
}
