//! Several processes on one session file, and processes that are killed in the middle of a commit.
//!
//! The workers are this test binary, started again with a variable that says what to do.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use session_memory::{Condition, SessionFile, Structure};

use super::{Folder, draft, names, number};
use crate::histories::Random;

const TASK: &str = "SESSION_MEMORY_TEST_WORKER";

/// How many processes are killed: more with `SESSION_MEMORY_KILLS=1000`.
const KILLS: u64 = 40;

fn open(folder: &Path) -> SessionFile {
    let file = SessionFile::create(folder, Structure::default()).expect("a session folder");
    file.with_wait(Duration::from_secs(60))
}

/// Not a test by itself: commits one number after the other as the variable says, and nothing without it.
#[test]
fn worker() {
    let Ok(task) = std::env::var(TASK) else {
        return;
    };
    let (folder, count) = task.rsplit_once('|').expect("a task");
    let count: u64 = count.parse().expect("a number");
    let file = open(&PathBuf::from(folder));
    for _ in 0..count {
        let mut locked = file.lock().expect("the lock, in time");
        let next = locked.base().map_or(0, |base| base.revision) + 1;
        locked.commit(&draft(next)).expect("a commit");
        drop(locked);
        // Not `println!`, which the test harness would keep to itself.
        writeln!(std::io::stdout(), "committed {next}").expect("an open pipe");
    }
}

fn start(folder: &Path, count: u64) -> (Child, BufReader<ChildStdout>) {
    let mut child = Command::new(std::env::current_exe().expect("this binary"))
        .args(["--exact", "store::processes::worker", "--nocapture"])
        .env(TASK, format!("{}|{count}", folder.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a process");
    let output = BufReader::new(child.stdout.take().expect("a pipe"));
    (child, output)
}

/// The numbers that a worker has confirmed, until its output ends or `most` are read.
fn confirmed(output: &mut BufReader<ChildStdout>, most: usize) -> Vec<u64> {
    let mut numbers = Vec::new();
    let mut line = String::new();
    while numbers.len() < most {
        line.clear();
        // A killed worker may leave half a line: that commit was not confirmed.
        if output.read_line(&mut line).expect("output") == 0 || !line.ends_with('\n') {
            break;
        }
        let number = line.trim_end().strip_prefix("committed ");
        numbers.extend(number.and_then(|number| number.parse::<u64>().ok()));
    }
    numbers
}

#[test]
fn two_processes_take_turns_and_lose_no_commit() {
    let folder = Folder::new();
    let path = folder.path();
    let file = open(&path);
    let mut workers = [start(&path, 60), start(&path, 60)];
    let mut last = 0;
    // A reader beside them sees whole pairs only, each at least as new as the one before.
    while last < 120 {
        let now = number(&file).unwrap_or(0);
        assert!(now >= last, "{now} after {last}");
        last = now;
        if workers
            .iter_mut()
            .all(|(child, _)| matches!(child.try_wait(), Ok(Some(_))))
        {
            break;
        }
    }
    let mut all: Vec<u64> = workers
        .iter_mut()
        .flat_map(|(child, output)| {
            let numbers = confirmed(output, usize::MAX);
            assert!(child.wait().expect("an end").success());
            numbers
        })
        .collect();
    all.sort_unstable();
    assert_eq!(all, (1..=120).collect::<Vec<_>>());
    assert_eq!(number(&file), Some(120));
}

#[test]
fn a_process_that_is_killed_at_any_point_leaves_a_committed_pair() {
    let wanted = std::env::var("SESSION_MEMORY_KILLS").ok();
    let kills = wanted.and_then(|n| n.parse().ok()).unwrap_or(KILLS);
    let folder = Folder::new();
    let path = folder.path();
    let file = open(&path);
    let mut random = Random::new(0x5EED);
    let mut last = 0;
    let mut unfinished = 0;
    for round in 0..kills {
        let (mut child, mut output) = start(&path, u64::MAX);
        last = confirmed(&mut output, 1).last().copied().unwrap_or(last);
        // Not to wait for anything: to hit another instant of a commit each time.
        std::thread::sleep(Duration::from_micros(random.below(12_000)));
        child.kill().expect("a kill");
        child.wait().expect("an end");
        last = confirmed(&mut output, usize::MAX)
            .last()
            .copied()
            .unwrap_or(last);

        let seen = number(&file).expect("a committed pair");
        assert!(
            (last..=last + 1).contains(&seen),
            "round {round}: {seen} after {last}"
        );
        let locked = file.lock().expect("a lock that died with its process");
        unfinished += u64::from(*locked.found() == Condition::Unfinished);
        drop(locked);
        assert_eq!(file.condition().expect("readable"), Condition::Whole);
        assert_eq!(number(&file), Some(seen), "round {round}");
        assert_eq!(
            names(&path),
            [
                "session-memory.json",
                "session-memory.lock",
                "session-memory.md"
            ],
            "round {round}"
        );
        last = seen;
    }
    println!("{unfinished} of {kills} kills fell between the two files");
}
