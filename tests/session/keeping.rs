//! The session file.

use memstrata::model::Message;
use memstrata::session::{AfterReply, Happened};
use memstrata::session_memory::Due;

use crate::support::{Scratch, long, said};

#[test]
fn the_session_file_is_kept_when_the_thresholds_are_met() {
    let scratch = Scratch::new();
    let session = scratch.session("one");
    let messages = long(40);
    let mut updates = 0;
    for (index, message) in messages.iter().enumerate() {
        if message.role == memstrata::model::Role::Assistant {
            match session.after_reply(&messages[..=index]) {
                AfterReply::Updated(report) => {
                    updates += 1;
                    assert_eq!(report.revision, updates);
                    assert!(
                        !report.changed.is_empty() && report.tokens > 50,
                        "{report:?}"
                    );
                }
                AfterReply::Waits(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }
    assert!((3..20).contains(&updates), "{updates} updates");
    let committed = session.session_file().unwrap().expect("a session file");
    assert!(committed.notes.print().contains("part_3.rs"));
    let folder = session.location().session_folder("one").unwrap();
    assert!(folder.join("session-memory.md").is_file());
    let events = session.events();
    let files = events
        .iter()
        .filter(|event| matches!(event.happened, Happened::SessionFile(_)));
    assert_eq!(files.count() as u64, updates);
}

#[test]
fn a_short_conversation_has_no_session_file_and_leaves_no_folder() {
    let scratch = Scratch::new();
    let session = scratch.session("one");
    let reply = session.after_reply(&said("hello"));
    assert!(
        matches!(reply, AfterReply::Waits(Due::TooSmall(missing)) if missing > 9_900),
        "{reply:?}"
    );
    assert!(!session.location().session_folder("one").unwrap().exists());
    assert!(session.session_file().unwrap().is_none());
    // A person may ask for it all the same.
    let updated = session.update_session_file(&said("hello"));
    assert!(matches!(updated, AfterReply::Updated(_)), "{updated:?}");
}

#[test]
fn another_process_of_the_session_waits_for_growth_over_what_the_first_one_kept() {
    let scratch = Scratch::new();
    let mut messages = long(12);
    let first = scratch.session("one");
    assert!(matches!(
        first.after_reply(&messages),
        AfterReply::Updated(_)
    ));
    drop(first);
    let second = scratch.session("one");
    assert!(matches!(
        second.after_reply(&messages),
        AfterReply::Waits(Due::TooLittleGrowth(_))
    ));
    messages.extend(long(6));
    messages.push(Message::assistant("done"));
    assert!(matches!(
        second.after_reply(&messages),
        AfterReply::Updated(_)
    ));
}
