//! What is tried again, under which name, and how long that waits.

use std::time::Duration;

use team_sync::ErrorKind;
use team_sync::client::{Answer, SyncOptions, Verb};
use tokio::time::Instant;

use crate::hooked::{Hooked, torn};
use crate::server::{Form, Server};
use crate::sync::{Home, runtime, sync};

#[test]
fn what_may_pass_is_tried_again_under_the_same_name() {
    // (status, 0 for a torn connection; whether it is tried again)
    for (status, again) in [
        (0, true),
        (408, true),
        (425, true),
        (429, true),
        (500, true),
        (502, true),
        (503, true),
        (504, true),
        (400, false),
        (401, false),
        (403, false),
        (404, false),
        (405, false),
        (302, false),
    ] {
        let server = Server::new(Form::Full);
        let ana = Home::new("ana");
        ana.write("a.md", "a\n");
        sync(&ana, &server);
        sync(&ana, &server);
        ana.write("a.md", "b\n");
        let mut failures = 2;
        let hooked = Hooked::new(&server, move |_, ask| {
            if ask.verb != Verb::Put || failures == 0 {
                return None;
            }
            failures -= 1;
            Some(if status == 0 {
                torn()
            } else {
                Ok(Answer::new(status, b"<html>no</html>".to_vec()))
            })
        });
        let outcome = hooked.sync(&ana, 1);
        let puts = hooked.puts();
        if again {
            outcome.expect("a sync");
            assert_eq!(puts.len(), 3, "{status}");
            assert!(puts[0].op_id.is_some(), "{status}");
            assert!(
                puts.iter().all(|put| *put == puts[0]),
                "{status}: the same request"
            );
        } else {
            let error = outcome.expect_err("a refusal");
            assert_eq!(error.kind(), ErrorKind::Refused, "{status}");
            assert_eq!(puts.len(), 1, "{status}");
        }
    }
}

#[test]
fn tries_are_bounded_and_the_waits_between_them_grow_with_injected_jitter() {
    let server = Server::new(Form::Full);
    let ana = Home::new("ana");
    let mut spans = Vec::new();
    for seed in [1, 1, 2] {
        let hooked = Hooked::new(&server, |_, _| Some(torn()));
        let client = ana.client(Box::new(hooked.clone()), seed);
        let span = runtime().block_on(async {
            let start = Instant::now();
            let error = client
                .sync(&SyncOptions::default())
                .await
                .expect_err("no server");
            assert_eq!(error.kind(), ErrorKind::Unavailable);
            start.elapsed()
        });
        assert_eq!(hooked.asked().len(), 4);
        // 0.5 + 1 + 2 seconds, each with up to as much again.
        assert!(span >= Duration::from_millis(3_500) && span < Duration::from_millis(7_100));
        spans.push(span);
    }
    assert_eq!(spans[0], spans[1], "the same randomness, the same waits");
    assert_ne!(spans[0], spans[2]);
}

#[test]
fn a_server_is_given_the_time_it_asks_for_within_patience() {
    // (asked for, patience, whether it is waited)
    for (asked, patience, waited) in [
        (10, 60, true),
        (60, 60, true),
        (61, 60, false),
        (900, 900, true),
        // More than a quarter of an hour is never waited.
        (901, 10_000, false),
    ] {
        let server = Server::new(Form::Full);
        let ana = Home::new("ana");
        ana.write("a.md", "a\n");
        let mut first = true;
        let hooked = Hooked::new(&server, move |_, _| {
            std::mem::take(&mut first).then(|| {
                let busy = Answer::new(429, Vec::new());
                Ok(busy.with_retry_after(Some(Duration::from_secs(asked))))
            })
        });
        let client = ana.client(Box::new(hooked.clone()), 1);
        let options = SyncOptions::default().with_patience(Duration::from_secs(patience));
        let (outcome, span) = runtime().block_on(async {
            let start = Instant::now();
            (client.sync(&options).await, start.elapsed())
        });
        if waited {
            outcome.expect("a sync");
            assert!(span >= Duration::from_secs(asked), "{asked}: {span:?}");
            assert!(span <= Duration::from_secs(asked + 1), "{asked}: {span:?}");
        } else {
            let error = outcome.expect_err("too long");
            assert_eq!(error.kind(), ErrorKind::Unavailable);
            assert_eq!(error.retry_after(), Some(Duration::from_secs(asked)));
            assert!(span < Duration::from_secs(1), "{span:?}");
        }
    }
}
