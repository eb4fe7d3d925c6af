//! Writes by a host's own tools.

use memstrata::memdir::{Scope, WriteDecision};
use memstrata::session::Happened;

use crate::support::{Scratch, said};

const MEMORY: &str =
    "---\nname: Squash\ndescription: one commit a change\ntype: feedback\n---\n\nSquash.\n";

fn credential() -> String {
    ["the token is ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat()
}

#[test]
fn a_write_of_the_agent_is_in_the_history_and_its_index_line_is_added() {
    let scratch = Scratch::new();
    let session = scratch.session("one");
    let path = session.store().dir().join("feedback_squash.md");
    let verdict = session.check_write(&path, MEMORY.as_bytes());
    assert!(
        verdict.is_allowed && verdict.reason.is_empty(),
        "{verdict:?}"
    );
    std::fs::write(&path, MEMORY).unwrap();
    session.after_write(&path);
    session.after_write(&path);
    let history = session.store().history("feedback_squash.md").unwrap();
    assert_eq!(history.revisions.len(), 1);
    assert_eq!(history.revisions[0].session.as_deref(), Some("one"));
    session.end_of_turn(&said("thanks"));
    let index = session.store().load_index(Scope::Private).unwrap();
    assert!(index.text.contains("feedback_squash.md"), "{}", index.text);
    let events = session.events();
    let written = events.iter().any(|event| {
        matches!(&event.happened, Happened::Written { created, .. } if created == &["feedback_squash.md"])
    });
    assert!(written, "{events:?}");
}

#[test]
fn the_hooks_of_one_write_may_be_two_processes() {
    let scratch = Scratch::new();
    let before = scratch.session("one");
    let path = before.store().dir().join("feedback_squash.md");
    assert!(before.check_write(&path, MEMORY.as_bytes()).is_allowed);
    drop(before);
    std::fs::write(&path, MEMORY).unwrap();
    let after = scratch.session("one");
    after.after_write(&path);
    drop(after);
    let stop = scratch.session("one");
    assert_eq!(
        stop.store()
            .history("feedback_squash.md")
            .unwrap()
            .revisions
            .len(),
        1
    );
    stop.end_of_turn(&said("thanks"));
    let index = stop.store().load_index(Scope::Private).unwrap();
    assert!(index.text.contains("feedback_squash.md"), "{}", index.text);
}

#[test]
fn writes_elsewhere_are_nobodys_business() {
    let scratch = Scratch::new();
    let session = scratch.session("one");
    session.events();
    let verdict = session.check_write(
        &scratch.project().join("src/lib.rs"),
        credential().as_bytes(),
    );
    assert!(verdict.is_allowed);
    assert_eq!(verdict.decision, WriteDecision::Outside);
    assert!(session.events().is_empty());
}

#[test]
fn a_credential_is_stopped_with_rule_and_line_and_never_shown() {
    let scratch = Scratch::new();
    scratch.set("memstrata.toml", "[secrets]\nprivate = \"block\"\n");
    let session = scratch.session("one");
    let path = session.store().dir().join("project_token.md");
    let verdict = session.check_write(&path, credential().as_bytes());
    assert!(!verdict.is_allowed);
    assert_eq!(verdict.secrets[0].rule, "github-pat");
    let shown = format!("{:?}{:?}", verdict, session.events());
    assert!(
        shown.contains("github-pat") && !shown.contains("16C7e42F"),
        "{shown}"
    );
}

#[test]
fn in_mode_ask_a_write_waits_in_the_inbox() {
    let scratch = Scratch::new();
    scratch.set("memstrata.toml", "[modes]\npersistent = \"ask\"\n");
    let session = scratch.session("one");
    let path = session.store().dir().join("feedback_squash.md");
    let verdict = session.check_write(&path, MEMORY.as_bytes());
    assert!(!verdict.is_allowed);
    assert!(
        verdict.reason.contains("waits in the inbox"),
        "{}",
        verdict.reason
    );
    let inbox = session.store().inbox().unwrap();
    assert_eq!(inbox.items.len(), 1);
}

#[test]
fn the_state_folder_and_paths_out_of_the_memory_folder_are_refused() {
    let scratch = Scratch::new();
    let session = scratch.session("one");
    let state = session.store().state_dir().expect("a state folder");
    for path in [
        state.join("journal/x"),
        session.store().dir().join("a\u{0}b.md"),
    ] {
        assert!(!session.check_write(&path, b"x").is_allowed, "{path:?}");
    }
}
