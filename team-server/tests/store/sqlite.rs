//! The SQLite file: backup, epochs, damage.

use std::sync::Arc;

use memstrata_server::{Redacted, Redaction, Sqlite, SqliteOptions, StorageFull, Store};

use super::{put, texts};
use crate::support::{fast, noise, sqlite};

#[tokio::test]
async fn a_backup_opens_under_a_new_epoch() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = sqlite(folder.path(), fast());
    put(&store, "a.md", "one", None).await;
    let tag = store
        .tag("acme/app", &[])
        .await
        .expect("a store")
        .expect("a tag");
    let other = tempfile::tempdir().expect("a folder");
    let copy = other.path().join("memstrata.db");
    store.backup(&copy).await.expect("a backup");
    assert!(
        store.backup(&copy).await.is_err(),
        "a backup is never overwritten"
    );
    put(&store, "a.md", "two", Some("one")).await;

    let restored = sqlite(other.path(), fast());
    let then = restored
        .tag("acme/app", &[])
        .await
        .expect("a store")
        .expect("a tag");
    assert_eq!(then.version(), tag.version());
    assert_ne!(then.epoch(), tag.epoch());
    assert_eq!(texts(&restored).await["a.md"], "one");
    drop(restored);
    // Only once.
    let again = sqlite(other.path(), fast());
    assert_eq!(
        again.tag("acme/app", &[]).await.expect("a store"),
        Some(then)
    );
}

#[tokio::test]
async fn damage_is_found_and_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = sqlite(folder.path(), fast());
    put(&store, "a.md", "one", None).await;
    put(&store, "b.md", "two", None).await;
    let file = rusqlite_shell(&folder.path().join("memstrata.db"));
    file.execute_batch(
        "UPDATE blob SET content = x'28b52ffd' WHERE hash = (SELECT MIN(hash) FROM blob)",
    )
    .expect("damage");
    drop(file);
    let report = store.check().await.expect("a check");
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
    let options = SqliteOptions::new(folder.path().to_owned());
    let error = Sqlite::open(&options).expect_err("a refusal");
    assert!(
        format!("{error:#}").contains("another program"),
        "{error:#}"
    );
}

/// Bytes of a text as they are stored, which no other text has.
fn trace(text: &str) -> Vec<u8> {
    let packed = zstd::bulk::compress(text.as_bytes(), 3).expect("packed");
    packed[packed.len() - 24..].to_vec()
}

/// Whether some bytes are in the file or its log.
fn is_in(folder: &std::path::Path, wanted: &[u8]) -> bool {
    let files = std::fs::read_dir(folder).expect("a folder");
    files.flatten().any(|file| {
        let bytes = std::fs::read(file.path()).expect("a file");
        bytes.windows(wanted.len()).any(|one| one == wanted)
    })
}

#[tokio::test]
async fn a_redacted_text_is_in_no_file_whatever_its_neighbours_did() {
    // Within a page, on a page of its own, over several.
    for length in [40, 700, 3_000, 20_000] {
        let folder = tempfile::tempdir().expect("a folder");
        let store = sqlite(folder.path(), fast());
        let wanted = noise(1, length);
        let mut base: Option<String> = None;
        // Pages split and merge around it.
        for round in 0..60 {
            let text = if round == 20 {
                wanted.clone()
            } else {
                noise(round + 100, 500)
            };
            put(&store, "a.md", &text, base.as_deref()).await;
            base = Some(text);
        }
        assert!(
            is_in(folder.path(), &trace(&wanted)),
            "{length}: the test looks for nothing"
        );
        let redaction = Redaction {
            repository: "acme/app".into(),
            key: super::key("a.md"),
            version: 21,
        };
        assert_eq!(
            store.redact(&redaction).await.expect("a store"),
            Redacted::Done
        );
        assert!(
            !is_in(folder.path(), &trace(&wanted)),
            "{length}: it is still there"
        );

        let copies = tempfile::tempdir().expect("a folder");
        store
            .backup(&copies.path().join("memstrata.db"))
            .await
            .expect("a backup");
        assert!(
            !is_in(copies.path(), &trace(&wanted)),
            "{length}: it is in the backup"
        );
        assert_eq!(store.check().await.expect("a check").redacted, 1);
        put(&store, "a.md", "and on", base.as_deref()).await;
    }
}

#[tokio::test]
async fn contents_that_no_version_names_go_after_their_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = sqlite(folder.path(), fast());
    put(&store, "a.md", "one", None).await;
    rusqlite_shell(&folder.path().join("memstrata.db"))
        .execute_batch("INSERT INTO blob VALUES (1, 'x', x'00', '2026-01-01T00:00:00Z')")
        .expect("an orphan");
    let prune = async |at: &str| super::cutoffs(&store, at).await.contents;
    assert_eq!(prune("2025-12-01T00:00:00Z").await, 0);
    assert_eq!(prune("2027-01-01T00:00:00Z").await, 1);
    assert_eq!(texts(&store).await["a.md"], "one");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_is_named_and_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = |pages| {
        let mut options = SqliteOptions::new(folder.path().to_owned());
        options.max_pages = pages;
        Store::from(Sqlite::open(&options).expect("a store"))
    };
    let store = open(Some(40));
    put(&store, "small.md", "there", None).await;
    let before = store.tag("acme/app", &[]).await.expect("a store");
    // One alone, and several that wait together, of which some would fit.
    let large = super::change("large.md", &noise(1, 250_000), None);
    let error = store.change(large.clone()).await.expect_err("no room");
    assert!(error.is::<StorageFull>(), "{error:#}");
    assert_eq!(store.tag("acme/app", &[]).await.expect("a store"), before);
    assert_eq!(texts(&store).await.len(), 1);

    let store = Arc::new(store);
    let senders: Vec<_> = (0..6)
        .map(|number| {
            let store = Arc::clone(&store);
            let length = if number % 2 == 0 { 250_000 } else { 100 };
            let change = super::change(&format!("n{number}.md"), &noise(number, length), None);
            tokio::spawn(async move { store.change(change).await })
        })
        .collect();
    for (number, sender) in senders.into_iter().enumerate() {
        match sender.await.expect("a sender") {
            Ok(outcome) => {
                outcome.expect("done");
                assert_eq!(number % 2, 1);
            }
            Err(error) => {
                assert!(error.is::<StorageFull>(), "{error:#}");
                assert_eq!(number % 2, 0, "a small one fits");
            }
        }
    }
    assert_eq!(texts(&store).await.len(), 4);
    assert_eq!(
        store.check().await.expect("a check").problems,
        Vec::<String>::new()
    );
    drop(store);

    let store = open(None);
    store
        .change(large)
        .await
        .expect("room again")
        .expect("done");
    assert_eq!(texts(&store).await.len(), 5);
}

#[tokio::test]
async fn a_file_of_the_first_version_is_brought_up_to_date() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = sqlite(folder.path(), fast());
    put(&store, "a.md", "one", None).await;
    drop(store);
    rusqlite_shell(&folder.path().join("memstrata.db"))
        .execute_batch(
            "DROP INDEX tombstone_by_time; ALTER TABLE blob DROP COLUMN stored_at; PRAGMA user_version = 1",
        )
        .expect("an old file");
    let store = sqlite(folder.path(), fast());
    put(&store, "a.md", "two", Some("one")).await;
    assert_eq!(texts(&store).await["a.md"], "two");
}
