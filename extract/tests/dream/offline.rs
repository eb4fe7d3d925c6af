//! What the rules alone do with a grown folder, and what they leave alone.

use memdir::{IndexLimits, Timestamp};
use memdir_extract::dream::{Limits, Plan, Snapshot, StepKind};

use super::fixture::{Folder, memory};

/// What a case is about, its files, and the steps that are expected.
type Case<'a> = (&'a str, Vec<(&'a str, Vec<u8>)>, &'a [&'a str]);

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// A snapshot of these files, all written on one day.
fn snapshot(files: &[(&str, Vec<u8>)]) -> Snapshot {
    let now = time("2026-03-05T12:00:00Z");
    let empty = Snapshot::new(now.date(0));
    files.iter().fold(empty, |snapshot, (path, bytes)| {
        snapshot.with_file(path, bytes, now)
    })
}

/// The plan for these files: its steps as `kind path < from`.
fn steps(plan: &Plan) -> Vec<String> {
    let text = |step: &memdir_extract::dream::Step| {
        let from: Vec<&str> = step.from.iter().map(pathguard::PathKey::as_str).collect();
        format!("{} {} < {}", step.kind, step.path.as_str(), from.join(" "))
            .trim_end_matches(" < ")
            .to_owned()
    };
    plan.steps.iter().map(text).collect()
}

#[test]
fn a_grown_folder_is_tidied_and_nothing_in_it_is_lost() {
    let folder = Folder::grown();
    let store = folder.open();
    let snapshot = Snapshot::read(&store).unwrap();
    assert_eq!((snapshot.memories(), snapshot.logs()), (60, 10));
    assert!(snapshot.left_out().is_empty());
    let plan = Plan::offline(&snapshot, &Limits::default());
    let mut expected: Vec<String> = (0..6)
        .map(|number| {
            format!("merge reference_office_{number}b.md < reference_office_{number}a.md")
        })
        .collect();
    expected.extend(
        [
            "merge feedback_notes_new.md < feedback_notes_old.md",
            "merge feedback_review_new.md < feedback_review_old.md",
            "dates project_freeze.md",
            "dates project_发布会.md",
            "index MEMORY.md",
        ]
        .map(str::to_owned),
    );
    assert_eq!(steps(&plan), expected);
    assert!(
        plan.steps
            .iter()
            .all(|step| !step.sources.is_empty() && !step.reason.is_empty())
    );
    assert_eq!(
        plan.notes[..3],
        [
            "feedback_boss_new.md and feedback_boss_old.md say nearly the same and differ in brandt, keller: which \
             is right has to be decided",
            "feedback_day_new.md and feedback_day_old.md say nearly the same and differ in never: which is right has \
             to be decided",
            "feedback_port_new.md and feedback_port_old.md say nearly the same and differ in 5432, 6543: which is \
             right has to be decided",
        ]
    );
    let diff = plan.diff();
    for expected in [
        "+The merge freeze begins 2026-03-05.\n",
        "+It was announced on 2026-03-01.\n",
        "+发布会改到2026-03-10，场地不变。\n",
        "+**Earlier (2026-02-03):**\n",
        "+It takes a while.\n",
        "-- [Gone](feedback_gone.md) — was removed by hand\n",
        "-- [again](project_00.md) — a second line for the first file\n",
        "+- [the printer queue in the packing hall](project_04.md)",
    ] {
        assert!(diff.contains(expected), "{expected} is not in\n{diff}");
    }
    let (figures, refusals) = plan.review(&snapshot, &Limits::default());
    assert_eq!(refusals, []);
    assert_eq!((figures.entries, figures.entries_dropped), (60, 0));
    assert!(figures.bytes_dropped * 100 < figures.bytes, "{figures:?}");
}

#[test]
fn distilling_twice_changes_nothing_more() {
    let folder = Folder::grown();
    let store = folder.open();
    for expected in [true, false] {
        let snapshot = Snapshot::read(&store).unwrap();
        let plan = Plan::offline(&snapshot, &Limits::default());
        assert_eq!(!plan.is_empty(), expected, "{}", plan.diff());
        let approved = plan.approve(&snapshot, &Limits::default()).unwrap();
        approved.apply(&store, &super::fixture::me()).unwrap();
    }
}

#[test]
fn the_same_folder_gives_the_same_plan() {
    let plan = || {
        let folder = Folder::grown();
        let snapshot = Snapshot::read(&folder.open()).unwrap();
        let plan = Plan::offline(&snapshot, &Limits::default());
        let (figures, refusals) = plan.review(&snapshot, &Limits::default());
        plan.to_json(&figures, &refusals)
    };
    assert_eq!(plan(), plan());
}

#[test]
fn protected_and_linked_memories_stay_and_take_in_their_copies() {
    let body = "One long sentence about the way in which we name our branches here.";
    let copy = memory("feedback", "Branches", "names", "2026-03-04", body);
    let text =
        String::from_utf8(memory("feedback", "Branches", "names", "2026-01-01", body)).unwrap();
    let protected = text
        .replace("type: feedback", "type: feedback\npinned: yes")
        .into_bytes();
    let link = |target: &str| {
        memory(
            "user",
            "Link",
            "points there",
            "2026-01-01",
            &format!("See [this]({target})."),
        )
    };
    let table: [Case<'_>; 4] = [
        (
            "the protected one stays though it is older",
            vec![
                ("feedback_a.md", protected.clone()),
                ("feedback_b.md", copy.clone()),
            ],
            &["merge feedback_a.md < feedback_b.md"],
        ),
        (
            "two protected ones stay both",
            vec![
                ("feedback_a.md", protected.clone()),
                ("feedback_b.md", protected),
            ],
            &[],
        ),
        (
            "the one that is linked to stays",
            vec![
                ("feedback_a.md", copy.clone()),
                ("feedback_b.md", copy.clone()),
                ("user_l.md", link("feedback_b.md")),
            ],
            &["merge feedback_b.md < feedback_a.md"],
        ),
        (
            "the losing side of a team merge is no duplicate",
            vec![
                ("feedback_a.md", copy.clone()),
                ("feedback_a.conflict-1.md", copy),
            ],
            &[],
        ),
    ];
    for (case, mut files, expected) in table {
        let lines: Vec<String> = files
            .iter()
            .filter(|(path, _)| !path.contains("conflict"))
            .map(|(path, _)| format!("- [x]({path})\n"))
            .collect();
        files.push(("MEMORY.md", lines.concat().into_bytes()));
        let plan = Plan::offline(&snapshot(&files), &Limits::default());
        let found: Vec<String> = steps(&plan)
            .into_iter()
            .filter(|step| !step.starts_with("index"))
            .collect();
        assert_eq!(found, expected, "{case}");
    }
}

#[test]
fn files_of_other_kinds_are_not_touched() {
    let dated = "Due tomorrow, says the list of things to do for everybody here.";
    let invalid = [b"---\nname: x\ntype: user\n---\n\ntomorrow \xFF\n".to_vec()].concat();
    let table = [
        (
            "team/project_x.md",
            memory("project", "X", "d", "2026-03-04", dated),
        ),
        ("README.md", dated.as_bytes().to_vec()),
        ("user_bytes.md", invalid),
        (
            "logs/2026/03/2026-03-04.md",
            format!("- 10:00 {dated}\n").into_bytes(),
        ),
        (
            ".hidden.md",
            memory("project", "X", "d", "2026-03-04", dated),
        ),
    ];
    for (path, bytes) in table {
        let index = (
            "MEMORY.md",
            b"- [a](user_bytes.md)\n- [r](README.md)\n- [x](project_x.md)\n".to_vec(),
        );
        let plan = Plan::offline(&snapshot(&[(path, bytes), index]), &Limits::default());
        let touched: Vec<&str> = plan
            .changes
            .iter()
            .map(|change| change.path.as_str())
            .collect();
        assert!(
            touched.iter().all(|touched| *touched == "MEMORY.md"),
            "{path}: {touched:?}"
        );
    }
}

#[test]
fn a_line_follows_its_memory_into_the_one_that_took_it_in() {
    let body = "The same sentence about who may approve a change to the schema.";
    let files = [
        (
            "feedback_new.md",
            memory("feedback", "New", "approval", "2026-03-02", body),
        ),
        (
            "feedback_old.md",
            memory("feedback", "Old", "approval", "2026-03-01", body),
        ),
        (
            "MEMORY.md",
            b"* [Old](feedback_old.md): mind this one\n".to_vec(),
        ),
    ];
    let plan = Plan::offline(&snapshot(&files), &Limits::default());
    let index = plan
        .changes
        .iter()
        .find(|change| change.path.as_str() == "MEMORY.md")
        .unwrap();
    let text = String::from_utf8(index.after.clone().unwrap()).unwrap();
    assert_eq!(text, "* [Old](feedback_new.md): mind this one\n");
}

#[test]
fn an_index_over_its_limits_is_pruned_once_and_stays_pruned() {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let mut index = String::new();
    for number in 0..40 {
        let path = format!("project_{number:02}.md");
        let day = format!("2026-01-{:02}", number % 28 + 1);
        let protected = if number == 0 { "protected: true\n" } else { "" };
        let name = format!("Number {number}");
        let text =
            String::from_utf8(memory("project", &name, "one of forty", &day, &name)).unwrap();
        let text = text.replace("type: project\n", &format!("type: project\n{protected}"));
        let line = format!("- [{name}]({path}) — one of forty\n");
        index.push_str(&line);
        files.push((path, text.into_bytes()));
    }
    let limits = Limits::default().with_index(IndexLimits::new(20, 25_000));
    let mut current = index.into_bytes();
    for round in 0..3 {
        let mut all: Vec<(&str, Vec<u8>)> = files
            .iter()
            .map(|(path, bytes)| (path.as_str(), bytes.clone()))
            .collect();
        all.push(("MEMORY.md", current.clone()));
        let snapshot = snapshot(&all);
        let plan = Plan::offline(&snapshot, &limits);
        let (figures, refusals) = plan.review(&snapshot, &limits);
        assert_eq!(refusals, [], "round {round}");
        assert!(figures.index.unwrap().lines <= 20);
        let kinds: Vec<StepKind> = plan.steps.iter().map(|step| step.kind).collect();
        if round == 0 {
            assert_eq!(kinds, [StepKind::Index]);
            current = plan.changes[0].after.clone().unwrap();
            let text = String::from_utf8(current.clone()).unwrap();
            assert!(
                text.contains("project_00.md"),
                "a protected memory keeps its line:\n{text}"
            );
            assert!(
                text.contains("project_27.md"),
                "the newest memory keeps its line:\n{text}"
            );
        } else {
            assert_eq!(kinds, [], "round {round}: {}", plan.diff());
            assert!(
                plan.notes[0].contains("have no line in the index"),
                "{:?}",
                plan.notes
            );
        }
    }
}

#[test]
fn a_file_that_could_not_be_looked_at_keeps_its_line() {
    let folder = Folder::grown();
    #[cfg(unix)]
    std::os::unix::fs::symlink("/nowhere", folder.path().join("feedback_gone.md")).unwrap();
    let snapshot = Snapshot::read(&folder.open()).unwrap();
    let is_looked_at = snapshot.left_out().is_empty();
    let plan = Plan::offline(&snapshot, &Limits::default());
    assert_eq!(
        plan.diff().contains("-- [Gone](feedback_gone.md)"),
        is_looked_at
    );
}
