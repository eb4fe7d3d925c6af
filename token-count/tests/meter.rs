//! The meter: anchored on real figures, with a factor that is learned.

use proptest::prelude::*;
use token_count::{Factor, Meter, Usage};

fn usage(total: u64) -> Usage {
    Usage {
        input: total / 2,
        cache_read: total - total / 2,
        ..Usage::default()
    }
}

#[test]
fn a_usage_is_the_sum_of_its_four_figures() {
    let usage = Usage {
        input: 1,
        cache_read: 20,
        cache_write: 300,
        output: 4_000,
    };
    assert_eq!(usage.total(), 4_321);
    let huge = Usage {
        input: u64::MAX,
        output: 1,
        ..Usage::default()
    };
    assert_eq!(huge.total(), u64::MAX);
}

#[test]
fn without_a_figure_everything_is_estimated() {
    let mut meter = Meter::new(Factor::CLAUDE);
    assert!(!meter.is_anchored());
    meter.append(1_000);
    assert_eq!(meter.total(), 1_200);
}

#[test]
fn a_figure_replaces_every_estimate_before_it() {
    let mut meter = Meter::new(Factor::O200K);
    meter.append(5_000);
    meter.observe(usage(21_000));
    assert!(meter.is_anchored());
    assert_eq!(meter.total(), 21_000);
    meter.append(10);
    assert_eq!(meter.total(), 21_010);
}

#[test]
fn the_first_figure_teaches_nothing() {
    let mut meter = Meter::new(Factor::CLAUDE);
    meter.append(1_000);
    meter.observe(usage(40_000));
    assert_eq!(meter.factor(), Factor::CLAUDE);
}

#[test]
fn growth_between_figures_teaches_the_factor() {
    let mut meter = Meter::new(Factor::CLAUDE);
    meter.observe(usage(10_000));
    for step in 1..=20 {
        meter.append(5_000);
        meter.observe(usage(10_000 + step * 8_000));
    }
    let learned = meter.factor().thousandths();
    assert!(
        (1_580..=1_600).contains(&learned),
        "8,000 for 5,000 is 1.6, not {learned}"
    );
    meter.append(1_000);
    assert_eq!(meter.total(), 170_000 + u64::from(learned));
}

#[test]
fn small_or_shrinking_growth_teaches_nothing() {
    let mut meter = Meter::new(Factor::CLAUDE);
    meter.observe(usage(50_000));
    meter.append(100);
    meter.observe(usage(50_900));
    meter.append(5_000);
    meter.observe(usage(12_000));
    assert_eq!(meter.factor(), Factor::CLAUDE);
    assert_eq!(meter.total(), 12_000);
}

#[test]
fn one_absurd_figure_is_outweighed_by_the_next_ones() {
    let mut meter = Meter::new(Factor::CLAUDE);
    meter.observe(usage(10_000));
    meter.append(1_000);
    meter.observe(usage(900_000));
    assert!(meter.factor() <= Factor::MAX);
    for step in 1..=30 {
        meter.append(2_000);
        meter.observe(usage(900_000 + step * 2_400));
    }
    let learned = meter.factor().thousandths();
    assert!((1_180..=1_240).contains(&learned), "{learned}");
}

#[test]
fn clearing_forgets_the_size_and_keeps_the_factor() {
    let mut meter = Meter::new(Factor::CLAUDE);
    meter.observe(usage(10_000));
    meter.append(20_000);
    meter.observe(usage(50_000));
    let learned = meter.factor();
    assert_ne!(learned, Factor::CLAUDE);
    meter.clear();
    assert_eq!(
        (meter.total(), meter.factor(), meter.is_anchored()),
        (0, learned, false)
    );
}

proptest! {
    #[test]
    fn whatever_the_figures_the_factor_is_believable(
        steps in prop::collection::vec((any::<u64>(), any::<usize>()), 0..20)
    ) {
        let mut meter = Meter::new(Factor::UNKNOWN);
        for (figure, tokens) in steps {
            meter.append(tokens);
            let _ = meter.total();
            meter.observe(Usage { output: figure, ..Usage::default() });
            prop_assert_eq!(meter.total(), figure);
            prop_assert!((Factor::MIN..=Factor::MAX).contains(&meter.factor()));
        }
    }
}
