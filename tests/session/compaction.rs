//! Compaction.

use memstrata::ErrorKind;
use memstrata::model::Message;
use memstrata::session::{Happened, SummarySource};
use memstrata::session_memory::check_messages;

use crate::support::{Scratch, long, said};

#[test]
fn the_session_file_and_the_newest_messages_take_the_place_of_the_conversation() {
    let scratch = Scratch::new();
    let session = scratch.session("one");
    let messages = long(60);
    session.events();
    let compaction = session.compact(&messages).unwrap();
    assert_eq!(compaction.summary, SummarySource::SessionFile);
    let list = &compaction.compacted.messages;
    check_messages(list).unwrap();
    assert!(
        list[0].text().contains("part_3.rs"),
        "what was touched is named"
    );
    assert_eq!(
        list.last().map(Message::text),
        messages.last().map(Message::text)
    );
    let events = session.events();
    let kept = events.iter().find_map(|event| match &event.happened {
        Happened::Compacted(kept) => Some(kept.clone()),
        _ => None,
    });
    let kept = kept.expect("an event");
    assert!(
        kept.tokens_after < kept.tokens_before && kept.instructions > 0,
        "{kept:?}"
    );
    assert_eq!(kept.messages + 1, list.len());
}

#[test]
fn without_a_session_file_notes_are_made_for_this_once() {
    let scratch = Scratch::new();
    scratch.set("memstrata.toml", "[modes]\nsession = \"off\"\n");
    let session = scratch.session("one");
    let compaction = session.compact(&long(60)).unwrap();
    assert_eq!(compaction.summary, SummarySource::Ledger);
    assert!(compaction.fell_back.is_some());
    assert!(
        !session.location().session_folder("one").unwrap().exists(),
        "nothing was written"
    );
}

#[test]
fn a_conversation_that_would_gain_nothing_stays_as_it_is() {
    let scratch = Scratch::new();
    let session = scratch.session("one");
    let refused = session.compact(&said("hello")).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Compaction);
    assert!(
        refused.chain().contains("not be smaller"),
        "{}",
        refused.chain()
    );
    let empty: [Message; 0] = [];
    assert_eq!(
        session.compact(&empty[..]).unwrap_err().kind(),
        ErrorKind::Compaction
    );
}
