//! What every store keeps; what only one can do is in its own module.

mod postgres;
mod sqlite;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use memstrata_server::change::{Change, Precondition, Refusal};
use memstrata_server::{Cutoffs, Looked, Pruned, Redacted, Redaction, Restore, Store, View};
use team_sync::{Checksum, TeamKey};

use crate::support::{Place, on_each_store};

on_each_store!(
    many_writers_of_one_repository_lose_nothing_and_never_meet,
    what_was_answered_is_there_after_a_restart,
    what_is_old_is_forgotten_and_who_asks_for_it_is_told,
    a_redacted_text_is_gone_and_does_not_come_back,
    a_name_stands_for_one_request_even_at_the_same_time,
    a_watch_sees_changes_of_its_repository_only,
    what_is_deleted_and_stored_again_at_once_is_as_if_one_after_the_other,
);

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
async fn put(store: &Store, name: &str, text: &str, base: Option<&str>) {
    let outcome = store.change(change(name, text, base)).await;
    outcome.expect("a store").expect("done");
}

async fn texts(store: &Store) -> BTreeMap<String, String> {
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

async fn many_writers_of_one_repository_lose_nothing_and_never_meet(place: Place) {
    let store = Arc::new(place.open().await);
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
        .tag("acme/app", &[])
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
        store.check().await.expect("a check").problems,
        Vec::<String>::new()
    );
}

async fn what_was_answered_is_there_after_a_restart(place: Place) {
    let store = place.open().await;
    put(&store, "a.md", "one", None).await;
    let tag = store.tag("acme/app", &[]).await.expect("a store");
    drop(store);
    let store = place.open().await;
    assert_eq!(store.tag("acme/app", &[]).await.expect("a store"), tag);
    assert_eq!(texts(&store).await["a.md"], "one");
}

/// A change under a name, as a client sends it from its outbox.
fn operation(id: &str, name: &str, text: &str, base: Option<&str>) -> Change {
    Change {
        op_id: Some(id.into()),
        digest: format!("{name} {text}"),
        ..change(name, text, base)
    }
}

fn delete(name: &str, text: &str, at: &str) -> Change {
    Change {
        entries: BTreeMap::new(),
        deletes: BTreeSet::from([key(name)]),
        at: at.into(),
        ..change(name, text, Some(text))
    }
}

async fn looked(store: &Store, since: Option<u64>) -> Looked {
    let view = View {
        since,
        ..View::default()
    };
    store.look("acme/app", view).await.expect("a look")
}

async fn cutoffs(store: &Store, at: &str) -> Pruned {
    let cutoffs = Cutoffs {
        tombstones: at.into(),
        operations: at.into(),
        contents: at.into(),
    };
    let pruned = store.prune(&cutoffs).await.expect("a store");
    pruned.expect("nobody else prunes")
}

async fn what_is_old_is_forgotten_and_who_asks_for_it_is_told(place: Place) {
    let store = place.open().await;
    put(&store, "a.md", "one", None).await;
    put(&store, "b.md", "two", None).await;
    for (name, text, at) in [
        ("a.md", "one", "2026-01-01T00:00:00Z"),
        ("b.md", "two", "2026-06-01T00:00:00Z"),
    ] {
        let done = store.change(delete(name, text, at)).await;
        done.expect("a store").expect("done");
    }
    let named = operation("op", "c.md", "three", None);
    let first = store.change(named.clone()).await.expect("a store");
    assert!(!first.expect("done").replayed);

    assert_eq!(
        cutoffs(&store, "2025-12-31T00:00:00Z").await,
        Pruned::default()
    );
    assert!(matches!(looked(&store, Some(0)).await, Looked::Found(_)));

    let pruned = cutoffs(&store, "2026-02-01T00:00:00Z").await;
    assert_eq!((pruned.tombstones, pruned.operations), (1, 0));
    // Version 3 was the deletion that is forgotten: who has seen it needs not be told.
    for (since, known) in [(2, false), (3, true), (5, true)] {
        let looked = looked(&store, Some(since)).await;
        assert_eq!(matches!(looked, Looked::Found(_)), known, "since {since}");
        assert_eq!(matches!(looked, Looked::TooOld), !known, "since {since}");
    }
    let Looked::Found(all) = looked(&store, None).await else {
        panic!("nothing there");
    };
    assert_eq!(all.tombstones.keys().collect::<Vec<_>>(), [&key("b.md")]);
    let again = store.change(named.clone()).await.expect("a store");
    assert!(again.expect("done").replayed);

    let pruned = cutoffs(&store, "2027-01-01T00:00:00Z").await;
    // Each content is named by the history, which is kept.
    assert_eq!(
        (pruned.tombstones, pruned.operations, pruned.contents),
        (1, 1, 0)
    );
    assert_eq!(
        store
            .history("acme/app", None, None, 10)
            .await
            .expect("a history")
            .len(),
        5
    );
    // Without its name the request is judged as it stands: done already.
    let late = Change {
        precondition: Precondition::Present,
        ..named
    };
    let late = store.change(late).await.expect("a store").expect("done");
    assert!(!late.replayed);
    assert_eq!(late.version, 5);
}

async fn a_redacted_text_is_gone_and_does_not_come_back(place: Place) {
    let store = place.open().await;
    let secret = "a text that should never have been shared, in all its length\n";
    put(&store, "a.md", secret, None).await;
    put(&store, "a.md", "better", Some(secret)).await;
    // Under another key, too.
    put(&store, "b.md", secret, None).await;
    let digits = Checksum::of(secret).to_string().replace("sha256:", "");
    let redact = async |name: &str, version: u64| {
        let redaction = Redaction {
            repository: "acme/app".into(),
            key: key(name),
            version,
        };
        store.redact(&redaction).await.expect("a store")
    };
    assert_eq!(redact("a.md", 1).await, Redacted::InUse(vec![key("b.md")]));
    assert!(
        store
            .blob("acme/app", &digits)
            .await
            .expect("a store")
            .is_some()
    );
    let gone = store
        .change(delete("b.md", secret, "2026-11-30T12:00:00Z"))
        .await;
    gone.expect("a store").expect("done");

    for (name, version) in [("a.md", 3), ("c.md", 1), ("b.md", 4), ("a.md", 99)] {
        assert_eq!(redact(name, version).await, Redacted::NoSuchVersion);
    }
    assert_eq!(redact("a.md", 1).await, Redacted::Done);
    assert_eq!(redact("b.md", 3).await, Redacted::Before);
    assert_eq!(
        store.blob("acme/app", &digits).await.expect("a store"),
        None
    );
    let history = store
        .history("acme/app", None, None, 10)
        .await
        .expect("a history");
    assert_eq!(history.len(), 4, "its lines stay");

    let again = store
        .change(change("b.md", secret, None))
        .await
        .expect("a store");
    assert_eq!(again, Err(Refusal::Redacted(vec!["b.md".into()])));
    let mut mixed = change("c.md", "harmless", None);
    mixed.entries.insert(key("d.md"), secret.into());
    mixed.bases = Some(BTreeMap::from([(key("c.md"), None), (key("d.md"), None)]));
    let mixed = store.change(mixed).await.expect("a store");
    assert_eq!(mixed, Err(Refusal::Redacted(vec!["d.md".into()])));
    let back = Restore {
        repository: "acme/app".into(),
        version: 1,
        key: Some(key("a.md")),
        author: "ana".into(),
        at: "2026-11-30T12:00:00Z".into(),
    };
    assert_eq!(store.restore(back).await.expect("a store"), None);
    let report = store.check().await.expect("a check");
    assert_eq!((report.redacted, report.problems), (1, vec![]));
    assert_eq!(
        texts(&store).await.len(),
        1,
        "nothing of a refused change is stored"
    );
}

async fn a_name_stands_for_one_request_even_at_the_same_time(place: Place) {
    let store = Arc::new(place.open().await);
    put(&store, "z.md", "there", None).await;
    let senders: Vec<_> = (0..8)
        .map(|_| {
            let store = Arc::clone(&store);
            let change = operation("op", "a.md", "one", None);
            tokio::spawn(async move { store.change(change).await })
        })
        .collect();
    let mut replayed = 0;
    for sender in senders {
        let outcome = sender.await.expect("a sender").expect("a store");
        let done = outcome.expect("done");
        assert_eq!(done.version, 2);
        replayed += usize::from(done.replayed);
    }
    assert_eq!(replayed, 7);
    let other = store
        .change(operation("op", "a.md", "two", Some("one")))
        .await;
    assert_eq!(other.expect("a store"), Err(Refusal::OtherRequest));
}

async fn a_watch_sees_changes_of_its_repository_only(place: Place) {
    let store = place.open().await;
    let mut watch = store.watch("acme/app");
    let other = Change {
        repository: "acme/other".into(),
        ..change("a.md", "one", None)
    };
    store.change(other).await.expect("a store").expect("done");
    let woken = tokio::time::timeout(Duration::from_millis(50), watch.changed()).await;
    assert!(woken.is_err(), "woken by another repository");
    put(&store, "a.md", "one", None).await;
    watch.changed().await;
    let tag = store.tag("acme/app", &[]).await.expect("a store");
    assert_eq!(tag.and_then(|tag| tag.version()), Some(1));
}

async fn what_is_deleted_and_stored_again_at_once_is_as_if_one_after_the_other(place: Place) {
    let store = Arc::new(place.open().await);
    put(&store, "a.md", "0", None).await;
    // All of these wait together, so that a store takes many of them in one transaction.
    let changes = (0..40).map(|number| {
        let name = format!("n{}.md", number % 4);
        let mut change = change(&name, &number.to_string(), None);
        // Any state will do: the version is not asked about.
        change.bases = None;
        change.precondition = Precondition::Present;
        if number % 5 == 4 {
            change.entries.clear();
            change.deletes.insert(key(&name));
        }
        change
    });
    let senders: Vec<_> = changes
        .map(|change| {
            let store = Arc::clone(&store);
            tokio::spawn(async move { store.change(change).await })
        })
        .collect();
    for sender in senders {
        sender
            .await
            .expect("a sender")
            .expect("a store")
            .expect("done");
    }
    // The history tells what must be there: the last line of each key.
    let history = store
        .history("acme/app", None, None, 1_000)
        .await
        .expect("a history");
    let mut last = BTreeMap::new();
    for line in history.iter().rev() {
        last.insert(line.key.clone(), line.checksum.clone());
    }
    let Looked::Found(picture) = looked(&store, None).await else {
        panic!("nothing there");
    };
    for (name, checksum) in last {
        let name = key(&name);
        let there = picture.entries.get(&name).map(|(one, _)| one.to_string());
        assert_eq!(there, checksum, "{name}");
        assert_eq!(
            picture.tombstones.contains_key(&name),
            checksum.is_none(),
            "{name}"
        );
    }
    let newest: u64 = history[0].version.parse().expect("a version");
    assert_eq!(picture.version, newest);
    assert_eq!(
        store.check().await.expect("a check").problems,
        Vec::<String>::new()
    );
}
