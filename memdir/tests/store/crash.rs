//! Several processes on one folder, and processes that are killed in the middle of an operation.
//!
//! The workers are this test binary, started again with a variable that says what to do. Pairs of
//! processes are killed 40 times; `MEMDIR_TEST_KILLS=200` asks for the long form.

use std::collections::BTreeMap;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout};
use std::time::Duration;

use memdir::lint::Code;
use memdir::{CheckOptions, ErrorKind, OperationKind, PurgeOptions, SaveRequest, Store};

use test_support::{Random, confirmed, started, this_test};

use crate::support::{Scratch, TestClock, folder_bytes, person, request};

const TASK: &str = "MEMDIR_TEST_WORKER";
/// How often a pair of processes is killed.
const KILLS: &str = "MEMDIR_TEST_KILLS";
const KILLS_DEFAULT: u64 = 40;

/// Not a test by itself: does what the variable says, and nothing without it.
#[test]
fn worker() {
    let Ok(task) = std::env::var(TASK) else {
        return;
    };
    let mut parts = task.split('|');
    let mut part = || parts.next().unwrap();
    let (dir, work, prefix, count) = (
        PathBuf::from(part()),
        part(),
        part(),
        part().parse::<u64>().unwrap(),
    );
    let options = memdir::StoreOptions::new(TestClock::default());
    let store = Store::open(&dir, options.with_lock_wait(Duration::from_secs(60))).unwrap();
    for number in 0..count {
        let name = format!("{prefix} {number}");
        store.save(&memory(&name), &person()).unwrap();
        say(&format!("saved {name}"));
        if work == "everything" {
            everything(&store, &name, number);
        }
    }
}

/// Not `println!`, which the test harness would keep to itself.
fn say(line: &str) {
    let mut output = std::io::stdout();
    writeln!(output, "{line}").unwrap();
}

/// Renames, purges, takes back, removes and restores in turn, while another process does the same.
fn everything(store: &Store, name: &str, number: u64) {
    // The other process may have taken back what this one has just done.
    let fine = |kind: ErrorKind| {
        let known = [
            ErrorKind::NotFound,
            ErrorKind::StaleHash,
            ErrorKind::Refused,
        ];
        assert!(known.contains(&kind), "{kind:?}");
    };
    match number % 4 {
        0 => drop(
            store
                .rename(name, &format!("{name} anew"), &person())
                .map_err(|error| fine(error.kind())),
        ),
        1 => match store.purge(name, &PurgeOptions::default(), &person()) {
            Ok(_) => say(&format!("purged {name}")),
            Err(error) => fine(error.kind()),
        },
        2 => drop(store.undo(&person()).map_err(|error| fine(error.kind()))),
        _ => {
            let removed = store.remove(name, &person());
            let restored = removed.and_then(|_| store.restore(name, None, &person()));
            drop(restored.map_err(|error| fine(error.kind())));
        }
    }
}

/// A memory large enough that a torn write would show.
fn memory(name: &str) -> SaveRequest {
    let request = request(name);
    let long = format!("{name} ").repeat(200);
    request.with_field("long", long.trim())
}

fn start(dir: &Path, work: &str, prefix: &str, count: u64) -> (Child, BufReader<ChildStdout>) {
    let task = format!("{}|{work}|{prefix}|{count}", dir.display());
    started(this_test("store::crash::worker").env(TASK, task))
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
    // Named one by one: the whole lists would fill the screen.
    let lost: Vec<&String> = expected
        .iter()
        .filter(|line| !lines.contains(&line.as_str()))
        .collect();
    let extra: Vec<&&str> = lines
        .iter()
        .filter(|line| !expected.iter().any(|one| one == *line))
        .collect();
    assert!(lost.is_empty(), "index lines are lost: {lost:?}");
    assert!(extra.is_empty(), "index lines without a memory: {extra:?}");
    assert_eq!(lines.len(), expected.len(), "an index line stands twice");
}

#[test]
fn two_processes_lose_no_memory_and_no_index_line() {
    let scratch = Scratch::default();
    let dir = scratch.memory_dir();
    let mut workers = [
        start(&dir, "saves", "left", 200),
        start(&dir, "saves", "right", 200),
    ];
    for (child, output) in &mut workers {
        assert_eq!(confirmed(output, "saved", usize::MAX).len(), 200);
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
    check_is_clean(&store);
    undo_takes_back_one_save(&store, &dir);
}

fn kills() -> u64 {
    let asked = std::env::var(KILLS);
    asked.map_or(KILLS_DEFAULT, |kills| kills.parse().unwrap())
}

/// Lets two processes work on the folder and kills them at some instant. Returns what they had
/// confirmed as `done`.
fn killed(dir: &Path, work: &str, done: &str, round: u64, random: &mut Random) -> Vec<String> {
    let mut workers = [
        start(dir, work, &format!("left {round}"), u64::MAX),
        start(dir, work, &format!("right {round}"), u64::MAX),
    ];
    let mut names = confirmed(&mut workers[0].1, done, random.below(3));
    // Not to wait for anything: to hit another instant of an operation each time.
    std::thread::sleep(Duration::from_micros(random.below(6_000) as u64));
    for (child, output) in &mut workers {
        child.kill().unwrap();
        child.wait().unwrap();
        names.extend(confirmed(output, done, usize::MAX));
    }
    names
}

/// Nothing is found in the folder but that it holds many memories of much the same words.
fn check_is_clean(store: &Store) {
    let report = store.check(&CheckOptions::default(), &person()).unwrap();
    let expected = [
        Code::IndexNearLimit,
        Code::IndexOverLimit,
        Code::NearDuplicate,
    ];
    let findings: Vec<_> = report
        .findings
        .iter()
        .filter(|finding| !expected.contains(&finding.code))
        .collect();
    assert!(findings.is_empty(), "{findings:#?}");
    assert_eq!(report.problems, [""; 0]);
}

#[test]
fn killed_processes_leave_no_half_save_behind() {
    let scratch = Scratch::default();
    let dir = scratch.memory_dir();
    let mut random = Random::new(0x5EED);
    let mut alive: Vec<String> = Vec::new();
    let (mut finished, mut undone) = (0, 0);
    for round in 0..kills() {
        alive.extend(killed(&dir, "saves", "saved", round, &mut random));

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
        check_is_clean(&store);
        // Opening once more changes nothing.
        assert_eq!(scratch.open().open_report().finished_operation, None);
        assert_eq!(folder_bytes(&dir), files);
        if round % 10 == 9 {
            let taken_back = undo_takes_back_one_save(&store, &dir);
            alive.retain(|name| file_of(name) != taken_back);
            undone += 1;
        }
    }
    println!(
        "{} pairs of processes killed, {} saves confirmed and all there, {finished} finished after a \
         kill, {undone} taken back",
        kills(),
        alive.len(),
    );
    assert!(
        alive.len() as u64 > kills() / 2,
        "the workers hardly came to save"
    );
    assert!(finished > 0, "no round hit the middle of a save");
    for name in &alive {
        assert_eq!(folder_bytes(&dir)[&file_of(name)], expected_file(name));
    }
    let repaired = scratch.open().repair().unwrap();
    assert_eq!(repaired.finished_operation, None);
}

#[test]
fn killed_processes_leave_index_files_and_history_true_whatever_they_were_doing() {
    let scratch = Scratch::default();
    let dir = scratch.memory_dir();
    let mut random = Random::new(0xD1CE);
    let mut purged: Vec<String> = Vec::new();
    let mut finished = 0;
    // Half as many: each of these rounds looks through the whole history.
    for round in 0..kills().div_ceil(2) {
        purged.extend(killed(&dir, "everything", "purged", round, &mut random));

        let store = scratch.open();
        finished += u64::from(store.open_report().finished_operation.is_some());
        check_is_clean(&store);
        let files = folder_bytes(scratch.folder.path());
        for name in &purged {
            let phrase = format!("Body of {name}.");
            let held = files
                .iter()
                .find(|(_, bytes)| memchr::memmem::find(bytes, phrase.as_bytes()).is_some());
            assert_eq!(held.map(|held| held.0), None, "{name} was purged");
        }
        let newest = memdir::ListOptions::default().with_limit(3);
        for memory in store.list(&newest).unwrap().memories {
            assert!(
                !store
                    .history(memory.path.as_str())
                    .unwrap()
                    .revisions
                    .is_empty()
            );
        }
        assert_eq!(scratch.open().open_report().finished_operation, None);
        assert_eq!(folder_bytes(scratch.folder.path()), files);
    }
    println!(
        "{} pairs of processes killed, {} purges confirmed and nothing of them left, {finished} \
         operations finished after a kill",
        kills().div_ceil(2),
        purged.len(),
    );
    assert!(finished > 0, "no round hit the middle of an operation");
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
