//! What is left when the disk is full at any step of an operation.
//!
//! The worker is this test binary, started again under a limit of the size of files: beyond it a
//! write fails half done, as on a full disk.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use memdir::{CheckOptions, Expect, MemoryType, PurgeOptions, SaveRequest, Store, StoreOptions};

use crate::support::{Scratch, TestClock, folder_bytes, person, request};

const TASK: &str = "MEMDIR_TEST_FULL_DISK";
/// Bytes of one unit of the shell's file size limit, as POSIX defines it.
const UNIT: u64 = 512;

const OPERATIONS: [&str; 9] = [
    "save", "replace", "rename", "remove", "restore", "undo", "rollback", "fix", "purge",
];

fn open(dir: &Path) -> Store {
    Store::open(dir, StoreOptions::new(TestClock::default())).unwrap()
}

/// A body that reaches over several units.
fn long(name: &str, lines: usize) -> SaveRequest {
    let line = format!("A line of {name}, which is long enough to be cut by a full disk.\n");
    let body = format!(
        "{}\n**Why:** because.\n**How to apply:** always.\n",
        line.repeat(lines)
    );
    SaveRequest::new(MemoryType::Feedback, name, &format!("about {name}"), &body)
}

/// A folder in use: memories of several sizes, a longer index, a snapshot, something to mend.
fn prepare(dir: &Path) {
    let store = open(dir);
    for number in 0..12 {
        let name = format!("memory {number}");
        store.save(&long(&name, 1 + number * 3), &person()).unwrap();
    }
    store.snapshot("test").unwrap();
    store.save(&request("later"), &person()).unwrap();
    store.remove("memory 3", &person()).unwrap();
    std::fs::write(
        dir.join("user_new.md"),
        "---\nname: New\ndescription: nothing: yet\ntype: user\n---\n\nText.\n",
    )
    .unwrap();
}

fn operate(store: &Store, operation: &str) -> Result<(), memdir::Error> {
    let me = person();
    match operation {
        "save" => store.save(&long("added", 40), &me).map(drop),
        "replace" => {
            let request = long("memory 9", 60).replacing("memory 9", Expect::Anything);
            store.save(&request, &me).map(drop)
        }
        "rename" => store.rename("memory 11", "another name", &me).map(drop),
        "remove" => store.remove("memory 10", &me).map(drop),
        "restore" => store.restore("memory 3", None, &me).map(drop),
        "undo" => store.undo(&me).map(drop),
        "rollback" => {
            let id = store.snapshots()?[0].id.clone();
            store.rollback(&id, &me).map(drop)
        }
        "fix" => store
            .check(&CheckOptions::default().fixing(), &me)
            .map(drop),
        _ => store
            .purge("memory 8", &PurgeOptions::default(), &me)
            .map(drop),
    }
}

/// Not a test by itself: does what the variable says, and nothing without it.
#[test]
fn full_disk_worker() {
    let Ok(task) = std::env::var(TASK) else {
        return;
    };
    let (dir, operation) = task.split_once('|').unwrap();
    let store = open(Path::new(dir));
    if let Err(error) = operate(&store, operation) {
        eprintln!("failed: {error}");
        std::process::exit(17);
    }
}

fn limited(dir: &Path, operation: &str, units: u64) -> Output {
    let program = std::env::current_exe().unwrap();
    Command::new("sh")
        // Without the trap the signal ends the process, which `crash` covers.
        .args([
            "-c",
            "trap '' XFSZ; ulimit -f \"$1\"; exec \"$2\" --exact \"$3\" --nocapture",
            "sh",
        ])
        .arg(units.to_string())
        .arg(program)
        .arg("store::full_disk::full_disk_worker")
        .env(TASK, format!("{}|{operation}", dir.display()))
        .output()
        .unwrap()
}

fn copy(files: &BTreeMap<String, Vec<u8>>, to: &Path) {
    for (path, bytes) in files {
        let file = to.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, bytes).unwrap();
    }
}

fn memory_files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    folder_bytes(&folder.join("memory"))
}

#[test]
fn a_full_disk_leaves_the_old_state_or_the_new_one_and_a_store_that_goes_on() {
    let base = Scratch::default();
    prepare(&base.memory_dir());
    let files = folder_bytes(base.folder.path());
    let before = memory_files(base.folder.path());
    let largest = files.values().map(Vec::len).max().unwrap() as u64;
    for operation in OPERATIONS {
        let done = Scratch::default();
        copy(&files, done.folder.path());
        operate(&done.open(), operation).unwrap();
        let after = memory_files(done.folder.path());
        assert_ne!(before, after, "{operation} does something");
        let (mut failed, mut succeeded) = (0, 0);
        // Every size up to that of a memory, then coarser up to where the journal fits.
        let sizes = (0..12).chain((12..).step_by(7));
        for units in sizes.take_while(|units| units * UNIT < largest + 40_000) {
            let scratch = Scratch::default();
            copy(&files, scratch.folder.path());
            let output = limited(&scratch.memory_dir(), operation, units);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let store = scratch.open();
            let what = format!("{operation} with files up to {units} units: {said}");
            assert_eq!(store.open_report().unfinished, None, "{what}");
            let now = memory_files(scratch.folder.path());
            if output.status.success() {
                assert!(now == after, "{what}");
                succeeded += 1;
            } else {
                assert_eq!(output.status.code(), Some(17), "{what}");
                assert!(now == before || now == after, "{what}");
                failed += 1;
            }
            assert_no_temporaries(scratch.folder.path(), &what);
            // The same again, with room: it is done now, or it was done already.
            if now == before {
                operate(&store, operation).unwrap();
                assert!(memory_files(scratch.folder.path()) == after, "{what}");
            }
        }
        println!("{operation}: {failed} times out of room, {succeeded} times not");
        assert!(
            failed > 3 && succeeded > 3,
            "{operation}: {failed}, {succeeded}"
        );
    }
}

fn assert_no_temporaries(folder: &Path, what: &str) {
    let kept: Vec<PathBuf> = folder_bytes(&folder.join("memory"))
        .into_keys()
        .map(PathBuf::from)
        .filter(|path| path.extension().is_none_or(|extension| extension != "md"))
        .collect();
    assert!(kept.is_empty(), "{what}: {kept:?}");
}
