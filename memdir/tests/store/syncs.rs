//! How often a save waits for the disk.

use std::process::Command;

use crate::support::{Scratch, person, request};

const TASK: &str = "MEMDIR_TEST_SAVES";

/// Not a test by itself: saves as many memories as the variable says.
#[test]
fn saver() {
    let Ok(task) = std::env::var(TASK) else {
        return;
    };
    let (dir, count) = task.split_once('|').unwrap();
    let options = memdir::StoreOptions::new(crate::support::TestClock::default());
    let store = memdir::Store::open(std::path::Path::new(dir), options).unwrap();
    for number in 0..count.parse().unwrap() {
        store
            .save(&request(&format!("memory {number}")), &person())
            .unwrap();
    }
}

/// Counts the calls that wait for the disk while `count` memories are saved.
fn syncs(count: u32) -> Option<usize> {
    let scratch = Scratch::default();
    // The folders and the first segment are there already, as in any store that is in use.
    scratch.open().save(&request("first"), &person()).unwrap();
    let trace = scratch.folder.path().join("trace");
    let status = Command::new("strace")
        .args([
            "-f",
            "-qq",
            "-e",
            "trace=fsync,fdatasync,syncfs,sync,sync_file_range,msync",
        ])
        .arg("-o")
        .arg(&trace)
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "store::syncs::saver"])
        .env(TASK, format!("{}|{count}", scratch.memory_dir().display()))
        .output()
        .ok()?
        .status;
    // Tracing may be forbidden, as in some containers.
    let saved = scratch.bytes().len() == 2 + count as usize;
    if !status.success() || !saved {
        return None;
    }
    let text = std::fs::read_to_string(trace).ok()?;
    Some(text.lines().filter(|line| line.contains("sync")).count())
}

#[test]
fn a_save_waits_for_the_disk_at_most_five_times() {
    let (Some(few), Some(many)) = (syncs(1), syncs(11)) else {
        println!("strace cannot be used here: syncs were not counted");
        return;
    };
    println!("{few} syncs for one save, {many} for eleven");
    assert!(few <= 5, "{few} syncs for one save");
    assert!(many <= 11 * 5, "{many} syncs for eleven saves");
}

#[test]
fn a_volatile_store_never_waits_for_the_disk() {
    let scratch = Scratch::default();
    let options = scratch.options().with_volatile(true);
    let store = memdir::Store::open(&scratch.memory_dir(), options).expect("a store");
    store.save(&request("Role"), &person()).expect("saved");
    let state = store.state_root().expect("a state folder");
    assert_eq!((store.root().sync_count(), state.sync_count()), (0, 0));
    drop(store);
    assert!(scratch.open().read("Role").is_ok());
}
