//! What every store keeps; what only one can do is in its own module.

mod sqlite;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use memstrata_server::change::{Change, Precondition};
use memstrata_server::{Looked, Store, View};
use team_sync::{Checksum, TeamKey};

use crate::support::{Place, on_each_store};

on_each_store!(
    many_writers_of_one_repository_lose_nothing_and_never_meet,
    what_was_answered_is_there_after_a_restart,
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
