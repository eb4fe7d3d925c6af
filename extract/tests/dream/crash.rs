//! A process that is killed while it distils leaves the old or the new state, and nothing between.
//!
//! The worker is this test binary, started again with a variable that says where.

use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::time::Duration;

use memdir_extract::dream::{Limits, Plan, Snapshot};

use test_support::{Random, bytes_below, started, this_test};

use super::fixture::{Folder, assert_same, me, open};

const TASK: &str = "MEMDIR_EXTRACT_DREAM_WORKER";

/// How often a worker is killed; this variable asks for more.
const KILLS: u64 = 30;
const MORE_KILLS: &str = "MEMDIR_EXTRACT_DREAM_KILLS";

/// Not a test by itself: distils and takes it back, again and again, where the variable says.
#[test]
fn worker() {
    let Ok(task) = std::env::var(TASK) else {
        return;
    };
    let dir = PathBuf::from(task);
    let store = open(&dir);
    loop {
        let snapshot = Snapshot::read(&store).unwrap();
        let plan = Plan::offline(&snapshot, &Limits::default());
        if !plan.is_empty() {
            let approved = plan.approve(&snapshot, &Limits::default()).unwrap();
            // Not `println!`, which the test harness would keep to itself.
            writeln!(std::io::stdout(), "applying").unwrap();
            approved.apply(&store, &me()).unwrap();
        }
        writeln!(std::io::stdout(), "taking back").unwrap();
        store.undo(&me()).unwrap();
    }
}

#[test]
fn a_killed_distillation_is_repaired_to_the_old_or_the_new_state() {
    let folder = Folder::grown();
    let old = folder.bytes();
    let new = {
        let other = Folder::grown();
        let snapshot = Snapshot::read(&other.open()).unwrap();
        let plan = Plan::offline(&snapshot, &Limits::default());
        let approved = plan.approve(&snapshot, &Limits::default()).unwrap();
        approved.apply(&other.open(), &me()).unwrap();
        other.bytes()
    };
    assert!(old != new);
    let more = std::env::var(MORE_KILLS)
        .ok()
        .and_then(|text| text.parse().ok());
    let kills: u64 = more.unwrap_or(KILLS);
    let mut random = Random::new(0x5EED);
    let (mut finished, mut torn, mut news) = (0, 0, 0);
    for round in 0..kills {
        let (mut child, mut output) =
            started(this_test("dream::crash::worker").env(TASK, folder.path()));
        let mut line = String::new();
        while line.trim_end() != "applying" && line.trim_end() != "taking back" {
            line.clear();
            assert_ne!(
                output.read_line(&mut line).unwrap(),
                0,
                "the worker ended by itself"
            );
        }
        // Not to wait for anything: to hit another instant of an operation each time.
        std::thread::sleep(Duration::from_micros(random.below(40_000) as u64));
        child.kill().unwrap();
        child.wait().unwrap();
        let left = bytes_below(&folder.path());
        torn += u64::from(left != old && left != new);

        let store = folder.open();
        finished += u64::from(store.open_report().finished_operation.is_some());
        let now = folder.bytes();
        assert!(
            now == old || now == new,
            "round {round}: neither the old nor the new state"
        );
        news += u64::from(now == new);
        // Opening once more changes nothing.
        assert_eq!(folder.open().open_report().finished_operation, None);
        assert_same(&folder.bytes(), &now);
    }
    println!(
        "{kills} kills: {torn} left a half-done state, {finished} operations were finished, {news} were new"
    );
    assert!(
        more.is_none() || torn > 0,
        "no kill hit the middle of an operation"
    );
}
