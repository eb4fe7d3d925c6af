//! The state machine, by table and by random orders of events.

use memdir::Mode;
use memdir_extract::{
    AfterRun, Conditions, Decision, RunEnd, Since, SkipReason, Trigger, TriggerOptions,
};
use proptest::prelude::*;

const NEW: Since = Since {
    messages: 2,
    own_write: false,
};
const NOTHING: Since = Since {
    messages: 0,
    own_write: false,
};
const OWN: Since = Since {
    messages: 2,
    own_write: true,
};

fn session() -> Conditions {
    Conditions::new(Mode::Auto)
}

#[test]
fn a_turn_leads_to_a_run_only_if_all_conditions_hold() {
    let table: &[(Conditions, Since, Decision)] = &[
        (session(), NEW, Decision::Start),
        (Conditions::new(Mode::Ask), NEW, Decision::Start),
        (
            session().with_switch(false),
            NEW,
            Decision::Skip(SkipReason::SwitchedOff),
        ),
        (
            Conditions::new(Mode::Off),
            NEW,
            Decision::Skip(SkipReason::ModeOff),
        ),
        (
            Conditions::new(Mode::Read),
            NEW,
            Decision::Skip(SkipReason::ModeRead),
        ),
        (
            session().with_sub_agent(true),
            NEW,
            Decision::Skip(SkipReason::SubAgent),
        ),
        (
            session().with_bare(true),
            NEW,
            Decision::Skip(SkipReason::BareSession),
        ),
        (session(), NOTHING, Decision::Skip(SkipReason::NothingNew)),
        (session(), OWN, Decision::Skip(SkipReason::OwnWrite)),
        // A switch counts before what has happened in the conversation.
        (
            session().with_switch(false),
            OWN,
            Decision::Skip(SkipReason::SwitchedOff),
        ),
    ];
    for (conditions, since, expected) in table {
        let mut trigger = Trigger::new(TriggerOptions::default());
        assert_eq!(
            trigger.turn_ended(*conditions, *since),
            *expected,
            "{conditions:?} {since:?}"
        );
    }
}

#[test]
fn the_throttle_counts_eligible_turns_only() {
    let mut trigger = Trigger::new(TriggerOptions::default().with_every(3));
    let throttled = Decision::Skip(SkipReason::Throttled);
    assert_eq!(trigger.turn_ended(session(), NEW), throttled);
    let idle = Decision::Skip(SkipReason::NothingNew);
    assert_eq!(trigger.turn_ended(session(), NOTHING), idle);
    assert_eq!(trigger.turn_ended(session(), NEW), throttled);
    assert_eq!(trigger.turn_ended(session(), NEW), Decision::Start);
    trigger.run_ended(RunEnd::Done);
    assert_eq!(trigger.turn_ended(session(), NEW), throttled);
    // The next process of the session goes on counting.
    let options = TriggerOptions::default().with_every(3);
    let mut resumed = Trigger::resumed(options, trigger.turns(), 0);
    assert_eq!(resumed.turn_ended(session(), NEW), throttled);
    assert_eq!(resumed.turn_ended(session(), NEW), Decision::Start);
}

#[test]
fn a_busy_folder_is_asked_for_again_at_the_next_turn() {
    let mut trigger = Trigger::new(TriggerOptions::default().with_every(3));
    for _ in 0..3 {
        trigger.turn_ended(session(), NEW);
    }
    let after = trigger.run_ended(RunEnd::Busy);
    assert!(!after.advance && !after.stopped && trigger.failures() == 0);
    assert_eq!(trigger.turn_ended(session(), NEW), Decision::Start);
}

#[test]
fn three_failures_in_a_row_stop_until_the_next_session_and_say_so_once() {
    let mut trigger = Trigger::new(TriggerOptions::default());
    let fail = |trigger: &mut Trigger| {
        assert_eq!(trigger.turn_ended(session(), NEW), Decision::Start);
        trigger.run_ended(RunEnd::Failed)
    };
    assert!(!fail(&mut trigger).stopped);
    assert!(!fail(&mut trigger).stopped);
    // A success in between starts the count again.
    trigger.turn_ended(session(), NEW);
    trigger.run_ended(RunEnd::Done);
    assert!(!fail(&mut trigger).stopped);
    assert!(!fail(&mut trigger).stopped);
    // A turn is remembered, and still no run follows the failure that is one too many.
    trigger.turn_ended(session(), NEW);
    trigger.turn_ended(session(), NEW);
    let last = trigger.run_ended(RunEnd::Failed);
    let expected = AfterRun {
        advance: false,
        trailing: false,
        stopped: true,
    };
    assert_eq!(last, expected);
    let stopped = Decision::Skip(SkipReason::Stopped);
    assert_eq!(trigger.turn_ended(session(), NEW), stopped);
    assert_eq!(trigger.turn_ended(session(), NEW), stopped);
    let mut next = Trigger::new(TriggerOptions::default());
    assert_eq!(next.turn_ended(session(), NEW), Decision::Start);
}

#[test]
fn what_was_promised_runs_although_the_session_ends() {
    let mut trigger = Trigger::new(TriggerOptions::default());
    trigger.turn_ended(session(), NEW);
    trigger.turn_ended(session(), NEW);
    trigger.end();
    let ending = Decision::Skip(SkipReason::Ending);
    assert_eq!(trigger.turn_ended(session(), NEW), ending);
    assert!(trigger.run_ended(RunEnd::Done).trailing);
    assert_eq!(trigger.trailing(session(), NEW), Decision::Start);
    assert!(!trigger.run_ended(RunEnd::Done).trailing);
    assert_eq!(trigger.turn_ended(session(), NEW), ending);
}

/// Something that happens to a session.
#[derive(Clone, Debug)]
enum Event {
    Turn {
        messages: usize,
        own_write: bool,
    },
    RunEnds(RunEnd),
    Compaction,
    /// The process dies and another one resumes the session.
    Restart,
    Drain,
}

fn event() -> impl Strategy<Value = Event> {
    let end = prop_oneof![
        4 => Just(RunEnd::Done),
        2 => Just(RunEnd::Failed),
        1 => Just(RunEnd::Cancelled),
        1 => Just(RunEnd::Busy),
    ];
    prop_oneof![
        8 => (0_usize..4, proptest::bool::weighted(0.2))
            .prop_map(|(messages, own_write)| Event::Turn { messages, own_write: own_write && messages > 0 }),
        6 => end.prop_map(Event::RunEnds),
        1 => Just(Event::Compaction),
        1 => Just(Event::Restart),
        1 => Just(Event::Drain),
    ]
}

/// What a host and its disk would hold: messages are numbered from 1.
#[derive(Default)]
struct World {
    /// The number of the last message.
    last: usize,
    /// The cursor on disk.
    cursor: usize,
    /// Whether a message is safe: a finished run has seen it, the agent has written what was in it, or a
    /// compaction has taken it away before anybody could look.
    safe: Vec<bool>,
    own_writes: Vec<usize>,
    visible_from: usize,
    /// What the run that is going on covers.
    running: Option<(usize, usize)>,
    /// Turns that were remembered during it.
    remembered: usize,
    drained: bool,
}

impl World {
    fn since(&self) -> Since {
        let from = self.cursor.max(self.visible_from);
        Since {
            messages: self.last - from,
            own_write: self.own_writes.iter().any(|own| *own > from),
        }
    }

    fn mark_safe(&mut self, from: usize, to: usize) {
        self.safe.resize(self.last + 1, false);
        self.safe[from + 1..=to].fill(true);
    }

    /// Carries out a decision, as the extractor does.
    fn carry_out(&mut self, decision: Decision) {
        match decision {
            Decision::Start => {
                assert!(self.running.is_none(), "two runs at once");
                let from = self.cursor.max(self.visible_from);
                self.running = Some((from, self.last));
                self.remembered = 0;
            }
            Decision::Remembered => {
                assert!(self.running.is_some(), "nothing to wait for");
                self.remembered += 1;
            }
            Decision::Skip(SkipReason::OwnWrite) => {
                assert!(self.running.is_none(), "the run may still fail");
                let newest = self.own_writes.iter().max().copied().unwrap_or(0);
                assert!(newest > self.cursor);
                let from = self.cursor;
                self.mark_safe(from, self.last);
                self.cursor = self.last;
            }
            Decision::Skip(_) => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_order_of_events_breaks_the_promises(
        events in proptest::collection::vec(event(), 1..60),
        every in 1_u32..4,
    ) {
        let options = TriggerOptions::default().with_every(every);
        let mut trigger = Trigger::new(options);
        let mut world = World::default();
        for event in events {
            match event {
                Event::Turn { messages, own_write } => {
                    world.last += messages;
                    world.safe.resize(world.last + 1, false);
                    if own_write {
                        world.own_writes.push(world.last);
                    }
                    let decision = trigger.turn_ended(session(), world.since());
                    if world.drained {
                        prop_assert_eq!(decision, Decision::Skip(SkipReason::Ending));
                    }
                    world.carry_out(decision);
                }
                Event::RunEnds(end) => {
                    let Some((from, to)) = world.running.take() else {
                        // A report without a run changes nothing.
                        let after = trigger.run_ended(end);
                        prop_assert!(!after.advance && !after.trailing && !after.stopped);
                        continue;
                    };
                    let after = trigger.run_ended(end);
                    prop_assert_eq!(after.advance, end == RunEnd::Done);
                    if after.advance {
                        world.mark_safe(from, to);
                        world.cursor = to;
                    }
                    // Turns were remembered: one run follows, unless there is a reason against any.
                    let goes_on = matches!(end, RunEnd::Done | RunEnd::Failed) && !trigger.is_stopped();
                    prop_assert_eq!(after.trailing, world.remembered > 0 && goes_on);
                    world.remembered = 0;
                    if after.trailing {
                        let since = world.since();
                        let decision = trigger.trailing(session(), since);
                        let expected = match since {
                            Since { messages: 0, .. } => Decision::Skip(SkipReason::NothingNew),
                            Since { own_write: true, .. } => Decision::Skip(SkipReason::OwnWrite),
                            _ => Decision::Start,
                        };
                        prop_assert_eq!(decision, expected);
                        world.carry_out(decision);
                    }
                }
                Event::Compaction => {
                    // The cursor's message is gone; what can be seen begins here.
                    let from = world.cursor;
                    let last = world.last;
                    world.mark_safe(from, last);
                    world.visible_from = last;
                }
                Event::Restart => {
                    // What the dead process was doing is undone; what was on disk is still there.
                    world.running = None;
                    world.remembered = 0;
                    world.drained = false;
                    trigger = Trigger::resumed(options, trigger.turns(), trigger.failures());
                }
                Event::Drain => {
                    trigger.end();
                    world.drained = true;
                }
            }
            prop_assert_eq!(trigger.is_running(), world.running.is_some());
            prop_assert!(world.cursor <= world.last);
            let unsafe_message = (1..=world.cursor).find(|message| !world.safe[*message]);
            prop_assert_eq!(unsafe_message, None, "the cursor is ahead of the files");
        }
    }
}
