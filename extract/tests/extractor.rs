//! Extraction in the background: what a host sees.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use memdir::Mode;
use memdir_extract::{
    Action, Conditions, Decided, Decision, DecisionLog, Drained, Error, ErrorKind, Extractor,
    ExtractorOptions, Notice, OfflineBackend, RunNow, SkipReason, TriggerOptions, Turn,
};
use proptest::prelude::*;
use serde_json::json;

use crate::support::{
    Closure, Notebook, Scratch, called, end_of, replied, returned, said, session, turn,
};

const LONG: Duration = Duration::from_secs(30);
const RULE: &str = "From now on, ask before you add a dependency, we got burned by one.";

#[test]
fn what_a_person_says_is_a_memory_when_the_turn_is_over() {
    let scratch = Scratch::new();
    let extractor = scratch.offline();
    let entries = [said("m1", RULE), replied("m2", "I will ask.")];
    assert_eq!(turn(&extractor, &entries), Decision::Start);
    assert_eq!(extractor.drain(LONG), Drained::Finished);

    let files = scratch.files();
    let [file] = &files[..] else {
        panic!("{files:?}")
    };
    let text = scratch.file(file);
    assert!(text.contains("origin: person"), "{text}");
    assert!(
        text.contains("evidence: ") && text.contains("ask before you add a dependency"),
        "{text}"
    );
    assert!(text.contains("originSessionId: \"5c0375b4\""), "{text}");
    assert!(
        scratch.file("MEMORY.md").contains(file),
        "the index is true"
    );

    let notices = extractor.notices();
    let [Notice::Saved(saved)] = &notices[..] else {
        panic!("{notices:?}")
    };
    assert_eq!(saved.session, "5c0375b4");
    assert_eq!(saved.to_string(), format!("Saved 1 memory: {file}"));
    assert!(extractor.notices().is_empty(), "a notice is given once");

    let history = scratch.store.history(file).unwrap();
    assert_eq!(history.revisions[0].actor, "extract");
    assert_eq!(history.revisions[0].session.as_deref(), Some("5c0375b4"));

    let log = DecisionLog::of_session(&scratch.store, "5c0375b4").unwrap();
    let [decided] = &log[..] else {
        panic!("{log:?}")
    };
    assert_eq!((decided.action, decided.turn), (Action::Created, 1));
    assert_eq!(decided.message_id.as_deref(), Some("m1"));
    assert!(RULE.contains(decided.quote.as_deref().unwrap()));
    assert_eq!(DecisionLog::about(&scratch.store, file).unwrap(), log);
    assert_eq!(
        extractor.decisions(),
        log,
        "the host is told what is logged"
    );
    assert!(extractor.decisions().is_empty(), "a decision is given once");
}

#[test]
fn waiting_for_a_run_does_not_end_the_session() {
    let scratch = Scratch::new();
    let extractor = scratch.offline();
    assert!(extractor.settle(LONG), "nothing runs");
    let mut entries = vec![said("m1", RULE), replied("m2", "I will ask.")];
    assert_eq!(turn(&extractor, &entries), Decision::Start);
    assert!(extractor.settle(LONG));
    assert_eq!(scratch.files().len(), 1);
    entries.extend([
        said("m3", "I'm a data scientist with ten years of R."),
        replied("m4", "Noted."),
    ]);
    assert_eq!(turn(&extractor, &entries), Decision::Start);
    assert!(extractor.settle(LONG));
    assert_eq!(scratch.files().len(), 2);
}

#[test]
fn in_mode_ask_a_memory_waits_in_the_inbox_and_is_not_put_there_twice() {
    let scratch = Scratch::with_mode(Mode::Ask);
    let entries = [said("m1", RULE), replied("m2", "I will ask.")];
    for session in ["one", "two"] {
        let extractor = scratch.extractor_of(session, OfflineBackend);
        let end = end_of(&entries);
        let conditions = Conditions::new(Mode::Ask);
        extractor.on_turn_end(&Turn::of_entries(&entries, &end), conditions);
        assert_eq!(extractor.drain(LONG), Drained::Finished);
    }
    assert!(scratch.files().is_empty());
    let inbox = scratch.store.inbox().unwrap();
    assert_eq!(inbox.items.len(), 1);
    assert_eq!(inbox.items[0].session.as_deref(), Some("one"));
    let second = DecisionLog::of_session(&scratch.store, "two").unwrap();
    assert_eq!(
        (second[0].action, second[0].code.as_str()),
        (Action::Skipped, "known")
    );
}

#[test]
fn saying_the_same_again_in_another_session_changes_nothing() {
    let scratch = Scratch::new();
    let entries = [said("m1", RULE), replied("m2", "I will ask.")];
    let mut before = None;
    for session in ["one", "two"] {
        let extractor = scratch.extractor_of(session, OfflineBackend);
        turn(&extractor, &entries);
        extractor.drain(LONG);
        let files = scratch.files();
        assert_eq!(files.len(), 1);
        let text = scratch.file(&files[0]);
        assert_eq!(*before.get_or_insert(text.clone()), text);
    }
}

#[test]
fn a_memory_that_a_person_wrote_under_the_same_title_stays() {
    let scratch = Scratch::new();
    let extractor = scratch.offline();
    let entries = [said("m1", RULE), replied("m2", "I will ask.")];
    turn(&extractor, &entries);
    extractor.drain(LONG);
    let file = scratch.files().remove(0);
    let path = scratch.memory().join(&file);
    // The person takes the memory over: other words, and no evidence of ours.
    let text = scratch.file(&file);
    let kept = text
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("evidence:"));
    let own: String = kept.collect();
    let own = own + "\nAsk in the team channel, not here.\n";
    std::fs::write(&path, &own).unwrap();
    let again = scratch.extractor_of("next", OfflineBackend);
    turn(&again, &entries);
    again.drain(LONG);
    assert_eq!(scratch.files(), std::slice::from_ref(&file));
    assert_eq!(scratch.file(&file), own);
}

#[test]
fn what_the_agent_wrote_itself_is_not_written_again() {
    let scratch = Scratch::new();
    let inside = scratch
        .memory()
        .join("feedback_ask.md")
        .display()
        .to_string();
    let elsewhere = scratch.path().join("notes.md").display().to_string();
    let patch = format!("*** Begin Patch\n*** Update File: {inside}\n@@\n*** End Patch");
    let own: &[(&str, serde_json::Value)] = &[
        ("Write", json!({ "file_path": inside, "content": "x" })),
        (
            "Edit",
            json!({ "file_path": format!("{inside}/../feedback_ask.md") }),
        ),
        ("write_file", json!({ "file_path": inside })),
        ("apply_patch", json!({ "input": patch })),
        ("shell", json!({ "command": ["apply_patch", patch] })),
        ("Bash", json!({ "command": format!("echo x >> {inside}") })),
        (
            "Bash",
            json!({ "command": "memstrata save --type user --name x" }),
        ),
        ("mcp__memstrata__save", json!({ "name": "x" })),
        (
            "memory",
            json!({ "command": "create", "path": "/memories/x.md" }),
        ),
    ];
    for (name, input) in own {
        let extractor = scratch.offline();
        let entries = [
            said("m1", RULE),
            called("m2", name, input.clone()),
            returned("m3", "m2", "done", false),
            replied("m4", "Saved."),
        ];
        let skipped = Decision::Skip(SkipReason::OwnWrite);
        assert_eq!(turn(&extractor, &entries), skipped, "{name}");
        // The cursor has moved on, so the next turn does not find the message again.
        let next = [&entries[..], &[said("m5", "thanks"), replied("m6", "!")]].concat();
        assert_eq!(turn(&extractor, &next), Decision::Start);
        extractor.drain(LONG);
        assert!(scratch.files().is_empty(), "{name}");
    }
    let others: &[(&str, serde_json::Value, bool)] = &[
        ("Write", json!({ "file_path": elsewhere }), false),
        ("Read", json!({ "file_path": inside }), false),
        ("Bash", json!({ "command": format!("cat {inside}") }), false),
        (
            "memory",
            json!({ "command": "view", "path": "/memories" }),
            false,
        ),
        ("mcp__memstrata__recall", json!({ "query": "x" }), false),
        // A write that failed is none.
        ("Write", json!({ "file_path": inside }), true),
    ];
    for (at, (name, input, is_error)) in others.iter().enumerate() {
        let extractor = scratch.extractor_of(&format!("other-{at}"), Notebook::default());
        let entries = [
            said("m1", RULE),
            called("m2", name, input.clone()),
            returned("m3", "m2", "…", *is_error),
            replied("m4", "Hm."),
        ];
        assert_eq!(
            turn(&extractor, &entries),
            Decision::Start,
            "{name} {input}"
        );
        extractor.drain(LONG);
    }
}

#[test]
fn turns_that_end_during_a_run_lead_to_one_more_with_the_newest_messages() {
    let scratch = Scratch::new();
    let (open, gate) = mpsc::channel::<()>();
    let gate = Mutex::new(gate);
    let seen = Notebook::default();
    let inner = seen.clone();
    let extractor = scratch.extractor(Closure(move |work: &Arc<_>| {
        gate.lock()
            .unwrap()
            .recv()
            .expect("the test opens the gate");
        memdir_extract::Backend::run(&inner, work)
    }));
    let all: Vec<_> = (1..=4)
        .flat_map(|at| {
            [
                said(&format!("q{at}"), &format!("number {at}")),
                replied(&format!("a{at}"), "ok"),
            ]
        })
        .collect();
    assert_eq!(turn(&extractor, &all[..2]), Decision::Start);
    for end in [4, 6, 8] {
        assert_eq!(turn(&extractor, &all[..end]), Decision::Remembered);
    }
    open.send(()).unwrap();
    open.send(()).unwrap();
    assert_eq!(extractor.drain(LONG), Drained::Finished);
    let seen = seen.seen();
    assert_eq!(
        seen,
        [vec!["number 1"], vec!["number 2", "number 3", "number 4"]]
    );
}

#[test]
fn a_failed_run_does_not_advance_and_three_in_a_row_end_the_session_and_say_so() {
    let scratch = Scratch::new();
    let seen = Notebook::default();
    let inner = seen.clone();
    let failing = move |work: &Arc<memdir_extract::Work>| {
        memdir_extract::Backend::run(&inner, work)?;
        Err(Error::new(ErrorKind::Model, "the model is away"))
    };
    let extractor = scratch.extractor(Closure(failing));
    let mut entries = Vec::new();
    for at in 1..=3 {
        entries.extend([
            said(&format!("q{at}"), &format!("number {at}")),
            replied(&format!("a{at}"), "ok"),
        ]);
        assert_eq!(turn(&extractor, &entries), Decision::Start);
        while extractor.is_running() {
            std::thread::yield_now();
        }
    }
    assert_eq!(
        seen.seen().last().unwrap(),
        &["number 1", "number 2", "number 3"]
    );
    let stopped = Notice::Stopped {
        failures: 3,
        reason: "the model is away".to_owned(),
    };
    assert_eq!(extractor.notices(), std::slice::from_ref(&stopped));
    assert!(stopped.to_string().contains("the next session"));
    entries.push(said("q4", "number 4"));
    let skipped = Decision::Skip(SkipReason::Stopped);
    assert_eq!(turn(&extractor, &entries), skipped);
    assert_eq!(extractor.drain(LONG), Drained::Finished);

    // The next process of the session is still stopped, the next session is not.
    let same = scratch.extractor(Notebook::default());
    assert_eq!(turn(&same, &entries), skipped);
    let next = scratch.extractor_of("another", Notebook::default());
    assert_eq!(turn(&next, &entries), Decision::Start);
    next.drain(LONG);
}

#[test]
fn a_back_end_that_panics_is_a_failure_and_nothing_worse() {
    let scratch = Scratch::new();
    let extractor = scratch.extractor(Closure(|_: &Arc<_>| panic!("a bug, as the test wants it")));
    turn(&extractor, &[said("m1", RULE), replied("m2", "ok")]);
    assert_eq!(extractor.drain(LONG), Drained::Finished);
    let log = DecisionLog::of_session(&scratch.store, "5c0375b4").unwrap();
    assert_eq!(
        (log[0].action, log[0].code.as_str()),
        (Action::Failed, "internal")
    );
    // The lease was given back on the way.
    let next = scratch.offline();
    turn(&next, &[said("m1", RULE), replied("m2", "ok")]);
    next.drain(LONG);
    assert_eq!(scratch.files().len(), 1);
}

#[test]
fn the_cursor_survives_a_restart_and_a_compaction() {
    let scratch = Scratch::new();
    let seen = Notebook::default();
    let mut entries = vec![said("q1", "number 1"), replied("a1", "ok")];
    let first = scratch.extractor(seen.clone());
    turn(&first, &entries);
    first.drain(LONG);
    // Another process of the session looks at what is new only.
    entries.extend([said("q2", "number 2"), replied("a2", "ok")]);
    let second = scratch.extractor(seen.clone());
    turn(&second, &entries);
    second.drain(LONG);
    // After a compaction the cursor's message is gone: what can be seen counts.
    let summary = said(
        "s",
        "This session is being continued from a previous conversation that ran out of context.",
    );
    let compacted = [summary, said("q3", "number 3"), replied("a3", "ok")];
    let third = scratch.extractor(seen.clone());
    turn(&third, &compacted);
    third.drain(LONG);
    assert_eq!(seen.seen(), [["number 1"], ["number 2"], ["number 3"]]);
    // And nothing is new any more.
    let fourth = scratch.extractor(seen.clone());
    let skipped = Decision::Skip(SkipReason::NothingNew);
    assert_eq!(turn(&fourth, &compacted), skipped);
}

#[test]
fn a_drain_returns_within_its_limit_although_the_run_hangs() {
    let limit = Duration::from_millis(40);
    // A machine may be busy for a moment; the bound is met when nothing else holds it up.
    let within = (0..8).any(|_| {
        let scratch = Scratch::new();
        let (release, hang) = mpsc::channel::<()>();
        let hang = Mutex::new(hang);
        let extractor = scratch.extractor(Closure(move |_: &Arc<_>| {
            // Deaf to cancellation: ends when the test is over.
            let _ = hang.lock().unwrap().recv();
            Ok(())
        }));
        turn(&extractor, &[said("m1", RULE), replied("m2", "ok")]);
        let begun = Instant::now();
        assert_eq!(extractor.drain(limit), Drained::Cancelled);
        let took = begun.elapsed();
        drop(release);
        assert!(took >= limit);
        took <= limit + Duration::from_millis(100)
    });
    assert!(
        within,
        "a drain takes longer than its limit and a tenth of a second"
    );
}

#[test]
fn a_cancelled_run_writes_nothing_more_and_is_looked_at_again() {
    let scratch = Scratch::new();
    let (begun, waits) = mpsc::channel::<()>();
    let extractor = scratch.extractor(Closure(move |work: &Arc<memdir_extract::Work>| {
        let (woken, wake) = mpsc::channel::<()>();
        work.cancel().on_cancel(move || {
            let _ = woken.send(());
        });
        begun.send(()).expect("the test waits");
        wake.recv().expect("the drain cancels");
        assert_eq!(work.may_go_on().unwrap_err().kind(), ErrorKind::Cancelled);
        memdir_extract::Backend::run(&OfflineBackend, work)
    }));
    let entries = [said("m1", RULE), replied("m2", "ok")];
    turn(&extractor, &entries);
    waits.recv().unwrap();
    assert_eq!(extractor.drain(Duration::ZERO), Drained::Cancelled);
    while extractor.is_running() {
        std::thread::yield_now();
    }
    assert!(scratch.files().is_empty());
    let ending = Decision::Skip(SkipReason::Ending);
    assert_eq!(turn(&extractor, &entries), ending);
    let next = scratch.offline();
    assert_eq!(turn(&next, &entries), Decision::Start);
    next.drain(LONG);
    assert_eq!(scratch.files().len(), 1);
}

#[test]
fn two_sessions_never_extract_into_one_folder_at_once() {
    let scratch = Scratch::new();
    let (open, gate) = mpsc::channel::<()>();
    let (begun, waits) = mpsc::channel::<()>();
    let gate = Mutex::new(gate);
    let first = scratch.extractor_of(
        "first",
        Closure(move |_: &Arc<_>| {
            begun.send(()).expect("the test waits");
            gate.lock()
                .unwrap()
                .recv()
                .expect("the test opens the gate");
            Ok(())
        }),
    );
    let entries = [said("m1", RULE), replied("m2", "ok")];
    turn(&first, &entries);
    waits.recv().unwrap();
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let options = ExtractorOptions::new("second");
    let backend = Arc::new(Closure(move |_: &Arc<_>| {
        counted.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }));
    let second = Extractor::new(scratch.another_store(), backend, options).unwrap();
    assert_eq!(turn(&second, &entries), Decision::Start);
    while second.is_running() {
        std::thread::yield_now();
    }
    assert_eq!(runs.load(Ordering::SeqCst), 0);
    assert!(second.notices().is_empty(), "being busy is no failure");
    open.send(()).unwrap();
    first.drain(LONG);
    // The next turn has its turn.
    assert_eq!(turn(&second, &entries), Decision::Start);
    second.drain(LONG);
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[test]
fn a_command_extracts_at_once_and_leaves_out_turns_with_own_writes() {
    let scratch = Scratch::new();
    let inside = scratch.memory().join("x.md").display().to_string();
    let entries = [
        said("m1", RULE),
        replied("m2", "I will ask."),
        said(
            "m3",
            "From now on, never push to main, it deploys by itself.",
        ),
        called("m4", "Write", json!({ "file_path": inside })),
        returned("m5", "m4", "done", false),
        replied("m6", "Saved."),
    ];
    let end = end_of(&entries);
    let extractor = scratch.offline();
    let turn = Turn::of_entries(&entries, &end);
    let RunNow::Done(planned) = extractor.run_now(&turn, session(), true) else {
        panic!("a dry run")
    };
    assert!(scratch.files().is_empty(), "a dry run writes nothing");
    assert!(
        DecisionLog::of_session(&scratch.store, "5c0375b4")
            .unwrap()
            .is_empty()
    );
    let RunNow::Done(decided) = extractor.run_now(&turn, session(), false) else {
        panic!("a run")
    };
    let brief = |decided: &[Decided]| -> Vec<(Action, Option<String>)> {
        decided
            .iter()
            .map(|one| (one.action, one.path.clone()))
            .collect()
    };
    assert_eq!(brief(&planned), brief(&decided));
    let files = scratch.files();
    assert_eq!(files.len(), 1);
    assert!(scratch.file(&files[0]).contains("dependency"));
    let RunNow::Skipped(reason) = extractor.run_now(&turn, session(), false) else {
        panic!("nothing is new")
    };
    assert_eq!(reason, SkipReason::NothingNew);
}

#[test]
fn the_throttle_goes_on_counting_in_the_next_process() {
    let scratch = Scratch::new();
    let seen = Notebook::default();
    let mut entries = Vec::new();
    let mut decisions = Vec::new();
    for at in 1..=3 {
        entries.extend([
            said(&format!("q{at}"), &format!("number {at}")),
            replied(&format!("a{at}"), "ok"),
        ]);
        let options =
            ExtractorOptions::new("s").with_trigger(TriggerOptions::default().with_every(3));
        let store = Arc::clone(&scratch.store);
        let extractor = Extractor::new(store, Arc::new(seen.clone()), options).unwrap();
        decisions.push(turn(&extractor, &entries));
        extractor.drain(LONG);
    }
    let throttled = Decision::Skip(SkipReason::Throttled);
    assert_eq!(decisions, [throttled, throttled, Decision::Start]);
    assert_eq!(seen.seen(), [["number 1", "number 2", "number 3"]]);
}

#[test]
fn a_purged_memory_leaves_no_trace_in_the_log_of_decisions() {
    let scratch = Scratch::new();
    let extractor = scratch.offline();
    turn(&extractor, &[said("m1", RULE), replied("m2", "ok")]);
    extractor.drain(LONG);
    let file = scratch.files().remove(0);
    assert_eq!(DecisionLog::forget(&scratch.store, &file).unwrap(), 1);
    assert!(
        DecisionLog::about(&scratch.store, &file)
            .unwrap()
            .is_empty()
    );
}

#[test]
fn a_rule_that_sounds_like_a_known_one_is_kept_and_one_that_says_the_same_is_not() {
    let scratch = Scratch::new();
    let extractor = scratch.offline();
    let mut entries = Vec::new();
    for (at, (rule, files)) in [
        (
            "Never commit generated client files, reviewers drown in them.",
            1,
        ),
        (
            "Never commit generated schema files, reviewers drown in them.",
            2,
        ),
        (
            "Please never commit the generated client files, reviewers drown in them.",
            2,
        ),
        (
            "Never commit generated client files to release 12, reviewers drown in them.",
            3,
        ),
        (
            "Never commit generated client files to release 13, reviewers drown in them.",
            4,
        ),
    ]
    .into_iter()
    .enumerate()
    {
        entries.extend([
            said(&format!("q{at}"), rule),
            replied(&format!("a{at}"), "ok"),
        ]);
        turn(&extractor, &entries);
        assert!(extractor.settle(LONG));
        assert_eq!(
            scratch.files().len(),
            files,
            "{rule} {:#?}",
            extractor.decisions()
        );
    }
}

/// Rules that have nothing in common, and a word that stands in one of them only.
const RULES: [(&str, &str); 8] = [
    (RULE, "dependency"),
    (
        "From now on, never push straight to main, it deploys by itself.",
        "deploys",
    ),
    (
        "Always answer in German please, my colleagues read along.",
        "German",
    ),
    (
        "I'm a data scientist with ten years of R and new to Rust.",
        "scientist",
    ),
    ("Bugs are tracked in Linear under project HARBOR.", "HARBOR"),
    (
        "We decided to freeze merges on 2026-03-12 because mobile cuts a release.",
        "freeze",
    ),
    (
        "Never mock the database in integration tests, we got burned last quarter.",
        "mock",
    ),
    (
        "Remember that the grafana board at grafana.example/d/api is what oncall watches.",
        "grafana",
    ),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The cursor on disk never stands behind a message whose memory is not on disk, whatever fails.
    #[test]
    fn the_stored_cursor_is_never_ahead_of_the_files(fails in proptest::collection::vec(0_u8..4, 1..8)) {
        let scratch = Scratch::new();
        let plan = Arc::new(Mutex::new(0_u8));
        let mut entries = Vec::new();
        for (at, fail) in fails.iter().enumerate() {
            entries.extend([said(&format!("q{at}"), RULES[at].0), replied(&format!("a{at}"), "ok")]);
            *plan.lock().unwrap() = *fail;
            let planned = Arc::clone(&plan);
            // Before, in the middle of, and after the saving; 3 is a success.
            let backend = Closure(move |work: &Arc<memdir_extract::Work>| {
                let failed = || Err(Error::new(ErrorKind::Model, "as planned"));
                match *planned.lock().unwrap() {
                    0 => failed(),
                    1 => {
                        let today = work.today();
                        if let Some(first) = memdir_extract::offline::propose(work.statements(), today).first() {
                            work.save(first);
                        }
                        failed()
                    }
                    2 => {
                        memdir_extract::Backend::run(&OfflineBackend, work)?;
                        failed()
                    }
                    _ => memdir_extract::Backend::run(&OfflineBackend, work),
                }
            });
            let extractor = scratch.extractor(backend);
            turn(&extractor, &entries);
            extractor.drain(LONG);
            // What a new process would look at, together with what is on disk, is everything.
            let rest = Notebook::default();
            let next = scratch.extractor(rest.clone());
            let end = end_of(&entries);
            next.run_now(&Turn::of_entries(&entries, &end), session(), true);
            let unseen = rest.seen().concat();
            let saved: String = scratch.files().iter().map(|file| scratch.file(file)).collect();
            for (_, words) in RULES.iter().take(at + 1) {
                let is_left = unseen.iter().any(|text| text.contains(words));
                // A session that has stopped looks at nothing, and has lost nothing either.
                let is_stopped = next.run_now(&Turn::of_entries(&entries, &end), session(), true);
                let is_stopped = matches!(is_stopped, RunNow::Skipped(SkipReason::Stopped));
                prop_assert!(saved.contains(words) || is_left || is_stopped, "{words} is lost");
            }
        }
    }
}
