//! The failure catalogue where client and server have to keep the rule together; numbered as in
//! docs/FAILURES.md.

use super::tap::{Eaten, Tap};
use super::{Home, done};
use crate::support::{Place, Running, on_each_store};

on_each_store!(
    class_15_conditions_survive_a_proxy_that_removes_them,
    class_26_a_sync_without_changes_makes_no_version,
);

async fn class_15_conditions_survive_a_proxy_that_removes_them(place: Place) {
    let server = Running::start(place).await;
    let eaten = Eaten {
        from_requests: &["if-match", "if-none-match"],
        from_answers: &["etag"],
    };
    let tap = Tap::start(server.address, eaten).await;
    let (ana, ben) = (Home::new("ana"), Home::new("ben"));
    ana.write("log.md", "start\n");
    ana.write("port.md", "port 80\n");
    for home in [&ana, &ben, &ana] {
        home.sync(tap.address, &server.token).await.expect("a sync");
    }
    ana.write("log.md", "start\nana\n");
    ben.write("log.md", "start\nben\n");
    ana.write("port.md", "port 81\n");
    ben.write("port.md", "port 82\n");
    for home in [&ana, &ben, &ana, &ben] {
        home.sync(tap.address, &server.token).await.expect("a sync");
    }
    assert_eq!(ana.files(), ben.files());
    assert_eq!(ana.read("log.md").as_deref(), Some("start\nana\nben\n"));
    let texts: Vec<String> = ana.files().into_values().collect();
    for text in ["port 81\n", "port 82\n"] {
        assert!(texts.iter().any(|one| one == text), "{texts:?}");
    }
}

async fn class_26_a_sync_without_changes_makes_no_version(place: Place) {
    let server = Running::start(place).await;
    let (ana, ben) = (Home::new("ana"), Home::new("ben"));
    ana.write("a.md", "start\n");
    for home in [&ana, &ben, &ana, &ben] {
        home.sync(server.address, &server.token)
            .await
            .expect("a sync");
    }
    let version = server.get("").await.body["version"].clone();
    for home in [&ana, &ben, &ana, &ben] {
        let report = home
            .sync(server.address, &server.token)
            .await
            .expect("a sync");
        assert_eq!(done(&report), Vec::<String>::new());
        assert_eq!(report.requests, 1);
    }
    assert_eq!(server.get("").await.body["version"], version);
}

/// On the embedded store only: the backup of the other one is that of its database.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn class_10_after_a_restore_from_a_backup_nothing_newer_is_lost() {
    let (place, other) = (Place::sqlite(), Place::sqlite());
    let server = Running::start(place).await;
    let (ana, ben) = (Home::new("ana"), Home::new("ben"));
    ana.write("a.md", "one\n");
    for home in [&ana, &ben, &ana] {
        home.sync(server.address, &server.token)
            .await
            .expect("a sync");
    }
    let store = server.place.open().await;
    store.backup(&other.file()).await.expect("a backup");
    drop(store);
    ana.write("a.md", "two\n");
    ana.write("b.md", "new\n");
    for home in [&ana, &ben] {
        home.sync(server.address, &server.token)
            .await
            .expect("a sync");
    }
    server.stop();

    let server = Running::start(other).await;
    assert_eq!(server.get("").await.body["entries"]["a.md"], "one\n");
    for home in [&ben, &ana, &ben] {
        home.sync(server.address, &server.token)
            .await
            .expect("a sync");
    }
    let there = server.get("").await.body["entries"].clone();
    assert_eq!(
        there,
        serde_json::json!({ "a.md": "two\n", "b.md": "new\n" })
    );
    assert_eq!(ana.files(), ben.files());
    assert_eq!(ana.read("a.md").as_deref(), Some("two\n"));
}
