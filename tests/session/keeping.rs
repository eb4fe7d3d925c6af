//! The session file.

use memstrata::model::{Message, Role};
use memstrata::session::{AfterReply, Conversation, Happened};
use memstrata::session_memory::Due;
use memstrata::transcript::{Options, Transcript};
use serde_json::{Value, json};

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

/// A recorded session with figures of the provider's now and then, calls without an answer, and a
/// compaction in the middle.
fn recorded() -> Transcript {
    let mut lines = String::new();
    let mut number = 0;
    let mut parent = Value::Null;
    let mut add = |mut line: Value| {
        number += 1;
        let uuid = format!("u{number}");
        line["uuid"] = json!(uuid);
        line["parentUuid"] = std::mem::replace(&mut parent, json!(uuid));
        line["timestamp"] = json!(format!("2026-03-05T09:{:02}:00Z", number % 60));
        lines.push_str(&line.to_string());
        lines.push('\n');
    };
    for turn in 0..60 {
        if turn == 35 {
            add(json!({"type": "system", "subtype": "compact_boundary",
                "compactMetadata": {"trigger": "auto", "preTokens": 150_000}}));
            add(json!({"type": "user", "isCompactSummary": true,
                "message": {"role": "user", "content": "what was done so far"}}));
        }
        let said = format!("step {turn}: go on");
        add(json!({"type": "user", "message": {"role": "user", "content": said}}));
        for call in 0..3 {
            let id = format!("c{turn}-{call}");
            let mut message = json!({"id": format!("a{id}"), "role": "assistant", "model": "claude-opus-4-6", "content": [
                {"type": "text", "text": "I look at it. ".repeat(80)},
                {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": format!("run {id}")}}]});
            if turn % 7 == 3 {
                message["usage"] =
                    json!({"input_tokens": 20_000 + turn * 900, "output_tokens": 200});
            }
            add(json!({"type": "assistant", "message": message}));
            if turn % 5 > 0 {
                let result = json!({"type": "tool_result", "tool_use_id": id, "content": "a line\n".repeat(200)});
                add(json!({"type": "user", "message": {"role": "user", "content": [result]}}));
            }
        }
        let done = json!({"id": format!("d{turn}"), "role": "assistant", "content": [{"type": "text", "text": "Done."}]});
        add(json!({"type": "assistant", "message": done}));
    }
    Transcript::read(lines.as_bytes(), &Options::default()).expect("a session")
}

#[test]
fn what_was_followed_leads_to_the_same_as_what_is_seen_for_the_first_time() {
    let transcript = recorded();
    let whole = Conversation::from(&transcript);
    let (one, many) = (Scratch::new(), Scratch::new());
    let one_session = one.session("one");
    let (mut updates, mut compactions) = (0, 0);
    // Forward, and rewound now and then, as people do.
    let end = whole.entries().len();
    let walk = (1..=end).flat_map(|count| {
        let back = (count % 50 == 49).then(|| count - 20);
        std::iter::once(count).chain(back)
    });
    for count in walk {
        let so_far = whole.up_to(count);
        if whole.entries()[count - 1].message.role != Role::Assistant {
            continue;
        }
        let first_time = many.session("one");
        let reply = one_session.after_reply(so_far.clone());
        assert_eq!(first_time.after_reply(so_far.clone()), reply, "{count}");
        updates += usize::from(matches!(reply, AfterReply::Updated(_)));
        if count % 30 == 0 {
            let compacted = one_session.compact(so_far.clone()).ok();
            assert_eq!(first_time.compact(so_far).ok(), compacted, "{count}");
            compactions += usize::from(compacted.is_some());
        }
    }
    assert!(
        updates > 10 && compactions > 2,
        "{updates} updates, {compactions} compactions"
    );
}
