//! Extraction at the end of turns.

use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use memstrata::extract::{Action, Backend, Error, SkipReason, Work};
use memstrata::memdir::ListOptions;
use memstrata::model::Message;
use memstrata::session::{EndOfTurn, Happened, Notice};

use crate::support::{ROLE, RULE, Scratch, names, said};

#[test]
fn what_is_said_in_one_session_is_known_in_the_next() {
    let scratch = Scratch::new();
    let session = scratch.session("one");
    let mut messages = said(RULE);
    session.recall(RULE);
    assert_eq!(session.end_of_turn(&messages), EndOfTurn::Started);
    let notices = session.notices();
    assert!(
        notices[0]
            .to_string()
            .starts_with("Saved 1 memory: feedback_"),
        "{notices:?}"
    );
    assert!(session.notices().is_empty(), "a notice is given once");

    messages.extend(said("Now fix the login test."));
    session.recall("Now fix the login test.");
    session.end_of_turn(&messages);
    let ended = session.end();
    assert!(ended.finished && ended.notices.is_empty());
    let decided: Vec<_> = ended
        .events
        .iter()
        .filter_map(|event| match &event.happened {
            Happened::Memory(decided) => Some((event.turn, decided.action, decided.quote.clone())),
            _ => None,
        })
        .collect();
    let [
        (1, Action::Created, Some(quote)),
        (2, Action::Skipped, None),
    ] = &decided[..]
    else {
        panic!("{decided:?}");
    };
    assert!(RULE.contains(quote.as_str()));

    scratch.later("2026-03-12T09:00:00Z");
    let next = scratch.session("two");
    let recalled = next.recall("shall I add a dependency for this?");
    assert_eq!(recalled.memories.len(), 1);
    assert!(recalled.text.contains("7 days ago"), "{}", recalled.text);
    assert!(
        recalled.text.contains("Ask before you add a dependency"),
        "{}",
        recalled.text
    );
}

#[test]
fn messages_without_identities_are_looked_at_once_also_when_the_front_is_cut_off() {
    let scratch = Scratch::new();
    let session = scratch.session("one");
    let mut messages = said(RULE);
    messages.extend(said("Fix the login test."));
    assert_eq!(session.end_of_turn(&messages), EndOfTurn::Started);
    assert_eq!(
        session.end_of_turn(&messages),
        EndOfTurn::Skipped(SkipReason::NothingNew)
    );
    // The host dropped the beginning by its own means.
    let mut cut = messages[2..].to_vec();
    assert_eq!(
        session.end_of_turn(&cut),
        EndOfTurn::Skipped(SkipReason::NothingNew)
    );
    cut.extend(said(ROLE));
    assert_eq!(session.end_of_turn(&cut), EndOfTurn::Started);
    assert_eq!(
        session
            .store()
            .list(&ListOptions::default())
            .unwrap()
            .memories
            .len(),
        2
    );
}

#[test]
fn two_processes_of_one_session_go_on_where_the_other_stopped() {
    let scratch = Scratch::new();
    let mut messages = said(RULE);
    let first = scratch.session("one");
    assert_eq!(first.end_of_turn(&messages), EndOfTurn::Started);
    drop(first);
    let second = scratch.session("one");
    assert_eq!(
        second.end_of_turn(&messages),
        EndOfTurn::Skipped(SkipReason::NothingNew)
    );
    messages.extend(said(ROLE));
    assert_eq!(second.end_of_turn(&messages), EndOfTurn::Started);
}

#[test]
fn the_model_and_sub_agents_are_not_learned_from() {
    let scratch = Scratch::new();
    let session = scratch.session("one");
    let messages = [Message::user("Fix it."), Message::assistant(RULE)];
    session.end_of_turn(&messages[..]);
    let conversation =
        memstrata::session::Conversation::of_messages(&said(RULE)).with_sub_agent(true);
    assert_eq!(
        session.end_of_turn(conversation),
        EndOfTurn::Skipped(SkipReason::SubAgent)
    );
    assert!(
        session
            .store()
            .list(&ListOptions::default())
            .unwrap()
            .memories
            .is_empty()
    );
    let bare = scratch.builder("bare").bare(true).start().unwrap();
    assert_eq!(
        bare.end_of_turn(&said(RULE)),
        EndOfTurn::Skipped(SkipReason::BareSession)
    );
}

/// A back end that waits until it is let go.
struct Gate(Mutex<mpsc::Receiver<()>>);

impl Backend for Gate {
    fn run(&self, work: &Arc<Work>) -> Result<(), Error> {
        loop {
            work.may_go_on()?;
            match self
                .0
                .lock()
                .expect("no thread panicked with it")
                .recv_timeout(Duration::from_millis(1))
            {
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                _ => return Ok(()),
            }
        }
    }
}

#[test]
fn the_end_of_a_turn_does_not_wait_and_the_end_of_the_session_has_a_limit() {
    let scratch = Scratch::new();
    let (release, gate) = mpsc::channel();
    let session = scratch
        .builder("one")
        .wait_for_background(false)
        .backend(Arc::new(Gate(Mutex::new(gate))))
        .drain_time(Duration::from_millis(20))
        .start()
        .unwrap();
    let mut messages = said(RULE);
    assert_eq!(session.end_of_turn(&messages), EndOfTurn::Started);
    assert!(!session.settle(Duration::ZERO), "it runs");
    for text in ["first", "second"] {
        messages.extend(said(text));
        assert_eq!(session.end_of_turn(&messages), EndOfTurn::Remembered);
    }
    let ended = session.end();
    assert!(!ended.finished);
    assert!(names(&ended.events).contains(&"ended"));
    drop(release);
}

#[test]
fn a_back_end_that_fails_is_told_and_harms_nothing() {
    struct Broken;
    impl Backend for Broken {
        fn run(&self, _: &Arc<Work>) -> Result<(), Error> {
            panic!("a bug in a back end");
        }
    }
    let scratch = Scratch::new();
    let session = scratch
        .builder("one")
        .backend(Arc::new(Broken))
        .start()
        .unwrap();
    let mut messages = Vec::new();
    for round in 0..4 {
        messages.extend(said(&format!("{round}: {RULE}")));
        session.end_of_turn(&messages);
    }
    let notices = session.notices();
    let [Notice::Extraction(notice)] = &notices[..] else {
        panic!("{notices:?}");
    };
    assert!(notice.to_string().contains("after 3 failures"), "{notice}");
    assert!(session.end().finished);
}
