//! What earlier runs left: temporary files of killed ones, merges and copies of conflicts that were never sent;
//! and what a run that is killed must not leave.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, SystemTime};

use team_sync::client::SyncOptions;

use crate::server::{Form, Server};
use crate::sync::{Home, sync, sync_with};

const TEMPORARY: &str = ".pathguard-0123456789abcdef0123456789abcdef";

fn leave(path: &Path, age: Duration) {
    std::fs::write(path, "half a me").expect("a file");
    let file = File::options().append(true).open(path).expect("the file");
    file.set_modified(SystemTime::now() - age).expect("a time");
}

#[test]
fn temporary_files_of_killed_runs_go_and_those_of_living_writers_stay() {
    let server = Server::new(Form::Full);
    let ana = Home::new("ana");
    ana.write("deep/a.md", "a\n");
    sync(&ana, &server);
    let state = ana.folder.path().join("state").join(TEMPORARY);
    let (old, new) = (
        ana.team().join("deep").join(TEMPORARY),
        ana.team().join(TEMPORARY),
    );
    leave(&old, Duration::from_secs(3_600));
    leave(&new, Duration::ZERO);
    leave(&state, Duration::ZERO);
    sync(&ana, &server);
    // The lock of the state is ours; in the folder of memories others write too.
    assert_eq!(
        (state.exists(), old.exists(), new.exists()),
        (false, false, true)
    );
    assert_eq!(ana.read("deep/a.md").as_deref(), Some("a\n"));
}

#[test]
fn a_conflict_met_again_under_another_spelling_makes_no_twin() {
    let server = Server::new(Form::Full);
    let (ana, ben) = (Home::new("ana"), Home::new("ben"));
    ana.write("people.md", "port 80\n");
    sync(&ana, &server);
    sync(&ben, &server);
    ana.write("people.md", "port 81\n");
    ben.write("people.md", "port 82\n");
    sync(&ben, &server);
    // The copy is written here and not sent.
    sync_with(&ana, &server, &SyncOptions::default().with_pull_only(true));
    std::fs::rename(ben.team().join("people.md"), ben.team().join("PEOPLE.md")).expect("a rename");
    sync(&ben, &server);
    for _ in 0..2 {
        let report = sync(&ana, &server);
        assert!(!report.pending && report.notes.is_empty(), "{report:?}");
        sync(&ben, &server);
    }
    assert_eq!(ana.files(), ben.files());
    let texts: Vec<String> = ana.files().into_values().collect();
    assert_eq!(texts, ["port 81\n", "port 82\n"], "{:?}", ana.files());
}

#[test]
fn a_merge_that_was_not_sent_is_not_merged_again_as_if_it_were_all_from_here() {
    let server = Server::new(Form::Full);
    let (ana, ben) = (Home::new("ana"), Home::new("ben"));
    ana.write("log.md", "# log\n");
    sync(&ana, &server);
    sync(&ben, &server);
    ana.write("log.md", "# log\nana\n");
    ben.write("log.md", "# log\nben\n");
    sync(&ben, &server);
    // Merged here, and not sent.
    sync_with(&ana, &server, &SyncOptions::default().with_pull_only(true));
    assert_eq!(ana.read("log.md").as_deref(), Some("# log\nben\nana\n"));
    ben.write("log.md", "# log\nearlier\nben\n");
    sync(&ben, &server);
    sync(&ana, &server);
    sync(&ben, &server);
    let whole = Some("# log\nearlier\nben\nana\n");
    assert_eq!(
        (ana.read("log.md").as_deref(), ben.read("log.md").as_deref()),
        (whole, whole)
    );
}

/// Who is killed between a removal and a write has a file that is gone, and a next run that deletes it for all.
#[cfg(unix)]
#[test]
fn a_file_that_is_spelt_anew_is_renamed_and_never_without_a_name() {
    use std::os::unix::fs::MetadataExt as _;
    let server = Server::new(Form::Full);
    let (ana, ben) = (Home::new("ana"), Home::new("ben"));
    ana.write("run/deploy.md", "port 80\n");
    ana.write("other.md", "text\n");
    sync(&ana, &server);
    sync(&ben, &server);
    // Held open: its number is not given to another file.
    let before = File::open(ben.team().join("run/deploy.md")).expect("a file");
    let (from, to) = (
        ana.team().join("run/deploy.md"),
        ana.team().join("run/DEPLOY.md"),
    );
    std::fs::rename(from, to).expect("a rename");
    sync(&ana, &server);
    sync(&ben, &server);
    let after = std::fs::metadata(ben.team().join("run/DEPLOY.md")).expect("a file");
    let before = before.metadata().expect("a file");
    assert_eq!((before.dev(), before.ino()), (after.dev(), after.ino()));
    assert_eq!(ana.files(), ben.files());
}
