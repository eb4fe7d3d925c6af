//! When the session file is due: every boundary, and that growth is always required.

use proptest::prelude::*;
use session_memory::{Activity, Due, Thresholds, due};

#[track_caller]
fn check(context: u64, at_update: u64, calls: u32, call_in_last: bool, expected: Due) {
    let activity = Activity {
        context_tokens: context,
        tokens_at_update: at_update,
        tool_calls: calls,
        last_turn_has_call: call_in_last,
    };
    assert_eq!(
        due(&activity, &Thresholds::default()),
        expected,
        "{activity:?}"
    );
}

#[test]
fn the_first_update_waits_for_ten_thousand_tokens() {
    check(0, 0, 0, false, Due::TooSmall(10_000));
    check(9_999, 0, 3, true, Due::TooSmall(1));
    check(9_999, 0, 3, false, Due::TooSmall(1));
    check(10_000, 0, 3, true, Due::Now);
    check(10_001, 0, 3, true, Due::Now);
}

#[test]
fn at_the_first_threshold_it_still_needs_three_calls_or_a_reply_without_one() {
    check(10_000, 0, 0, true, Due::InTheMiddle);
    check(10_000, 0, 2, true, Due::InTheMiddle);
    check(10_000, 0, 2, false, Due::Now);
    check(10_000, 0, 0, false, Due::Now);
    check(10_000, 0, 4, true, Due::Now);
}

#[test]
fn later_updates_wait_for_five_thousand_tokens_of_growth() {
    check(14_999, 10_000, 9, true, Due::TooLittleGrowth(1));
    check(14_999, 10_000, 9, false, Due::TooLittleGrowth(1));
    check(15_000, 10_000, 2, true, Due::InTheMiddle);
    check(15_000, 10_000, 3, true, Due::Now);
    check(15_000, 10_000, 0, false, Due::Now);
}

#[test]
fn a_context_that_shrank_has_not_grown() {
    check(4_000, 120_000, 9, false, Due::TooLittleGrowth(5_000));
}

#[test]
fn the_adaptive_step_grows_with_the_context() {
    let thresholds = Thresholds::default().adaptive();
    let at = |context_tokens, tokens_at_update| {
        let activity = Activity {
            context_tokens,
            tokens_at_update,
            tool_calls: 3,
            last_turn_has_call: true,
        };
        due(&activity, &thresholds)
    };
    assert_eq!(at(15_000, 10_000), Due::Now);
    assert_eq!(at(124_999, 100_000), Due::TooLittleGrowth(1));
    assert_eq!(at(125_000, 100_000), Due::Now);
}

proptest! {
    #[test]
    fn no_update_happens_without_the_growth_condition(
        context in 0u64..400_000, at_update in 0u64..400_000, calls in 0u32..10, last in any::<bool>(),
        adaptive in any::<bool>(),
    ) {
        let activity = Activity {
            context_tokens: context, tokens_at_update: at_update, tool_calls: calls, last_turn_has_call: last,
        };
        let thresholds = if adaptive { Thresholds::default().adaptive() } else { Thresholds::default() };
        if due(&activity, &thresholds) == Due::Now {
            prop_assert!(context >= at_update + 5_000);
            prop_assert!(context >= 10_000 || at_update > 0);
            prop_assert!(calls >= 3 || !last);
        }
    }
}
