//! `memstrata dream`: what it shows, what it does, and that `undo` takes it back.

use serde_json::Value;
use test_support::bytes_below;

use crate::harness::Home;
use crate::schema;

const SCHEMA: &str = include_str!("../../docs/schemas/dream.json");

/// A home whose memory folder has a pair of duplicates, a relative date and an index with a dead line.
fn untidy() -> Home {
    let home = Home::new();
    home.run(&[
        "save",
        "--type",
        "user",
        "--name",
        "Role",
        "--description",
        "who",
        "Ten years of Go.",
    ])
    .expect(0);
    let memory = home.memory_dir();
    let body =
        "Squash before merging.\n\n**Why:** bisecting\n**How to apply:** every pull request\n";
    for (file, day) in [
        ("feedback_a.md", "2026-02-01"),
        ("feedback_b.md", "2026-02-02"),
    ] {
        let text = format!(
            "---\nname: {file}\ndescription: one commit a change\ntype: feedback\nmodified: {day}T10:00:00Z\n---\n\n{body}"
        );
        std::fs::write(memory.join(file), text).expect("a file");
    }
    let text = "---\nname: Freeze\ndescription: when\ntype: project\nmodified: 2026-03-02T10:00:00Z\n---\n\nIt begins Thursday.\n";
    std::fs::write(memory.join("project_freeze.md"), text).expect("a file");
    let index = "- [Role](user_role.md) — who\n- [Gone](feedback_gone.md) — gone\n";
    std::fs::write(memory.join("MEMORY.md"), index).expect("an index");
    home
}

#[test]
fn a_dry_run_shows_the_plan_and_changes_not_one_byte() {
    let home = untidy();
    let before = bytes_below(home.path());
    let run = home.run(&["dream", "--dry-run"]).expect(1);
    for expected in [
        "merge   feedback_b.md <- feedback_a.md  ",
        "dates   project_freeze.md  `Thursday` is 2026-03-05\n",
        "index   MEMORY.md  lines: 1 removed, 2 added\n",
        "remove feedback_a.md\n",
        "-It begins Thursday.\n+It begins 2026-03-05.\n",
    ] {
        assert!(
            run.out.contains(expected),
            "{expected} is not in\n{}",
            run.out
        );
    }
    assert!(
        run.err
            .contains("3 files would change; 0 of 4 memories and 0 of"),
        "{}",
        run.err
    );
    let json = home.run(&["dream", "--dry-run", "--json"]).expect(1);
    schema::check(SCHEMA, &json);
    let object = &json.json()[0];
    assert_eq!(object["outcome"], "planned");
    assert_eq!(object["sequence"], Value::Null);
    assert_eq!(object["changes"].as_array().expect("a list").len(), 3);
    assert!(
        before == bytes_below(home.path()),
        "a dry run changed something"
    );
}

#[test]
fn what_is_applied_is_taken_back_whole_by_one_undo() {
    let home = untidy();
    let memory = home.memory_dir();
    let before = bytes_below(&memory);
    let run = home.run(&["dream", "--json"]).expect(0);
    schema::check(SCHEMA, &run);
    let object = &run.json()[0];
    assert_eq!(object["outcome"], "applied");
    assert!(object["sequence"].is_u64());
    assert!(!memory.join("feedback_a.md").exists());
    let again = home.run(&["dream", "--json"]).expect(0);
    schema::check(SCHEMA, &again);
    assert_eq!(again.json()[0]["outcome"], "nothing");
    assert_eq!(
        home.run(&["dream", "--dry-run"]).expect(0).err,
        "nothing to tidy\n"
    );
    home.run(&["undo"]).expect(0);
    assert!(before == bytes_below(&memory), "undo left something");
}

#[test]
fn a_refused_plan_is_exit_code_3_and_says_why_with_figures() {
    let home = untidy();
    let memory = home.memory_dir();
    let prose = "A line that only a person may drop.\n".repeat(220);
    std::fs::write(memory.join("MEMORY.md"), prose).expect("an index");
    let before = bytes_below(&memory);
    for arguments in [&["dream"][..], &["dream", "--dry-run"]] {
        let run = home.run(arguments).expect(3);
        assert!(
            run.err.contains("at most 200 and 25000 are allowed"),
            "{}",
            run.err
        );
        assert!(run.err.contains("nothing was changed"), "{}", run.err);
    }
    let json = home.run(&["dream", "--json", "--quiet"]).expect(3);
    schema::check(SCHEMA, &json);
    assert_eq!(json.json()[0]["outcome"], "refused");
    assert_eq!(json.json()[0]["refusals"][0]["kind"], "index-over-limit");
    let refused: serde_json::Value = serde_json::from_str(json.err.trim()).expect("an object");
    assert_eq!(refused["error"]["kind"], "refused", "{refused}");
    assert!(
        before == bytes_below(&memory),
        "a refused plan changed something"
    );
}

#[test]
fn a_project_without_memories_has_nothing_to_tidy_and_gets_no_folder() {
    let home = Home::new();
    let before = bytes_below(home.path());
    for arguments in [&["dream"][..], &["dream", "--dry-run"]] {
        assert_eq!(home.run(arguments).expect(0).out, "");
    }
    assert!(before == bytes_below(home.path()));
}

#[test]
fn what_a_memory_says_cannot_steer_the_terminal() {
    let home = untidy();
    let text = "---\nname: \u{1b}[2J\ndescription: when\ntype: project\nmodified: 2026-03-02T10:00:00Z\n---\n\nIt\u{1b}]0;x\u{7}\u{202e} begins tomorrow.\n";
    std::fs::write(home.memory_dir().join("project_evil.md"), text).expect("a file");
    let run = home.run(&["dream", "--dry-run"]).expect(1);
    assert!(run.out.contains("begins 2026-03-03"), "{}", run.out);
    for bad in ['\u{1b}', '\u{7}', '\u{202e}'] {
        assert!(
            !run.out.contains(bad) && !run.err.contains(bad),
            "{bad:?} got through"
        );
    }
}

#[test]
fn who_comes_second_is_told_who_was_first() {
    let home = untidy();
    let state = home.memory_dir().with_file_name("memory-state");
    let now = jiff::Timestamp::now();
    let later = now + jiff::Span::new().minutes(10);
    let lease = serde_json::json!({
        "v": 1, "owner": "somebody else", "session": "s", "number": 3, "heartbeat": now.to_string(),
        "expires": later.to_string(), "released": false,
    });
    std::fs::write(state.join("lease.json"), lease.to_string()).expect("a lease");
    let run = home.run(&["dream"]).expect(5);
    assert_eq!(
        run.err,
        "memstrata: `somebody else` is at work here already\n"
    );
    // To look is allowed meanwhile.
    home.run(&["dream", "--dry-run"]).expect(1);
}
