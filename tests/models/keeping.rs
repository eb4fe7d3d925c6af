//! The session file and compaction with a model.

use memstrata::model::Purpose;
use memstrata::session::{AfterReply, SummarySource};
use serde_json::json;

use super::server::{Asked, Server, Turn};
use super::{calls, error, said, session, troubles};
use crate::support::{Scratch, long};

const SESSION: Purpose = Purpose::Session;
const HINT: &str = "_Step by step, one short line each: what was done._";

/// Edits the worklog of the copy that the prompt names.
fn edits(asked: &Asked) -> Turn {
    let text = asked.text();
    let path = text
        .split([' ', '\n'])
        .map(|word| word.trim_end_matches('.'))
        .find(|word| word.ends_with("session-memory.md"))
        .expect("the prompt names the file");
    calls(
        "FileEdit",
        &json!({
            "file_path": path,
            "old_string": HINT,
            "new_string": format!("{HINT}\n\n- made the parser faster, by the model"),
        }),
    )
}

#[test]
fn a_model_keeps_the_session_file_and_a_compaction_goes_by_it() {
    let scratch = Scratch::new();
    let server = Server::start(|_, asked| edits(asked));
    let session = session(&scratch, &server, &SESSION, "");
    let messages = long(60);
    let AfterReply::Updated(report) = session.after_reply(&messages) else {
        panic!("{:?}", session.events());
    };
    assert_eq!(report.author, "model");
    let committed = session.session_file().unwrap().expect("a session file");
    assert!(committed.notes.print().contains("by the model"));
    let compaction = session.compact(&messages).unwrap();
    assert_eq!(compaction.summary, SummarySource::SessionFile);
    assert!(
        compaction.compacted.messages[0]
            .text()
            .contains("by the model")
    );
    assert!(troubles(&session.events()).is_empty());
}

#[test]
fn where_the_model_fails_the_rules_keep_the_file() {
    let table = [
        (error(401, "authentication_error"), ""),
        (said("I would rather not."), ""),
        (said("x"), "[model.budget.session]\ncalls = 0"),
    ];
    for (turn, more) in table {
        let scratch = Scratch::new();
        let server = Server::always(turn);
        let session = session(&scratch, &server, &SESSION, more);
        let messages = long(30);
        let AfterReply::Updated(report) = session.after_reply(&messages) else {
            panic!("{:?}", session.events());
        };
        assert_eq!(report.author, "ledger");
        assert_eq!(troubles(&session.events()).len(), 1, "{more}");
        assert_eq!(session.notices().len(), 1);
        let compaction = session.compact(&messages).unwrap();
        assert_eq!(compaction.summary, SummarySource::SessionFile);
    }
}

#[test]
fn an_update_goes_on_in_the_background_and_is_told_when_it_is_done() {
    let scratch = Scratch::new();
    let server = Server::start(|_, asked| edits(asked));
    let models = super::models(&scratch, &super::settings(&server, ""));
    let session = scratch
        .builder("one")
        .wait_for_background(false)
        .models(models.only(&[SESSION]))
        .start()
        .unwrap();
    assert_eq!(session.after_reply(&long(30)), AfterReply::Started);
    assert!(session.settle(std::time::Duration::from_secs(30)));
    let events = session.events();
    assert!(
        crate::support::names(&events).contains(&"session-file"),
        "{events:?}"
    );
    assert!(session.end().finished);
}
