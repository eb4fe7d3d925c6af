//! Real files and the real file events of the system: classes 16 to 19 of the failure catalogue. Nothing
//! happens by itself in these tests: the walk and the question a minute come once an hour.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};

use team_sync::client::watch::{
    Notifier, Signals, SystemNotifier, WatchEvent, WatchOptions, listener,
};
use team_sync::client::{Done, Transport};

use super::room::{Room, only_what_is_noticed};
use crate::server::{Direct, Form, Server, Shared};
use crate::sync::Home;

async fn room(server: &Shared, notifier: impl Notifier + 'static) -> Room {
    let server = Arc::clone(server);
    let transport = move || -> Box<dyn Transport> { Box::new(Direct(Arc::clone(&server))) };
    let options = WatchOptions::default().with_timing(only_what_is_noticed());
    let mut room = Room::open(Home::new("a"), transport, notifier, options);
    room.in_step().await;
    room
}

fn text(server: &Shared, key: &str) -> Option<String> {
    server.lock().expect("no panic").texts().get(key).cloned()
}

/// Class 16: a watcher misses files that appear in folders which are themselves new.
#[tokio::test]
async fn every_file_of_a_burst_in_new_nested_folders_is_sent() {
    let server = Server::new(Form::Full);
    let mut room = room(&server, SystemNotifier::new()).await;
    let mut keys = Vec::new();
    for folder in 0..30 {
        for file in 0..5 {
            let key = format!("new{folder}/deeper/deepest/{file}.md");
            room.home.write(&key, &format!("{folder} {file}\n"));
            keys.push(key);
        }
    }
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    room.until(Done::Pushed, &keys).await;
    room.close().await;
}

/// Lets nothing through but the system's word that its queue ran over, and holds the system's thread back until
/// it has.
#[derive(Clone, Default)]
struct Overflowing {
    may_read: Arc<(Mutex<bool>, Condvar)>,
    lost: Arc<Mutex<u64>>,
}

impl Overflowing {
    fn release(&self) {
        *self.may_read.0.lock().expect("no panic") = true;
        self.may_read.1.notify_all();
    }
}

impl Notifier for Overflowing {
    fn open(&mut self, folder: &Path, signals: Signals) -> Result<Box<dyn Send>, String> {
        use notify::{Config, RecommendedWatcher, RecursiveMode, Watcher};
        let mut tell = listener(folder.to_owned(), signals);
        let Self { may_read, lost } = self.clone();
        let handler = move |event: notify::Result<notify::Event>| {
            let held = may_read.0.lock().expect("no panic");
            drop(may_read.1.wait_while(held, |may| !*may).expect("no panic"));
            if event.as_ref().is_ok_and(notify::Event::need_rescan) {
                *lost.lock().expect("no panic") += 1;
                tell(event);
            }
        };
        let mut watcher = RecommendedWatcher::new(handler, Config::default())
            .map_err(|error| error.to_string())?;
        watcher
            .watch(folder, RecursiveMode::Recursive)
            .map_err(|error| error.to_string())?;
        Ok(Box::new(watcher))
    }
}

/// Class 17: the queue of events ran over and nobody looked.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_queue_that_ran_over_leads_to_a_walk() {
    let limit = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").expect("Linux");
    let limit: usize = limit.trim().parse().expect("a number");
    if limit > 200_000 {
        eprintln!("NOT TESTED: the queue of events holds {limit}, too many to fill here");
        return;
    }
    let server = Server::new(Form::Full);
    let notifier = Overflowing::default();
    let mut room = room(&server, notifier.clone()).await;
    room.home.write("a.md", "a\n");
    // Two events each: equal ones that follow each other count once.
    let (one, other) = (
        room.home.team().join(".one"),
        room.home.team().join(".other"),
    );
    fs::write(&one, "").expect("a file");
    for _ in 0..limit / 2 + 100 {
        fs::rename(&one, &other).expect("renamed");
        fs::rename(&other, &one).expect("renamed");
    }
    notifier.release();
    room.until(Done::Pushed, &["a.md"]).await;
    assert!(*notifier.lost.lock().expect("no panic") > 0);
    room.close().await;
}

/// Class 18: an editor saves by rename, and the watch of the file dies with the old one.
#[tokio::test]
async fn a_file_that_is_saved_by_rename_again_and_again_is_sent_each_time() {
    let server = Server::new(Form::Full);
    let mut room = room(&server, SystemNotifier::new()).await;
    for round in 0..5 {
        let team = room.home.team();
        let content = format!("round {round}\n");
        // As vim does: a number, a back-up, a new file, the back-up away.
        fs::write(team.join("4913"), "").expect("a file");
        fs::remove_file(team.join("4913")).expect("removed");
        if round > 0 {
            fs::rename(team.join("a.md"), team.join("a.md~")).expect("renamed");
        }
        fs::write(team.join(".a.md.new"), &content).expect("a file");
        fs::rename(team.join(".a.md.new"), team.join("a.md")).expect("renamed");
        let _ = fs::remove_file(team.join("a.md~"));
        while text(&server, "a.md").as_ref() != Some(&content) {
            room.synced().await;
        }
    }
    room.close().await;
}

/// Class 19: the folder is replaced by another one, and the watch stays with the old one.
#[tokio::test]
async fn a_folder_that_was_replaced_is_watched_in_its_new_place() {
    let server = Server::new(Form::Full);
    let mut room = room(&server, SystemNotifier::new()).await;
    room.home.write("a.md", "a\n");
    room.until(Done::Pushed, &["a.md"]).await;
    room.in_step().await;
    let (team, away) = (room.home.team(), room.home.folder.path().join("away"));
    fs::rename(&team, &away).expect("renamed");
    // Whoever replaces a folder may take a while.
    while !matches!(room.next().await, WatchEvent::Gone) {}
    let new = room.home.folder.path().join("new");
    fs::create_dir(&new).expect("a folder");
    fs::write(new.join("b.md"), "b\n").expect("a file");
    fs::rename(&new, &team).expect("renamed");
    while !matches!(room.next().await, WatchEvent::Replaced) {}
    while text(&server, "b.md").is_none() {
        room.synced().await;
    }
    // What was in the old folder is missing in the new one; without its marker that is no deletion.
    assert_eq!(text(&server, "a.md").as_deref(), Some("a\n"));
    room.home.write("c.md", "c\n");
    while text(&server, "c.md").is_none() {
        room.synced().await;
    }
    assert!(!away.join("c.md").exists() && !away.join("b.md").exists());
    room.close().await;
}

/// Class 5 and 26: what was taken is not taken for an edit, and our own reads are no alarm.
#[tokio::test]
async fn what_was_taken_is_not_sent_back() {
    let server = Server::new(Form::Full);
    server.lock().expect("no panic").store("a.md", "theirs\n");
    let mut room = room(&server, SystemNotifier::new()).await;
    assert_eq!(
        fs::read_to_string(room.home.team().join("a.md")).expect("taken"),
        "theirs\n"
    );
    room.home.write("b.md", "mine\n");
    room.until(Done::Pushed, &["b.md"]).await;
    room.close().await;
    let server = server.lock().expect("no panic");
    assert_eq!((server.version(), server.puts), (2, 1));
}
