//! The loop: why it ends, what it counts, what it leaves behind.

use std::sync::Arc;
use std::time::Duration;

use agent_model::{
    Answer, Block, Capabilities, Error, ErrorKind, Model, Provider, Reply, Request, ScriptedModel,
    StopReason, ToolUse, Usage, Vendor,
};
use forked_agent::{
    Cancellation, Clock, Ended, Limits, Outcome, Permissions, SideAgent, Sleep, Toolbox, fork,
};
use serde_json::json;
use tokio::sync::watch;

use crate::support::{Tree, block_on, calls, results, run, run_with, text};

fn run_model(toolbox: &Toolbox, model: &dyn Model, limits: Limits) -> Outcome {
    let gate = Permissions::default();
    let agent = SideAgent::new(model, toolbox, &gate).with_limits(limits);
    block_on(fork(&agent, Request::new(Vec::new()), "go"))
}

/// A model that goes on for ever, with a new call each time.
fn endless() -> ScriptedModel {
    let mut count = 0;
    ScriptedModel::from_fn(move |_| {
        count += 1;
        let reply = calls(&[("Glob", json!({ "pattern": format!("{count}") }))]);
        Ok(reply.with_usage(Usage::new(100, 10).with_cache(1_000, 50)))
    })
}

#[test]
fn a_reply_without_a_call_ends_the_run() {
    let tree = Tree::new();
    let outcome = run(&tree.toolbox(), vec![text("nothing to save")]);
    assert_eq!(
        (outcome.ended, outcome.turns, outcome.calls),
        (Ended::Finished, 1, 0)
    );
    assert_eq!(outcome.text, "nothing to save");
    assert_eq!(outcome.messages.len(), 2, "the task and the reply");
}

#[test]
fn the_run_ends_when_its_writes_succeed_and_pays_for_no_closing_words() {
    let tree = Tree::new();
    let write = |name: &str| {
        (
            "Write",
            json!({ "file_path": tree.memory().join(name), "content": "x\n" }),
        )
    };
    // There is no second reply: asking for one would fail.
    let outcome = run(
        &tree.toolbox(),
        vec![calls(&[write("a.md"), write("b.md")])],
    );
    assert_eq!(
        (outcome.ended, outcome.turns, outcome.calls),
        (Ended::Written, 1, 2)
    );
    let paths: Vec<_> = outcome
        .writes
        .iter()
        .map(forked_agent::FileWritten::path)
        .collect();
    assert_eq!(
        paths,
        [tree.memory().join("a.md"), tree.memory().join("b.md")]
    );
    assert_eq!(
        results(&outcome.messages).len(),
        2,
        "each call has its result"
    );
}

#[test]
fn a_reply_that_also_looks_or_fails_goes_on() {
    let tree = Tree::new();
    let write = |name: &str| {
        (
            "Write",
            json!({ "file_path": tree.memory().join(name), "content": "x\n" }),
        )
    };
    let outcome = run(
        &tree.toolbox(),
        vec![
            calls(&[write("a.md"), ("Glob", json!({ "pattern": "*" }))]),
            calls(&[write("b.md"), write("c.txt")]),
            calls(&[write("c.md")]),
        ],
    );
    assert_eq!(
        (outcome.ended, outcome.turns, outcome.writes.len()),
        (Ended::Written, 3, 3)
    );
    assert_eq!(outcome.failed.len(), 1);
    assert_eq!(outcome.failed[0].reason, "only .md files may be written");
    assert!(outcome.failed[0].denied);
}

#[test]
fn a_run_may_be_told_to_go_on_after_writes() {
    let tree = Tree::new();
    let write = (
        "Write",
        json!({ "file_path": tree.memory().join("a.md"), "content": "x\n" }),
    );
    let limits = Limits::default().with_end_after_writes(false);
    let replies = vec![calls(&[write]), text("saved")];
    let outcome = run_with(&tree.toolbox(), &Permissions::default(), limits, replies);
    assert_eq!((outcome.ended, outcome.turns), (Ended::Finished, 2));
    assert_eq!(outcome.text, "saved");
}

#[test]
fn an_endless_loop_ends_at_the_turn_limit() {
    let tree = Tree::new();
    let model = endless();
    let outcome = run_model(&tree.toolbox(), &model, Limits::default());
    assert_eq!(
        (outcome.ended, outcome.turns, outcome.calls),
        (Ended::TurnLimit, 5, 5)
    );
    assert_eq!(model.requests().len(), 5);
    assert_eq!(outcome.usage, Usage::new(500, 50).with_cache(5_000, 250));
    let none = run_model(
        &tree.toolbox(),
        &endless(),
        Limits::default().with_max_turns(0),
    );
    assert_eq!((none.ended, none.turns), (Ended::TurnLimit, 0));
}

#[test]
fn the_token_budget_is_not_exceeded_by_the_next_reply() {
    let tree = Tree::new();
    // Each reply costs 1,160 tokens.
    for (budget, turns) in [(1, 1), (1_160, 1), (2_319, 1), (2_320, 2), (3_500, 3)] {
        let limits = Limits::default().with_max_tokens(budget);
        let outcome = run_model(&tree.toolbox(), &endless(), limits);
        assert_eq!(
            (outcome.ended, outcome.turns),
            (Ended::TokenLimit, turns),
            "{budget}"
        );
    }
    let outcome = run_model(
        &tree.toolbox(),
        &endless(),
        Limits::default().with_max_tokens(0),
    );
    assert_eq!((outcome.ended, outcome.turns), (Ended::TokenLimit, 0));
}

#[test]
fn the_output_limit_of_a_reply_is_passed_on_and_shrinks_with_the_budget() {
    let tree = Tree::new();
    let model = endless();
    let limits = Limits::default()
        .with_max_tokens(2_400)
        .with_max_output_tokens(2_000);
    run_model(&tree.toolbox(), &model, limits);
    let asked: Vec<u32> = model
        .requests()
        .iter()
        .map(|request| request.limits.max_output_tokens)
        .collect();
    assert_eq!(asked, [2_000, 1_240]);
}

#[test]
fn a_model_that_repeats_what_failed_is_stopped() {
    let tree = Tree::new();
    let write = (
        "Write",
        json!({ "file_path": "/etc/evil.md", "content": "x" }),
    );
    let replies = [(); 3].map(|()| calls(std::slice::from_ref(&write)));
    let outcome = run(&tree.toolbox(), replies.into());
    assert_eq!(
        (outcome.ended, outcome.turns, outcome.failed.len()),
        (Ended::Stuck, 2, 2)
    );
}

#[test]
fn too_many_calls_in_one_reply_are_not_carried_out() {
    let tree = Tree::new();
    let glob = ("Glob", json!({ "pattern": "*" }));
    let limits = Limits::default().with_max_calls(2);
    let replies = vec![calls(&[glob.clone(), glob.clone(), glob]), text("done")];
    let outcome = run_with(&tree.toolbox(), &Permissions::default(), limits, replies);
    assert_eq!(outcome.calls, 2);
    let results = results(&outcome.messages);
    assert_eq!(
        results.len(),
        3,
        "every call has a result, or the provider refuses the next request"
    );
    assert_eq!(
        results[2],
        Err("not run: too many calls in one reply".to_owned())
    );
}

#[test]
fn the_stop_reason_of_the_model_is_respected() {
    let tree = Tree::new();
    let write = || {
        calls(&[(
            "Write",
            json!({ "file_path": tree.memory().join("a.md"), "content": "x" }),
        )])
    };
    let cases = [
        (text("no").with_stop(StopReason::Refusal), Ended::Refused),
        (write().with_stop(StopReason::Refusal), Ended::Refused),
        (text("half").with_stop(StopReason::MaxTokens), Ended::Cut),
        (
            text("").with_stop(StopReason::ContextWindowExceeded),
            Ended::Cut,
        ),
    ];
    for (reply, ended) in cases {
        let outcome = run(&tree.toolbox(), vec![reply]);
        assert_eq!((outcome.ended, outcome.calls), (ended, 0));
    }
    assert!(
        !tree.memory().join("a.md").exists(),
        "a refused reply carries nothing out"
    );
    let paused = text("thinking").with_stop(StopReason::PauseTurn);
    let outcome = run(&tree.toolbox(), vec![paused, text("done")]);
    assert_eq!((outcome.ended, outcome.turns), (Ended::Finished, 2));
}

#[test]
fn a_call_that_was_cut_is_refused_and_a_whole_one_is_carried_out() {
    let tree = Tree::new();
    let reply = Reply::new(vec![
        Block::ToolUse(ToolUse::new("1", "Glob", json!({ "pattern": "*" }))),
        Block::ToolUse(ToolUse::new(
            "2",
            "Write",
            json!("{\"file_path\": \"/x.md\", \"conte"),
        )),
    ])
    .with_stop(StopReason::MaxTokens);
    let outcome = run(&tree.toolbox(), vec![reply, text("done")]);
    let results = results(&outcome.messages);
    assert!(results[0].is_ok());
    assert_eq!(
        results[1],
        Err("the arguments are no JSON object".to_owned())
    );
}

#[test]
fn a_failing_model_is_reported_beside_what_was_written() {
    let tree = Tree::new();
    let path = tree.memory().join("a.md");
    let mut turn = 0;
    let model = ScriptedModel::from_fn(move |_| {
        turn += 1;
        match turn {
            1 => Ok(calls(&[
                ("Write", json!({ "file_path": path, "content": "x" })),
                ("Glob", json!({ "pattern": "*" })),
            ])),
            _ => Err(Error::new(ErrorKind::Overloaded, "")),
        }
    });
    let outcome = run_model(&tree.toolbox(), &model, Limits::default());
    assert_eq!(
        (outcome.ended, outcome.writes.len()),
        (Ended::ModelFailed, 1)
    );
    assert_eq!(outcome.error.unwrap().kind(), ErrorKind::Overloaded);
    assert_eq!(tree.read("memory/a.md"), "x");
}

/// A back end that returns all calls in one list and sees no result.
struct OneList(ScriptedModel);

impl Model for OneList {
    fn ask<'a>(&'a self, request: &'a Request) -> Answer<'a> {
        self.0.ask(request)
    }

    fn provider(&self) -> &Provider {
        self.0.provider()
    }

    fn name(&self) -> &'static str {
        "one list"
    }

    fn capabilities(&self) -> Capabilities {
        let mut all = Capabilities::default();
        all.tools = false;
        all
    }
}

#[test]
fn a_back_end_without_turns_is_asked_once() {
    let tree = Tree::new();
    let path = tree.memory().join("a.md");
    let list = calls(&[
        ("Write", json!({ "file_path": path, "content": "x" })),
        ("Write", json!({ "file_path": "/etc/x.md", "content": "x" })),
    ]);
    let outcome = run_model(
        &tree.toolbox(),
        &OneList(ScriptedModel::new(vec![list])),
        Limits::default(),
    );
    assert_eq!((outcome.ended, outcome.turns), (Ended::Finished, 1));
    assert_eq!((outcome.writes.len(), outcome.failed.len()), (1, 1));
}

/// A clock that stands still until a test moves it.
#[derive(Clone, Debug)]
struct ManualClock(Arc<watch::Sender<Duration>>);

impl ManualClock {
    fn new() -> Self {
        Self(Arc::new(watch::Sender::new(Duration::ZERO)))
    }

    fn advance(&self, by: Duration) {
        self.0.send_modify(|now| *now += by);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Duration {
        *self.0.borrow()
    }

    fn sleep(&self, duration: Duration) -> Sleep<'_> {
        let end = self.now() + duration;
        let mut seen = self.0.subscribe();
        Box::pin(async move {
            seen.wait_for(|now| *now >= end).await.unwrap();
        })
    }
}

/// A model that never answers and does something when it is asked.
struct Silent<F>(Provider, F);

impl<F: Fn() + Send + Sync> Model for Silent<F> {
    fn ask<'a>(&'a self, _: &'a Request) -> Answer<'a> {
        (self.1)();
        Box::pin(std::future::pending())
    }

    fn provider(&self) -> &Provider {
        &self.0
    }

    fn name(&self) -> &'static str {
        "silent"
    }
}

#[test]
fn a_model_that_does_not_answer_ends_at_the_time_limit() {
    let tree = Tree::new();
    let clock = ManualClock::new();
    let moved = clock.clone();
    let model = Silent(Provider::new(Vendor::Local), move || {
        moved.advance(Duration::from_secs(60));
    });
    let (toolbox, gate) = (tree.toolbox(), Permissions::default());
    let agent = SideAgent::new(&model, &toolbox, &gate)
        .with_clock(&clock)
        .with_limits(Limits::default().with_time(Duration::from_secs(60)));
    let outcome = block_on(fork(&agent, Request::new(Vec::new()), "go"));
    assert_eq!((outcome.ended, outcome.turns), (Ended::TimeLimit, 0));
}

#[test]
fn the_time_left_is_the_limit_of_each_request_and_no_call_begins_after_it() {
    let tree = Tree::new();
    let clock = ManualClock::new();
    let moved = clock.clone();
    let path = tree.memory().join("a.md");
    let mut turn = 0;
    let model = ScriptedModel::from_fn(move |_| {
        turn += 1;
        moved.advance(Duration::from_secs(20));
        Ok(match turn {
            1 | 2 => calls(&[("Glob", json!({ "pattern": format!("{turn}") }))]),
            _ => calls(&[("Write", json!({ "file_path": path, "content": "x" }))]),
        })
    });
    let (toolbox, gate) = (tree.toolbox(), Permissions::default());
    let agent = SideAgent::new(&model, &toolbox, &gate)
        .with_clock(&clock)
        .with_limits(Limits::default().with_time(Duration::from_secs(60)));
    let outcome = block_on(fork(&agent, Request::new(Vec::new()), "go"));
    assert_eq!(
        (outcome.ended, outcome.turns, outcome.calls),
        (Ended::TimeLimit, 3, 2)
    );
    assert!(!tree.memory().join("a.md").exists());
    let left: Vec<u64> = model
        .requests()
        .iter()
        .map(|request| request.limits.timeout.as_secs())
        .collect();
    assert_eq!(left, [60, 40, 20]);
    let last = results(&outcome.messages).pop().unwrap();
    assert_eq!(last, Err("not run: the run has ended".to_owned()));
}

#[test]
fn cancelling_ends_a_run_that_waits_for_its_model() {
    let tree = Tree::new();
    let cancellation = Cancellation::new();
    let cancel = cancellation.clone();
    let model = Silent(Provider::new(Vendor::Local), move || cancel.cancel());
    let (toolbox, gate) = (tree.toolbox(), Permissions::default());
    let agent = SideAgent::new(&model, &toolbox, &gate).with_cancellation(cancellation);
    let outcome = block_on(fork(&agent, Request::new(Vec::new()), "go"));
    assert_eq!(outcome.ended, Ended::Cancelled);
    let again = block_on(fork(&agent, Request::new(Vec::new()), "go"));
    assert_eq!(
        (again.ended, again.turns),
        (Ended::Cancelled, 0),
        "it stays cancelled"
    );
}

#[test]
fn a_run_can_be_spawned_and_dropped() {
    let tree = Tree::new();
    block_on(async {
        let toolbox = tree.toolbox();
        let task = tokio::spawn(async move {
            let model = Silent(Provider::new(Vendor::Local), || {});
            let gate = Permissions::default();
            let agent = SideAgent::new(&model, &toolbox, &gate);
            fork(&agent, Request::new(Vec::new()), "go").await.ended
        });
        tokio::task::yield_now().await;
        task.abort();
        assert!(task.await.unwrap_err().is_cancelled());
    });
}

#[test]
fn a_provider_that_does_not_count_is_bounded_by_an_estimate() {
    let tree = Tree::new();
    let mut count = 0;
    let model = ScriptedModel::from_fn(move |_| {
        count += 1;
        let pattern = format!("{count} {}", "word ".repeat(100));
        Ok(calls(&[("Glob", json!({ "pattern": pattern }))]))
    });
    let limits = Limits::default().with_max_turns(50).with_max_tokens(2_000);
    let outcome = run_model(&tree.toolbox(), &model, limits);
    assert_eq!(outcome.ended, Ended::TokenLimit);
    assert!((2..10).contains(&outcome.turns), "{}", outcome.turns);
    assert_eq!(
        outcome.usage,
        Usage::default(),
        "an estimate is not reported as a count"
    );
}
