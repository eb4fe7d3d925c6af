//! A refusal for good: nothing is sent until something changes, taking goes on, and every run says why.

use team_sync::client::{Answer, Note, SyncOptions, Verb};
use team_sync::wire::Problem;
use team_sync::{ErrorKind, TeamKey};

use crate::hooked::Hooked;
use crate::server::{Form, Server, Shared};
use crate::sync::{Home, sync};

/// A server that takes no changes, and counts them.
fn refusing(server: &Shared, status: u16) -> Hooked {
    Hooked::new(server, move |_, ask| {
        let problem = Problem::new(
            status,
            "no",
            "No",
            "the disk of the server is full; ask kim",
        );
        let body = serde_json::to_vec(&problem).expect("JSON");
        (ask.verb == Verb::Put).then(|| Ok(Answer::new(status, body)))
    })
}

/// A home with an agreed file and an edit that a server has refused for good.
fn refused() -> (Shared, Home) {
    let server = Server::new(Form::Full);
    let ana = Home::new("ana");
    for name in ["a.md", "b.md", "c.md", "d.md"] {
        ana.write(name, "text\n");
    }
    sync(&ana, &server);
    ana.write("a.md", "edited\n");
    let hooked = refusing(&server, 403);
    let error = hooked.sync(&ana, 1).expect_err("a refusal");
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert_eq!(hooked.puts().len(), 1);
    (server, ana)
}

#[test]
fn nothing_is_sent_any_more_while_taking_goes_on_and_the_reason_stays() {
    let (server, ana) = refused();
    server.lock().expect("no panic").store("new.md", "new\n");
    for seed in 2..5 {
        let hooked = Hooked::new(&server, |_, _| None);
        // An edit is no reason to ask again: the refusal was for good.
        ana.write("a.md", &format!("edited {seed}\n"));
        let report = hooked.sync(&ana, seed).expect("a sync");
        assert!(hooked.puts().is_empty());
        assert!(report.pending);
        let why = report.suppressed.expect("a reason");
        assert_eq!(why.status, 403);
        assert_eq!(why.detail, "the disk of the server is full; ask kim");
        let note = Note::NotTaken(why.detail);
        assert!(report.notes.contains(&("a.md".into(), note)));
    }
    assert_eq!(ana.read("new.md").as_deref(), Some("new\n"));
}

#[test]
fn a_deleted_file_another_token_or_a_new_session_lifts_it() {
    for reason in ["a deleted file", "another token", "a new session"] {
        let (server, ana) = refused();
        let mut hooked = Hooked::new(&server, |_, _| None);
        let mut options = SyncOptions::default();
        match reason {
            "a deleted file" => ana.remove("d.md"),
            "another token" => hooked = hooked.with_identity("other"),
            _ => options = options.with_fresh(true),
        }
        let report = hooked.sync_with(&ana, 2, &options).expect("a sync");
        assert_eq!(report.suppressed, None, "{reason}");
        let texts = server.lock().expect("no panic").texts().clone();
        assert_eq!(texts["a.md"], "edited\n", "{reason}");
    }
}

#[test]
fn a_refusal_without_words_names_cause_and_remedy() {
    for (status, body, words) in [
        (401, "", "log in again"),
        (403, "<html>Login</html>", "ask who runs the server"),
        (404, "", "is this the address of a team server"),
        (428, "", "removes If-Match"),
        (301, "", "set its final address"),
        (418, "<html>tea</html>", "a proxy or a login page"),
    ] {
        let server = Server::new(Form::Plain);
        let ana = Home::new("ana");
        ana.write("a.md", "a\n");
        let hooked = Hooked::new(&server, move |_, ask| {
            (ask.verb == Verb::Put).then(|| Ok(Answer::new(status, body.as_bytes().to_vec())))
        });
        let text = hooked.sync(&ana, 1).expect_err("a refusal").to_string();
        assert!(text.contains(&status.to_string()), "{text}");
        assert!(text.contains(words), "{text}");
        assert!(!text.contains("<html>"), "{text}");
    }
}

#[test]
fn what_can_be_mended_by_the_client_suppresses_nothing() {
    let server = Server::new(Form::Full);
    let ana = Home::new("ana");
    ana.write("a.md", "a\n");
    ana.write("b.md", "b\n");
    let hooked = Hooked::new(&server, |_, ask| {
        let mut problem = Problem::new(422, "secret_found", "", "a.md holds a credential");
        problem.keys = vec!["a.md".into()];
        let holds = String::from_utf8_lossy(&ask.body).contains("a.md");
        let body = serde_json::to_vec(&problem).expect("JSON");
        (ask.verb == Verb::Put && holds).then(|| Ok(Answer::new(422, body)))
    });
    let report = hooked.sync(&ana, 1).expect("a sync");
    assert_eq!(report.suppressed, None);
    let texts = server.lock().expect("no panic").texts().clone();
    assert_eq!(
        texts.keys().map(TeamKey::as_str).collect::<Vec<_>>(),
        ["b.md"]
    );
    let note = Note::NotTaken("a.md holds a credential".into());
    assert!(report.notes.contains(&("a.md".into(), note)), "{report:?}");
}
