//! When an update runs, how long anybody waits for it, and when it is given up.

use std::sync::Arc;
use std::sync::mpsc;

use agent_model::{Answer, Model, Provider, Reply, Request, Vendor};
use session_memory::{Due, Entry, Thresholds, Triggered, Turn, UpdaterOptions};

use super::{Scene, Waiting, scripted, started};
use crate::store::number;

#[tokio::test]
async fn an_update_waits_for_its_thresholds() {
    let scene = Scene::new();
    let model = scripted(vec![scene.good_reply("lesson A"), {
        Reply::new(vec![scene.edit("lesson A", "lesson B")])
    }]);
    let updater = scene.updater(model.clone());
    let at = |tokens| Turn {
        context_tokens: tokens,
        ..scene.turn()
    };
    assert_eq!(
        updater.after_reply(&at(9_999)),
        Triggered::NotDue(Due::TooSmall(1))
    );
    assert_eq!(updater.after_reply(&at(10_000)), Triggered::Started);
    updater.settle().await.expect("readable");
    // The side agent's own turns are not in the conversation and do not count.
    assert_eq!(
        updater.after_reply(&at(10_000)),
        Triggered::NotDue(Due::TooLittleGrowth(5_000))
    );
    assert_eq!(
        updater.after_reply(&at(14_999)),
        Triggered::NotDue(Due::TooLittleGrowth(1))
    );
    assert_eq!(updater.after_reply(&at(15_000)), Triggered::Started);
    updater.settle().await.expect("readable");
    assert_eq!(model.requests().len(), 2);
    // Another process that opens the session knows how far it came.
    let again = scene.updater(scripted(Vec::new()));
    assert_eq!(
        again.after_reply(&at(19_999)),
        Triggered::NotDue(Due::TooLittleGrowth(1))
    );
    // A conversation that was rewound behind the cursor counts from zero.
    let rewound = Turn {
        entries: &scene.entries[..2],
        ..at(9_000)
    };
    assert_eq!(
        again.after_reply(&rewound),
        Triggered::NotDue(Due::TooSmall(1_000))
    );
    // And one that was compacted grows from what was left of it.
    let mut entries: Vec<Entry> = scene.entries.clone();
    entries.push(Entry::Boundary(session_memory::Boundary::new(
        160_000, 12_000,
    )));
    let compacted = Turn {
        entries: &entries,
        ..at(16_999)
    };
    assert_eq!(
        again.after_reply(&compacted),
        Triggered::NotDue(Due::TooLittleGrowth(1))
    );
}

#[tokio::test]
async fn the_adaptive_step_waits_longer_in_a_large_context() {
    let scene = Scene::new();
    let mut options = UpdaterOptions::default();
    options.thresholds = Thresholds::default().adaptive();
    let updater = scene.updater_with(scripted(vec![scene.good_reply("one")]), options);
    let at = |tokens| Turn {
        context_tokens: tokens,
        ..scene.turn()
    };
    assert_eq!(updater.after_reply(&at(100_000)), Triggered::Started);
    updater.settle().await.expect("readable");
    assert_eq!(
        updater.after_reply(&at(124_999)),
        Triggered::NotDue(Due::TooLittleGrowth(1))
    );
}

#[tokio::test]
async fn two_updates_never_run_at_once() {
    let scene = Scene::committed();
    let reply = scene.good_reply("one");
    let (model, go) = Waiting::new(move || reply.clone());
    let updater = scene.updater(model.clone());
    started(&updater, &scene);
    model.asked(1).await;
    for _ in 0..3 {
        assert_eq!(updater.after_reply(&scene.turn()), Triggered::Running);
        assert_eq!(updater.update(&scene.turn()), Triggered::Running);
    }
    go.send_replace(true);
    let committed = updater.settle().await.expect("readable").expect("notes");
    assert_eq!(committed.notes.body("Learnings"), Some("one"));
}

#[tokio::test]
async fn a_compaction_waits_fifteen_seconds_and_then_takes_the_last_committed_pair() {
    let scene = Scene::committed();
    let reply = scene.good_reply("late");
    let (model, go) = Waiting::new(move || reply.clone());
    let updater = scene.updater(model.clone());
    started(&updater, &scene);
    model.asked(1).await;
    let waiting = updater.settle();
    tokio::pin!(waiting);
    // One sleeper is the run's own limit, the other the compaction's.
    while scene.clock.sleepers() < 2 {
        assert!(futures_pending(&mut waiting).await);
        tokio::task::yield_now().await;
    }
    scene.clock.advance(14);
    assert!(futures_pending(&mut waiting).await, "14 s are not enough");
    scene.clock.advance(1);
    let committed = waiting.await.expect("readable").expect("notes");
    assert_eq!((committed.revision, number(&scene.file())), (1, Some(1)));
    // The run goes on, and its result counts.
    go.send_replace(true);
    let committed = updater.settle().await.expect("readable").expect("notes");
    assert_eq!(committed.notes.body("Learnings"), Some("late"));
}

/// Polls once and tells whether the future waits.
async fn futures_pending<F: Future + Unpin>(future: &mut F) -> bool {
    std::future::poll_fn(|context| {
        let polled = std::pin::Pin::new(&mut *future).poll(context);
        std::task::Poll::Ready(polled.is_pending())
    })
    .await
}

#[tokio::test]
async fn a_run_that_takes_a_minute_is_ended_and_the_next_one_may_start() {
    let scene = Scene::committed();
    let reply = scene.good_reply("second");
    let (model, go) = Waiting::new(move || reply.clone());
    let updater = scene.updater(model.clone());
    started(&updater, &scene);
    model.asked(1).await;
    scene.clock.advance(60);
    updater.settle().await.expect("readable");
    assert_eq!(updater.last_failure().as_deref(), Some("it took too long"));
    assert_eq!(number(&scene.file()), Some(1));
    go.send_replace(true);
    started(&updater, &scene);
    let committed = updater.settle().await.expect("readable").expect("notes");
    assert_eq!(committed.notes.body("Learnings"), Some("second"));
    assert_eq!(updater.last_failure(), None);
}

/// A model that holds its thread: nothing inside the runtime can end it.
struct Deaf {
    asked: mpsc::Sender<()>,
    go: std::sync::Mutex<mpsc::Receiver<Reply>>,
    provider: Provider,
}

impl Model for Deaf {
    fn ask<'a>(&'a self, _: &'a Request) -> Answer<'a> {
        Box::pin(async move {
            let _ = self.asked.send(());
            let go = self.go.lock().expect("a lock");
            Ok(go.recv().expect("a reply"))
        })
    }

    fn provider(&self) -> &Provider {
        &self.provider
    }

    fn name(&self) -> &'static str {
        "deaf"
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_run_that_cannot_be_ended_is_given_up_after_a_minute() {
    let scene = Scene::committed();
    let (go, received) = mpsc::channel();
    let (sender, asked) = mpsc::channel();
    let model = Deaf {
        asked: sender,
        go: std::sync::Mutex::new(received),
        provider: Provider::new(Vendor::Local),
    };
    let updater = scene.updater(Arc::new(model));
    started(&updater, &scene);
    asked.recv().expect("a question");
    scene.clock.advance(60);
    assert_eq!(updater.update(&scene.turn()), Triggered::Running, "not yet");
    scene.clock.advance(1);
    assert_eq!(updater.update(&scene.turn()), Triggered::Started);
    assert_eq!(updater.last_failure().as_deref(), Some("it took too long"));
    // The first one wakes up at last: what it brings is too late to count.
    go.send(scene.good_reply("too late")).expect("a model");
    go.send(scene.good_reply("in time")).expect("a model");
    drop(go);
    scene.clock.advance(15);
    updater.settle().await.expect("readable");
    let text = scene
        .file()
        .read()
        .expect("readable")
        .expect("notes")
        .notes
        .print();
    assert!(!text.contains("too late"));
}

#[tokio::test]
async fn three_failures_in_a_row_stop_all_tries_with_the_reason() {
    let scene = Scene::committed();
    let model = scripted(vec![
        Reply::text_only("no"),
        Reply::text_only("no"),
        scene.good_reply("lesson A"),
        Reply::text_only("no"),
        Reply::text_only("no"),
        Reply::text_only("no"),
        Reply::new(vec![scene.edit("lesson A", "at last")]),
    ]);
    let updater = scene.updater(model.clone());
    // Two failures and a success are no three in a row.
    for _ in 0..6 {
        assert_eq!(updater.update(&scene.turn()), Triggered::Started);
        updater.settle().await.expect("readable");
    }
    let Triggered::Tripped(reason) = updater.update(&scene.turn()) else {
        panic!("it goes on")
    };
    assert!(
        reason.starts_with("3 failures in a row, the last: "),
        "{reason}"
    );
    assert_eq!(model.requests().len(), 6);
    updater.reset();
    assert_eq!(updater.update(&scene.turn()), Triggered::Started);
    let committed = updater.settle().await.expect("readable").expect("notes");
    assert_eq!(committed.notes.body("Learnings"), Some("at last"));
}

#[tokio::test]
async fn dropping_the_updater_ends_the_run_and_leaves_the_committed_pair() {
    let scene = Scene::committed();
    let reply = scene.good_reply("never");
    let (model, go) = Waiting::new(move || reply.clone());
    let updater = scene.updater(model.clone());
    started(&updater, &scene);
    model.asked(1).await;
    drop(updater);
    // The lock is free as soon as the run has noticed.
    let file = scene.file();
    while file.lock().is_err() {
        tokio::task::yield_now().await;
    }
    drop(go);
    assert_eq!(number(&file), Some(1));
}
