//! One run per memory folder, across processes.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::Duration;

use memdir::{Clock, FixedClock, Store, StoreOptions};
use memdir_extract::{ErrorKind, Lease, LeaseState};

use crate::support::Scratch;

const TIME: Duration = Duration::from_secs(60);
const FOLDER: &str = "MEMDIR_EXTRACT_TEST_FOLDER";

/// Not a test by itself: the other process of the tests below.
#[test]
fn other_process() {
    let Ok(folder) = std::env::var(FOLDER) else {
        return;
    };
    // The clock of the tests stands at their start.
    let clock = FixedClock::new("2026-03-02T09:30:00Z".parse().unwrap(), 0);
    let store = Arc::new(Store::open(Path::new(&folder), StoreOptions::new(clock)).unwrap());
    match Lease::acquire(&store, "other", "their session", TIME) {
        Ok(_lease) => {
            println!("\nheld");
            // Until it is killed, or its input is closed.
            let mut line = String::new();
            drop(std::io::stdin().read_line(&mut line));
            println!("\nreleasing");
        }
        Err(error) => println!("\n{:?}", error.kind()),
    }
}

struct Other {
    child: Child,
    says: BufReader<std::process::ChildStdout>,
}

impl Other {
    fn start(scratch: &Scratch) -> Self {
        let mut command = test_support::this_test("lease::other_process");
        command.env(FOLDER, scratch.memory()).stdin(Stdio::piped());
        let (child, says) = test_support::started(&mut command);
        Self { child, says }
    }

    /// Waits for a line that one of ours is.
    fn word(&mut self) -> String {
        loop {
            let mut line = String::new();
            assert!(
                self.says.read_line(&mut line).unwrap() > 0,
                "it ended without a word"
            );
            let word = line.trim();
            if ["held", "Busy", "releasing"].contains(&word) {
                return word.to_owned();
            }
        }
    }
}

#[test]
fn of_two_processes_one_holds_the_lease_and_the_other_is_told_who() {
    let scratch = Scratch::new();
    let mut other = Other::start(&scratch);
    assert_eq!(other.word(), "held");
    let refused = Lease::acquire(&scratch.store, "me", "mine", TIME).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Busy);
    assert!(refused.to_string().contains("`other`"));
    let mut third = Other::start(&scratch);
    assert_eq!(third.word(), "Busy");
    third.child.wait().unwrap();
    // Given back, it is free at once.
    drop(other.child.stdin.take());
    assert_eq!(other.word(), "releasing");
    other.child.wait().unwrap();
    Lease::acquire(&scratch.store, "me", "mine", TIME).unwrap();
}

#[test]
fn the_lease_of_a_killed_process_runs_out() {
    let scratch = Scratch::new();
    let mut other = Other::start(&scratch);
    assert_eq!(other.word(), "held");
    // SIGKILL on Unix: nothing is given back.
    other.child.kill().unwrap();
    other.child.wait().unwrap();
    let refused = Lease::acquire(&scratch.store, "me", "mine", TIME).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Busy);
    scratch.clock.pass(59);
    assert!(Lease::acquire(&scratch.store, "me", "mine", TIME).is_err());
    scratch.clock.pass(1);
    let lease = Lease::acquire(&scratch.store, "me", "mine", TIME).unwrap();
    lease.check().unwrap();
    let state = Lease::current(&scratch.store).unwrap().unwrap();
    assert_eq!((state.owner.as_str(), state.number), ("me", 2));
}

#[test]
fn a_heartbeat_keeps_a_lease_and_a_late_one_finds_it_lost() {
    let scratch = Scratch::new();
    let first = Lease::acquire(&scratch.store, "first", "one", TIME).unwrap();
    for _ in 0..5 {
        scratch.clock.pass(40);
        first.renew().unwrap();
    }
    // It hangs, and somebody else begins.
    scratch.clock.pass(61);
    first.check().expect("nobody has taken it yet");
    let second = Lease::acquire(&scratch.another_store(), "second", "two", TIME).unwrap();
    assert_eq!(first.check().unwrap_err().kind(), ErrorKind::LeaseLost);
    assert_eq!(first.renew().unwrap_err().kind(), ErrorKind::LeaseLost);
    // Giving back what is lost takes nothing from the one who has it.
    drop(first);
    second.check().unwrap();
}

#[test]
fn a_damaged_record_and_one_from_the_future_hold_nobody_up() {
    let scratch = Scratch::new();
    let file = scratch.store.state_dir().unwrap().join("lease.json");
    let now = scratch.clock.now();
    let mut future = Lease::acquire(&scratch.store, "x", "y", TIME)
        .map(|_| ())
        .and_then(|()| Ok(Lease::current(&scratch.store)?.expect("a record")));
    let future = future.as_mut().unwrap();
    future.is_released = false;
    future.heartbeat = now.plus_seconds(86_400);
    future.expires = now.plus_seconds(90_000);
    let records = [
        b"".to_vec(),
        b"{".to_vec(),
        b"{\"v\":9}".to_vec(),
        vec![0xff; 100_000],
        future.to_bytes(),
    ];
    for record in records {
        std::fs::write(&file, &record).unwrap();
        assert!(LeaseState::from_bytes(&record).is_none_or(|state| !state.is_held(now)));
        Lease::acquire(&scratch.store, "me", "mine", TIME).unwrap();
    }
}
