//! Credentials of every kind, and every byte that a client sends to a real server.

use secret_scan::{Level, Ruleset};
use team_sync::client::Note;

use super::Home;
use super::tap::{Eaten, Tap};
use crate::support::{Place, Running, on_each_store};

on_each_store!(
    no_byte_of_any_credential_is_sent,
    what_a_server_refuses_costs_itself_only,
    what_is_only_a_hint_travels,
);

fn values() -> Vec<(&'static str, String)> {
    let rules = Ruleset::extended();
    let refused = rules
        .rules()
        .iter()
        .filter(|rule| rule.level() == Level::Secret);
    refused
        .flat_map(|rule| rule.examples().into_iter().map(|value| (rule.id(), value)))
        .collect()
}

async fn no_byte_of_any_credential_is_sent(place: Place) {
    let server = Running::start(place).await;
    let tap = Tap::start(server.address, Eaten::default()).await;
    let values = values();
    for rule in secret_scan::rules() {
        assert!(
            values.iter().any(|(id, _)| *id == rule.id()),
            "{}",
            rule.id()
        );
    }
    let ana = Home::new("ana");
    ana.write("clean.md", "clean\n");
    for (at, (_, value)) in values.iter().enumerate() {
        ana.write(&format!("m{at}.md"), &format!("# One\n\nkey {value}\n"));
    }
    let report = ana.sync(tap.address, &server.token).await.expect("a sync");
    for (at, (rule, _)) in values.iter().enumerate() {
        let name = format!("m{at}.md");
        let said = report.notes.iter().any(|(key, note)| {
            *key == name
                && matches!(note, Note::BlockedHere(why) if why.contains(&format!("{rule} in line")))
        });
        assert!(said, "nothing is said about {rule}");
    }
    let bytes = tap.bytes();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("clean.md"), "the tap sees what is sent");
    for (rule, value) in &values {
        for piece in value.split(['\n', ' ', '"', '\'']) {
            if piece.len() >= 12 && !piece.contains("---") {
                assert!(!text.contains(piece), "a value of {rule} was sent");
            }
        }
    }
    // Nothing is compressed, so nothing is hidden from the search above.
    assert!(!text.to_ascii_lowercase().contains("content-encoding"));
    assert!(!bytes.windows(3).any(|part| part == [0x1f, 0x8b, 0x08]));
    assert_eq!(
        server.get("").await.body["checksums"]
            .as_object()
            .map(serde_json::Map::len),
        Some(1)
    );
}

/// A client without a gate of its own, as an older one would be.
struct Blind;

impl team_sync::client::Gate for Blind {
    fn look(&self, _text: &str) -> team_sync::client::Verdict {
        team_sync::client::Verdict::Free
    }
}

async fn what_a_server_refuses_costs_itself_only(place: Place) {
    let server = Running::start(place).await;
    let ana = Home::new("ana");
    let (_, value) = values().remove(0);
    ana.write("bad.md", &format!("key {value}\n"));
    ana.write("good.md", "good\n");
    let folder = |part: &str| {
        let path = ana.folder.path().join(part);
        pathguard::MemoryRoot::open(&path, &pathguard::RootOptions::new()).expect("a root")
    };
    let mut options = team_sync::client::ClientOptions::new("acme/app", "ana", || 7);
    options.gate = std::sync::Arc::new(Blind);
    let transport = Box::new(super::http(server.address, &server.token));
    let client =
        team_sync::client::Client::new(folder("team"), folder("state"), transport, options);
    let report = client
        .sync(&team_sync::client::SyncOptions::default())
        .await
        .expect("a sync");
    let said = report.notes.iter().find(|(key, _)| key == "bad.md");
    let said = format!("{said:?}");
    assert!(said.contains("credentials"), "{report:?}");
    assert!(!said.contains(&value));
    let there = server.get("").await;
    assert_eq!(there.body["entries"]["good.md"], "good\n");
    assert_eq!(there.body["entries"]["bad.md"], serde_json::Value::Null);
}

/// What only looks random is for people to judge: client and server agree that it may travel.
async fn what_is_only_a_hint_travels(place: Place) {
    let server = Running::start(place).await;
    let ana = Home::new("ana");
    let rules = Ruleset::extended();
    let hints: Vec<String> = rules
        .rules()
        .iter()
        .filter(|rule| rule.level() == Level::Advisory)
        .flat_map(|rule| rule.examples())
        .collect();
    assert!(!hints.is_empty());
    for (at, hint) in hints.iter().enumerate() {
        ana.write(&format!("m{at}.md"), &format!("{hint}\n"));
    }
    let report = ana
        .sync(server.address, &server.token)
        .await
        .expect("a sync");
    assert_eq!(report.notes, []);
    assert_eq!(report.done.len(), hints.len());
}
