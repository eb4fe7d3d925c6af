//! The worker of the tests with several processes is this test binary, started again with a variable that
//! says what to do.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command};
use std::time::Duration;

use memdir::pathguard::{MemoryRoot, RootOptions};
use memdir::{ErrorKind, SessionLog, SessionRecord, Timestamp};
use proptest::prelude::*;
use tempfile::TempDir;
use test_support::{Random, confirmed, started, this_test};

const TASK: &str = "MEMDIR_TEST_LOG_WORKER";
const KILLS: u64 = 20;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Visit {
    time: i64,
    number: u64,
    page: String,
}

impl SessionRecord for Visit {
    fn to_line(&self) -> String {
        format!("visit {} {} {} end", self.time, self.number, self.page)
    }

    fn from_line(line: &str) -> Option<Self> {
        let mut parts = line
            .strip_prefix("visit ")?
            .strip_suffix(" end")?
            .splitn(3, ' ');
        Some(Self {
            time: parts.next()?.parse().ok()?,
            number: parts.next()?.parse().ok()?,
            page: parts.next()?.to_owned(),
        })
    }

    fn moment(&self) -> (Timestamp, u64) {
        (Timestamp::from_seconds(self.time), self.number)
    }
}

fn visit(number: u64, page: &str) -> Visit {
    Visit {
        time: 1_772_719_331,
        number,
        page: page.to_owned(),
    }
}

const LOG: SessionLog<Visit> = SessionLog::new("visits").with_max_records(5);
/// For processes that write until they are killed.
const LONG: SessionLog<Visit> = SessionLog::new("visits").with_max_records(100_000);

fn state() -> (TempDir, MemoryRoot) {
    let folder = tempfile::tempdir().unwrap();
    let root = open(folder.path());
    (folder, root)
}

fn open(folder: &Path) -> MemoryRoot {
    MemoryRoot::open(folder, &RootOptions::default()).unwrap()
}

fn numbers(visits: &[Visit]) -> Vec<u64> {
    visits.iter().map(|visit| visit.number).collect()
}

fn file(folder: &Path, session: &str) -> PathBuf {
    folder.join(LOG.key(session).as_str())
}

#[test]
fn nothing_is_written_for_nothing() {
    let (folder, root) = state();
    LOG.add(&root, "one", &[]).unwrap();
    assert_eq!(LOG.of_session(&root, "one").unwrap(), []);
    assert_eq!(LOG.about(&root, |_| true).unwrap(), []);
    assert_eq!(LOG.forget(&root, |_| true).unwrap(), 0);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_record_with_a_line_feed_stays_one_record() {
    let (_folder, root) = state();
    let two_lines = "a\nvisit 1 2 b end";
    LOG.add(&root, "one", &[visit(1, two_lines)]).unwrap();
    let read = LOG.of_session(&root, "one").unwrap();
    assert_eq!(read, [visit(1, "a visit 1 2 b end")]);
}

#[test]
fn the_records_of_all_sessions_come_newest_first() {
    let (_folder, root) = state();
    LOG.add(&root, "one", &[visit(1, "a"), visit(4, "b")])
        .unwrap();
    LOG.add(&root, "../two", &[visit(2, "a"), visit(3, "a")])
        .unwrap();
    let about = LOG.about(&root, |visit| visit.page == "a").unwrap();
    assert_eq!(numbers(&about), [3, 2, 1]);
}

#[test]
fn a_full_file_loses_its_oldest_records_and_a_full_folder_its_oldest_sessions() {
    const SMALL: SessionLog<Visit> = SessionLog::new("visits")
        .with_max_records(5)
        .with_max_sessions(2)
        .with_max_bytes(200);
    let (folder, root) = state();
    for number in 0..12 {
        SMALL.add(&root, "one", &[visit(number, "a")]).unwrap();
    }
    assert_eq!(
        numbers(&SMALL.of_session(&root, "one").unwrap()),
        [7, 8, 9, 10, 11]
    );
    // Few long ones fill it as well, and one that has no room at all is said.
    let long = "b".repeat(70);
    SMALL
        .add(&root, "one", &[visit(12, &long), visit(13, &long)])
        .unwrap();
    let left = numbers(&SMALL.of_session(&root, "one").unwrap());
    assert_eq!(left, [12, 13]);
    let error = SMALL
        .add(&root, "one", &[visit(14, &"c".repeat(200))])
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    assert_eq!(numbers(&SMALL.of_session(&root, "one").unwrap()), left);

    let old = std::fs::File::options()
        .write(true)
        .open(file(folder.path(), "one"))
        .unwrap();
    old.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    SMALL.add(&root, "two", &[visit(20, "a")]).unwrap();
    SMALL.add(&root, "three", &[visit(21, "a")]).unwrap();
    assert_eq!(SMALL.of_session(&root, "one").unwrap(), []);
    assert_eq!(numbers(&SMALL.about(&root, |_| true).unwrap()), [21, 20]);
}

#[test]
fn a_torn_last_line_costs_itself_only() {
    let (folder, root) = state();
    LOG.add(&root, "one", &[visit(1, "a")]).unwrap();
    let whole = std::fs::read(file(folder.path(), "one")).unwrap();
    let torn = visit(2, "b").to_line();
    for end in 0..torn.len() {
        let bytes = [&whole[..], &torn.as_bytes()[..end]].concat();
        std::fs::write(file(folder.path(), "one"), bytes).unwrap();
        assert_eq!(numbers(&LOG.of_session(&root, "one").unwrap()), [1]);
        LOG.add(&root, "one", &[visit(3, "c")]).unwrap();
        let read = LOG.of_session(&root, "one").unwrap();
        assert_eq!(read, [visit(1, "a"), visit(3, "c")], "cut at {end}");
    }
}

#[test]
fn what_is_forgotten_is_in_no_half_line_and_no_oversized_file_either() {
    let (folder, root) = state();
    LOG.add(&root, "one", &[visit(1, "secret"), visit(2, "other")])
        .unwrap();
    LOG.add(&root, "two", &[visit(3, "other")]).unwrap();
    let mut torn = std::fs::read(file(folder.path(), "two")).unwrap();
    torn.extend_from_slice(b"visit 1 1 secr");
    std::fs::write(file(folder.path(), "two"), torn).unwrap();
    let oversized = file(folder.path(), "three");
    let size = usize::try_from(memdir::limits::SESSION_LOG_MAX_BYTES).unwrap() + 1;
    std::fs::write(&oversized, b"secret ".repeat(size / 7 + 1)).unwrap();

    let count = LOG.forget(&root, |visit| visit.page == "secret").unwrap();
    assert_eq!(count, 1);
    assert_eq!(numbers(&LOG.of_session(&root, "one").unwrap()), [2]);
    assert_eq!(numbers(&LOG.of_session(&root, "two").unwrap()), [3]);
    assert!(!oversized.exists());
    for session in ["one", "two"] {
        let left = std::fs::read_to_string(file(folder.path(), session)).unwrap();
        assert!(!left.contains("secr"), "{left}");
    }
}

proptest! {
    // Each case writes to the disk and waits for it.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_bytes_in_a_file_cost_no_more_than_themselves(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let (folder, root) = state();
        std::fs::create_dir(folder.path().join("visits")).unwrap();
        std::fs::write(file(folder.path(), "one"), &bytes).unwrap();
        let before = LOG.of_session(&root, "one").unwrap().len();
        prop_assert_eq!(before, SessionLog::<Visit>::parse(&bytes).len());
        LOG.add(&root, "one", &[visit(1, "a")]).unwrap();
        let read = LOG.of_session(&root, "one").unwrap();
        prop_assert_eq!(read.last(), Some(&visit(1, "a")));
        LOG.forget(&root, |_| false).unwrap();
        prop_assert_eq!(LOG.of_session(&root, "one").unwrap(), read);
    }

    #[test]
    fn a_log_holds_the_newest_of_what_was_added(
        steps in proptest::collection::vec((0..3_usize, 0..9_u64, any::<bool>()), 0..40),
    ) {
        let (_folder, root) = state();
        let sessions = ["one", "Two", "../three"];
        let mut model: [Vec<u64>; 3] = Default::default();
        for (number, (session, count, is_purge)) in steps.into_iter().enumerate() {
            if is_purge {
                let page = count.to_string();
                let forgotten = LOG.forget(&root, |visit| visit.page == page).unwrap();
                let held: usize = model.iter().map(Vec::len).sum();
                for held in &mut model {
                    held.retain(|number| number % 10 != count);
                }
                prop_assert_eq!(forgotten, held - model.iter().map(Vec::len).sum::<usize>());
                continue;
            }
            let first = number as u64 * 10;
            let new: Vec<Visit> = (first..first + count)
                .map(|number| visit(number, &(number % 10).to_string()))
                .collect();
            LOG.add(&root, sessions[session], &new).unwrap();
            model[session].extend(numbers(&new));
            let surplus = model[session].len().saturating_sub(5);
            model[session].drain(..surplus);
        }
        for (session, held) in sessions.iter().zip(&model) {
            prop_assert_eq!(&numbers(&LOG.of_session(&root, session).unwrap()), held);
        }
        let mut all = model.concat();
        all.sort_unstable_by(|one, other| other.cmp(one));
        prop_assert_eq!(numbers(&LOG.about(&root, |_| true).unwrap()), all);
    }
}

/// Not a test by itself: adds records as the variable says, and does nothing without it.
#[test]
fn log_worker() {
    let Ok(task) = std::env::var(TASK) else {
        return;
    };
    let mut parts = task.split('|');
    let mut part = || parts.next().unwrap();
    let (root, page) = (open(Path::new(part())), part());
    let (log, count) = match part() {
        "short" => (LOG, 300),
        "many" => (LONG, 300),
        _ => (LONG, u64::MAX),
    };
    for number in 0..count {
        match log.add(&root, "one", &[visit(number, page)]) {
            Ok(()) => writeln!(std::io::stdout(), "added {number}").unwrap(),
            Err(error) => {
                eprintln!("failed: {error}");
                std::process::exit(17);
            }
        }
    }
}

fn start(folder: &Path, page: &str, work: &str) -> (Child, BufReader<ChildStdout>) {
    let task = format!("{}|{page}|{work}", folder.display());
    started(this_test("session_log::log_worker").env(TASK, task))
}

/// The numbers that a worker has confirmed, until its output ends or `most` are read.
fn numbers_of(output: &mut impl BufRead, most: usize) -> Vec<u64> {
    let numbers = confirmed(output, "added", most).into_iter();
    numbers.map(|number| number.parse().unwrap()).collect()
}

/// The numbers of a worker's records, as the log has them.
fn logged(root: &MemoryRoot, page: &str) -> Vec<u64> {
    let records = LONG.of_session(root, "one").unwrap().into_iter();
    let records = records.filter(|visit| visit.page == page);
    records.map(|visit| visit.number).collect()
}

#[test]
fn two_processes_that_add_lose_nothing_of_each_other() {
    let (folder, root) = state();
    for (work, expected) in [("many", 600), ("short", 5)] {
        let mut workers = ["left", "right"].map(|page| start(folder.path(), page, work));
        for (child, output) in &mut workers {
            assert_eq!(numbers_of(output, usize::MAX).len(), 300);
            assert!(child.wait().unwrap().success());
        }
        let all = LONG.of_session(&root, "one").unwrap();
        assert_eq!(all.len(), expected, "{work}");
        if work == "many" {
            for page in ["left", "right"] {
                assert_eq!(logged(&root, page), (0..300).collect::<Vec<_>>());
            }
        } else {
            // The last of both stand at the end, since neither takes away the other's.
            assert_eq!(all[4].number, 299);
        }
    }
}

#[test]
fn killed_processes_lose_nothing_that_was_added() {
    let mut random = Random::new(0x1065);
    let (mut all, mut unconfirmed) = (0, 0);
    for round in 0..KILLS {
        let (folder, root) = state();
        let pages = ["left", "right"];
        let mut workers = pages.map(|page| start(folder.path(), page, "endless"));
        let mut added = [const { Vec::new() }; 2];
        added[0] = numbers_of(&mut workers[0].1, 1 + random.below(20));
        // Not to wait for anything: to hit another instant each time.
        std::thread::sleep(Duration::from_micros(random.below(1_000) as u64));
        for ((child, output), added) in workers.iter_mut().zip(&mut added) {
            child.kill().unwrap();
            child.wait().unwrap();
            added.extend(numbers_of(output, usize::MAX));
        }
        for (page, added) in pages.iter().zip(&added) {
            let logged = logged(&root, page);
            assert!(
                logged.starts_with(added),
                "round {round}: {added:?} of {logged:?}"
            );
            assert!(logged.len() <= added.len() + 1);
            unconfirmed += logged.len() - added.len();
            all += logged.len();
        }
        // The lock died with its holder.
        LONG.add(&root, "one", &[visit(round, "after")]).unwrap();
        assert_eq!(logged(&root, "after"), [round]);
    }
    println!("{KILLS} pairs of processes killed, {all} records logged, {unconfirmed} unconfirmed");
}

/// Beyond a limit of the size of files a write fails half done, as on a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_costs_the_record_that_had_no_room() {
    let (folder, root) = state();
    let output = Command::new("sh")
        .args([
            "-c",
            "trap '' XFSZ; ulimit -f 4; exec \"$1\" --exact session_log::log_worker --nocapture",
            "sh",
        ])
        .arg(std::env::current_exe().unwrap())
        .env(TASK, format!("{}|left|many", folder.path().display()))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(17), "{output:?}");
    let added = numbers_of(&mut std::io::Cursor::new(output.stdout), usize::MAX);
    assert!(added.len() > 20, "{added:?}");
    // All but its line feed may have had room: then the record is whole, and counts.
    let left = logged(&root, "left");
    assert!(left.starts_with(&added), "{added:?} of {left:?}");
    assert!(left.len() <= added.len() + 1);
    // With room again, what comes next stands whole.
    LONG.add(&root, "one", &[visit(7, "after")]).unwrap();
    assert_eq!(logged(&root, "left"), left);
    assert_eq!(logged(&root, "after"), [7]);
}
