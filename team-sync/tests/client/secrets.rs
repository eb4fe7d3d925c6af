//! Credentials of every kind the scanner knows: what a server receives, what it sends, and what is said.

use std::sync::Arc;

use secret_scan::{Level, Ruleset};
use team_sync::client::{Gate, Note, SecretGate, SyncOptions, SyncReport};

use crate::server::{Direct, Form, Server, Shared};
use crate::sync::{Home, runtime};

/// Every made-up value of every rule of the kind that is refused, with its rule: the 30 standard ones and
/// those for text that leaves the machine.
fn values() -> Vec<(&'static str, String)> {
    let rules = Ruleset::extended();
    let refused = rules
        .rules()
        .iter()
        .filter(|rule| rule.level() == Level::Secret);
    let values: Vec<_> = refused
        .flat_map(|rule| rule.examples().into_iter().map(|value| (rule.id(), value)))
        .collect();
    for rule in secret_scan::rules() {
        assert!(
            values.iter().any(|(id, _)| *id == rule.id()),
            "{}",
            rule.id()
        );
    }
    values
}

fn text_with(value: &str) -> String {
    format!("# Deploy\n\nthe key is {value}\n\nhandle with care\n")
}

/// The parts of a value that no ordinary text holds.
fn pieces(value: &str) -> impl Iterator<Item = &str> {
    value
        .split(['\n', ' ', '"', '\''])
        .filter(|piece| piece.len() >= 12 && !piece.contains("---"))
}

fn sync(home: &Home, server: &Shared, gate: &Arc<dyn Gate>, seed: u64) -> SyncReport {
    let transport = Box::new(Direct(Arc::clone(server)));
    let client = home.client_with(transport, seed, Arc::clone(gate));
    runtime()
        .block_on(client.sync(&SyncOptions::default()))
        .expect("a sync")
}

/// Nothing that a server received holds a piece of a value.
fn assert_unseen(server: &Shared, values: &[(&str, String)]) {
    let received = server.lock().expect("no panic").received.clone();
    let received = String::from_utf8(received).expect("text");
    for (rule, value) in values {
        for piece in pieces(value) {
            assert!(!received.contains(piece), "a value of {rule} was sent");
        }
    }
}

#[test]
fn no_credential_of_any_kind_is_sent_and_rule_and_line_are_said() {
    let values = values();
    let gate: Arc<dyn Gate> = Arc::new(SecretGate::new());
    for form in [Form::Plain, Form::Full] {
        let server = Server::new(form);
        let ana = Home::new("ana");
        ana.write("clean.md", "clean\n");
        for (at, (_, value)) in values.iter().enumerate() {
            ana.write(&format!("new{at}.md"), &text_with(value));
            // Shared while it was clean.
            ana.write(&format!("old{at}.md"), "clean so far\n");
        }
        sync(&ana, &server, &gate, 1);
        for (at, (_, value)) in values.iter().enumerate() {
            ana.write(&format!("old{at}.md"), &text_with(value));
            // Somebody else edits meanwhile, so that there is something to merge.
            let key = format!("old{at}.md");
            server
                .lock()
                .expect("no panic")
                .store(&key, "clean, and edited\n");
        }
        let report = sync(&ana, &server, &gate, 2);
        assert_unseen(&server, &values);
        for (at, (rule, value)) in values.iter().enumerate() {
            for name in [format!("new{at}.md"), format!("old{at}.md")] {
                let said = report.notes.iter().find_map(|(key, note)| match note {
                    Note::BlockedHere(why) if *key == name => Some(why.clone()),
                    _ => None,
                });
                let said = said.unwrap_or_else(|| panic!("nothing is said about {rule}"));
                assert!(said.contains(&format!("{rule} in line")), "{rule}: {said}");
                for piece in pieces(value) {
                    assert!(!said.contains(piece), "{rule} is repeated");
                }
                // Neither sent nor overwritten.
                assert_eq!(ana.read(&name), Some(text_with(value)));
            }
        }
        let server = server.lock().expect("no panic");
        assert!(
            server
                .texts()
                .values()
                .all(|text| text.starts_with("clean"))
        );
    }
}

#[test]
fn no_credential_that_a_server_sends_is_written() {
    let values = values();
    let gate: Arc<dyn Gate> = Arc::new(SecretGate::new());
    for form in [Form::Plain, Form::Full] {
        let server = Server::new(form);
        let ana = Home::new("ana");
        {
            let mut server = server.lock().expect("no panic");
            server.store("clean.md", "clean\n");
            for (at, (_, value)) in values.iter().enumerate() {
                server.store(&format!("t{at}.md"), &text_with(value));
            }
        }
        let report = sync(&ana, &server, &gate, 1);
        let names: Vec<String> = ana.files().into_keys().collect();
        assert_eq!(names, ["clean.md"]);
        for (at, (rule, _)) in values.iter().enumerate() {
            let name = format!("t{at}.md");
            let said = report.notes.iter().any(|(key, note)| {
                *key == name && matches!(note, Note::RefusedThere(why) if why.contains(rule))
            });
            assert!(said, "nothing is said about {rule}");
        }
        // Nor is it kept anywhere beside the folder.
        let state = std::fs::read_dir(ana.folder.path().join("state/texts")).expect("a folder");
        for entry in state {
            let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("a text");
            assert_eq!(text, "clean\n");
        }
    }
}

#[test]
fn a_credential_in_a_name_is_neither_sent_nor_repeated() {
    let gate: Arc<dyn Gate> = Arc::new(SecretGate::new());
    // Values that a file name can hold.
    let values: Vec<_> = values()
        .into_iter()
        .filter(|(_, value)| {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
            value.len() < 200 && value.bytes().all(plain)
        })
        .collect();
    assert!(values.len() > 20, "{}", values.len());
    let server = Server::new(Form::Full);
    let ana = Home::new("ana");
    for (_, value) in &values {
        ana.write(&format!("key {value}.md"), "clean\n");
    }
    ana.write("clean.md", "clean\n");
    let report = sync(&ana, &server, &gate, 1);
    assert_unseen(&server, &values);
    assert_eq!(server.lock().expect("no panic").texts().len(), 1);
    let said = format!("{report:?}");
    for (rule, value) in &values {
        assert!(said.contains(rule), "{rule}");
        assert!(!said.contains(value.as_str()), "{rule} is repeated");
    }

    let (_, value) = &values[0];
    let ben = Home::new("ben");
    server
        .lock()
        .expect("no panic")
        .store(&format!("{value}.md"), "text\n");
    let report = sync(&ben, &server, &gate, 2);
    assert_eq!(ben.files().into_keys().collect::<Vec<_>>(), ["clean.md"]);
    assert!(!format!("{report:?}").contains(value.as_str()));
    let state = std::fs::read_to_string(ben.folder.path().join("state/state.json"));
    assert!(!state.expect("a state").contains(value.as_str()));
}
