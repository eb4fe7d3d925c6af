//! Several processes on one folder, and processes that are killed in the middle of a save.
//!
//! The workers are this test binary, started again with a variable that says what to do.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use memdir::{OperationKind, SaveRequest, Store};

use crate::support::{Scratch, TestClock, folder_bytes, person, request};

const TASK: &str = "MEMDIR_TEST_WORKER";
const ROUNDS: u64 = 200;

/// Not a test by itself: does what the variable says, and nothing without it.
#[test]
fn worker() {
    let Ok(task) = std::env::var(TASK) else {
        return;
    };
    let mut parts = task.split('|');
    let mut part = || parts.next().unwrap();
    let (dir, prefix, count) = (
        PathBuf::from(part()),
        part(),
        part().parse::<u64>().unwrap(),
    );
    let options = memdir::StoreOptions::new(TestClock::default());
    let store = Store::open(&dir, options.with_lock_wait(Duration::from_secs(60))).unwrap();
    for number in 0..count {
        let name = format!("{prefix} {number}");
        store.save(&memory(&name), &person()).unwrap();
        // Not `println!`, which the test harness would keep to itself.
        writeln!(std::io::stdout(), "saved {name}").unwrap();
    }
}

/// A memory large enough that a torn write would show.
fn memory(name: &str) -> SaveRequest {
    let request = request(name);
    let long = format!("{name} ").repeat(200);
    request.with_field("long", long.trim())
}

fn start(dir: &Path, prefix: &str, count: u64) -> (Child, BufReader<ChildStdout>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store::crash::worker", "--nocapture"])
        .env(TASK, format!("{}|{prefix}|{count}", dir.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    (child, output)
}

/// The names that a worker has confirmed, until its output ends or `most` are read.
fn confirmed(output: &mut BufReader<ChildStdout>, most: usize) -> Vec<String> {
    let mut names = Vec::new();
    let mut line = String::new();
    while names.len() < most {
        line.clear();
        // A killed worker may leave half a line: that save was not confirmed.
        if output.read_line(&mut line).unwrap() == 0 || !line.ends_with('\n') {
            break;
        }
        names.extend(line.trim_end().strip_prefix("saved ").map(str::to_owned));
    }
    names
}

/// The whole text of a memory, as the first save wrote it.
fn expected_file(name: &str) -> Vec<u8> {
    let scratch = Scratch::default();
    let saved = scratch.open().save(&memory(name), &person()).unwrap();
    scratch.read(saved.path.as_str()).into_bytes()
}

fn file_of(name: &str) -> String {
    format!("feedback_{}.md", name.replace(' ', "_"))
}

fn index_line(name: &str) -> String {
    format!("- [{name}]({}) — about {name}", file_of(name))
}

/// Every file of the folder is a whole memory with exactly one index line, and the other way round.
fn check_folder(files: &BTreeMap<String, Vec<u8>>) {
    let index = String::from_utf8(files["MEMORY.md"].clone()).unwrap();
    let mut lines: Vec<&str> = index.lines().collect();
    lines.sort_unstable();
    let mut expected = Vec::new();
    for (path, bytes) in files.iter().filter(|(path, _)| *path != "MEMORY.md") {
        let stem = path
            .strip_prefix("feedback_")
            .and_then(|rest| rest.strip_suffix(".md"));
        let name = stem
            .unwrap_or_else(|| panic!("{path} is no memory"))
            .replace('_', " ");
        assert!(
            bytes.ends_with(b"**How to apply:** always.\n"),
            "{path} is cut"
        );
        expected.push(index_line(&name));
    }
    expected.sort_unstable();
    assert_eq!(lines, expected);
}

#[test]
fn two_processes_lose_no_memory_and_no_index_line() {
    let scratch = Scratch::default();
    let dir = scratch.memory_dir();
    let mut workers = [start(&dir, "left", 200), start(&dir, "right", 200)];
    for (child, output) in &mut workers {
        assert_eq!(confirmed(output, usize::MAX).len(), 200);
        assert!(child.wait().unwrap().success());
    }
    let files = scratch.bytes();
    assert_eq!(files.len(), 401);
    check_folder(&files);
    assert_eq!(files[&file_of("left 7")], expected_file("left 7"));

    let store = scratch.open();
    assert_eq!(store.open_report().finished_operation, None);
    let history = store.history_of_all().unwrap();
    let mut sequences: Vec<u64> = history.revisions.iter().map(|one| one.sequence).collect();
    sequences.dedup();
    assert_eq!(sequences, (1..=400).rev().collect::<Vec<_>>());
    assert_eq!(history.damaged_lines, 0);
    undo_takes_back_one_save(&store, &dir);
}

#[test]
fn killed_processes_leave_no_half_save_behind() {
    let scratch = Scratch::default();
    let dir = scratch.memory_dir();
    let mut random = Random(0x5EED);
    let mut alive: Vec<String> = Vec::new();
    let mut finished = 0;
    for round in 0..ROUNDS {
        let mut workers = [
            start(&dir, &format!("left {round}"), u64::MAX),
            start(&dir, &format!("right {round}"), u64::MAX),
        ];
        let mut names = confirmed(&mut workers[0].1, random.below(3));
        // Not to wait for anything: to hit another instant of a save each time.
        std::thread::sleep(Duration::from_micros(random.below(6_000) as u64));
        for (child, output) in &mut workers {
            child.kill().unwrap();
            child.wait().unwrap();
            names.extend(confirmed(output, usize::MAX));
        }
        alive.extend(names);

        let store = scratch.open();
        finished += u64::from(store.open_report().finished_operation.is_some());
        let files = folder_bytes(&dir);
        if files.is_empty() {
            continue;
        }
        check_folder(&files);
        for name in &alive {
            assert!(
                files.contains_key(&file_of(name)),
                "round {round} lost {name}"
            );
        }
        // Opening once more changes nothing.
        assert_eq!(scratch.open().open_report().finished_operation, None);
        assert_eq!(folder_bytes(&dir), files);
        if round % 10 == 9 {
            let undone = undo_takes_back_one_save(&store, &dir);
            alive.retain(|name| file_of(name) != undone);
        }
    }
    assert!(
        alive.len() > 100,
        "the workers hardly came to save anything"
    );
    println!(
        "{} saves confirmed, {finished} finished after a kill",
        alive.len()
    );
    assert!(finished > 0, "no round hit the middle of a save");
    for name in alive.iter().rev().take(5) {
        assert_eq!(folder_bytes(&dir)[&file_of(name)], expected_file(name));
    }
    let repaired = scratch.open().repair().unwrap();
    assert_eq!(repaired.finished_operation, None);
}

/// Takes the last save back and compares the folder byte for byte. Returns the file that is gone.
fn undo_takes_back_one_save(store: &Store, dir: &Path) -> String {
    let mut expected = folder_bytes(dir);
    let undone = store.undo(&person()).unwrap();
    assert_eq!(undone.operation, OperationKind::Save);
    let path = undone.paths[0].clone();
    expected.remove(&path).unwrap();
    let index = String::from_utf8(expected["MEMORY.md"].clone()).unwrap();
    let link = format!("]({path})");
    let kept: String = index
        .split_inclusive('\n')
        .filter(|line| !line.contains(&link))
        .collect();
    assert_ne!(kept, index);
    expected.insert("MEMORY.md".to_owned(), kept.into_bytes());
    assert_eq!(folder_bytes(dir), expected);
    path
}

/// Xorshift: repeatable up to the timing of the machine, which is what the test is about.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}
