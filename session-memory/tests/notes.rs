//! The session file: ten sections, validation, and what is repaired.

use proptest::prelude::*;
use session_memory::{Notes, NotesLimits, Structure, TemplateFault, ViolationKind};

const HEADINGS: [&str; 10] = [
    "Session Title",
    "Current State",
    "Task specification",
    "Files and Functions",
    "Workflow",
    "Errors & Corrections",
    "Codebase and System Documentation",
    "Learnings",
    "Key results",
    "Worklog",
];

fn filled() -> Notes {
    Notes::empty(&Structure::default())
        .with_body("Current State", "half done\n\n```\n## not a heading\n```")
        .with_body("Worklog", "- one\n- two")
}

fn repair(text: &str) -> Result<(Notes, Vec<ViolationKind>), Vec<ViolationKind>> {
    let kinds =
        |violations: Vec<session_memory::Violation>| violations.iter().map(|v| v.kind).collect();
    match Notes::repair(
        text.as_bytes(),
        &Structure::default(),
        &NotesLimits::default(),
    ) {
        Ok(repair) => Ok((repair.notes, kinds(repair.mended))),
        Err(violations) => Err(kinds(violations)),
    }
}

/// Mending must give these notes and name exactly these violations.
#[track_caller]
fn check_mended(text: &str, notes: &Notes, expected: &[ViolationKind]) {
    let (mended, violations) = repair(text).expect("a repair");
    assert_eq!(violations, expected);
    assert_eq!(&mended, notes, "{}", mended.print());
    // What was mended once is intact.
    assert_eq!(repair(&mended.print()), Ok((mended, vec![])));
}

#[test]
fn the_file_has_the_ten_sections_in_order_with_a_hint_each() {
    let notes = Notes::empty(&Structure::default());
    let headings: Vec<&str> = notes.sections().map(|section| section.heading).collect();
    assert_eq!(headings, HEADINGS);
    let text = notes.print();
    assert!(text.starts_with("# Session Memory\n"));
    for heading in HEADINGS {
        let behind = text
            .split(&format!("## {heading}\n"))
            .nth(1)
            .expect("the heading");
        let hint = behind.lines().next().expect("a line");
        assert!(hint.starts_with('_') && hint.ends_with('_'), "{hint}");
    }
    assert!(notes.is_untouched());
}

#[test]
fn print_and_parse_are_inverse() {
    let notes = filled();
    let parsed = Notes::parse(
        notes.print().as_bytes(),
        &Structure::default(),
        &NotesLimits::default(),
    );
    assert_eq!(parsed, Ok(notes));
}

#[test]
fn a_heading_inside_a_fence_is_text() {
    let notes = filled();
    assert!(
        notes
            .body("Current State")
            .expect("a body")
            .contains("## not a heading")
    );
    for fence in ["```", "~~~~", "   ```rust"] {
        let close = fence.trim_start().trim_end_matches("rust");
        let body = format!("{fence}\n## Worklog\n{close}");
        let notes = Notes::empty(&Structure::default()).with_body("Learnings", &body);
        assert_eq!(repair(&notes.print()).expect("intact").1, [], "{fence}");
    }
}

#[test]
fn a_lost_heading_is_put_back_in_its_place_and_nothing_is_dropped() {
    let text = filled().print().replace("## Learnings\n", "");
    let (notes, violations) = repair(&text).expect("a repair");
    assert_eq!(violations, [ViolationKind::MissingHeading]);
    assert_eq!(notes.body("Learnings"), Some(""));
    assert_eq!(notes.body("Worklog"), Some("- one\n- two"));
    assert!(notes.print().contains("## Learnings\n_"));
}

#[test]
fn other_slips_are_mended_with_all_content() {
    use ViolationKind::{
        ForeignHeading, ForeignPreamble, MissingHint, RepeatedHeading, WrongOrder,
    };
    let text = filled().print();
    check_mended(
        &text.replace("## Worklog\n", "## Extra\nmore\n\n## Worklog\n"),
        &filled().with_body("Key results", "### Extra\nmore"),
        &[ForeignHeading],
    );
    check_mended(
        &format!("{text}\n## Learnings\nagain\n"),
        &filled().with_body("Learnings", "again"),
        &[RepeatedHeading],
    );
    let hint = text
        .split("## Worklog\n")
        .nth(1)
        .and_then(|rest| rest.lines().next())
        .expect("a hint");
    check_mended(
        &text.replace(&format!("{hint}\n"), ""),
        &filled(),
        &[MissingHint],
    );
    check_mended(
        &text.replace(
            "# Session Memory\n",
            "# Session Memory\nHere are the notes:\n",
        ),
        &filled().with_body("Session Title", "Here are the notes:"),
        &[ForeignPreamble],
    );
    let worklog = text.find("\n## Worklog").expect("a place");
    let moved = text.replacen(
        "\n## Workflow",
        &format!("{}\n## Workflow", &text[worklog..]),
        1,
    );
    let moved = &moved[..moved.rfind("\n## Worklog").expect("a place")];
    let (notes, violations) = repair(moved).expect("a repair");
    assert_eq!(notes, filled());
    assert!(violations.iter().all(|kind| *kind == WrongOrder) && !violations.is_empty());
}

#[test]
fn what_is_not_certain_is_refused() {
    let text = filled().print();
    let refused = |text: &[u8], kind| {
        let result = Notes::repair(text, &Structure::default(), &NotesLimits::default());
        let violations = result.expect_err("a refusal");
        assert_eq!(violations[0].kind, kind);
        assert!(!kind.is_repairable());
    };
    refused(b"", ViolationKind::ForeignFile);
    refused(b"# Something else\n\ntext\n", ViolationKind::ForeignFile);
    refused(
        &text.as_bytes()[..text.find("## Files").expect("a place")],
        ViolationKind::ForeignFile,
    );
    refused(
        text.replace("- one", "```\n- one").as_bytes(),
        ViolationKind::OpenFence,
    );
    refused(b"\xff\xfe", ViolationKind::NotUtf8);
    refused(
        "x".repeat((1 << 20) + 1).as_bytes(),
        ViolationKind::TooLarge,
    );
}

#[test]
fn a_template_of_the_user_sets_the_structure() {
    let structure = Structure::from_template("# Mine\n\nIntro.\n\n## Goal\n*what for*\n\n## Log\n")
        .expect("a structure");
    let notes = Notes::empty(&structure).with_body("Goal", "ship it");
    assert_eq!(
        notes.print(),
        "# Mine\n\nIntro.\n\n## Goal\n*what for*\n\nship it\n\n## Log\n\n"
    );
    let parsed = Notes::parse(
        notes.print().as_bytes(),
        &structure,
        &NotesLimits::default(),
    );
    assert_eq!(parsed, Ok(notes));
    assert_eq!(
        Structure::from_template("no heading"),
        Err(TemplateFault::NoSection)
    );
    assert!(matches!(
        Structure::from_template("## A\n## A\n"),
        Err(TemplateFault::RepeatedHeading(_))
    ));
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_panic_and_a_repair_is_stable(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = Notes::repair(&bytes, &Structure::default(), &NotesLimits::default());
    }

    #[test]
    fn every_line_of_content_survives_a_repair(
        removed in proptest::sample::subsequence(HEADINGS.to_vec(), 0..4),
        lines in proptest::collection::vec("[a-z]{3,12}", 10),
        swap in any::<bool>(),
    ) {
        let mut notes = Notes::empty(&Structure::default());
        for (heading, line) in HEADINGS.iter().zip(&lines) {
            notes = notes.with_body(heading, line);
        }
        let mut text = notes.print();
        for heading in removed {
            text = text.replace(&format!("## {heading}\n"), "");
        }
        if swap {
            text = text.replace("## Workflow", "## @").replace("## Learnings", "## Workflow").replace("## @", "## Learnings");
        }
        let (mended, _) = repair(&text).expect("a repair");
        let printed = mended.print();
        for line in &lines {
            prop_assert!(printed.contains(line.as_str()), "{line} is gone from\n{printed}");
        }
        prop_assert_eq!(repair(&printed), Ok((mended, vec![])));
    }
}

#[test]
fn a_template_of_endless_sections_is_refused() {
    let headings = (0..=session_memory::MOST_SECTIONS).map(|n| format!("## {n}"));
    let template = headings.collect::<Vec<_>>().join(
        "
",
    );
    assert_eq!(
        Structure::from_template(&template),
        Err(session_memory::TemplateFault::TooManySections)
    );
}

#[test]
fn a_template_whose_files_would_not_be_read_back_is_refused_at_once() {
    let odd = "#\"N\nintro\n\n##ne## A\n_a_\nx\n## C\n_a_\n###%y\n## \0\n";
    for template in [odd, "## A\n_a\rb_\n", "## A\u{b}\n"] {
        let structure = Structure::from_template(template);
        assert_eq!(structure, Err(TemplateFault::NotReadBack), "{template:?}");
    }
    // A byte order mark is an editor's, not the template's.
    let marked = Structure::from_template("\u{feff}# Title\n\n## A\n_a_\n");
    assert_eq!(marked, Structure::from_template("# Title\n\n## A\n_a_\n"));
}
