//! Model names and factors.

use proptest::prelude::*;
use token_count::Factor;

#[test]
fn model_names_are_read_as_vendors_and_clouds_write_them() {
    let cases = [
        ("gpt-4o", Factor::O200K),
        ("gpt-4o-mini-2024-07-18", Factor::O200K),
        ("openai/gpt-4.1", Factor::O200K),
        ("GPT-5.1-codex", Factor::O200K),
        ("gpt-oss-120b", Factor::O200K),
        ("o1", Factor::O200K),
        ("o4-mini-2025-04-16", Factor::O200K),
        ("codex-mini-latest", Factor::O200K),
        ("claude-2.1", Factor::CLAUDE),
        ("claude-3-opus-20240229", Factor::CLAUDE),
        ("claude-3-7-sonnet-latest", Factor::CLAUDE),
        ("claude-sonnet-4-20250514", Factor::CLAUDE),
        ("claude-sonnet-4@20250514", Factor::CLAUDE),
        ("claude-haiku-4-5", Factor::CLAUDE),
        ("anthropic/claude-opus-4.6", Factor::CLAUDE),
        (
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            Factor::CLAUDE,
        ),
        ("claude-opus-4-7", Factor::UNKNOWN),
        ("claude-opus-4-10", Factor::UNKNOWN),
        ("claude-sonnet-5", Factor::UNKNOWN),
        ("claude-fable-5-2", Factor::UNKNOWN),
        ("claude", Factor::UNKNOWN),
        ("claude-instant", Factor::UNKNOWN),
        ("opus", Factor::UNKNOWN),
        ("gpt-4", Factor::UNKNOWN),
        ("gpt-3.5-turbo", Factor::UNKNOWN),
        ("gemini-3-pro", Factor::UNKNOWN),
        ("o", Factor::UNKNOWN),
        ("o0", Factor::UNKNOWN),
        ("o1x", Factor::UNKNOWN),
        ("olmo-2", Factor::UNKNOWN),
        ("", Factor::UNKNOWN),
    ];
    for (name, expected) in cases {
        assert_eq!(Factor::of_model(name), expected, "{name:?}");
    }
}

#[test]
fn factors_stay_where_they_are_believed() {
    assert_eq!(Factor::from_thousandths(0), Factor::MIN);
    assert_eq!(Factor::from_thousandths(u32::MAX), Factor::MAX);
    assert_eq!(Factor::from_thousandths(1_337).thousandths(), 1_337);
    assert_eq!(Factor::default(), Factor::O200K);
}

proptest! {
    #[test]
    fn any_name_has_a_factor(name in "\\PC{0,40}|claude-[0-9a-z.@:-]{0,30}") {
        let factor = Factor::of_model(&name);
        prop_assert!([Factor::O200K, Factor::CLAUDE, Factor::UNKNOWN].contains(&factor));
    }
}
