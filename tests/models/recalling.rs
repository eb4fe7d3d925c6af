//! Recall with a model that chooses.

use memstrata::model::Purpose;

use super::server::{Server, Turn};
use super::{error, said, session, troubles};
use crate::support::{Scratch, save};

const RECALL: Purpose = Purpose::Recall;

fn prepared() -> Scratch {
    let scratch = Scratch::new();
    let session = scratch.session("before");
    save(
        &session,
        "Retries need jitter",
        "backoff with full jitter",
        "Always.\n",
    );
    save(
        &session,
        "Retry uploads",
        "uploads are retried twice",
        "Twice.\n",
    );
    scratch
}

#[test]
fn the_model_chooses_from_the_menu_and_names_that_are_not_on_it_are_dropped() {
    let scratch = prepared();
    let server = Server::always(said(
        r#"{"selected_memories": ["feedback_retry_uploads.md", "../../etc/passwd"]}"#,
    ));
    let session = session(&scratch, &server, &RECALL, "");
    let recalled = session.recall("how do we retry?");
    assert!(recalled.by_model);
    let paths: Vec<_> = recalled
        .memories
        .iter()
        .map(|memory| memory.path.as_str())
        .collect();
    assert_eq!(paths, ["feedback_retry_uploads.md"]);
    let asked = server.asked()[0].text();
    assert!(
        asked.contains("feedback_retries_need_jitter.md") && asked.contains("> how do we retry?"),
        "{asked}"
    );
    // It was shown, so it is not on the menu again.
    session.recall("how do we retry?");
    assert!(
        !server.asked()[1]
            .text()
            .contains("feedback_retry_uploads.md")
    );
}

#[test]
fn nothing_is_an_answer_of_the_model_too() {
    let scratch = prepared();
    let server = Server::always(said(r#"{"selected_memories": []}"#));
    let session = session(&scratch, &server, &RECALL, "");
    let recalled = session.recall("how do we retry?");
    assert!(recalled.by_model && recalled.text.is_empty());
}

#[test]
fn no_answer_in_time_and_every_other_failure_leave_the_choice_to_the_rules() {
    let table = [
        (Turn::Silent, "no answer in time"),
        (error(529, "overloaded_error"), "recall: "),
        (said("I would take the first."), "recall: "),
    ];
    for (turn, expected) in table {
        let scratch = prepared();
        let server = Server::always(turn);
        let session = session(&scratch, &server, &RECALL, "recall_milliseconds = 300");
        let recalled = session.recall("may I retry uploads without jitter?");
        assert!(
            !recalled.by_model && !recalled.text.is_empty(),
            "{expected}"
        );
        let troubles = troubles(&session.events());
        assert!(
            matches!(&troubles[..], [one] if one.contains(expected)),
            "{troubles:?}"
        );
    }
}

#[test]
fn a_message_that_meets_no_memory_asks_nobody() {
    let scratch = prepared();
    let server = Server::always(said("{}"));
    let session = session(&scratch, &server, &RECALL, "");
    assert_eq!(session.recall("ok, thanks").text, "");
    assert!(server.asked().is_empty());
}
