//! A disk that is full at every write of a sync: nothing is lost, the error says what to do, and the next run
//! completes.
//!
//! The workers are this test binary, started again: one inside a small file system of its own, where each page
//! and each inode can be the last one, and one under a limit of the size of files, beyond which a write fails
//! half done. The first needs a kernel that lets anybody mount a tmpfs in a namespace; where it does not, that
//! is said, and the second still runs.
#![cfg(unix)]
#![allow(
    clippy::print_stdout,
    reason = "how often room was short is the report of a worker"
)]

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use rustix::process::{Resource, Rlimit, setrlimit};
use team_sync::ErrorKind;
use test_support::names_in;

use crate::hooked::Hooked;
use crate::server::{Form, Server, Shared};
use crate::sync::{Home, sync};

const TASK: &str = "TEAM_SYNC_TEST_FULL_DISK";
const PAGE: u64 = 4_096;

/// What runs out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scarce {
    Pages,
    Inodes,
    FileSize,
}

/// Takes all room but `left` units, until it is dropped.
struct Shortage {
    fillers: Vec<PathBuf>,
    limited: bool,
}

impl Shortage {
    fn new(scarce: Scarce, place: &Path, left: u64) -> Self {
        let mut shortage = Self {
            fillers: Vec::new(),
            limited: false,
        };
        match scarce {
            Scarce::Pages => {
                let path = place.join("filler");
                let mut filler = File::create(&path).expect("a filler");
                shortage.fillers.push(path);
                let page = vec![b'x'; usize::try_from(PAGE).expect("small")];
                let mut pages = 0;
                while filler.write_all(&page).is_ok() {
                    pages += 1;
                }
                filler
                    .set_len(u64::saturating_sub(pages, left) * PAGE)
                    .expect("less");
            }
            Scarce::Inodes => {
                for at in 0.. {
                    let path = place.join(format!("filler{at}"));
                    if File::create(&path).is_err() {
                        break;
                    }
                    shortage.fillers.push(path);
                }
                for _ in 0..left {
                    std::fs::remove_file(shortage.fillers.pop().expect("a filler")).expect("less");
                }
            }
            Scarce::FileSize => {
                shortage.limited = true;
                limit(Some(left));
            }
        }
        shortage
    }
}

impl Drop for Shortage {
    fn drop(&mut self) {
        if self.limited {
            limit(None);
        }
        for filler in &self.fillers {
            std::fs::remove_file(filler).expect("a filler");
        }
    }
}

fn limit(bytes: Option<u64>) {
    let limit = Rlimit {
        current: bytes,
        maximum: None,
    };
    setrlimit(Resource::Fsize, limit).expect("a limit below the hard one");
}

/// Both sides have changed in every way there is.
fn scene(place: &Path) -> (Shared, Home) {
    let server = Server::new(Form::Full);
    let ana = Home::below(place, "ana");
    let long = |name: &str| format!("{name} start\n{}", "a line of some length\n".repeat(200));
    for name in [
        "taken",
        "merged",
        "disputed",
        "deleted-there",
        "edited",
        "deleted-here",
        "quiet",
    ] {
        ana.write(&format!("{name}.md"), &long(name));
    }
    sync(&ana, &server);
    sync(&ana, &server);
    {
        let mut server = server.lock().expect("no panic");
        server.store("new-there.md", &long("new-there"));
        server.store("taken.md", &format!("{}taken there\n", long("taken")));
        server.store("merged.md", &format!("{}merged there\n", long("merged")));
        server.store("disputed.md", "disputed there\n");
        server.delete("deleted-there.md");
    }
    ana.write("merged.md", &format!("{}merged here\n", long("merged")));
    ana.write("disputed.md", "disputed here\n");
    ana.write("edited.md", &format!("{}edited here\n", long("edited")));
    ana.write("new-here.md", &long("new-here"));
    ana.remove("deleted-here.md");
    (server, ana)
}

/// What somebody wrote and nobody took out.
const KEPT: [&str; 9] = [
    "taken there",
    "merged there",
    "merged here",
    "disputed there",
    "disputed here",
    "edited here",
    "new-here start",
    "new-there start",
    "quiet start",
];

fn lines(home: &Home) -> BTreeSet<String> {
    let files = home.files();
    files
        .values()
        .flat_map(|text| text.lines().map(str::to_owned))
        .collect()
}

/// One sync that has little room from the moment on when it has sent `asked` requests; `true` when there was
/// room enough.
fn run(scarce: Scarce, place: &Path, left: u64, asked: usize) -> bool {
    let (server, ana) = scene(place);
    let what = format!("{scarce:?} with {left} left after {asked} requests");
    let before = lines(&ana);
    let shortage = Arc::new(Mutex::new(None));
    if asked == 0 {
        *shortage.lock().expect("no panic") = Some(Shortage::new(scarce, place, left));
    }
    let hooked = Hooked::new(&server, {
        let (shortage, place, mut count) = (Arc::clone(&shortage), place.to_owned(), 0);
        move |_, _| {
            count += 1;
            if count == asked {
                *shortage.lock().expect("no panic") = Some(Shortage::new(scarce, &place, left));
            }
            None
        }
    });
    let outcome = hooked.sync(&ana, 1_000 + left);
    drop(shortage.lock().expect("no panic").take());

    let enough = match &outcome {
        Ok(report) => {
            assert_eq!(report.notes, [], "{what}");
            true
        }
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::DiskFull, "{what}: {error}");
            assert!(error.to_string().contains("make room"), "{what}: {error}");
            false
        }
    };
    // What was written here is here; what was written there is there.
    let now = lines(&ana);
    for line in KEPT.iter().filter(|line| before.contains(**line)) {
        assert!(now.contains(*line), "{what}: {line} is lost here");
    }
    let there: BTreeSet<String> = {
        let server = server.lock().expect("no panic");
        let texts = server.accepted.iter();
        texts
            .flat_map(|text| text.lines().map(str::to_owned))
            .collect()
    };
    for line in [
        "taken there",
        "merged there",
        "disputed there",
        "new-there start",
    ] {
        assert!(there.contains(line), "{what}: {line} is lost there");
    }
    for (name, text) in ana.files() {
        assert!(
            text.ends_with('\n') && !text.is_empty(),
            "{what}: {name} is torn"
        );
    }

    // There is room again.
    let ben = Home::below(place, "ben");
    for _ in 0..2 {
        sync(&ana, &server);
        sync(&ben, &server);
    }
    sync(&ana, &server);
    assert_eq!(ana.files(), ben.files(), "{what}");
    let settled = lines(&ana);
    for line in KEPT {
        assert!(settled.contains(line), "{what}: {line} is lost");
    }
    for line in ["deleted-there start", "deleted-here start"] {
        assert!(!settled.contains(line), "{what}: {line} is back");
    }
    let hidden = names_in(&ana.team());
    let hidden: Vec<_> = hidden
        .into_iter()
        .filter(|name| name.starts_with('.') && name != ".memstrata-team")
        .collect();
    assert_eq!(hidden, Vec::<String>::new(), "{what}");
    enough
}

/// Not a test by itself: does what the variable says, and nothing without it.
#[test]
fn full_disk_worker() {
    let Ok(task) = std::env::var(TASK) else {
        return;
    };
    let (kind, place) = task.split_once('|').expect("a task");
    let place = Path::new(place);
    let kinds: &[Scarce] = if kind == "tmpfs" {
        &[Scarce::Pages, Scarce::Inodes]
    } else {
        &[Scarce::FileSize]
    };
    for scarce in kinds {
        let (mut short, mut enough) = (0, 0);
        let step = if *scarce == Scarce::FileSize { 487 } else { 1 };
        for asked in 0..=2 {
            let mut in_a_row = 0;
            for left in (0..).map(|at| at * step) {
                if run(*scarce, place, left, asked) {
                    (enough, in_a_row) = (enough + 1, in_a_row + 1);
                } else {
                    (short, in_a_row) = (short + 1, 0);
                }
                // Room enough several times in a row: more makes no difference.
                if in_a_row == 3 {
                    break;
                }
                assert!(left < 100_000, "{scarce:?}: never enough");
            }
        }
        println!("{scarce:?}: {short} times too little, {enough} times enough");
        assert!(short >= 16, "{scarce:?}: {short}");
    }
}

fn worker(kind: &str, script: &str, place: &Path) -> Output {
    Command::new("sh")
        .args(["-c", script, "sh"])
        .arg(place)
        .arg(std::env::current_exe().expect("this program"))
        .arg("full_disk::full_disk_worker")
        .env(TASK, format!("{kind}|{}", place.display()))
        .output()
        .expect("a shell")
}

fn check(output: &Output) {
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{said}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    println!("{said}");
    assert!(said.contains("times too little"), "{said}");
}

#[test]
fn a_disk_that_is_full_at_any_page_or_inode_loses_nothing() {
    let place = tempfile::tempdir().expect("a folder");
    let mount = "mount -t tmpfs -o size=2m,nr_inodes=400 none \"$1\"";
    let able = Command::new("unshare")
        .args(["-Urm", "sh", "-c", mount, "sh"])
        .arg(place.path())
        .output();
    if !able.is_ok_and(|output| output.status.success()) {
        println!("NOT RUN: this machine lets nobody mount a small file system in a namespace");
        return;
    }
    let script = format!(
        "exec unshare -Urm sh -c '{mount} && exec \"$2\" --exact \"$3\" --nocapture' sh \"$@\""
    );
    check(&worker("tmpfs", &script, place.path()));
}

#[test]
fn a_write_that_fails_half_done_loses_nothing() {
    let place = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    let place = place.expect("a folder");
    // Without the trap the signal ends the process.
    let script = "trap '' XFSZ; exec \"$2\" --exact \"$3\" --nocapture";
    check(&worker("limit", script, place.path()));
}
