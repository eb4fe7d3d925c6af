//! The index file in every state it can be found in: never a wrong or missing result.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use memdir_recall::fuzzing::{sample_index, use_index};
use memdir_recall::{CACHE_FILE, CacheState, Query, Recollection};
use proptest::prelude::*;

use crate::support::{memory, now, open, write};

/// Names the folder for the process that the test below starts.
const CHILD_FOLDER: &str = "MEMDIR_RECALL_TEST_FOLDER";

struct Place {
    _scratch: tempfile::TempDir,
    folder: std::path::PathBuf,
    cache: std::path::PathBuf,
}

fn place(files: usize) -> Place {
    let scratch = tempfile::tempdir().unwrap();
    let (folder, cache) = (scratch.path().join("memory"), scratch.path().join("state"));
    fs::create_dir_all(&cache).unwrap();
    for number in 0..files {
        let name = format!("note {number} about subject{}", number % 7);
        let text = memory(
            "project",
            &name,
            "zebra okapi",
            &format!("word{number} common text"),
        );
        write(&folder, &format!("project_{number}.md"), text);
    }
    Place {
        _scratch: scratch,
        folder,
        cache,
    }
}

impl Place {
    fn file(&self) -> std::path::PathBuf {
        self.cache.join(CACHE_FILE)
    }

    /// Asks with the index file as it lies there, and without any.
    fn check(&self, expected: CacheState) {
        let query = Query::new("subject3 zebra word12", now()).prefilter(50);
        let mut recall = open(&self.folder, Some(&self.cache));
        assert_eq!(recall.cache_state(), expected);
        let with = recall.query(&query).unwrap();
        assert_eq!(with.memories, fresh(&self.folder, &query).memories);
    }
}

fn fresh(folder: &Path, query: &Query) -> Recollection {
    open(folder, None).query(query).unwrap()
}

#[test]
fn it_is_written_once_and_used_by_the_next_process() {
    let place = place(20);
    place.check(CacheState::Missing);
    place.check(CacheState::Loaded);
    let mut recall = open(&place.folder, Some(&place.cache));
    recall.refresh().unwrap();
    // What changed shortly before it was read is read again until the clock of the file system has
    // moved on; then nothing is left to do.
    let again = || open(&place.folder, Some(&place.cache)).refresh().unwrap();
    let settled = (0..10_000)
        .map(|_| again())
        .find(|refresh| refresh.read == 0)
        .unwrap();
    assert_eq!(
        (settled.read, settled.written, settled.files),
        (0, false, 20)
    );
}

#[test]
fn a_deleted_file_is_rebuilt() {
    let place = place(20);
    place.check(CacheState::Missing);
    fs::remove_file(place.file()).unwrap();
    place.check(CacheState::Missing);
    assert!(place.file().is_file());
}

#[test]
fn a_truncated_file_is_rebuilt() {
    let place = place(20);
    place.check(CacheState::Missing);
    let whole = fs::read(place.file()).unwrap();
    for length in [0, 1, 8, 143, 144, 200, whole.len() / 2, whole.len() - 1] {
        fs::write(place.file(), &whole[..length]).unwrap();
        place.check(CacheState::Damaged);
    }
}

#[test]
fn a_flipped_bit_anywhere_is_noticed() {
    let place = place(10);
    place.check(CacheState::Missing);
    let whole = fs::read(place.file()).unwrap();
    for at in (0..whole.len()).step_by(37).chain(0..48) {
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (at % 8);
        fs::write(place.file(), &flipped).unwrap();
        let state = open(&place.folder, Some(&place.cache)).cache_state();
        assert_ne!(state, CacheState::Loaded, "byte {at}");
    }
    place.check(CacheState::Damaged);
}

#[test]
fn a_file_of_another_version_or_folder_is_rebuilt() {
    let here = place(10);
    here.check(CacheState::Missing);
    let mut other_version = fs::read(here.file()).unwrap();
    other_version[8] = other_version[8].wrapping_add(1);
    fs::write(here.file(), other_version).unwrap();
    here.check(CacheState::OtherVersion);
    let there = place(12);
    there.check(CacheState::Missing);
    fs::copy(there.file(), here.file()).unwrap();
    here.check(CacheState::OtherFolder);
}

#[test]
fn a_cache_folder_that_cannot_be_written_costs_time_only() {
    let place = place(5);
    let mut recall = open(&place.folder, Some(&place.cache));
    fs::remove_dir_all(&place.cache).unwrap();
    let query = Query::new("subject3 zebra", now());
    let answer = recall.query(&query).unwrap();
    assert_eq!(answer.memories, fresh(&place.folder, &query).memories);
    assert!(!answer.memories.is_empty());
}

#[test]
fn a_file_replaced_during_queries_never_changes_an_answer() {
    let place = place(40);
    place.check(CacheState::Missing);
    let good = fs::read(place.file()).unwrap();
    let query = Query::new("subject3 zebra word12", now()).prefilter(50);
    let expected = fresh(&place.folder, &query).memories;
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut turn = 0_usize;
            while !stop.load(Ordering::Relaxed) {
                // A whole file, a torn one, an empty one, none.
                let length = [good.len(), good.len() / 3, 0][turn % 3];
                let _ = match turn % 4 {
                    3 => fs::remove_file(place.file()),
                    _ => fs::write(place.file(), &good[..length]),
                };
                turn += 1;
            }
        });
        for _ in 0..60 {
            let answer = open(&place.folder, Some(&place.cache))
                .query(&query)
                .unwrap();
            assert_eq!(answer.memories, expected);
        }
        stop.store(true, Ordering::Relaxed);
    });
}

/// Not a test by itself: the process that the next test starts twice. Without the variable it passes.
#[test]
fn a_second_process_writes_the_index() {
    let Some(base) = std::env::var_os(CHILD_FOLDER) else {
        return;
    };
    let (folder, cache) = (
        Path::new(&base).join("memory"),
        Path::new(&base).join("state"),
    );
    let query = Query::new("subject3 zebra word12", now()).prefilter(50);
    for _ in 0..30 {
        // A changed file each time makes each process write the index.
        let text = memory(
            "project",
            "busy",
            "zebra",
            &format!("{}", std::process::id()),
        );
        write(&folder, &format!("busy_{}.md", std::process::id()), text);
        let answer = open(&folder, Some(&cache)).query(&query).unwrap();
        assert!(
            answer
                .memories
                .iter()
                .any(|m| m.path.as_str() == "project_12.md")
        );
    }
}

#[test]
fn two_processes_that_write_it_at_once_leave_a_good_one() {
    let place = place(40);
    let base = place.folder.parent().unwrap();
    let program = std::env::current_exe().unwrap();
    let start = || {
        let mut command = Command::new(&program);
        command
            .args(["--exact", "index_file::a_second_process_writes_the_index"])
            .env(CHILD_FOLDER, base);
        command.stdout(std::process::Stdio::null()).spawn().unwrap()
    };
    let mut children = [start(), start()];
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    place.check(CacheState::Loaded);
}

proptest! {
    /// Damage behind a check sum that is right: what an attacker could write, who can compute it too.
    #[test]
    fn a_crafted_index_gives_fewer_results_and_never_a_panic(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
    ) {
        let sound = sample_index(&["retry policy", "重试策略 deploy", "src/net/retry.rs FRAME_MAGIC"]);
        let mut crafted = sound.clone();
        for (at, value) in flips {
            let at = at.index(crafted.len());
            crafted[at] = value;
        }
        use_index(&crafted, "retry polcy 重试 src/net/retry.rs");
    }
}
