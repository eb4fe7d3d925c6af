//! What the trait promises of every counter.

use proptest::prelude::*;
use token_count::{
    Estimator, Factor, MAX_IMAGE_TOKENS, MESSAGE_TOKENS, Part, TOOL_TOKENS, TokenCounter,
};

/// A counter of characters: exact and monotone, so that `prefix` has one right answer.
struct Characters;

impl TokenCounter for Characters {
    fn count(&self, text: &str) -> usize {
        text.chars().count()
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        let count = self.count(text);
        (count <= limit).then_some(count)
    }
}

#[test]
fn a_message_costs_its_parts_and_the_marks_around_them() {
    let counter = Characters;
    let cases: [(&[Part<'_>], usize); 5] = [
        (&[], MESSAGE_TOKENS),
        (&[Part::Text("four")], MESSAGE_TOKENS + 4),
        (
            &[
                Part::ToolCall {
                    name: "read",
                    input: "{}",
                },
                Part::ToolResult("done"),
            ],
            MESSAGE_TOKENS + 2 * TOOL_TOKENS + 4 + 2 + 4,
        ),
        (
            &[Part::Image {
                width: 750,
                height: 10,
            }],
            MESSAGE_TOKENS + 10,
        ),
        (
            &[Part::Image {
                width: u32::MAX,
                height: u32::MAX,
            }],
            MESSAGE_TOKENS + MAX_IMAGE_TOKENS,
        ),
    ];
    for (parts, expected) in cases {
        assert_eq!(counter.count_message(parts), expected, "{parts:?}");
    }
}

#[test]
fn an_image_without_pixels_still_costs_a_token() {
    let parts = [Part::Image {
        width: 0,
        height: 0,
    }];
    assert_eq!(Estimator::new().count_message(&parts), MESSAGE_TOKENS + 1);
}

#[test]
fn a_reference_and_a_trait_object_count_like_the_counter() {
    let counter = Estimator::with_factor(Factor::CLAUDE);
    let object: &dyn TokenCounter = &counter;
    let text = "let answer = 42;";
    assert_eq!(object.count(text), counter.count(text));
    let reference: &dyn TokenCounter = &object;
    assert_eq!(reference.count_up_to(text, 100), Some(counter.count(text)));
    assert_eq!(object.prefix(text, 2), counter.prefix(text, 2));
    assert_eq!(
        object.count_message(&[Part::Text(text)]),
        counter.count(text) + MESSAGE_TOKENS
    );
}

proptest! {
    #[test]
    fn the_prefix_is_the_longest_that_fits(text in "\\PC{0,200}", limit in 0_usize..250) {
        let expected: String = text.chars().take(limit).collect();
        prop_assert_eq!(Characters.prefix(&text, limit), expected);
    }

    #[test]
    fn an_estimated_prefix_fits_and_one_more_character_is_a_choice(
        text in "(\\PC|[a-z ]){0,300}", limit in 0_usize..60
    ) {
        let counter = Estimator::new();
        let prefix = counter.prefix(&text, limit);
        prop_assert!(text.starts_with(prefix));
        prop_assert!(counter.count(prefix) <= limit);
        // Not needlessly short: the text up to the next character does not fit.
        if prefix.len() < text.len() {
            let next = text[prefix.len()..].chars().next().map_or(0, char::len_utf8);
            prop_assert!(counter.count(&text[..prefix.len() + next]) > limit);
        }
    }
}
