//! The SQLite file: backup, epochs, damage.

use memstrata_server::Sqlite;

use super::{put, texts};
use crate::support::{fast, sqlite};

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
