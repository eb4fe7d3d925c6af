//! Reading, loading, editing, rebuilding and compacting an index.

use memdir::limits::INDEX_ENTRY_MAX_CHARACTERS;
use memdir::{
    BudgetState, EntryForm, Index, IndexItem, IndexLimits, MemoryType, StepAction, Timestamp, Usage,
};
use proptest::prelude::*;

/// What a line is read as: form, title, file (`!` when it leads outside), hook.
fn check(line: &str, expected: &[(EntryForm, &str, &str, &str)]) {
    let index = Index::parse(line.as_bytes());
    let found: Vec<_> = index
        .entries()
        .iter()
        .map(|entry| {
            (
                entry.form(),
                entry.title(),
                entry.file().unwrap_or("!"),
                entry.hook(),
            )
        })
        .collect();
    assert_eq!(found, expected, "in {line:?}");
    assert_eq!(index.print(), line.as_bytes());
}

#[test]
fn entries_are_read_in_all_their_forms() {
    use EntryForm::{CodeName, Link, Mention, TableRow, WikiLink};
    for (line, form, title, file, hook) in [
        ("- [A](a.md) — hook", Link, "A", "a.md", "hook"),
        ("- [A](a.md) – hook", Link, "A", "a.md", "hook"),
        ("- [A](a.md) - hook", Link, "A", "a.md", "hook"),
        ("- [A](a.md) -- hook", Link, "A", "a.md", "hook"),
        ("- [A](a.md): hook", Link, "A", "a.md", "hook"),
        ("- [A](a.md)：钩子", Link, "A", "a.md", "钩子"),
        ("- [A](a.md) hook", Link, "A", "a.md", "hook"),
        ("- [A](a.md)", Link, "A", "a.md", ""),
        ("- [A](a.md) —", Link, "A", "a.md", ""),
        ("* [A](a.md) — hook", Link, "A", "a.md", "hook"),
        ("+ [A](a.md) — hook", Link, "A", "a.md", "hook"),
        ("1. [A](a.md) — hook", Link, "A", "a.md", "hook"),
        ("12) [A](a.md) — hook", Link, "A", "a.md", "hook"),
        ("- [x] [A](a.md) — hook", Link, "A", "a.md", "hook"),
        ("    - [A](a.md) — nested", Link, "A", "a.md", "nested"),
        ("[A](a.md) — no bullet", Link, "A", "a.md", "no bullet"),
        ("- **[A](a.md)** — hook", Link, "A", "a.md", "hook"),
        ("- **[A](a.md):** hook", Link, "A", "a.md", "hook"),
        ("- 📌 [A](a.md) — hook", Link, "A", "a.md", "hook"),
        ("- [**A** b](a.md) — hook", Link, "**A** b", "a.md", "hook"),
        ("- [A \\[x\\]](a.md) — hook", Link, "A [x]", "a.md", "hook"),
        ("- [A [x]](a.md) — hook", Link, "A [x]", "a.md", "hook"),
        (
            "- [A](<with space.md>) — hook",
            Link,
            "A",
            "with space.md",
            "hook",
        ),
        (
            "- [A](with%20space.md) — hook",
            Link,
            "A",
            "with space.md",
            "hook",
        ),
        (
            "- [A](with space.md) — hook",
            Link,
            "A",
            "with space.md",
            "hook",
        ),
        ("- [A](%E6%97%A5.md) — hook", Link, "A", "日.md", "hook"),
        ("- [A](日本.md) — hook", Link, "A", "日本.md", "hook"),
        ("- [A](./a.md) — hook", Link, "A", "a.md", "hook"),
        ("- [A](sub/../a.md) — hook", Link, "A", "a.md", "hook"),
        ("- [A](sub/a.md) — hook", Link, "A", "sub/a.md", "hook"),
        ("- [A](sub\\a.md) — hook", Link, "A", "sub/a.md", "hook"),
        ("- [A](a.md#part) — hook", Link, "A", "a.md", "hook"),
        ("- [A](a.md \"title\") — hook", Link, "A", "a.md", "hook"),
        ("- [A](a(1).md) — hook", Link, "A", "a(1).md", "hook"),
        ("- [A](a.MD) — hook", Link, "A", "a.MD", "hook"),
        ("- [A](../a.md) — out", Link, "A", "!", "out"),
        ("- [A](%2e%2e/a.md) — out", Link, "A", "!", "out"),
        ("- [A](/etc/a.md) — out", Link, "A", "!", "out"),
        ("- [A](C:\\a.md) — out", Link, "A", "!", "out"),
        ("- [A](~/a.md) — out", Link, "A", "!", "out"),
        ("- [A](%FF.md) — out", Link, "A", "!", "out"),
        ("- [[a-b]] — hook", WikiLink, "a-b", "a-b.md", "hook"),
        (
            "- [[a-b|Title]] — hook",
            WikiLink,
            "Title",
            "a-b.md",
            "hook",
        ),
        (
            "- [[a.md#part]] — hook",
            WikiLink,
            "a.md#part",
            "a.md",
            "hook",
        ),
        ("- `a.md` — hook", CodeName, "a.md", "a.md", "hook"),
        ("| [A](a.md) | hook |", TableRow, "A", "a.md", "hook"),
        (
            "| 1 | [A](a.md) | hook | x |",
            TableRow,
            "A",
            "a.md",
            "hook",
        ),
        ("| `a.md` | hook |", TableRow, "a.md", "a.md", "hook"),
        ("- See [A](a.md) for more", Mention, "A", "a.md", ""),
        ("## [A](a.md)", Mention, "A", "a.md", ""),
        ("Text with [[a]] in it", Mention, "a", "a.md", ""),
    ] {
        check(line, &[(form, title, file, hook)]);
    }
    check(
        "- [A](a.md), [B](b.md) — both",
        &[
            (Link, "A", "a.md", ", [B](b.md) — both"),
            (Mention, "B", "b.md", ""),
        ],
    );
}

#[test]
fn a_link_holds_no_other_link() {
    use EntryForm::{Link, Mention};
    check("- [x [B](b.md) y](a.md)", &[(Mention, "B", "b.md", "")]);
    check(
        "- [![icon](i.png) A](a.md) — hook",
        &[(Link, "![icon](i.png) A", "a.md", "hook")],
    );
    edit(
        "- [x [B](b.md) y](a.md)\n",
        |index| assert!(!index.remove("a.md")),
        "- [x [B](b.md) y](a.md)\n",
    );
}

#[test]
fn what_points_to_no_memory_is_no_entry() {
    for text in [
        "",
        "# Heading",
        "plain text",
        "- a bullet without a link",
        "- [A](https://example.com/a.md) — URL",
        "- [A](mcp:server) — scheme",
        "- [A](#anchor)",
        "- [A](state.json) — not Markdown",
        "- [A](a.md — never closed",
        "- [A] (a.md)",
        "- `a.md b` — no name",
        "`a.md` in a sentence",
        "- run `cat a.md`",
        "|---|---|",
        "- \\[A](a.md)",
        "- `[A](a.md)`",
        "<!-- - [A](a.md) -->",
        "<!--\n- [A](a.md)\n-->",
        "```\n- [A](a.md)\n```",
        "---\ntitle: x\nlink: '[A](a.md)'\n---\n",
        "- [](<>)",
        "- [[]]",
    ] {
        check(text, &[]);
    }
}

#[test]
fn forgotten_comment_and_fence_ends_hide_nothing() {
    for text in [
        "<!-- oops\n- [A](a.md)\n",
        "```\n- [A](a.md)\n",
        "---\ntitle: x\n\n- [A](a.md)\n",
    ] {
        assert_eq!(Index::parse(text.as_bytes()).entries().len(), 1, "{text:?}");
    }
    let after = Index::parse(b"<!-- note --> - [A](a.md)\n");
    assert_eq!(after.entries().len(), 1);
}

#[test]
fn names_are_found_in_any_case_and_normal_form() {
    let index = Index::parse("- [A](Cafe\u{301}.md)\n- [[User-Role]]\n".as_bytes());
    assert!(index.find("CAFÉ.md").is_some());
    assert!(index.find("user_role.md").is_some());
    assert!(index.find("sub/user-role.md").is_some());
    assert!(index.find("role.md").is_none());
}

#[test]
fn only_what_is_loaded_is_measured() {
    let index = Index::parse("\u{FEFF}---\ntitle: x\n---\n\n# Memory\r\n<!-- a\nb -->\n- [A](a.md)\n<!-- x --> tail\n\n\n".as_bytes());
    let loaded = index.load(&IndexLimits::default());
    assert_eq!(loaded.text, "# Memory\n- [A](a.md)\n tail\n");
    assert_eq!(
        (loaded.lines, loaded.bytes, loaded.warning),
        (3, loaded.text.len(), None)
    );
}

#[test]
fn a_load_is_cut_at_a_line_and_says_so_once() {
    let long: String = (0..300)
        .map(|at| format!("- [T{at}](t{at}.md)\n"))
        .collect();
    let loaded = Index::parse(long.as_bytes()).load(&IndexLimits::default());
    assert_eq!(loaded.text.lines().count(), 200);
    let warning = loaded.warning.clone().unwrap();
    assert!(
        warning.contains("300 lines (limit 200)") && warning.contains("the last 100 lines are"),
        "{warning}"
    );
    assert!(!warning.contains("bytes (limit"), "{warning}");
    assert!(loaded.with_warning().ends_with(&format!("{warning}\n")));

    let wide: String = (0..100)
        .map(|at| format!("- [T{at}](t{at}.md) — {}\n", "x".repeat(400)))
        .collect();
    let loaded = Index::parse(wide.as_bytes()).load(&IndexLimits::default());
    assert!(
        loaded.text.len() <= 25_000 && loaded.text.len() > 24_000 && loaded.text.ends_with("x\n")
    );
    assert!(loaded.warning.unwrap().contains("bytes (limit 25000)"));

    let one = "界".repeat(20_000);
    let loaded = Index::parse(one.as_bytes()).load(&IndexLimits::default());
    assert_eq!(loaded.text.len(), 24_999);
    let warning = loaded.warning.unwrap();
    assert!(warning.contains("the last 35002 bytes are"), "{warning}");
    assert!(loaded.text.ends_with('界'));
}

/// Applies an edit to an index and compares the result.
fn edit(before: &str, edit: impl FnOnce(&mut Index), after: &str) {
    let mut index = Index::parse(before.as_bytes());
    edit(&mut index);
    assert_eq!(String::from_utf8(index.print()).unwrap(), after);
}

#[test]
fn a_new_line_goes_where_a_person_would_put_it() {
    edit(
        "",
        |index| assert!(index.add("user_role.md", "Role", "who")),
        "- [Role](user_role.md) — who\n",
    );
    edit(
        "# Memory\n",
        |index| assert!(index.add("a.md", "A", "")),
        "# Memory\n\n- [A](a.md)\n",
    );
    edit(
        "- [B](b.md)",
        |index| assert!(index.add("a.md", "A", "x")),
        "- [B](b.md)\n- [A](a.md) — x\n",
    );
    edit(
        "# M\r\n\r\n## User\r\n\r\n* [R](user_r.md)\r\n\r\n## Feedback\r\n\r\n* [T](feedback_t.md)\r\n\r\nThe end.\r\n",
        |index| assert!(index.add("user_x.md", "X", "")),
        "# M\r\n\r\n## User\r\n\r\n* [R](user_r.md)\r\n* [X](user_x.md)\r\n\r\n## Feedback\r\n\r\n* [T](feedback_t.md)\r\n\r\nThe end.\r\n",
    );
    edit(
        "# Project memory\n\n## User\n\n## Projects\n\n## Feedback\n\n- [T](feedback_t.md)\n",
        |index| assert!(index.add("project_x.md", "X", "")),
        "# Project memory\n\n## User\n\n## Projects\n\n- [X](project_x.md)\n\n## Feedback\n\n- [T](feedback_t.md)\n",
    );
    edit(
        "- [A](feedback_a.md) — long\n  goes on here\n  - a note below\n- [B](project_b.md)\n",
        |index| assert!(index.add("feedback_c.md", "C", "")),
        "- [A](feedback_a.md) — long\n  goes on here\n- [C](feedback_c.md)\n  - a note below\n- [B](project_b.md)\n",
    );
    edit(
        "- [A](a.md) — mine\n",
        |index| assert!(!index.add("A.md", "Other", "other")),
        "- [A](a.md) — mine\n",
    );
}

#[test]
fn titles_hooks_and_targets_are_written_so_that_they_read_back() {
    let mut index = Index::parse(b"");
    index.add("with space (1).md", "A [b] | c\nd", "two\nlines");
    assert_eq!(
        String::from_utf8(index.print()).unwrap(),
        "- [A \\[b\\] \\| c d](<with space (1).md>) — two lines\n"
    );
    let entry = &index.entries()[0];
    assert_eq!(
        (entry.title(), entry.file()),
        ("A [b] | c d", Some("with space (1).md"))
    );

    // A link in a hook would count as a line for that file.
    let mut index = Index::parse(b"");
    index.add("a.md", "T", "see [B](b.md) and [[c]]");
    assert!(index.find("b.md").is_none() && index.find("c.md").is_none());
    assert!(index.add("b.md", "B", ""));
    assert!(index.update("b.md", "", "like [A](a.md)"));
    assert_eq!(index.entries().len(), 2);

    let mut index = Index::parse(b"");
    index.add("a.md", "T", &"界".repeat(500));
    let line = String::from_utf8(index.print()).unwrap();
    assert!(
        line.trim_end().chars().count() <= INDEX_ENTRY_MAX_CHARACTERS && line.ends_with("…\n"),
        "{line}"
    );
}

#[test]
fn an_entry_is_updated_in_its_own_form() {
    edit(
        "* **[A](a.md)** – old\n",
        |index| assert!(index.update("a.md", "B", "new")),
        "* **[B](a.md)** – new\n",
    );
    edit(
        "- [A](a.md)\n",
        |index| assert!(index.update("a.md", "", "new")),
        "- [A](a.md) — new\n",
    );
    edit(
        "- [A](a.md): old\n",
        |index| assert!(index.update("a.md", "B", "")),
        "- [B](a.md): old\n",
    );
    edit(
        "| [A](a.md) | old |\n",
        |index| assert!(index.update("a.md", "B", "x|y")),
        "| [B](a.md) | x\\|y |\n",
    );
    edit(
        "- [[a]] — old\n",
        |index| assert!(index.update("a.md", "B", "new")),
        "- [[a]] — new\n",
    );
    edit(
        "See [A](a.md).\n",
        |index| assert!(!index.update("a.md", "B", "new")),
        "See [A](a.md).\n",
    );
}

#[test]
fn a_renamed_file_is_followed() {
    edit(
        "- [A](a.md) — x\nsee [here](a.md)\n",
        |index| assert!(index.rename("a.md", "b c.md")),
        "- [A](<b c.md>) — x\nsee [here](<b c.md>)\n",
    );
    edit(
        "- [a.md](a.md)\n- [[a]]\n- `a.md`\n",
        |index| assert!(index.rename("a.md", "b.md")),
        "- [b.md](b.md)\n- [[b]]\n- `b.md`\n",
    );
    edit(
        "- [A](<a.md>)\n",
        |index| assert!(index.rename("a.md", "b.md")),
        "- [A](<b.md>)\n",
    );
    edit(
        "- [A](a.md)\n",
        |index| assert!(!index.rename("x.md", "b.md")),
        "- [A](a.md)\n",
    );
}

#[test]
fn a_removed_file_loses_its_lines_and_nothing_else() {
    edit(
        "# M\n\n- [A](a.md) — x\n  goes on\n- [B](b.md)\ntext\n| [A](a.md) | x |\n",
        |index| assert!(index.remove("a.md")),
        "# M\n\n- [B](b.md)\ntext\n",
    );
    edit(
        "See [A](a.md) and [B](b.md).\n",
        |index| assert!(index.remove("a.md")),
        "See A and [B](b.md).\n",
    );
    edit(
        "- [A](a.md), [A again](a.md)\n",
        |index| assert!(index.remove("a.md")),
        "- A, A again\n",
    );
    edit(
        "- [B](b.md)\n",
        |index| assert!(!index.remove("a.md")),
        "- [B](b.md)\n",
    );
}

fn item(file: &str, title: &str, hook: &str) -> IndexItem {
    IndexItem::new(file, title, hook, None)
}

#[test]
fn a_rebuild_is_true_to_the_files_and_keeps_what_people_wrote() {
    edit(
        "# My notes\n\nHand-written.\n\n## Feedback\n\n- [Mine](feedback_a.md) — my own words\n- [Gone](feedback_gone.md) — x\n- [Twice](feedback_a.md)\n- [Web](https://example.com)\n- [Out](../x.md)\n- `docs/x.md` — a project file\n",
        |index| {
            index.rebuild(&[
                item("user_z.md", "Z", "z"),
                item("feedback_b.md", "B", "b"),
                item("feedback_a.md", "A", "a"),
                item("odd.md", "", ""),
            ]);
        },
        "# My notes\n\nHand-written.\n\n## Feedback\n\n- [Mine](feedback_a.md) — my own words\n- [B](feedback_b.md) — b\n- [Web](https://example.com)\n- [Out](../x.md)\n- `docs/x.md` — a project file\n- [Z](user_z.md) — z\n- [odd](odd.md)\n",
    );
}

#[test]
fn a_rebuild_from_nothing_is_sorted_by_type_and_name() {
    edit(
        "",
        |index| {
            index.rebuild(&[
                item("reference_a.md", "R", ""),
                item("user_b.md", "UB", ""),
                item("x.md", "X", ""),
                item("user_a.md", "UA", ""),
                IndexItem::new("y.md", "Y", "", Some(MemoryType::Feedback)),
            ]);
        },
        "- [UA](user_a.md)\n- [UB](user_b.md)\n- [Y](y.md)\n- [R](reference_a.md)\n- [X](x.md)\n",
    );
}

#[test]
fn a_budget_warns_from_three_quarters_on() {
    let limits = IndexLimits::default();
    let lines = |count: usize| Index::parse("- x\n".repeat(count).as_bytes()).budget(&limits);
    assert_eq!(lines(149).state(), BudgetState::Fine);
    assert_eq!(lines(150).state(), BudgetState::Near);
    assert_eq!(lines(200).state(), BudgetState::Near);
    assert_eq!(lines(201).state(), BudgetState::Over);
    assert_eq!(lines(150).percent(), 75);
    let bytes = |count: usize| {
        Index::parse("x".repeat(count).as_bytes())
            .budget(&limits)
            .state()
    };
    assert_eq!(bytes(18_748), BudgetState::Fine);
    assert_eq!(bytes(18_749), BudgetState::Near);
    assert_eq!(bytes(25_000), BudgetState::Over);
}

/// Usage in which the file `t7.md` was used 7 times and changed 7 seconds after the epoch.
fn usage(file: &str) -> Usage {
    let number: i64 = file
        .trim_matches(|other: char| !other.is_ascii_digit())
        .parse()
        .unwrap();
    Usage::new(
        u32::try_from(number % 50).unwrap(),
        None,
        Some(Timestamp::from_seconds(number)),
    )
}

#[test]
fn a_plan_drops_the_least_useful_and_never_the_newest() {
    let text: String = (0..220)
        .map(|at| format!("- [T{at}](t{at}.md) — hook\n"))
        .collect();
    let index = Index::parse(text.as_bytes());
    let limits = IndexLimits::default();
    let plan = index.compaction_plan(&limits, &usage);
    assert!(plan.is_enough);
    assert!(
        plan.steps
            .iter()
            .all(|step| step.action == StepAction::Drop)
    );
    let dropped: Vec<&str> = plan.steps.iter().map(|step| step.file.as_str()).collect();
    // Never used, the oldest first; used once …; t200 and on are among the newest tenth.
    assert_eq!(
        dropped[..5],
        ["t0.md", "t50.md", "t100.md", "t150.md", "t1.md"]
    );
    assert!(
        !dropped
            .iter()
            .any(|file| ["t200.md", "t201.md", "t219.md"].contains(file))
    );
    let compacted = index.compacted(&plan);
    assert_eq!(compacted.budget(&limits).lines, plan.lines);
    assert_eq!(compacted.budget(&limits).bytes, plan.bytes);
    assert_eq!(compacted.budget(&limits).state(), BudgetState::Fine);
}

#[test]
fn a_plan_takes_duplicates_and_long_hooks_before_it_drops_anything() {
    let mut text: String = (0..60)
        .map(|at| format!("- [T{at}](t{at}.md) — {}\n", "x".repeat(400)))
        .collect();
    text.push_str("- [Again](t3.md) — again\n");
    let index = Index::parse(text.as_bytes());
    let plan = index.compaction_plan(&IndexLimits::default(), &usage);
    assert!(plan.is_enough);
    assert_eq!(plan.steps[0].action, StepAction::DropDuplicate);
    assert!(
        plan.steps[1..]
            .iter()
            .all(|step| matches!(step.action, StepAction::Shorten(_))),
        "{:?}",
        plan.steps
    );
    let compacted = index.compacted(&plan);
    assert_eq!(compacted.budget(&IndexLimits::default()).bytes, plan.bytes);
}

#[test]
fn a_plan_says_when_only_a_person_can_help() {
    let text = format!(
        "- [T1](t1.md)\n{}",
        "prose that no rule can judge\n".repeat(300)
    );
    let plan = Index::parse(text.as_bytes()).compaction_plan(&IndexLimits::default(), &usage);
    assert!(!plan.is_enough);
    assert!(plan.steps.is_empty());
}

/// Index files made of the lines that index files are made of.
fn index_bytes() -> impl Strategy<Value = Vec<u8>> {
    let line = prop::sample::select(vec![
        "# Memory",
        "## User",
        "## Feedback",
        "",
        "- [A](a.md) — hook",
        "* [B](b.md): x",
        "  - [C](sub/c.md)",
        "- [Gone](gone.md)",
        "  continued",
        "- [[wiki]]",
        "- `user_role.md` — x",
        "| [T](t.md) | x |",
        "|---|---|",
        "<!-- note -->",
        "<!--",
        "-->",
        "```",
        "text with [A](a.md) in it",
        "- [A](a.md), [B](b.md)",
        "- [Out](../x.md)",
        "---",
        "title: x",
        "1. [N](n.md)",
        "- [Sp](<with space.md>)",
        "\u{FEFF}",
        "- free text",
        "- [User](user_role.md)",
        "- [A](A.md)",
        "界",
        "- [日](日本.md) — 钩子",
    ]);
    let end = prop::sample::select(vec!["\n", "\n", "\n", "\r\n", ""]);
    let bad = prop::collection::vec(any::<u8>(), 0..3);
    prop::collection::vec((line, end, bad, prop::bool::weighted(0.05)), 0..20).prop_map(|lines| {
        let line = |(line, end, bad, is_bad): (&str, &str, Vec<u8>, bool)| {
            let bad = if is_bad { bad } else { Vec::new() };
            [line.as_bytes(), &bad, end.as_bytes()].concat()
        };
        lines.into_iter().flat_map(line).collect()
    })
}

fn items() -> impl Strategy<Value = Vec<IndexItem>> {
    let file = prop::sample::select(vec![
        "a.md",
        "b.md",
        "sub/c.md",
        "wiki.md",
        "user_role.md",
        "t.md",
        "n.md",
        "with space.md",
        "日本.md",
        "feedback_x.md",
        "project_y.md",
        "x#y.md",
        "50%.md",
        "(a).md",
        "reference-z.md",
    ]);
    prop::collection::vec(file, 0..8).prop_map(|files| {
        files
            .into_iter()
            .map(|file| item(file, "Title", "hook"))
            .collect()
    })
}

proptest! {
    #[test]
    fn printing_an_unchanged_index_gives_its_bytes(file in prop_oneof![index_bytes(), crate::text::bytes()]) {
        prop_assert_eq!(Index::parse(&file).print(), file);
    }

    #[test]
    fn a_load_is_within_its_limits_and_a_head_of_the_whole(file in index_bytes(), lines in 1_usize..12, bytes in 1_usize..200) {
        let index = Index::parse(&file);
        let whole = index.load(&IndexLimits::new(usize::MAX, usize::MAX));
        let loaded = index.load(&IndexLimits::new(lines, bytes));
        prop_assert!(whole.warning.is_none());
        prop_assert!(whole.text.starts_with(&loaded.text));
        prop_assert!(loaded.text.lines().count() <= lines && loaded.text.len() <= bytes);
        prop_assert_eq!(loaded.warning.is_some(), loaded.text != whole.text);
    }

    #[test]
    fn an_added_line_is_found_and_every_other_line_stays(file in index_bytes(), item in items()) {
        let Some(item) = item.first() else { return Ok(()) };
        let mut index = Index::parse(&file);
        let before: Vec<String> = index.load(&IndexLimits::new(usize::MAX, usize::MAX)).text.lines().map(str::to_owned).collect();
        let added = index.add(&item.file, "Title", "hook");
        prop_assert!(index.find(&item.file).is_some(), "{:?}", String::from_utf8_lossy(&index.print()));
        let after = index.load(&IndexLimits::new(usize::MAX, usize::MAX)).text;
        let mut rest = after.lines().filter(|line| !line.trim().is_empty());
        for line in before.iter().filter(|line| !line.trim().is_empty()) {
            prop_assert!(rest.any(|other| other == line), "{line:?} is missing: {:?} {:?}", String::from_utf8_lossy(&file), String::from_utf8_lossy(&index.print()));
        }
        prop_assert!(!index.add(&item.file, "Title", "hook"));
        if added {
            prop_assert!(index.remove(&item.file));
            prop_assert!(index.find(&item.file).is_none());
        }
    }

    #[test]
    fn rebuilding_twice_changes_nothing(file in index_bytes(), items in items()) {
        let mut index = Index::parse(&file);
        index.rebuild(&items);
        for item in &items {
            prop_assert!(index.find(&item.file).is_some(), "{} in {:?}", item.file, String::from_utf8_lossy(&index.print()));
        }
        let once = index.print();
        index.rebuild(&items);
        prop_assert_eq!(index.print(), once);
        let mut turned: Vec<IndexItem> = items.clone();
        turned.reverse();
        let mut other = Index::parse(&file);
        other.rebuild(&turned);
        prop_assert_eq!(other, index);
    }

    #[test]
    fn a_removed_file_is_not_found_again(file in index_bytes(), item in items()) {
        let Some(item) = item.first() else { return Ok(()) };
        let mut index = Index::parse(&file);
        index.remove(&item.file);
        prop_assert!(index.find(&item.file).is_none(), "{:?}", String::from_utf8_lossy(&index.print()));
    }

    #[test]
    fn a_renamed_file_is_found_under_its_new_name(file in index_bytes(), item in items()) {
        let Some(item) = item.first() else { return Ok(()) };
        let mut index = Index::parse(&file);
        if index.rename(&item.file, "new name.md") {
            prop_assert!(index.find("new name.md").is_some(), "{:?}", String::from_utf8_lossy(&index.print()));
            prop_assert!(index.find(&item.file).is_none());
        }
    }

    #[test]
    fn a_compacted_index_is_as_full_as_the_plan_says(count in 0_usize..260, width in 0_usize..300, extra in index_bytes()) {
        let mut text: Vec<u8> = (0..count).flat_map(|at| format!("- [T{at}](t{at}.md) — {}\n", "y".repeat(width)).into_bytes()).collect();
        text.extend(extra);
        let index = Index::parse(&text);
        let limits = IndexLimits::default();
        let plan = index.compaction_plan(&limits, &|_| Usage::default());
        let budget = index.compacted(&plan).budget(&limits);
        prop_assert!(budget.lines <= plan.lines && budget.bytes <= plan.bytes, "{budget:?} {plan:?} {:?}", String::from_utf8_lossy(&text));
    }
}
