//! Recall for user messages.

use memstrata::Session;
use memstrata::session::Happened;

use crate::support::{Scratch, save};

const BODY: &str =
    "Use `Retry::standard()` of `src/retry.rs`.\n\n**Why:** outages\n**How to apply:** always\n";

fn save_retries(session: &Session) {
    save(
        session,
        "Retries need jitter",
        "backoff with full jitter",
        BODY,
    );
}

#[test]
fn a_memory_is_shown_once_in_a_session_and_again_when_it_has_changed() {
    let scratch = Scratch::new();
    let session = scratch.session("one");
    save_retries(&session);
    let query = "may I retry without jitter?";
    assert_eq!(session.recall(query).memories.len(), 1);
    let again = session.recall(query);
    assert!(again.memories.is_empty() && again.text.is_empty());
    assert_eq!(again.answer.dropped[0].reason.as_str(), "surfaced");

    // Another process of the same session knows it too.
    drop(session);
    let session = scratch.session("one");
    assert!(session.recall(query).memories.is_empty());
    assert_eq!(session.turn(), 3, "the turns go on");

    let path = session
        .store()
        .dir()
        .join("feedback_retries_need_jitter.md");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{text}\nAlso for uploads.\n")).unwrap();
    assert_eq!(session.recall(query).memories.len(), 1);

    // Another session has seen nothing.
    assert_eq!(scratch.session("two").recall(query).memories.len(), 1);
}

#[test]
fn what_a_memory_claims_is_checked_and_the_event_says_why_it_was_recalled() {
    let scratch = Scratch::new();
    scratch.put("src/lib.rs", "//! Nothing.\n");
    let session = scratch.session("one");
    save_retries(&session);
    session.events();
    let recalled = session.recall("may I retry without jitter?");
    assert!(recalled.text.contains("is gone"), "{}", recalled.text);
    let events = session.events();
    let [event] = &events[..] else {
        panic!("{events:?}");
    };
    let Happened::Recalled {
        memories, tokens, ..
    } = &event.happened
    else {
        panic!("{event:?}");
    };
    assert_eq!(event.turn, 1);
    assert!(*tokens > 20);
    assert!(memories[0].why.to_string().contains("jitter"));
    assert_eq!(
        memories[0]
            .verified
            .as_ref()
            .map(|verdict| verdict.gone() > 0),
        Some(true)
    );
}

#[test]
fn a_compaction_lets_memories_be_shown_again() {
    let scratch = Scratch::new();
    let session = scratch.session("one");
    save_retries(&session);
    let query = "may I retry without jitter?";
    assert_eq!(session.recall(query).memories.len(), 1);
    session.compact(&crate::support::long(60)).unwrap();
    assert_eq!(session.recall(query).memories.len(), 1);
    session.forget_surfaced();
    assert_eq!(session.recall(query).memories.len(), 1);
}

#[test]
fn thanks_recall_nothing() {
    let scratch = Scratch::new();
    let session = scratch.session("one");
    save_retries(&session);
    assert_eq!(session.recall("ok, thanks").text, "");
    assert_eq!(session.recall("").text, "");
}
