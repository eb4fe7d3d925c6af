//! The SQLite file: backup, epochs, damage, many writers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use memstrata_server::change::{Change, Precondition};
use memstrata_server::{Looked, Sqlite, View};
use team_sync::{Checksum, TeamKey};

use crate::support::{fast, open};

fn key(name: &str) -> TeamKey {
    TeamKey::parse(name).expect("a key")
}

fn change(name: &str, text: &str, base: Option<&str>) -> Change {
    Change {
        repository: "acme/app".into(),
        entries: BTreeMap::from([(key(name), text.to_owned())]),
        deletes: BTreeSet::new(),
        bases: Some(BTreeMap::from([(key(name), base.map(Checksum::of))])),
        precondition: Precondition::None,
        op_id: None,
        digest: String::new(),
        author: "ana".into(),
        client: "test".into(),
        at: "2026-11-30T12:00:00Z".into(),
    }
}

/// Stores a text, which has to be taken.
async fn put(store: &Sqlite, name: &str, text: &str, base: Option<&str>) {
    let outcome = store.change(change(name, text, base)).await;
    outcome.expect("a store").expect("done");
}

async fn texts(store: &Sqlite) -> BTreeMap<String, String> {
    let view = View {
        texts: true,
        ..View::default()
    };
    match store.look("acme/app", view).await.expect("a look") {
        Looked::Found(picture) => picture
            .entries
            .into_iter()
            .map(|(key, (checksum, text))| {
                let text = text.expect("a text");
                assert_eq!(Checksum::of(&text), checksum);
                (key.to_string(), text)
            })
            .collect(),
        _ => BTreeMap::new(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_writers_of_one_repository_lose_nothing_and_never_meet() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Arc::new(open(folder.path(), fast()));
    let writers: Vec<_> = (0..32)
        .map(|writer| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                let name = format!("w{writer}.md");
                let mut base: Option<String> = None;
                for round in 0..8 {
                    let text = format!("{writer} {round}\n");
                    let outcome = store.change(change(&name, &text, base.as_deref())).await;
                    outcome.expect("a store").expect("no refusal");
                    base = Some(text);
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.expect("a writer");
    }
    let all = texts(&store).await;
    assert_eq!(all.len(), 32);
    assert!(all.iter().all(|(_, text)| text.ends_with(" 7\n")));
    let tag = store
        .tag("acme/app")
        .await
        .expect("a store")
        .expect("a tag");
    assert_eq!(tag.version(), Some(32 * 8));
    let history = store
        .history("acme/app", None, None, 1_000)
        .await
        .expect("a history");
    assert_eq!(history.len(), 32 * 8);
    assert_eq!(
        store.check().expect("a check").problems,
        Vec::<String>::new()
    );
}

#[tokio::test]
async fn what_was_answered_is_there_after_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path(), fast());
    put(&store, "a.md", "one", None).await;
    let tag = store.tag("acme/app").await.expect("a store");
    drop(store);
    let store = open(folder.path(), fast());
    assert_eq!(store.tag("acme/app").await.expect("a store"), tag);
    assert_eq!(texts(&store).await["a.md"], "one");
}

#[tokio::test]
async fn a_backup_opens_under_a_new_epoch() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path(), fast());
    put(&store, "a.md", "one", None).await;
    let tag = store
        .tag("acme/app")
        .await
        .expect("a store")
        .expect("a tag");
    let other = tempfile::tempdir().expect("a folder");
    let copy = other.path().join("memstrata.db");
    store.backup(&copy).expect("a backup");
    assert!(
        store.backup(&copy).is_err(),
        "a backup is never overwritten"
    );
    put(&store, "a.md", "two", Some("one")).await;

    let restored = open(other.path(), fast());
    let then = restored
        .tag("acme/app")
        .await
        .expect("a store")
        .expect("a tag");
    assert_eq!(then.version(), tag.version());
    assert_ne!(then.epoch(), tag.epoch());
    assert_eq!(texts(&restored).await["a.md"], "one");
    drop(restored);
    // Only once.
    let again = open(other.path(), fast());
    assert_eq!(again.tag("acme/app").await.expect("a store"), Some(then));
}

#[tokio::test]
async fn damage_is_found_and_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path(), fast());
    put(&store, "a.md", "one", None).await;
    put(&store, "b.md", "two", None).await;
    let file = rusqlite_shell(&folder.path().join("memstrata.db"));
    file.execute_batch(
        "UPDATE blob SET content = x'28b52ffd' WHERE hash = (SELECT MIN(hash) FROM blob)",
    )
    .expect("damage");
    drop(file);
    let report = store.check().expect("a check");
    assert_eq!((report.contents, report.problems.len()), (2, 1));
    assert!(
        report.problems[0].starts_with("acme/app: the content "),
        "{:?}",
        report.problems
    );
}

fn rusqlite_shell(file: &std::path::Path) -> rusqlite::Connection {
    rusqlite::Connection::open(file).expect("a connection")
}

#[test]
fn a_file_of_another_program_is_not_touched() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("memstrata.db");
    let other = rusqlite_shell(&file);
    other
        .pragma_update(None, "application_id", 7)
        .expect("an id");
    drop(other);
    let options = memstrata_server::SqliteOptions {
        folder: folder.path().to_owned(),
        limits: fast(),
    };
    let error = Sqlite::open(&options).expect_err("a refusal");
    assert!(
        format!("{error:#}").contains("another program"),
        "{error:#}"
    );
}
