//! File names of new memories.

use std::collections::HashSet;

use memdir::limits::SLUG_MAX_BYTES;
use memdir::{MemoryType, file_name};
use pathguard::{PathKeyRef, fold_key};
use proptest::prelude::*;

#[test]
fn names_are_readable_in_any_script() {
    let free = |_: &str| false;
    for (kind, name, expected) in [
        (MemoryType::User, "Role", "user_role.md"),
        (
            MemoryType::Feedback,
            "Tests: run them all!",
            "feedback_tests_run_them_all.md",
        ),
        (
            MemoryType::Feedback,
            "feedback_testing",
            "feedback_testing.md",
        ),
        (
            MemoryType::Feedback,
            "Feedback: testing",
            "feedback_testing.md",
        ),
        (
            MemoryType::Project,
            "2026-Q2 launch",
            "project_2026_q2_launch.md",
        ),
        (
            MemoryType::Project,
            "发布计划（第二版）",
            "project_发布计划_第二版.md",
        ),
        (MemoryType::User, "ユーザーの役割", "user_ユーザーの役割.md"),
        (MemoryType::User, "사용자 역할", "user_사용자_역할.md"),
        (MemoryType::User, "Größe ändern", "user_größe_ändern.md"),
        (MemoryType::User, "Cafe\u{301}", "user_café.md"),
        (MemoryType::User, "हिन्दी नाम", "user_हिन्दी_नाम.md"),
        (MemoryType::User, "İstanbul", "user_i\u{307}stanbul.md"),
        (
            MemoryType::Reference,
            "src/net/../retry.rs",
            "reference_src_net_retry_rs.md",
        ),
        (MemoryType::Reference, "CON", "reference_con.md"),
        (
            MemoryType::Reference,
            "a\u{0}b\u{202E}c\u{200B}d",
            "reference_a_b_c_d.md",
        ),
        (MemoryType::Reference, "🎉", "reference_memory.md"),
        (MemoryType::Reference, "", "reference_memory.md"),
        (
            MemoryType::Reference,
            "\u{3164}\u{115F}",
            "reference_memory.md",
        ),
        (MemoryType::Reference, "\u{301}x", "reference_x.md"),
    ] {
        assert_eq!(file_name(kind, name, &free), expected, "{name:?}");
    }
}

#[test]
fn long_names_are_cut_between_words_and_never_inside_a_letter() {
    let free = |_: &str| false;
    let words = "a fairly long title that goes on and on until nobody wants to read it any more";
    assert_eq!(
        file_name(MemoryType::User, words, &free),
        "user_a_fairly_long_title_that_goes_on_and_on_until_nobody_wants_to.md"
    );
    let one_word = file_name(MemoryType::User, &"界".repeat(100), &free);
    assert_eq!(one_word, format!("user_{}.md", "界".repeat(21)));
    let marks = file_name(MemoryType::User, &"नि".repeat(100), &free);
    let slug = marks
        .strip_prefix("user_")
        .unwrap()
        .strip_suffix(".md")
        .unwrap();
    assert!(
        slug.len() <= SLUG_MAX_BYTES && slug.ends_with("नि"),
        "{slug}"
    );
}

#[test]
fn taken_names_get_a_number() {
    let taken = |name: &str| ["user_role.md", "user_role_2.md"].contains(&name);
    assert_eq!(
        file_name(MemoryType::User, "Role", &taken),
        "user_role_3.md"
    );
    let all = |_: &str| true;
    assert!(file_name(MemoryType::User, "Role", &all).starts_with("user_role_"));
    let long = |name: &str| !name.ends_with("_2.md");
    assert!(
        file_name(MemoryType::User, &"界".repeat(100), &long).len()
            <= "user_".len() + SLUG_MAX_BYTES + 3
    );
}

proptest! {
    #[test]
    fn every_name_is_a_checked_key_that_no_two_memories_share(names in prop::collection::vec(any::<String>(), 1..20)) {
        let mut seen = HashSet::new();
        for name in names {
            let file = file_name(MemoryType::Feedback, &name, &|candidate| seen.contains(&fold_key(candidate)));
            prop_assert!(PathKeyRef::parse(&file).is_ok(), "{file:?} from {name:?}");
            prop_assert!(file.len() <= "feedback_.md".len() + SLUG_MAX_BYTES);
            prop_assert!(seen.insert(fold_key(&file)), "{file:?} twice");
        }
    }
}
