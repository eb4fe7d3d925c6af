//! When to look and when to ask, without a clock.

use std::time::Duration;

use proptest::prelude::*;
use team_sync::client::watch::{Outcome, Schedule, Task, Timing};

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

fn milliseconds(count: u64) -> Duration {
    Duration::from_millis(count)
}

fn done(schedule: &mut Schedule, now: Duration, task: Task) {
    schedule.begin(now, task);
    schedule.end(now, task, Outcome::Done, 0);
}

#[test]
fn a_change_is_looked_at_two_seconds_after_the_last_one() {
    let mut schedule = Schedule::new(Timing::default(), seconds(0));
    schedule.changed(seconds(1));
    assert_eq!(schedule.due(seconds(1)), Err(seconds(3)));
    schedule.changed(seconds(2));
    assert_eq!(schedule.due(seconds(3)), Err(seconds(4)));
    assert_eq!(schedule.due(seconds(4)), Ok(Task::Look));
    done(&mut schedule, seconds(4), Task::Look);
    assert!(!schedule.is_dirty());
}

#[test]
fn a_steady_stream_of_changes_waits_thirty_seconds_at_most() {
    let mut schedule = Schedule::new(Timing::default(), seconds(0));
    for second in 1..31 {
        schedule.changed(seconds(second));
        assert!(schedule.due(seconds(second)).is_err(), "{second}");
    }
    assert_eq!(schedule.due(milliseconds(30_999)), Err(seconds(31)));
    schedule.changed(seconds(31));
    assert_eq!(schedule.due(seconds(31)), Ok(Task::Look));
}

#[test]
fn what_changes_during_a_look_is_looked_at_after_it() {
    let mut schedule = Schedule::new(Timing::default(), seconds(0));
    schedule.changed(seconds(1));
    schedule.begin(seconds(3), Task::Look);
    schedule.changed(seconds(4));
    schedule.end(seconds(5), Task::Look, Outcome::Done, 0);
    assert_eq!(schedule.due(seconds(5)), Err(seconds(6)));
}

#[test]
fn without_any_sign_there_is_a_walk_and_a_question_a_minute() {
    let mut schedule = Schedule::new(Timing::default(), seconds(0));
    assert_eq!(schedule.due(milliseconds(59_999)), Err(seconds(60)));
    assert_eq!(schedule.due(seconds(60)), Ok(Task::Look));
    done(&mut schedule, seconds(60), Task::Look);
    assert_eq!(schedule.due(seconds(60)), Ok(Task::Poll));
    done(&mut schedule, seconds(60), Task::Poll);
    assert!(schedule.due(seconds(60)).is_err());
}

#[test]
fn failures_wait_longer_each_time_and_a_server_is_heard() {
    let mut schedule = Schedule::new(Timing::default(), seconds(0));
    let mut now = seconds(60);
    let mut waits = Vec::new();
    for _ in 0..10 {
        schedule.begin(now, Task::Poll);
        schedule.end(now, Task::Poll, Outcome::Later(None), u64::MAX);
        let next = schedule.due(now).expect_err("not at once");
        waits.push(next.saturating_sub(now));
        now = next;
    }
    assert!(waits.windows(2).all(|pair| pair[0] <= pair[1]), "{waits:?}");
    assert!(waits[0] >= milliseconds(2_500), "{waits:?}");
    assert!(waits[9] <= seconds(300), "{waits:?}");
    schedule.end(now, Task::Look, Outcome::Later(Some(seconds(400))), 0);
    assert_eq!(schedule.due(now), Err(now + seconds(400)));
    schedule.end(now, Task::Look, Outcome::Later(Some(seconds(9_999))), 0);
    assert_eq!(schedule.due(now), Err(now + seconds(900)));
    done(&mut schedule, now, Task::Look);
    done(&mut schedule, now, Task::Poll);
    assert!(schedule.due(now).expect_err("not now") <= now + seconds(75));
}

#[test]
fn a_server_that_tells_is_asked_less_often() {
    let mut schedule = Schedule::new(Timing::default(), seconds(0));
    schedule.told(true);
    done(&mut schedule, seconds(60), Task::Poll);
    done(&mut schedule, seconds(60), Task::Look);
    done(&mut schedule, seconds(120), Task::Look);
    assert_eq!(schedule.due(seconds(120)), Err(seconds(180)), "a walk");
    schedule.news(seconds(130));
    assert_eq!(schedule.due(seconds(130)), Ok(Task::Poll));
    done(&mut schedule, seconds(130), Task::Poll);
    schedule.told(false);
    done(&mut schedule, seconds(190), Task::Look);
    assert_eq!(schedule.due(seconds(190)), Ok(Task::Poll));
}

#[derive(Clone, Debug)]
enum Step {
    Wait(u64),
    Back(u64),
    Changed,
    News,
    Told(bool),
    Work(Outcome, u64, u64),
}

fn step() -> impl Strategy<Value = Step> {
    let outcome = prop_oneof![
        4 => Just(Outcome::Done),
        1 => Just(Outcome::LookAgain),
        1 => Just(Outcome::Busy),
        1 => Just(Outcome::Later(None)),
        1 => (0..2_000u64).prop_map(|wait| Outcome::Later(Some(seconds(wait)))),
        1 => Just(Outcome::Refused),
    ];
    prop_oneof![
        4 => (0..20_000u64).prop_map(Step::Wait),
        1 => (0..20_000u64).prop_map(Step::Back),
        4 => Just(Step::Changed),
        1 => Just(Step::News),
        1 => any::<bool>().prop_map(Step::Told),
        6 => (outcome, any::<u64>(), 0..5_000u64).prop_map(|(o, chance, took)| Step::Work(o, chance, took)),
    ]
}

proptest! {
    /// Whatever happens in whatever order: nothing is done twice at once, a change is looked at in time unless
    /// something failed, and there is always a next time that is not far.
    #[test]
    fn no_change_is_forgotten_and_nothing_spins(steps in prop::collection::vec(step(), 1..200)) {
        let timing = Timing::default();
        let mut schedule = Schedule::new(timing, Duration::ZERO);
        let mut now = Duration::ZERO;
        // The latest time that the schedule was told.
        let mut high = Duration::ZERO;
        // Since when a change waits, and since when nothing has failed.
        let mut waiting: Option<Duration> = None;
        let mut calm = true;
        for step in steps {
            match step {
                Step::Wait(time) => now += milliseconds(time),
                Step::Back(time) => now = now.saturating_sub(milliseconds(time)),
                Step::Changed => {
                    schedule.changed(now);
                    high = high.max(now);
                    waiting = waiting.or(Some(high));
                }
                Step::News => {
                    schedule.news(now);
                    high = high.max(now);
                }
                Step::Told(told) => schedule.told(told),
                Step::Work(outcome, chance, took) => {
                    if let Ok(task) = schedule.due(now) {
                        schedule.begin(now, task);
                        high = high.max(now);
                        let looked = task == Task::Look;
                        if looked {
                            waiting = None;
                        }
                        now += milliseconds(took);
                        schedule.end(now, task, outcome, chance);
                        high = high.max(now);
                        calm = matches!(outcome, Outcome::Done | Outcome::LookAgain);
                        if matches!(outcome, Outcome::LookAgain | Outcome::Later(_) | Outcome::Busy) {
                            waiting = waiting.or(Some(high));
                        }
                        // The same task is never due again at once.
                        prop_assert!(schedule.due(now) != Ok(task));
                        prop_assert!(schedule.due(high) != Ok(task));
                    }
                }
            }
            prop_assert_eq!(schedule.is_dirty(), waiting.is_some());
            match schedule.due(high) {
                Ok(_) => {}
                Err(at) => {
                    prop_assert!(at > high, "a time that is over is due");
                    // At the latest: the longest wait that a server may ask for.
                    prop_assert!(at <= high + seconds(900));
                    if let (Some(since), true) = (waiting, calm) {
                        prop_assert!(at <= since + timing.latest);
                    }
                    prop_assert!(schedule.due(at).is_ok(), "it is due when it says");
                }
            }
        }
    }
}
