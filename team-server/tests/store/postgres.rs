//! What only a database does that several processes share.

use std::sync::Arc;
use std::time::Duration;

use memstrata_server::change::{Change, Precondition};
use memstrata_server::{Looked, Postgres, PostgresOptions, View};
use tokio::time::timeout;

use super::{change, operation, put, texts};
use crate::support::{Database, Place, execute, fast};

/// How long anything may take that is told from one replica to another.
const LONG: Duration = Duration::from_secs(20);

async fn database() -> Option<Database> {
    match Place::postgres().await? {
        Place::Postgres(database) => Some(database),
        Place::Sqlite(_) | Place::Small(_) => None,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_that_start_at_once_make_the_tables_once() {
    let Some(database) = Database::create_empty().await else {
        return;
    };
    let database = Arc::new(database);
    let starts: Vec<_> = (0..3)
        .map(|_| {
            let database = Arc::clone(&database);
            tokio::spawn(async move { database.open(fast()).await })
        })
        .collect();
    for (number, start) in starts.into_iter().enumerate() {
        let store = start.await.expect("a start");
        put(&store, &format!("r{number}.md"), "there", None).await;
    }
    let report = database.open(fast()).await.check().await.expect("a check");
    // The same text is stored once.
    assert_eq!((report.contents, report.problems), (1, vec![]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_of_a_newer_program_are_not_touched() {
    let Some(database) = database().await else {
        return;
    };
    execute(
        &database.address,
        "INSERT INTO memstrata_schema VALUES (99)".into(),
    )
    .await;
    let error = Postgres::open(&PostgresOptions::new(database.address.clone())).await;
    let error = format!("{:#}", error.expect_err("a refusal"));
    assert!(error.contains("version 99"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_can_prepare_every_statement() {
    let Some(database) = database().await else {
        return;
    };
    let store = database.open(fast()).await;
    let report = store.check().await.expect("a check");
    assert_eq!(report.problems, Vec::<String>::new());
    execute(
        &database.address,
        "ALTER TABLE history DROP COLUMN client".into(),
    )
    .await;
    let report = store.check().await.expect("a check");
    let broken: Vec<&str> = ["HISTORY:", "HISTORY_OF_KEY:", "WRITE:"].into();
    assert_eq!(report.problems.len(), broken.len(), "{:?}", report.problems);
    for (problem, name) in report.problems.iter().zip(broken) {
        assert!(problem.contains(name), "{problem}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_of_several_replicas_lose_nothing_and_never_meet() {
    let Some(database) = database().await else {
        return;
    };
    let replicas = [
        Arc::new(database.open(fast()).await),
        Arc::new(database.open(fast()).await),
        Arc::new(database.open(fast()).await),
    ];
    let writers: Vec<_> = (0..24)
        .map(|writer| {
            let replicas = replicas.clone();
            tokio::spawn(async move {
                let name = format!("w{writer}.md");
                let mut base: Option<String> = None;
                for round in 0..6 {
                    let text = format!("{writer} {round}\n");
                    let id = format!("{writer}-{round}");
                    let change = operation(&id, &name, &text, base.as_deref());
                    // The retry reaches another replica than the first attempt.
                    for (replica, replayed) in [(writer + round, false), (writer + round + 1, true)]
                    {
                        let outcome = replicas[replica % 3].change(change.clone()).await;
                        let done = outcome.expect("a store").expect("no refusal");
                        assert_eq!(done.replayed, replayed);
                    }
                    base = Some(text);
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.expect("a writer");
    }
    for replica in &replicas {
        let all = texts(replica).await;
        assert_eq!(all.len(), 24);
        assert!(all.values().all(|text| text.ends_with(" 5\n")));
    }
    let history = replicas[0]
        .history("acme/app", None, None, 1_000)
        .await
        .expect("a history");
    assert_eq!(history.len(), 24 * 6);
    assert_eq!(
        history[0].version,
        (24 * 6).to_string(),
        "no version was given twice or left out"
    );
    assert_eq!(
        replicas[0].check().await.expect("a check").problems,
        Vec::<String>::new()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_wakes_who_waits_at_another_replica() {
    let Some(database) = database().await else {
        return;
    };
    let (here, there) = (database.open(fast()).await, database.open(fast()).await);
    put(&here, "a.md", "one", None).await;
    let seen = there
        .tag("acme/app", &[])
        .await
        .expect("a store")
        .expect("a tag");
    let mut watch = there.watch("acme/app");
    put(&here, "a.md", "two", Some("one")).await;
    // Being told of the first change may come late; the second one is told, too.
    let newer = timeout(LONG, async {
        loop {
            watch.changed().await;
            let tag = there
                .tag("acme/app", std::slice::from_ref(&seen))
                .await
                .expect("a store");
            if tag.as_ref() != Some(&seen) {
                return tag.and_then(|tag| tag.version());
            }
        }
    });
    assert_eq!(newer.await.expect("to be woken"), Some(2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_has_seen_more_than_a_replica_remembers_makes_it_look() {
    let Some(database) = database().await else {
        return;
    };
    let (here, there) = (database.open(fast()).await, database.open(fast()).await);
    put(&here, "a.md", "one", None).await;
    let old = there
        .tag("acme/app", &[])
        .await
        .expect("a store")
        .expect("a tag");
    let outcome = here.change(change("a.md", "two", Some("one"))).await;
    let new = outcome.expect("a store").expect("done").tag;
    assert_ne!(old, new);
    // Whether the news has come or not.
    let tag = there
        .tag("acme/app", std::slice::from_ref(&new))
        .await
        .expect("a store");
    assert_eq!(tag, Some(new));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_whose_connections_are_cut_goes_on_and_is_told_again() {
    let Some(database) = database().await else {
        return;
    };
    let (here, there) = (database.open(fast()).await, database.open(fast()).await);
    put(&here, "a.md", "one", None).await;
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    execute(&database.address, cut.into()).await;
    put(&here, "a.md", "two", Some("one")).await;
    assert_eq!(texts(&there).await["a.md"], "two");
    let mut watch = there.watch("acme/app");
    let told = async {
        let mut base = "two".to_owned();
        // Until the listener is back, changes are not told, so that one more is made each time.
        for round in 0..200 {
            let text = format!("round {round}");
            put(&here, "a.md", &text, Some(&base)).await;
            base = text;
            if timeout(Duration::from_millis(100), watch.changed())
                .await
                .is_ok()
            {
                return;
            }
        }
        panic!("never told again");
    };
    told.await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restored_dump_has_new_epochs_and_the_same_texts() {
    let Some(database) = database().await else {
        return;
    };
    let store = database.open(fast()).await;
    put(&store, "a.md", "one", None).await;
    let named = operation("op", "b.md", "two", None);
    store
        .change(named.clone())
        .await
        .expect("a store")
        .expect("done");
    let tag = store
        .tag("acme/app", &[])
        .await
        .expect("a store")
        .expect("a tag");
    // A server that starts on the same database changes nothing.
    let again = database.open(fast()).await;
    let same = again.tag("acme/app", &[]).await.expect("a store");
    assert_eq!(same.as_ref(), Some(&tag));

    let restored = Database::create_empty().await.expect("a server");
    let Some(dump) = dump(&database.address) else {
        return;
    };
    execute(&restored.address, dump).await;
    let store = restored.open(fast()).await;
    let then = store
        .tag("acme/app", &[])
        .await
        .expect("a store")
        .expect("a tag");
    assert_eq!(then.version(), tag.version());
    assert_ne!(then.epoch(), tag.epoch());
    assert_eq!(texts(&store).await.len(), 2);
    let named = Change {
        precondition: Precondition::Present,
        ..named
    };
    let late = store.change(named).await.expect("a store").expect("done");
    assert!(
        !late.replayed,
        "answers from before the restore are not replayed"
    );
    let once = restored.open(fast()).await;
    let once = once.tag("acme/app", &[]).await.expect("a store");
    assert_eq!(once, Some(then));
}

/// What `pg_dump` writes, as plain statements.
fn dump(address: &str) -> Option<String> {
    let output = std::process::Command::new("pg_dump")
        .args(["--inserts", "--no-owner", "--dbname", address])
        .output();
    let Ok(output) = output else {
        use std::io::Write as _;
        let _ = writeln!(
            std::io::stderr(),
            "pg_dump is not on the path: a restore is NOT TESTED"
        );
        return None;
    };
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).expect("text");
    // Lines that begin with a backslash are for psql.
    let lines = text.lines().filter(|line| !line.starts_with('\\'));
    Some(lines.collect::<Vec<_>>().join("\n"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_replica_prunes_at_a_time() {
    let Some(database) = database().await else {
        return;
    };
    let store = database.open(fast()).await;
    let holder = sqlx::PgPool::connect(&database.address)
        .await
        .expect("a connection");
    let mut held = holder.begin().await.expect("a transaction");
    sqlx::raw_sql("SELECT pg_advisory_xact_lock(1836282992)")
        .execute(&mut *held)
        .await
        .expect("the lock");
    let cutoffs = memstrata_server::Cutoffs {
        tombstones: String::new(),
        operations: String::new(),
        contents: String::new(),
    };
    assert_eq!(store.prune(&cutoffs).await.expect("a store"), None);
    held.rollback().await.expect("an end");
    assert!(store.prune(&cutoffs).await.expect("a store").is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn contents_that_no_version_names_go_after_their_time() {
    let Some(database) = database().await else {
        return;
    };
    let store = database.open(fast()).await;
    put(&store, "a.md", "one", None).await;
    let orphans =
        "INSERT INTO blob SELECT id, sha256('x'), 'x', '2026-01-01T00:00:00Z' FROM repository";
    execute(&database.address, orphans.into()).await;
    let prune = async |at: &str| super::cutoffs(&store, at).await.contents;
    assert_eq!(prune("2025-12-01T00:00:00Z").await, 0);
    assert_eq!(prune("2027-01-01T00:00:00Z").await, 1);
    assert_eq!(texts(&store).await["a.md"], "one");
    let looked = store
        .look("acme/app", View::default())
        .await
        .expect("a look");
    assert!(matches!(looked, Looked::Found(_)));
}
