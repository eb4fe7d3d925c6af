//! Extraction by a model, and the rules where it does not come to an end.

use memstrata::memdir::ListOptions;
use memstrata::model::Purpose;
use memstrata::session::Notice;
use serde_json::json;

use super::server::{Server, Turn};
use super::{calls, error, key, message, said as answered, session, troubles};
use crate::support::{RULE, Scratch, said};

const EXTRACT: Purpose = Purpose::Extract;

fn names(session: &memstrata::Session) -> Vec<String> {
    let list = session
        .store()
        .list(&ListOptions::default())
        .expect("a list");
    list.memories
        .iter()
        .map(|memory| memory.path.as_str().to_owned())
        .collect()
}

#[test]
fn a_model_writes_the_memories_and_its_calls_are_booked() {
    let scratch = Scratch::new();
    let folder = scratch.session("one").store().dir().to_path_buf();
    let text = "---\nname: Packages\ndescription: I like pnpm best\ntype: user\nevidence: \"I like pnpm best\"\n---\n\nLikes pnpm.\n";
    let call = json!({ "file_path": folder.join("user_packages.md"), "content": text });
    let server = Server::always(calls("FileWrite", &call));
    let session = session(&scratch, &server, &EXTRACT, "");
    session.end_of_turn(&said("I like pnpm best, you know."));
    assert_eq!(
        names(&session),
        ["user_packages.md"],
        "{:?}",
        session.events()
    );
    let asked = server.asked();
    assert_eq!(asked[0].key, key());
    assert!(asked[0].text().contains("I like pnpm best"));
    assert!(
        session.notices()[0]
            .to_string()
            .starts_with("Saved 1 memory")
    );

    let ledger = memstrata::ledger_folder(session.store()).expect("a folder");
    let booked: String = std::fs::read_dir(ledger)
        .unwrap()
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    assert!(
        booked.contains("\"purpose\":\"extract\"") && booked.contains("\"input\":1000"),
        "{booked}"
    );
}

#[test]
fn whatever_the_model_does_the_rules_stand_behind_it_and_the_person_is_told_once() {
    let refusal = message(&json!([]), "refusal");
    let table: [(&str, Turn, &str, &str); 5] = [
        ("a refusal", refusal, "", "refused"),
        (
            "a wrong key",
            error(401, "authentication_error"),
            "",
            "does not accept the key",
        ),
        ("no money", error(402, "billing_error"), "", "cannot pay"),
        (
            "nonsense",
            Turn::Answer(200, "<html>".to_owned()),
            "",
            "makes no sense",
        ),
        (
            "a budget",
            answered("x"),
            "[model.budget]\ntokens = 10",
            "budget does not allow",
        ),
    ];
    for (what, turn, more, expected) in table {
        let scratch = Scratch::new();
        let server = Server::always(turn);
        let session = session(&scratch, &server, &EXTRACT, more);
        let mut messages = said(RULE);
        session.end_of_turn(&messages);
        assert_eq!(
            names(&session),
            ["feedback_ask_before_you_add_a_dependency.md"],
            "{what}"
        );
        messages.extend(said(
            "I'm a data scientist with ten years of R and new to Rust.",
        ));
        session.end_of_turn(&messages);
        assert_eq!(names(&session).len(), 2, "{what}");

        let notices = session.notices();
        let told: Vec<_> = notices
            .iter()
            .filter(|notice| matches!(notice, Notice::Model { .. }))
            .map(ToString::to_string)
            .collect();
        assert!(
            matches!(&told[..], [one] if one.contains(expected)),
            "{what}: {notices:?}"
        );
        let events = session.events();
        assert_eq!(troubles(&events).len(), 2, "{what}: {events:?}");
        assert!(!format!("{events:?}{notices:?}").contains(&key()), "{what}");
        assert!(session.end().finished, "{what}");
        if !more.is_empty() {
            assert!(
                server.asked().is_empty(),
                "a call over the budget is not made"
            );
        }
    }
}

#[test]
fn a_model_that_finds_nothing_is_believed() {
    let scratch = Scratch::new();
    let server = Server::always(answered("Nothing is worth keeping."));
    let session = session(&scratch, &server, &EXTRACT, "");
    session.end_of_turn(&said(RULE));
    assert!(names(&session).is_empty());
    assert!(troubles(&session.events()).is_empty());
}

#[test]
fn a_host_with_a_runtime_of_its_own_may_call_everything_from_within_it() {
    let scratch = Scratch::new();
    let server = Server::always(error(401, "authentication_error"));
    let models = super::models(&scratch, &super::settings(&server, ""));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let session = scratch.builder("one").models(models).start().unwrap();
        session.recall("shall I add a dependency?");
        session.after_reply(&crate::support::long(30));
        session.end_of_turn(&said(RULE));
        assert!(session.compact(&crate::support::long(60)).is_ok());
        assert!(session.end().finished);
    });
}
