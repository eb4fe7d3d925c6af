//! The estimate: how near it is, and what holds whatever the text.

use std::collections::BTreeMap;

use proptest::prelude::*;
use token_count::{Estimator, Factor, TokenCounter};

use crate::corpus;

/// Promised mean error over the classes and error of the worst class, in percent.
const MEAN: f64 = 5.0;
const WORST: f64 = 15.0;

#[test]
fn the_estimate_of_texts_it_was_not_fitted_on_keeps_its_bars() {
    let exact = bpe_openai::o200k_base();
    let mut classes: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for sample in corpus::samples().iter().filter(|sample| sample.held_back) {
        let tokens = exact.count(sample.text.as_str()) as f64;
        let error = (Estimator::new().count(&sample.text) as f64 / tokens - 1.0).abs() * 100.0;
        classes.entry(sample.class).or_default().push(error);
    }
    assert!(classes.len() >= 12, "only {} classes", classes.len());
    let mean = |errors: &[f64]| errors.iter().sum::<f64>() / errors.len() as f64;
    let means: Vec<f64> = classes.values().map(|errors| mean(errors)).collect();
    assert!(
        mean(&means) <= MEAN,
        "mean error {:.1} %: {classes:.1?}",
        mean(&means)
    );
    for (class, errors) in &classes {
        assert!(mean(errors) <= WORST, "{class}: {errors:.1?} %");
    }
}

#[test]
fn ten_megabytes_of_one_class_are_counted() {
    for unit in [
        "a", "A", "aB", "0", " ", "\t", "\n", " \n", ".", "'", "'s", "é", "ж", "中", "あ", "한",
        "\u{301}", "😀", "\u{3000}", "\0",
    ] {
        let text = unit.repeat(10 * 1024 * 1024 / unit.len());
        let tokens = Estimator::new().count(&text);
        assert!(
            tokens > 50_000 && tokens <= text.len(),
            "{unit:?}: {tokens}"
        );
        assert_eq!(Estimator::new().count_up_to(&text, 1_000), None, "{unit:?}");
    }
}

#[test]
fn short_texts_count_what_a_person_expects() {
    let cases = [
        ("", 0),
        ("a", 1),
        (" ", 1),
        ("\n", 1),
        ("the", 1),
        ("Please read this file", 4),
        ("1234567", 3),
        ("don't", 1),
        ("fn main() {}\n", 4),
    ];
    for (text, expected) in cases {
        assert_eq!(Estimator::new().count(text), expected, "{text:?}");
    }
}

#[test]
fn a_limit_of_the_largest_number_is_no_limit() {
    for factor in [Factor::MIN, Factor::O200K, Factor::MAX] {
        let counter = Estimator::with_factor(factor);
        assert_eq!(
            counter.count_up_to("some text", usize::MAX),
            Some(counter.count("some text"))
        );
    }
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[ -~\\n\\t]{0,400}",
        "([a-zA-Z]{1,12}[ ._/(){}\"',:;=\\n-]{1,3}){0,60}",
        "[0-9a-f\\n]{0,300}",
        "([一-龥]|[ぁ-ん]|[가-힣]|[а-яА-Я]|[à-ÿ]|[ -~]){0,200}",
    ]
}

fn any_factor() -> impl Strategy<Value = Factor> {
    (0_u32..4_000).prop_map(Factor::from_thousandths)
}

proptest! {
    #[test]
    fn counting_up_to_a_limit_agrees_with_counting(
        text in any_text(), factor in any_factor(), slack in 0_usize..4
    ) {
        let counter = Estimator::with_factor(factor);
        let count = counter.count(&text);
        prop_assert_eq!(counter.count_up_to(&text, count), Some(count));
        prop_assert_eq!(counter.count_up_to(&text, count + slack), Some(count));
        if count > slack {
            prop_assert_eq!(counter.count_up_to(&text, count - slack - 1), None);
        }
    }

    #[test]
    fn only_the_empty_text_counts_nothing(text in any_text(), factor in any_factor()) {
        prop_assert_eq!(Estimator::with_factor(factor).count(&text) == 0, text.is_empty());
    }

    #[test]
    fn lines_add_up(a in any_text(), b in "[a-zA-Z0-9]", c in any_text()) {
        let counter = Estimator::new();
        let first = a + "\n";
        let second = b + &c;
        let together = counter.count(&format!("{first}{second}"));
        let (first, second) = (counter.count(&first), counter.count(&second));
        prop_assert!(together >= first, "{together} < {first}");
        prop_assert!(together.abs_diff(first + second) <= 1, "{together} is not {first} + {second}");
    }

    #[test]
    fn a_larger_factor_never_counts_less(text in any_text(), a in any_factor(), b in any_factor()) {
        let (low, high) = (a.min(b), a.max(b));
        let count = |factor| Estimator::with_factor(factor).count(&text);
        prop_assert!(count(low) <= count(high));
    }
}
