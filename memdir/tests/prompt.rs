//! The memory prompt: every variant byte for byte, what each must say, and hostile text in it.

use std::path::Path;

use memdir::prompt::{Context, Folder, Saving, Search, build, token_cost};
use memdir::{Index, IndexLimits, LoadedIndex};
use proptest::prelude::*;

const HEADINGS: &[&str] = &[
    "# auto memory",
    "## Types of memory",
    "## What NOT to save in memory",
    "## How to save memories",
    "## When to access memories",
    "## Before recommending from memory",
    "## Memory and other forms of persistence",
    "## Searching past context",
    "## MEMORY.md",
];

fn index(text: &str) -> LoadedIndex {
    Index::parse(text.as_bytes()).load(&IndexLimits::default())
}

fn context(text: &str) -> Context {
    Context::new(Folder::new("/home/ana/.claude/projects/-app/memory").with_index(index(text)))
        .with_transcripts("/home/ana/.claude/projects/-app")
}

fn team(text: &str) -> Folder {
    Folder::new("/home/ana/.claude/projects/-app/memory/team").with_index(index(text))
}

/// Every variant by the name of its snapshot.
fn variants() -> Vec<(&'static str, Context)> {
    let line = "- [Role](user_role.md) — backend developer\n";
    vec![
        ("private", context(line)),
        ("private-empty", context("")),
        ("private-no-index-step", context(line).without_index_step()),
        (
            "team",
            context(line).with_team(team("- [Freeze](project_freeze.md) — from March\n")),
        ),
        (
            "team-no-index-step",
            context(line).with_team(team("")).without_index_step(),
        ),
        ("log", context(line).with_saving(Saving::Log)),
        (
            "log-no-index-step",
            context(line).with_saving(Saving::Log).without_index_step(),
        ),
        (
            "search",
            context(line).with_search(Search::new(
                "grep -rn WORD memory",
                "grep -rn WORD sessions",
            )),
        ),
    ]
}

#[test]
fn every_variant_is_what_was_reviewed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/prompts");
    let update = std::env::var_os("MEMDIR_UPDATE_SNAPSHOTS").is_some();
    for (name, context) in variants() {
        let file = folder.join(format!("{name}.md"));
        let built = build(&context);
        if update {
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(&file, &built).expect("a written snapshot");
        }
        let reviewed = std::fs::read_to_string(&file).expect("a snapshot of each variant");
        assert_eq!(
            built, reviewed,
            "{name}: review it, then set MEMDIR_UPDATE_SNAPSHOTS=1"
        );
    }
}

#[test]
fn every_variant_has_all_sections_in_order() {
    for (name, context) in variants() {
        let text = build(&context);
        let mut at = 0;
        for heading in HEADINGS {
            let found = text[at..].find(&format!("{heading}\n"));
            assert!(
                found.is_some(),
                "{name}: {heading} is missing or out of order"
            );
            at += found.unwrap_or_default();
        }
        assert_eq!(
            text.contains("## Memory scope\n"),
            context.team.is_some(),
            "{name}"
        );
    }
}

#[test]
fn the_prompt_says_what_a_memory_is_and_is_not() {
    let text = build(&context(""));
    for wanted in [
        "user",
        "feedback",
        "project",
        "reference",
        "**Why:**",
        "**How to apply:**",
        "forget",
        "git log",
        "CLAUDE.md",
    ] {
        assert!(text.contains(wanted), "{wanted} is missing");
    }
    assert!(text.contains("empty"), "an empty index is said to be empty");
}

#[test]
fn the_log_is_named_as_a_pattern_and_never_by_its_day() {
    let text = build(&context("").with_saving(Saving::Log));
    assert!(text.contains("logs/YYYY/MM/YYYY-MM-DD.md"));
}

#[test]
fn the_cost_grows_with_the_index_only() {
    let small = token_cost(&context("- [A](a.md) — a\n"));
    let large = token_cost(&context(
        &"- [A](a.md) — a hook of some words\n".repeat(100),
    ));
    assert_eq!(small.instructions, large.instructions);
    assert!(large.index > 10 * small.index);
    assert_eq!(small.total(), small.instructions + small.index);
}

proptest! {
    #[test]
    fn text_of_an_index_is_never_taken_for_a_place_to_fill(text in "[ -~]{0,40}") {
        let line = format!("- [A](a.md) — {{{{path}}}} {text}\n");
        let built = build(&context(&line));
        prop_assert!(built.contains("{{path}}"));
        prop_assert_eq!(&built, &build(&context(&line)));
    }

    #[test]
    fn any_index_leaves_the_sections_before_it_alone(text in any::<String>()) {
        let built = build(&context(&text));
        let plain = build(&context("- [A](a.md) — a\n"));
        let before = |text: &str| text.split("## MEMORY.md\n").next().map(str::to_owned);
        prop_assert_eq!(before(&built), before(&plain));
    }
}
