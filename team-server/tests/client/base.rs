//! A client that knows the base form only, with the full server: our client, to which the extensions are not
//! shown, beside one that uses them all.

use serde_json::Value;
use team_sync::client::{
    Answer, Ask, BoxFuture, Done, HttpTransport, Note, SyncOptions, SyncReport, Transport,
    TransportError, Verb,
};
use team_sync::{Error, HoldReason};

use super::{Home, Log, done, http};
use crate::support::{Place, Running, fast, on_each_store};

on_each_store!(
    a_client_of_the_base_form_and_a_full_one_stay_in_step,
    a_client_of_the_base_form_is_told_that_it_was_second_and_tries_again,
    a_client_of_the_base_form_learns_limits_and_drops_what_is_refused,
);

/// Takes everything out of the answers that the base form does not have, and keeps the bodies of changes.
struct Plain {
    http: HttpTransport,
    puts: Log<Value>,
}

impl Transport for Plain {
    fn send(&self, ask: Ask) -> BoxFuture<'_, Result<Answer, TransportError>> {
        Box::pin(async move {
            if ask.verb == Verb::Put {
                let body = serde_json::from_slice(&ask.body).expect("JSON");
                self.puts.lock().expect("no panic").push(body);
            }
            let mut answer = self.http.send(ask).await?;
            if let Ok(Value::Object(mut body)) = serde_json::from_slice(&answer.body) {
                for field in ["capabilities", "tombstones", "since", "replayed"] {
                    body.remove(field);
                }
                answer.body = serde_json::to_vec(&body).expect("JSON");
            }
            Ok(answer)
        })
    }
}

async fn sync_plain(
    home: &Home,
    server: &Running,
    options: &SyncOptions,
) -> (Result<SyncReport, Error>, Vec<Value>) {
    let puts = Log::default();
    let plain = Plain {
        http: http(server.address, &server.token),
        puts: Log::clone(&puts),
    };
    let outcome = home.client(Box::new(plain)).sync(options).await;
    let puts = std::mem::take(&mut *puts.lock().expect("no panic"));
    for put in &puts {
        for field in ["bases", "deletes", "op_id", "expected_version"] {
            assert_eq!(
                put[field],
                Value::Null,
                "{field} is no part of the base form"
            );
        }
    }
    (outcome, puts)
}

async fn plain(home: &Home, server: &Running) -> SyncReport {
    let (outcome, _) = sync_plain(home, server, &SyncOptions::default()).await;
    outcome.expect("a sync")
}

async fn full(home: &Home, server: &Running) -> SyncReport {
    home.sync(server.address, &server.token)
        .await
        .expect("a sync")
}

async fn a_client_of_the_base_form_and_a_full_one_stay_in_step(place: Place) {
    let server = Running::start(place).await;
    let (old, new) = (Home::new("old"), Home::new("new"));
    for name in ["deploy.md", "dir/log.md", "c.md", "d.md", "e.md", "f.md"] {
        old.write(name, "start\n");
    }
    plain(&old, &server).await;
    full(&new, &server).await;
    assert_eq!(old.files(), new.files());

    old.write("dir/log.md", "start\nold\n");
    new.write("dir/log.md", "start\nnew\n");
    old.write("deploy.md", "Tuesdays\n");
    new.write("deploy.md", "Wednesdays\n");
    for _ in 0..2 {
        plain(&old, &server).await;
        full(&new, &server).await;
    }
    plain(&old, &server).await;
    assert_eq!(old.files(), new.files());
    assert_eq!(old.read("dir/log.md").as_deref(), Some("start\nold\nnew\n"));
    let texts: Vec<String> = old.files().into_values().collect();
    for text in ["Tuesdays\n", "Wednesdays\n"] {
        assert!(texts.iter().any(|one| one == text), "{texts:?}");
    }

    // The new one deletes. The old one sees a gap, which is no deletion, and keeps its copy; then it is back.
    new.remove("c.md");
    assert_eq!(done(&full(&new, &server).await), ["c.md deleted-there"]);
    plain(&old, &server).await;
    assert_eq!(old.read("c.md").as_deref(), Some("start\n"));
    // What the old one deletes is held, as it cannot say so.
    old.remove("d.md");
    let report = plain(&old, &server).await;
    let held = Note::Held(HoldReason::ServerKeepsAll);
    assert!(report.notes.contains(&("d.md".into(), held)), "{report:?}");
    full(&new, &server).await;
    assert_eq!(new.read("d.md").as_deref(), Some("start\n"));
}

async fn a_client_of_the_base_form_is_told_that_it_was_second_and_tries_again(place: Place) {
    let server = Running::start(place).await;
    let (old, new) = (Home::new("old"), Home::new("new"));
    old.write("a.md", "start\n");
    old.write("b.md", "start\n");
    plain(&old, &server).await;
    plain(&old, &server).await;
    full(&new, &server).await;
    new.write("b.md", "new\n");
    full(&new, &server).await;
    // It sends without looking first: 412, a look, and the same edit on top of what is there.
    old.write("a.md", "start\nold\n");
    let push = SyncOptions::default().with_push_only(true);
    let (outcome, puts) = sync_plain(&old, &server, &push).await;
    let report = outcome.expect("a sync");
    assert_eq!(puts.len(), 2, "{report:?}");
    assert_eq!(server.get("").await.body["entries"]["a.md"], "start\nold\n");
    assert_eq!(server.get("").await.body["entries"]["b.md"], "new\n");
}

async fn a_client_of_the_base_form_learns_limits_and_drops_what_is_refused(place: Place) {
    let mut limits = fast();
    (limits.entries, limits.body_bytes) = (4, 5_000);
    let server = Running::start_with(place, limits).await;
    let old = Home::new("old");
    for at in 0..4 {
        old.write(&format!("m{at}.md"), &"x".repeat(2_000));
    }
    plain(&old, &server).await;
    assert_eq!(
        server.get("").await.body["checksums"]
            .as_object()
            .map(serde_json::Map::len),
        Some(4)
    );
    old.write("more.md", "no room\n");
    old.write("m0.md", "room\n");
    let report = plain(&old, &server).await;
    assert!(
        report
            .notes
            .iter()
            .any(|(key, note)| key == "more.md" && matches!(note, Note::NotTaken(_))),
        "{report:?}"
    );
    assert!(
        report
            .done
            .iter()
            .any(|(key, done)| key.as_str() == "m0.md" && *done == Done::Pushed)
    );
}
