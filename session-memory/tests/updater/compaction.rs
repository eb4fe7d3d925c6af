//! Compaction by the session file, and by a side agent where it cannot stand in.

use agent_model::{Block, Message, Reply, Request, Role, ScriptedModel};
use session_memory::{
    Author, CompactLimits, Cursor, Draft, Entry, ErrorKind, Turn, WhyNot, check_messages,
};
use token_count::Estimator;

use super::{Scene, call, scripted};
use crate::store::{Folder, notes};

/// A long conversation, as entries and as a request.
fn long(scene: &mut Scene, rounds: usize) {
    let words = "what was done and why it was done that way. ".repeat(120);
    let messages = (0..rounds).flat_map(|round| {
        [
            Message::user(format!("instruction {round}")).with_id(format!("u{round}")),
            Message::assistant(&words).with_id(format!("a{round}")),
        ]
    });
    let messages: Vec<Message> = messages.collect();
    scene.entries = messages
        .iter()
        .map(|message| match message.role {
            Role::User => Entry::Instruction(message.clone()),
            _ => Entry::Message(message.clone()),
        })
        .collect();
    scene.request.messages = messages;
}

fn summary() -> String {
    let headings = [
        "Request and Intent",
        "Key Concepts",
        "Files and Code",
        "Errors and Fixes",
        "Problem Solving",
        "All User Messages",
        "Pending Tasks",
        "Current Work",
        "Next Step",
    ];
    headings
        .map(|heading| format!("## {heading}\nabout {heading}\n"))
        .join("\n")
}

#[tokio::test]
async fn the_session_file_is_the_first_choice_and_costs_no_request() {
    let mut scene = Scene::new();
    long(&mut scene, 60);
    let covered = Cursor::at_end(&scene.entries[..100], 40_000);
    let mut locked = scene.file().lock().expect("a lock");
    locked
        .commit(&Draft::new(notes(1), covered, Author::Model))
        .expect("a commit");
    drop(locked);
    let model = scripted(Vec::new());
    let updater = scene.updater(model.clone());
    let done = updater
        .compact(
            &scene.turn(),
            Some("/logs/s.jsonl"),
            &CompactLimits::default(),
            &Estimator::new(),
        )
        .await
        .expect("a compaction");
    assert_eq!((done.fell_back, model.requests().len()), (None, 0));
    assert!(done.compacted.messages[0].text().contains("number 1"));
}

#[tokio::test]
async fn without_notes_a_side_agent_without_any_permission_writes_nine_sections() {
    let mut scene = Scene::new();
    long(&mut scene, 60);
    let model = scripted(vec![
        Reply::new(vec![call(
            "Edit",
            serde_json::json!({"file_path": "x", "old_string": "", "new_string": "x"}),
        )]),
        Reply::text_only(summary()),
    ]);
    let updater = scene.updater(model.clone());
    let done = updater
        .compact(
            &scene.turn(),
            Some("/logs/s.jsonl"),
            &CompactLimits::default(),
            &Estimator::new(),
        )
        .await
        .expect("a compaction");
    assert_eq!(done.fell_back, Some(WhyNot::NoNotes));
    let compacted = done.compacted;
    assert_eq!(check_messages(&compacted.messages), Ok(()));
    let text = compacted.messages[0].text();
    for wanted in [
        "## Request and Intent\nabout",
        "## Next Step\nabout",
        "> instruction 0",
        "> instruction 59",
        "/logs/s.jsonl",
    ] {
        assert!(text.contains(wanted), "{wanted}");
    }
    assert!(
        compacted
            .messages
            .iter()
            .any(|message| message.text() == "instruction 59")
    );
    let asked = model.requests();
    assert_eq!(asked[0].messages[..120], scene.request.messages[..]);
    assert_eq!(asked[0].tools, scene.request.tools);
    let denied = asked[1].messages.last().cloned().expect("results");
    assert!(denied.tool_results().all(|result| result.is_error));
}

#[tokio::test]
async fn a_compacted_session_says_its_sizes_and_can_be_compacted_again() {
    let mut scene = Scene::new();
    long(&mut scene, 60);
    let model = scripted(vec![
        Reply::text_only(summary()),
        Reply::text_only(summary()),
    ]);
    let updater = scene.updater(model);
    let mut entries = scene.entries.clone();
    let mut before = entries.clone();
    for round in 0..2 {
        let turn = Turn {
            entries: &entries,
            ..scene.turn()
        };
        let done = updater
            .compact(&turn, None, &CompactLimits::default(), &Estimator::new())
            .await
            .expect("a compaction");
        let (tokens_before, tokens_after) =
            (done.compacted.tokens_before, done.compacted.tokens_after);
        let appended = done.compacted.into_entries();
        let Some(Entry::Boundary(boundary)) = appended.first() else {
            panic!("a boundary")
        };
        assert_eq!(boundary.tokens_before, Some(tokens_before as u64));
        assert_eq!(boundary.tokens_after, Some(tokens_after as u64));
        assert!(matches!(appended[1], Entry::Summary(_)));
        assert!(matches!(&appended[2..], [.., Entry::Message(_)]));
        assert!(
            appended
                .iter()
                .any(|entry| matches!(entry, Entry::Instruction(message)
            if message.text() == "instruction 59" && message.id.as_deref() == Some("u59")))
        );
        entries.extend(appended);
        // Nothing that was there is changed.
        assert_eq!(entries[..before.len()], before[..], "round {round}");
        let words = "and it went on like that for a long time. ".repeat(200);
        entries.extend(
            (0..30).map(|n| {
                Entry::Message(Message::assistant(&words).with_id(format!("r{round}n{n}")))
            }),
        );
        entries.push(Entry::Instruction(
            Message::user("instruction 59").with_id("u59"),
        ));
        entries.push(Entry::Message(
            Message::assistant("ok").with_id(format!("end{round}")),
        ));
        before.clone_from(&entries);
    }
}

#[tokio::test]
async fn a_conversation_too_long_for_its_own_summary_loses_its_older_half() {
    let mut scene = Scene::new();
    long(&mut scene, 60);
    let model = ScriptedModel::from_fn(|request: &Request| {
        if request.messages.len() > 70 {
            let mut reply = Reply::text_only("");
            reply.stop = agent_model::StopReason::ContextWindowExceeded;
            Ok(reply)
        } else {
            assert_eq!(request.messages[0].role, Role::User);
            Ok(Reply::text_only(summary()))
        }
    });
    let updater = scene.updater(std::sync::Arc::new(model));
    let done = updater
        .compact(
            &scene.turn(),
            None,
            &CompactLimits::default(),
            &Estimator::new(),
        )
        .await
        .expect("a compaction");
    // What the side agent could not see is there all the same: the person's words are not its business.
    assert!(
        done.compacted.messages[0]
            .text()
            .contains("> instruction 3\n")
    );
}

#[tokio::test]
async fn three_failed_summaries_stop_all_tries_with_the_reason() {
    let mut scene = Scene::new();
    long(&mut scene, 60);
    let bad = [
        Reply::text_only("I cannot."),
        Reply::new(vec![Block::Text(String::new())]),
        Reply::text_only("## Request and Intent\nonly one\n"),
        Reply::text_only(summary()),
    ];
    let model = scripted(bad.to_vec());
    let updater = scene.updater(model.clone());
    let limits = CompactLimits::default();
    for expected in [
        ErrorKind::Invalid,
        ErrorKind::Invalid,
        ErrorKind::Invalid,
        ErrorKind::Tripped,
    ] {
        let error = updater
            .compact(&scene.turn(), None, &limits, &Estimator::new())
            .await
            .expect_err("no summary");
        assert_eq!(error.kind(), expected, "{error}");
    }
    assert_eq!(model.requests().len(), 3);
    updater.reset();
    let done = updater
        .compact(&scene.turn(), None, &limits, &Estimator::new())
        .await;
    assert!(done.is_ok());
}

#[tokio::test]
async fn a_gap_behind_the_cursor_is_never_left() {
    let mut scene = Scene::new();
    long(&mut scene, 60);
    let folder = Folder::new();
    drop(folder);
    let covered = Cursor::at_end(&scene.entries[..2], 1_000);
    let mut locked = scene.file().lock().expect("a lock");
    locked
        .commit(&Draft::new(notes(1), covered, Author::Model))
        .expect("a commit");
    drop(locked);
    let updater = scene.updater(scripted(vec![Reply::text_only(summary())]));
    let done = updater
        .compact(
            &scene.turn(),
            None,
            &CompactLimits::default(),
            &Estimator::new(),
        )
        .await
        .expect("a compaction");
    assert!(matches!(
        done.fell_back,
        Some(WhyNot::TooMuchUnsummarised { .. })
    ));
}
