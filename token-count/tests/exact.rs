//! The exact counter agrees with itself and with what is known of the vocabulary.

use proptest::prelude::*;
use token_count::{Exact, TokenCounter};

#[test]
fn known_texts_have_their_known_counts() {
    // From the examples of OpenAI's cookbook on counting tokens.
    let cases = [
        ("antidisestablishmentarianism", 6, 6),
        ("2 + 2 = 4", 7, 7),
        ("お誕生日おめでとう", 8, 9),
    ];
    for (text, o200k, cl100k) in cases {
        assert_eq!(Exact::o200k().count(text), o200k, "{text}");
        assert_eq!(Exact::cl100k().count(text), cl100k, "{text}");
    }
}

#[test]
fn debug_names_the_vocabulary_and_nothing_else() {
    assert_eq!(format!("{:?}", Exact::o200k()), "Exact(\"o200k\")");
}

proptest! {
    #[test]
    fn counting_up_to_a_limit_agrees_with_counting(text in "(\\PC|\\s){0,120}") {
        let counter = Exact::o200k();
        let count = counter.count(&text);
        prop_assert_eq!(counter.count_up_to(&text, count), Some(count));
        if count > 0 {
            prop_assert_eq!(counter.count_up_to(&text, count - 1), None);
        }
    }
}
