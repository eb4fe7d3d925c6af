//! The figures that a plan is held against.

use memdir::{IndexLimits, Timestamp};
use memdir_extract::dream::{Limits, Plan, RefusalKind, Snapshot};

use super::fixture::{Folder, memory};

fn refused(snapshot: &Snapshot, plan: Plan, limits: &Limits) -> Vec<(RefusalKind, String)> {
    match plan.approve(snapshot, limits) {
        Ok(_) => Vec::new(),
        Err(rejected) => {
            let refusals = rejected.refusals.iter();
            refusals
                .map(|refusal| (refusal.kind, refusal.to_string()))
                .collect()
        }
    }
}

#[test]
fn a_plan_over_the_budget_is_refused() {
    let folder = Folder::grown();
    let snapshot = Snapshot::read(&folder.open()).unwrap();
    let plan = || Plan::offline(&snapshot, &Limits::default());
    let changes = plan().changes.len();
    let (figures, _) = plan().review(&snapshot, &Limits::default());
    let table = [
        (
            Limits::default().with_max_changes(changes - 1),
            format!(
                "{changes} files would change, at most {} are allowed",
                changes - 1
            ),
        ),
        (
            Limits::default().with_max_written_bytes(figures.bytes_written - 1),
            format!(
                "{} bytes would be written, at most {} are allowed",
                figures.bytes_written,
                figures.bytes_written - 1
            ),
        ),
    ];
    for (limits, expected) in table {
        assert_eq!(
            refused(&snapshot, plan(), &limits),
            [(RefusalKind::OverBudget, expected)]
        );
    }
}

#[test]
fn a_change_that_no_step_explains_is_refused() {
    let folder = Folder::grown();
    let snapshot = Snapshot::read(&folder.open()).unwrap();
    let mut plan = Plan::offline(&snapshot, &Limits::default());
    let changes = plan.changes.len();
    plan.steps.clear();
    let found = refused(&snapshot, plan, &Limits::default());
    let unexplained = found
        .iter()
        .filter(|(kind, _)| *kind == RefusalKind::Unexplained);
    assert_eq!(unexplained.count(), changes, "{found:?}");
}

#[test]
fn an_index_that_only_a_person_can_shorten_is_refused_with_the_figures() {
    let now: Timestamp = "2026-03-05T12:00:00Z".parse().unwrap();
    let prose = "A line of prose that nobody may drop.\n".repeat(30);
    let file = memory(
        "project",
        "Freeze",
        "when",
        "2026-03-02",
        "It begins Thursday.",
    );
    let snapshot = Snapshot::new(now.date(0))
        .with_file("project_freeze.md", &file, now)
        .with_file(
            "MEMORY.md",
            format!("{prose}- [Freeze](project_freeze.md)\n").as_bytes(),
            now,
        );
    let limits = Limits::default().with_index(IndexLimits::new(20, 25_000));
    let plan = Plan::offline(&snapshot, &limits);
    let found = refused(&snapshot, plan, &limits);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, RefusalKind::IndexOverLimit);
    assert!(found[0].1.contains("lines and"), "{found:?}");
    assert!(
        found[0].1.contains("at most 20 and 25000 are allowed"),
        "{found:?}"
    );
}

#[test]
fn memories_with_credentials_are_left_alone_and_named() {
    let token = ["gh", "p_", "16C7e42F292c6912E7", "710c838347Ae178B4a"].concat();
    let now: Timestamp = "2026-03-05T12:00:00Z".parse().unwrap();
    let body = format!("The key {token} ends tomorrow and has to be made anew by somebody.");
    let file = memory("reference", "Key", "of the bot", "2026-03-02", &body);
    let snapshot = Snapshot::new(now.date(0))
        .with_file("reference_a.md", &file, now)
        .with_file("reference_b.md", &file, now)
        .with_file(
            "MEMORY.md",
            b"- [a](reference_a.md)\n- [b](reference_b.md)\n",
            now,
        );
    let plan = Plan::offline(&snapshot, &Limits::default());
    assert!(plan.is_empty(), "{}", plan.diff());
    assert_eq!(
        plan.notes[..2],
        [
            "reference_a.md holds a credential and is left alone",
            "reference_b.md holds a credential and is left alone",
        ]
    );
}

#[test]
fn an_empty_folder_gives_an_empty_plan() {
    let snapshot = Snapshot::new("2026-03-05".parse().unwrap());
    let plan = Plan::offline(&snapshot, &Limits::default());
    assert!(plan.is_empty());
    let approved = plan.approve(&snapshot, &Limits::default()).unwrap();
    let folder = Folder::of(&std::collections::BTreeMap::new());
    assert_eq!(
        approved
            .apply(&folder.open(), &super::fixture::me())
            .unwrap(),
        None
    );
}
