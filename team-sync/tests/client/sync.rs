//! One folder, one server: what a run does.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pathguard::{MemoryRoot, RootOptions};
use team_sync::client::{
    Client, ClientOptions, Done, Gate, Note, SyncOptions, SyncReport, Transport, Verdict,
};
use team_sync::{ErrorKind, HoldReason, TeamKey};
use tempfile::TempDir;

use crate::server::{Direct, Form, Server, Shared};

/// Blocks what holds the word; stands for the scanner.
pub(crate) struct Word;

impl Gate for Word {
    fn look(&self, text: &str) -> Verdict {
        if text.contains("SECRET") {
            Verdict::Blocked("rule word, line 1".into())
        } else {
            Verdict::Free
        }
    }
}

/// A home of one person.
pub(crate) struct Home {
    pub(crate) folder: TempDir,
    name: String,
}

impl Home {
    pub(crate) fn new(name: &str) -> Self {
        // In memory where that is possible: thousands of homes, and nothing here is about the disk.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Self::inside(folder.expect("a folder"), name)
    }

    /// A home on the file system of a folder.
    #[cfg(unix)]
    pub(crate) fn below(place: &Path, name: &str) -> Self {
        Self::inside(tempfile::tempdir_in(place).expect("a folder"), name)
    }

    fn inside(folder: TempDir, name: &str) -> Self {
        for part in ["team", "state"] {
            std::fs::create_dir(folder.path().join(part)).expect("a folder");
        }
        Self {
            folder,
            name: name.into(),
        }
    }

    pub(crate) fn team(&self) -> std::path::PathBuf {
        self.folder.path().join("team")
    }

    pub(crate) fn client(&self, transport: Box<dyn Transport>, seed: u64) -> Client {
        self.client_with(transport, seed, Arc::new(Word))
    }

    pub(crate) fn client_with(
        &self,
        transport: Box<dyn Transport>,
        seed: u64,
        gate: Arc<dyn Gate>,
    ) -> Client {
        let root = |part: &str| {
            MemoryRoot::open(&self.folder.path().join(part), &RootOptions::new()).expect("a root")
        };
        let counter = AtomicU64::new(seed);
        let random = move || {
            let at = counter.fetch_add(1, Ordering::Relaxed);
            at.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ seed
        };
        Client::new(
            root("team"),
            root("state"),
            transport,
            ClientOptions {
                repository: "acme/app".into(),
                client: self.name.clone(),
                author: Some(self.name.clone()),
                gate,
                random: Arc::new(random),
            },
        )
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.team().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    pub(crate) fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.team().join(name)).ok()
    }

    pub(crate) fn remove(&self, name: &str) {
        std::fs::remove_file(self.team().join(name)).expect("a file");
    }

    pub(crate) fn files(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        collect(&self.team(), "", &mut files);
        files
    }
}

fn collect(folder: &Path, above: &str, files: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = format!("{above}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{name}/"), files);
        } else if !name.starts_with('.') {
            files.insert(name, std::fs::read_to_string(entry.path()).expect("a text"));
        }
    }
}

pub(crate) fn sync_with(home: &Home, server: &Shared, options: &SyncOptions) -> SyncReport {
    // Every run has randomness of its own: a name of an operation must not come twice.
    static RUNS: AtomicU64 = AtomicU64::new(1);
    let seed = RUNS.fetch_add(1_000, Ordering::Relaxed);
    let client = home.client(Box::new(Direct(Arc::clone(server))), seed);
    runtime().block_on(client.sync(options)).expect("a sync")
}

pub(crate) fn sync(home: &Home, server: &Shared) -> SyncReport {
    sync_with(home, server, &SyncOptions::default())
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime")
}

pub(crate) fn done(report: &SyncReport) -> Vec<String> {
    report
        .done
        .iter()
        .map(|(key, done)| format!("{key} {}", done.as_str()))
        .collect()
}

#[test]
fn what_one_writes_the_other_has() {
    for form in [Form::Plain, Form::Full] {
        let server = Server::new(form);
        let (ana, ben) = (Home::new("ana"), Home::new("ben"));
        ana.write("deploy.md", "Tuesdays\n");
        ana.write("记忆/一.md", "你好\n");
        assert_eq!(
            done(&sync(&ana, &server)),
            ["deploy.md pushed", "记忆/一.md pushed"]
        );
        assert_eq!(
            done(&sync(&ben, &server)),
            ["deploy.md pulled", "记忆/一.md pulled"]
        );
        assert_eq!(ben.files(), ana.files());

        ben.write("deploy.md", "Wednesdays\n");
        sync(&ben, &server);
        sync(&ana, &server);
        assert_eq!(ana.read("deploy.md").as_deref(), Some("Wednesdays\n"));
    }
}

#[test]
fn a_run_without_changes_asks_once_and_sends_nothing() {
    let server = Server::new(Form::Full);
    let ana = Home::new("ana");
    ana.write("a.md", "a\n");
    sync(&ana, &server);
    let before = {
        let server = server.lock().expect("no panic");
        (server.puts, server.version())
    };
    let report = sync(&ana, &server);
    assert_eq!(
        (report.requests, done(&report).len(), report.notes.len()),
        (1, 0, 0)
    );
    let server = server.lock().expect("no panic");
    assert_eq!((server.puts, server.version()), before);
}

#[test]
fn a_push_without_changes_asks_nothing_and_one_with_a_change_needs_one_request() {
    let server = Server::new(Form::Full);
    let (ana, ben) = (Home::new("ana"), Home::new("ben"));
    ana.write("a.md", "a\n");
    ana.write("b.md", "b\n");
    sync(&ana, &server);
    sync(&ben, &server);
    // Now she has seen what the server can do, too.
    sync(&ana, &server);
    let push = SyncOptions::default().with_push_only(true);
    assert_eq!(sync_with(&ana, &server, &push).requests, 0);
    ana.write("a.md", "a2\n");
    let report = sync_with(&ana, &server, &push);
    assert_eq!(
        (report.requests, done(&report)),
        (1, vec!["a.md pushed".into()])
    );
    // Ben has not seen that. What he sends meets it, and is merged before it is sent.
    ben.write("a.md", "a\nben\n");
    let report = sync_with(&ben, &server, &push);
    assert!(!report.pending, "{report:?}");
    sync(&ana, &server);
    let texts: Vec<String> = ana.files().into_values().collect();
    assert!(texts.iter().any(|text| text.contains("a2")), "{texts:?}");
    assert!(texts.iter().any(|text| text.contains("ben")), "{texts:?}");
}

#[test]
fn edits_that_meet_are_merged_or_kept_both() {
    for form in [Form::Plain, Form::Full] {
        let server = Server::new(form);
        let (ana, ben) = (Home::new("ana"), Home::new("ben"));
        ana.write("log.md", "start\n");
        ana.write("port.md", "port 80\n");
        sync(&ana, &server);
        sync(&ben, &server);

        ana.write("log.md", "start\nana\n");
        ana.write("port.md", "port 81\n");
        ben.write("log.md", "start\nben\n");
        ben.write("port.md", "port 82\n");
        sync(&ana, &server);
        let report = sync(&ben, &server);
        assert!(
            report
                .done
                .contains(&(TeamKey::parse("log.md").expect("a key"), Done::Merged))
        );
        assert!(
            report
                .done
                .contains(&(TeamKey::parse("port.md").expect("a key"), Done::Conflict))
        );
        sync(&ana, &server);
        assert_eq!(ana.files(), ben.files());
        assert_eq!(ana.read("log.md").as_deref(), Some("start\nana\nben\n"));
        // The one who came second keeps the name; the other text lies beside it.
        assert_eq!(ana.read("port.md").as_deref(), Some("port 82\n"));
        let copies: Vec<_> = ana
            .files()
            .into_iter()
            .filter(|(name, _)| name.contains(".conflict-ben-"))
            .collect();
        assert_eq!(copies.len(), 1);
        assert_eq!(copies[0].1, "port 81\n");
    }
}

#[test]
fn a_delete_travels_and_an_edit_beats_it() {
    let server = Server::new(Form::Full);
    let (ana, ben) = (Home::new("ana"), Home::new("ben"));
    for name in ["a.md", "b.md", "c.md", "d.md", "e.md", "f.md"] {
        ana.write(name, "text\n");
    }
    sync(&ana, &server);
    sync(&ben, &server);
    ana.remove("a.md");
    ana.remove("b.md");
    ben.write("b.md", "edited\n");
    assert_eq!(
        done(&sync(&ana, &server)),
        ["a.md deleted-there", "b.md deleted-there"]
    );
    let report = sync(&ben, &server);
    assert_eq!(done(&report), ["a.md removed-here", "b.md pushed"]);
    sync(&ana, &server);
    assert_eq!(ana.read("b.md").as_deref(), Some("edited\n"));
    assert_eq!(ana.files(), ben.files());
    assert!(!ben.files().contains_key("a.md"));
}

#[test]
fn an_emptied_folder_is_asked_about_and_wipes_nothing() {
    let server = Server::new(Form::Full);
    let ana = Home::new("ana");
    for at in 0..10 {
        ana.write(&format!("m{at}.md"), "text\n");
    }
    sync(&ana, &server);
    for at in 0..10 {
        ana.remove(&format!("m{at}.md"));
    }
    let report = sync(&ana, &server);
    assert!(
        report
            .notes
            .iter()
            .all(|(_, note)| *note == Note::Held(HoldReason::TooManyDeletes))
    );
    assert_eq!(server.lock().expect("no panic").texts().len(), 10);
    // Not even the marker is there: another disk.
    std::fs::remove_file(ana.team().join(".memstrata-team")).expect("the marker");
    let report = sync(&ana, &server);
    assert!(
        report
            .notes
            .iter()
            .all(|(_, note)| *note == Note::Held(HoldReason::NoMarker)),
        "{report:?}"
    );
    assert_eq!(server.lock().expect("no panic").texts().len(), 10);
    // A person says yes.
    sync_with(
        &ana,
        &server,
        &SyncOptions::default().with_confirmed_deletes(true),
    );
    assert_eq!(server.lock().expect("no panic").texts().len(), 0);
}

#[test]
fn an_answer_that_lists_nothing_deletes_nothing() {
    for form in [Form::Plain, Form::Full] {
        let server = Server::new(form);
        let ana = Home::new("ana");
        ana.write("a.md", "a\n");
        ana.write("b.md", "b\n");
        sync(&ana, &server);
        server.lock().expect("no panic").lose("a.md");
        sync(&ana, &server);
        assert_eq!(ana.files().len(), 2);
    }
}

#[test]
fn a_secret_never_travels_in_either_direction() {
    for form in [Form::Plain, Form::Full] {
        let server = Server::new(form);
        let ana = Home::new("ana");
        ana.write("bad.md", "SECRET one\n");
        ana.write("good.md", "fine\n");
        server
            .lock()
            .expect("no panic")
            .store("theirs.md", "SECRET two\n");
        let report = sync(&ana, &server);
        assert_eq!(done(&report), ["good.md pushed"]);
        assert!(ana.read("theirs.md").is_none());
        let kinds: Vec<_> = report
            .notes
            .iter()
            .map(|(key, note)| (key.as_str(), note))
            .collect();
        assert!(
            kinds.contains(&("bad.md", &Note::BlockedHere("rule word, line 1".into()))),
            "{kinds:?}"
        );
        assert!(
            kinds.contains(&("theirs.md", &Note::RefusedThere("rule word, line 1".into()))),
            "{kinds:?}"
        );
        let received = server.lock().expect("no panic").received.clone();
        assert!(!String::from_utf8_lossy(&received).contains("SECRET"));
        // A file that became bad is neither taken for deleted nor overwritten.
        ana.write("good.md", "SECRET three\n");
        server.lock().expect("no panic").store("good.md", "newer\n");
        let report = sync(&ana, &server);
        assert!(
            report.notes.iter().any(
                |(key, note)| key == "good.md" && *note == Note::Held(HoldReason::LocalBlocked)
            )
        );
        assert_eq!(ana.read("good.md").as_deref(), Some("SECRET three\n"));
    }
}

#[test]
fn a_server_restored_from_a_backup_gets_back_what_it_lost() {
    let server = Server::new(Form::Full);
    let (ana, ben) = (Home::new("ana"), Home::new("ben"));
    ana.write("a.md", "one\n");
    sync(&ana, &server);
    let backup = server.lock().expect("no panic").backup();
    ana.write("a.md", "two\n");
    ana.write("b.md", "new\n");
    sync(&ana, &server);
    sync(&ben, &server);
    server.lock().expect("no panic").restore(backup);
    sync(&ben, &server);
    sync(&ana, &server);
    assert_eq!(ana.files(), ben.files());
    assert_eq!(ana.read("b.md").as_deref(), Some("new\n"));
    let texts: Vec<String> = ana.files().into_values().collect();
    assert!(texts.contains(&"two\n".to_owned()), "{texts:?}");
}

#[test]
fn a_case_only_rename_moves_the_file_for_everybody() {
    let server = Server::new(Form::Full);
    let (ana, ben) = (Home::new("ana"), Home::new("ben"));
    ana.write("Deploy.md", "text\n");
    ana.write("other.md", "text\n");
    sync(&ana, &server);
    sync(&ben, &server);
    std::fs::rename(ana.team().join("Deploy.md"), ana.team().join("deploy.md")).expect("a rename");
    sync(&ana, &server);
    sync(&ben, &server);
    assert_eq!(
        ben.files().into_keys().collect::<Vec<_>>(),
        ["deploy.md", "other.md"]
    );
    assert_eq!(ana.files(), ben.files());
}

#[test]
fn limits_the_server_names_are_learnt_and_what_is_left_out_is_said() {
    let server = Server::new(Form::Full);
    server.lock().expect("no panic").limits.entries = 3;
    let ana = Home::new("ana");
    ana.write("a.md", "a\n");
    ana.write("b.md", "b\n");
    sync(&ana, &server);
    for name in ["c.md", "d.md", "e.md"] {
        ana.write(name, "new\n");
    }
    let report = sync(&ana, &server);
    let texts = server.lock().expect("no panic").texts().len();
    assert_eq!(texts, 3, "{report:?}");
    let left: Vec<_> = report
        .notes
        .iter()
        .filter(|(_, note)| matches!(note, Note::NotTaken(_)))
        .collect();
    assert_eq!(left.len(), 2, "{report:?}");
}

#[test]
fn many_files_travel_in_several_bodies() {
    for form in [Form::Plain, Form::Full] {
        let server = Server::new(form);
        let (ana, ben) = (Home::new("ana"), Home::new("ben"));
        for at in 0..60 {
            ana.write(&format!("m{at:02}.md"), &format!("{at}\n").repeat(2_500));
        }
        sync(&ana, &server);
        assert!(server.lock().expect("no panic").puts > 2);
        sync(&ben, &server);
        assert_eq!(ana.files(), ben.files());
    }
}

#[test]
fn a_pull_sends_nothing() {
    let server = Server::new(Form::Full);
    server
        .lock()
        .expect("no panic")
        .store("theirs.md", "text\n");
    let ana = Home::new("ana");
    ana.write("mine.md", "text\n");
    let report = sync_with(&ana, &server, &SyncOptions::default().with_pull_only(true));
    assert_eq!(done(&report), ["theirs.md pulled"]);
    assert!(report.pending);
    assert_eq!(server.lock().expect("no panic").puts, 0);
}

#[test]
fn a_folder_of_another_repository_is_not_touched() {
    let server = Server::new(Form::Full);
    let ana = Home::new("ana");
    std::fs::write(ana.team().join(".memstrata-team"), "acme/other\n").expect("a marker");
    ana.write("a.md", "a\n");
    let client = ana.client(Box::new(Direct(Arc::clone(&server))), 1);
    let error = runtime()
        .block_on(client.sync(&SyncOptions::default()))
        .expect_err("a refusal");
    assert_eq!(error.kind(), ErrorKind::Folder);
    assert!(error.to_string().contains("acme/other"));
}

#[test]
fn a_state_that_is_damaged_or_gone_loses_and_deletes_nothing() {
    for damage in [
        "",
        "{",
        "null",
        "{\"form\":99}",
        "{\"form\":1,\"repository\":\"acme/app\",\"synced\":{\"../x\":\"y\"}}",
    ] {
        let server = Server::new(Form::Full);
        let (ana, ben) = (Home::new("ana"), Home::new("ben"));
        ana.write("a.md", "a\n");
        ana.write("b.md", "b\n");
        sync(&ana, &server);
        sync(&ben, &server);
        std::fs::write(ana.folder.path().join("state/state.json"), damage).expect("damage");
        ana.remove("a.md");
        ana.write("b.md", "b2\n");
        sync(&ana, &server);
        assert_eq!(
            ana.read("a.md").as_deref(),
            Some("a\n"),
            "not taken for deleted"
        );
        sync(&ben, &server);
        let texts: Vec<String> = ben.files().into_values().collect();
        assert!(
            texts.contains(&"b2\n".into()) && texts.contains(&"b\n".into()),
            "{texts:?}"
        );
    }
}

#[test]
fn a_remote_delete_meets_a_file_of_the_same_text_after_the_state_was_lost() {
    let server = Server::new(Form::Full);
    let ana = Home::new("ana");
    ana.write("a.md", "a\n");
    ana.write("b.md", "b\n");
    sync(&ana, &server);
    server.lock().expect("no panic").delete("a.md");
    std::fs::remove_file(ana.folder.path().join("state/state.json")).expect("a state");
    assert_eq!(done(&sync(&ana, &server)), ["a.md removed-here"]);
}
