//! `replay`: recorded sessions through the whole life of a session.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::{Home, Run, SAVE_ROLE, expect_closed_pipe_is_success};
use crate::schema;

const SCHEMAS: [(&str, &str); 16] = [
    (
        "compaction",
        include_str!("../../docs/schemas/replay-compaction.json"),
    ),
    (
        "ended",
        include_str!("../../docs/schemas/replay-ended.json"),
    ),
    (
        "failed",
        include_str!("../../docs/schemas/replay-failed.json"),
    ),
    (
        "memory",
        include_str!("../../docs/schemas/replay-memory.json"),
    ),
    (
        "passed-over",
        include_str!("../../docs/schemas/replay-passed-over.json"),
    ),
    (
        "prompt",
        include_str!("../../docs/schemas/replay-prompt.json"),
    ),
    (
        "recalled",
        include_str!("../../docs/schemas/replay-recalled.json"),
    ),
    ("said", include_str!("../../docs/schemas/replay-said.json")),
    (
        "secret",
        include_str!("../../docs/schemas/replay-secret.json"),
    ),
    (
        "session",
        include_str!("../../docs/schemas/replay-session.json"),
    ),
    (
        "session-file",
        include_str!("../../docs/schemas/replay-session-file.json"),
    ),
    (
        "skipped",
        include_str!("../../docs/schemas/replay-skipped.json"),
    ),
    (
        "summary",
        include_str!("../../docs/schemas/replay-summary.json"),
    ),
    (
        "unreadable",
        include_str!("../../docs/schemas/replay-unreadable.json"),
    ),
    (
        "worked",
        include_str!("../../docs/schemas/replay-worked.json"),
    ),
    (
        "write",
        include_str!("../../docs/schemas/replay-write.json"),
    ),
];

const EXPLAIN_RECALL: &str = include_str!("../../docs/schemas/explain-recall.json");

fn workspace() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().expect("the workspace").to_owned()
}

/// The token that stands in parts in the recorded session.
fn token() -> String {
    ["ghp", "_8Kq2vXw5RtZ0mNcB7yLdJ4sHfE1uPa3iGo", "T6"].concat()
}

/// Writes the recorded sessions below the home, with the token put together, and the project beside them as a
/// repository of its own. Returns the sessions.
fn recorded(home: &Home) -> Vec<PathBuf> {
    let from = workspace().join("testdata/sessions");
    copy(&from.join("larder"), &home.project());
    fs::create_dir_all(home.project().join(".git")).expect("a repository");
    let git = home.project().join(".git");
    fs::write(git.join("HEAD"), "ref: refs/heads/main\n").expect("a head");
    fs::create_dir_all(git.join("objects")).expect("objects");
    fs::create_dir_all(git.join("refs")).expect("refs");
    let names = ["1-expiry-alerts", "2-alert-count", "3-codex-old-lots"];
    let place = |name: &str| {
        let text =
            fs::read_to_string(from.join(format!("{name}.jsonl"))).expect("a recorded session");
        let parts = token();
        let parts = format!("{{{{{}+{}+{}}}}}", &parts[..3], &parts[3..38], &parts[38..]);
        let path = home.path().join(format!("{name}.jsonl"));
        fs::write(&path, text.replace(&parts, &token())).expect("a written session");
        path
    };
    names.into_iter().map(place).collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).expect("a copied file");
        }
    }
}

fn replay(home: &Home, files: &[PathBuf], more: &[&str]) -> Run {
    let mut arguments = vec!["replay"];
    arguments.extend(files.iter().map(|file| file.to_str().expect("UTF-8")));
    arguments.extend(more);
    let mut command = home.command(&arguments);
    // The scratch home lies where the test can see whether it is gone.
    let scratch = home.path().join("scratch");
    fs::create_dir_all(&scratch).expect("a folder");
    let output = command
        .env("TMPDIR", &scratch)
        .env("TMP", &scratch)
        .env("TZ", "Europe/Berlin")
        .output();
    Run::from(output.expect("the program runs"))
}

/// Asserts that every line fits the schema of its event.
#[track_caller]
fn check(run: &Run) -> Vec<Value> {
    let lines = run.json();
    for line in run.out.lines() {
        let event: Value = serde_json::from_str(line).expect("JSON");
        let name = event["event"].as_str().unwrap_or_default();
        let known = SCHEMAS.iter().find(|(known, _)| *known == name);
        let (_, schema) = known.unwrap_or_else(|| panic!("no schema for {line}"));
        let one = Run {
            code: run.code,
            out: format!("{line}\n"),
            err: String::new(),
        };
        schema::check(schema, &one);
    }
    lines
}

fn of<'a>(lines: &'a [Value], event: &'a str) -> impl Iterator<Item = &'a Value> {
    lines.iter().filter(move |line| line["event"] == event)
}

fn scratch_is_empty(home: &Home) -> bool {
    let scratch = home.path().join("scratch");
    fs::read_dir(scratch).is_ok_and(|mut entries| entries.next().is_none())
}

/// Every file below a folder that holds these bytes.
fn holding(folder: &Path, wanted: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            holding(&path, wanted, found);
        } else if fs::read(&path).is_ok_and(|bytes| {
            bytes
                .windows(wanted.len())
                .any(|window| window == wanted.as_bytes())
        }) {
            found.push(path);
        }
    }
}

#[test]
fn recorded_sessions_show_all_three_layers() {
    let home = Home::new();
    let mut files = recorded(&home);
    // The order of their first messages counts, not that of the command line.
    files.reverse();
    let team = workspace().join("testdata/sessions/team");
    let team = team.to_str().expect("UTF-8");
    let kept = home.path().join("kept");
    let keep = format!("--keep={}", kept.display());
    let run = replay(
        &home,
        &files,
        &["--json", "--project", ".", "--team", team, &keep],
    )
    .expect(0);
    let lines = check(&run);

    let sessions: Vec<_> = of(&lines, "session")
        .map(|line| line["time"].to_string())
        .collect();
    assert_eq!(sessions.len(), 3);
    assert!(sessions.is_sorted(), "{sessions:?}");
    assert!(of(&lines, "said").count() >= 60 + 13 + 7);

    // Persistent memory: what was learned, in which turn, from which words.
    let learned: Vec<(i64, &str, &str)> = of(&lines, "memory")
        .filter(|line| line["action"] == "created")
        .map(|line| {
            let text = |key: &str| line[key].as_str().unwrap_or_default();
            (
                line["turn"].as_i64().unwrap_or_default(),
                text("type"),
                text("name"),
            )
        })
        .collect();
    assert_eq!(
        learned,
        [
            (1, "user", "I'm the only backend developer on larder"),
            (
                6,
                "feedback",
                "Don't add dependencies without asking me first"
            ),
            (
                8,
                "feedback",
                "Keep your answers short and leave out the summary"
            ),
            (13, "feedback", "We write commit subjects in English"),
            (
                16,
                "reference",
                "Bugs of the volunteers' app are tracked in Linear"
            ),
            (
                19,
                "feedback",
                "Always start the test database with make test-db"
            ),
            (21, "feedback", "Don't mock the database in tests"),
            (26, "project", "We freeze the API on 12 March"),
            (
                36,
                "feedback",
                "Stop reformatting files you were not asked to change"
            ),
            (
                45,
                "project",
                "The label printer in the storeroom only takes Latin-1"
            ),
            (62, "feedback", "Never push to main yourself"),
            (
                67,
                "project",
                "Jonas is on holiday from 2026-03-03 until 6 March"
            ),
            (3, "feedback", "Use make db-up before the integration tests"),
            (11, "project", "The freeze has moved"),
            (5, "feedback", "Always answer me in English"),
        ]
    );
    for line in of(&lines, "memory").filter(|line| line["action"] == "created") {
        let quote = line["quote"].as_str().unwrap_or_default();
        let said = of(&lines, "said").find(|said| said["message_id"] == line["message_id"]);
        let said = said.expect("the message that it rests on");
        assert!(
            said["text"]
                .as_str()
                .is_some_and(|text| text.contains(quote)),
            "{line}"
        );
    }

    // Recall: a week later, in another session and another agent; what is gone is said.
    let recalled = |wanted: &str| -> Vec<&Value> {
        of(&lines, "recalled")
            .flat_map(|line| line["memories"].as_array().into_iter().flatten())
            .filter(|memory| {
                memory["path"]
                    .as_str()
                    .is_some_and(|path| path.contains(wanted))
            })
            .collect()
    };
    let gone = recalled("make_test_db");
    assert!(!gone.is_empty());
    assert!(
        gone.iter().all(|memory| memory["verified"]["gone"] == 1),
        "{gone:?}"
    );
    assert!(!recalled("don_t_mock_the_database").is_empty());
    let team = recalled("team/feedback_column_renames");
    assert_eq!(team.len(), 1, "{team:?}");
    assert_eq!(team[0]["age"], "6 days ago");

    // Session memory: it grew, and took the place of the conversation.
    let updates = of(&lines, "session-file");
    let context: Vec<_> = updates
        .map(|line| line["context_tokens"].as_u64())
        .collect();
    assert!(context.len() >= 8, "{context:?}");
    let compaction = of(&lines, "compaction").find(|line| line["recorded"] == true);
    let compaction = compaction.expect("the recorded compaction");
    assert_eq!(compaction["summary"], "session-file");
    assert!(compaction["tokens_after"].as_u64() < compaction["tokens_before"].as_u64());

    // The token: stopped, and kept nowhere.
    assert_eq!(of(&lines, "secret").count(), 1);
    let writes: Vec<_> = of(&lines, "write")
        .map(|line| {
            (
                line["path"].as_str().unwrap_or_default(),
                line["allowed"] == true,
            )
        })
        .collect();
    assert_eq!(
        writes,
        [
            ("team/reference_staging_image.md", false),
            ("team/reference_staging_image.md", true),
            ("team/feedback_column_renames.md", true),
        ]
    );
    assert!(!run.out.contains(&token()) && !run.err.contains(&token()));
    let mut found = Vec::new();
    holding(&kept, &token(), &mut found);
    assert!(found.is_empty(), "{found:?}");

    // And each memory can say where it comes from and when it came back.
    let project = home.project();
    let explain = |name: &str, more: &[&str]| {
        let kept = kept.to_str().expect("UTF-8");
        let project = project.to_str().expect("UTF-8");
        let mut arguments = vec!["--home", kept, "--project", project, "explain", name];
        arguments.extend(more);
        home.run(&arguments).expect(0)
    };
    let name = "Always start the test database with make test-db";
    let explained = explain(name, &["--json"]).json();
    let (decided, shown): (Vec<&Value>, Vec<&Value>) = explained
        .iter()
        .partition(|line| line["action"] != "recalled");
    assert_eq!(decided.len(), 1);
    assert_eq!(decided[0]["turn"], 19);
    assert_eq!(
        decided[0]["session"],
        "3b0f7c52-6a1d-4e0b-9c1f-5d27c8a4e601"
    );
    assert_eq!(shown.len(), gone.len());
    for line in &shown {
        let one = Run {
            code: Some(0),
            out: format!("{line}\n"),
            err: String::new(),
        };
        schema::check(EXPLAIN_RECALL, &one);
        assert_eq!(line["verified"]["gone_claims"], json!(["make test-db"]));
    }
    let text = explain(name, &[]).out;
    for wanted in [
        "turn 19",
        "you said: Always start",
        "`make test-db` is gone",
        "matched: ",
    ] {
        assert!(text.contains(wanted), "{wanted}\n{text}");
    }
}

#[test]
fn the_timeline_is_for_people() {
    let home = Home::new();
    let files = recorded(&home);
    let run = replay(&home, &files, &["--project", "."]).expect(0);
    for wanted in [
        "== 1-expiry-alerts.jsonl",
        "Monday, 2026-03-02",
        "  21  09:59  Don't mock the database in tests.",
        "  learned  feedback: Don't mock the database in tests",
        "because you said: Don't mock the database in tests. In January",
        "  stopped  a credential (GitHub personal access token) in what you said",
        "  stopped  ",
        "    noted  session file 1: ",
        "     kept  here the context was compacted: ",
        "      but  0 of 1 claims hold; `make test-db` is gone",
        "== 3 sessions, 88 turns, 460 messages",
    ] {
        assert!(run.out.contains(wanted), "{wanted}\n{}", run.out);
    }
    assert!(!run.out.contains('\u{1b}'), "no colours into a pipe");
    assert!(
        run.err.contains("the scratch home is removed"),
        "{}",
        run.err
    );
    assert!(scratch_is_empty(&home));
    // All turns, also the quiet ones.
    let all = replay(&home, &files, &["--all"]).expect(0);
    assert!(all.out.contains("Do it."), "{}", all.out);
    assert!(!run.out.contains("Do it."));
}

#[test]
fn every_sample_is_replayed_or_named_and_what_is_learned_makes_sense() {
    let Some(samples) = test_support::samples(env!("CARGO_MANIFEST_DIR"), "") else {
        return;
    };
    let mut files = Vec::new();
    for folder in ["claude-code", "codex", "gemini-cli"] {
        transcripts(&samples.join(folder), &mut files);
    }
    assert!(files.len() >= 20, "{files:?}");
    let home = Home::new();
    let run = replay(&home, &files, &["--json"]).expect(0);
    let lines = check(&run);
    let names: Vec<&str> = of(&lines, "memory")
        .filter(|line| line["action"] == "created")
        .filter_map(|line| line["name"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "Run cargo nextest run -p teapot-core",
            "Keine deutschen Kommentare im Code",
            "Always squash-merge",
        ]
    );
    assert_eq!(
        of(&lines, "failed").count(),
        0,
        "{:?}",
        of(&lines, "failed").next()
    );
    // A file is a session, or it is said why it is none.
    let told = of(&lines, "session").chain(of(&lines, "passed-over"));
    assert_eq!(told.count(), files.len());
    // What could not be read is counted and named.
    let skipped: u64 = of(&lines, "session")
        .filter_map(|line| line["skipped_lines"].as_u64())
        .sum();
    assert!(skipped >= 8, "{skipped}");
    assert!(scratch_is_empty(&home));
    // And as a timeline, with everything in it.
    replay(&home, &files, &["--all"]).expect(0);
}

fn transcripts(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a folder")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            transcripts(&path, found);
        } else if path
            .extension()
            .is_some_and(|ending| ending == "jsonl" || ending == "json")
            && !name.contains(".meta.")
        {
            found.push(path);
        }
    }
}

/// A session in which a person says these things and gets answers.
fn session(home: &Home, name: &str, said: &[&str]) -> PathBuf {
    let mut lines = String::new();
    let mut parent = Value::Null;
    for (at, text) in said.iter().enumerate() {
        for (role, text) in [("user", *text), ("assistant", "Understood.")] {
            let uuid = format!("{name}-{at}-{role}");
            let line = json!({
                "type": role,
                "uuid": uuid,
                "parentUuid": parent,
                "sessionId": name,
                "cwd": "/home/mira/elsewhere",
                "timestamp": format!("2026-03-02T09:{at:02}:00.000Z"),
                "message": {"role": role, "content": [{"type": "text", "text": text}]},
            });
            parent = uuid.into();
            lines.push_str(&line.to_string());
            lines.push('\n');
        }
    }
    let path = home.path().join(format!("{name}.jsonl"));
    fs::write(&path, lines).expect("a transcript");
    path
}

const RULE: &str = "From now on, ask before you add a dependency, we got burned by one.";

#[test]
fn a_file_that_cannot_be_read_is_named_and_the_rest_goes_on() {
    let home = Home::new();
    let good = session(&home, "good", &[RULE]);
    let broken = home.file("broken.jsonl", "no session of anybody\n");
    let missing = home.path().join("missing.jsonl");
    let run = replay(&home, &[broken.clone(), good.clone()], &["--json"]).expect(2);
    let lines = check(&run);
    let unreadable: Vec<_> = of(&lines, "unreadable").collect();
    assert_eq!(unreadable.len(), 1);
    assert!(
        unreadable[0]["file"]
            .as_str()
            .is_some_and(|file| file.ends_with("broken.jsonl"))
    );
    assert_eq!(
        of(&lines, "summary")
            .next()
            .map(|line| line["saved"].clone()),
        Some(json!(1))
    );
    // The first of several failures decides.
    let run = replay(&home, &[missing, broken, good], &[]).expect(4);
    assert!(run.out.contains("unreadable"), "{}", run.out);
    assert!(run.out.contains("learned  1 memory"), "{}", run.out);
}

#[test]
fn a_real_home_keeps_what_was_learned_and_what_is_there() {
    let home = Home::new();
    let file = session(&home, "s1", &[RULE, "ok"]);
    let into = home.path().join("real");
    let into = into.to_str().expect("UTF-8");
    let first = replay(
        &home,
        std::slice::from_ref(&file),
        &["--into", into, "--json"],
    )
    .expect(0);
    assert_eq!(
        of(&check(&first), "summary")
            .next()
            .map(|line| line["saved"].clone()),
        Some(json!(1))
    );
    assert!(first.err.contains("not here"), "{}", first.err);
    let listed = home
        .run(&["--home", into, "list", "--json"])
        .expect(0)
        .json();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0]["modified"], "2026-03-02T09:00:00Z");
    // Once more: the session was looked at already.
    let again = replay(&home, &[file], &["--into", into, "--json"]).expect(0);
    assert_eq!(
        of(&check(&again), "summary")
            .next()
            .map(|line| line["saved"].clone()),
        Some(json!(0))
    );
}

#[test]
fn a_home_is_kept_in_a_new_folder_only() {
    let home = Home::new();
    let file = session(&home, "s1", &[RULE]);
    let kept = home.path().join("kept");
    let keep = format!("--keep={}", kept.display());
    let run = replay(&home, std::slice::from_ref(&file), &[&keep]).expect(0);
    assert!(run.err.contains("explain NAME"), "{}", run.err);
    assert!(kept.join("projects").is_dir());
    replay(&home, std::slice::from_ref(&file), &[&keep]).expect(3);
    let run = replay(&home, std::slice::from_ref(&file), &["--keep"]).expect(0);
    assert!(run.err.contains("kept in "), "{}", run.err);
    assert!(!scratch_is_empty(&home));
    replay(&home, &[file], &["--keep", "--into", "x"]).expect(2);
}

#[test]
fn text_of_a_transcript_does_not_steer_the_terminal() {
    let home = Home::new();
    let said =
        "From now on, never \u{1b}[2Jclear\u{202e} the screen in tests, we got burned by it.";
    let file = session(&home, "s1", &[said]);
    let run = replay(&home, &[file], &["--all"]).expect(0);
    assert!(
        !run.out.contains('\u{1b}') && !run.out.contains('\u{202e}'),
        "{}",
        run.out
    );
    assert!(run.out.contains("never"), "{}", run.out);
}

#[test]
fn an_endless_line_costs_one_line() {
    let home = Home::new();
    let file = session(&home, "s1", &[RULE, "ok"]);
    let mut text = fs::read_to_string(&file).expect("a transcript");
    // Longer than a line may be, and no line end behind it.
    text.push_str(&"x".repeat(40 << 20));
    fs::write(&file, text).expect("a longer transcript");
    let lines = check(&replay(&home, &[file], &["--json"]).expect(0));
    let summary = of(&lines, "summary").next().expect("a summary");
    assert_eq!(
        (&summary["saved"], &summary["skipped_lines"]),
        (&json!(1), &json!(1))
    );
}

#[test]
fn a_reader_that_has_seen_enough_is_a_success() {
    let home = Home::new();
    let files = recorded(&home);
    let mut arguments = vec!["replay", "--json"];
    arguments.extend(files.iter().map(|file| file.to_str().expect("UTF-8")));
    expect_closed_pipe_is_success(&mut home.command(&arguments));
}

#[test]
fn a_model_that_fails_leaves_the_work_to_the_rules() {
    let home = Home::new();
    let file = session(&home, "s1", &[RULE, "ok"]);
    let none = replay(&home, std::slice::from_ref(&file), &["--model"]).expect(2);
    assert!(none.err.contains("no model is set up"), "{}", none.err);
    let own = home.path().join(".claude");
    fs::create_dir_all(&own).expect("a home");
    let missing = home.path().join("no-such-program");
    let settings = format!(
        "[model]\nbackend = \"command\"\nname = \"none\"\nany_session = true\ncommand = [{:?}]\n",
        missing.display().to_string()
    );
    fs::write(own.join("memstrata.toml"), settings).expect("settings");
    let lines = check(&replay(&home, &[file], &["--model", "--json"]).expect(0));
    let summary = of(&lines, "summary").next().expect("a summary");
    assert_eq!(summary["saved"], 1);
    // And it is said that the model did not do it.
    let said = of(&lines, "failed").find(|line| {
        let reason = line["reason"].as_str().unwrap_or_default();
        line["part"] == "extraction" && reason.contains("the model was of no help")
    });
    assert!(said.is_some(), "{lines:?}");
}

/// The lines of a text, with long numbers and shares hidden: counts of tokens depend on how long the paths are,
/// and shares on every word that recall learns.
fn shown_lines(text: &str) -> Vec<String> {
    let plain = |line: &str| {
        let mut out = String::new();
        let mut rest = line.trim_end();
        while let Some(start) = rest.find(|char: char| char.is_ascii_digit()) {
            let (before, digits) = rest.split_at(start);
            let end = digits
                .find(|char: char| !char.is_ascii_digit())
                .unwrap_or(digits.len());
            let behind = &digits[end..];
            out.push_str(before);
            let is_hidden = end >= 3 || behind.starts_with(" %");
            out.push_str(if is_hidden { "N" } else { &digits[..end] });
            rest = behind;
        }
        out.push_str(rest);
        out
    };
    text.lines().map(plain).collect()
}

#[test]
fn the_readme_shows_what_replay_prints() {
    let home = Home::new();
    let sessions = recorded(&home);
    let team = workspace().join("testdata/sessions/team");
    let project = home.project();
    let mut arguments = vec!["replay", "--project", project.to_str().expect("a path")];
    arguments.extend(["--team", team.to_str().expect("a path")]);
    arguments.extend(sessions.iter().map(|path| path.to_str().expect("a path")));
    let printed = shown_lines(&home.run(&arguments).expect(0).out);
    let readme = include_str!("../../README.md").replace("\r\n", "\n");
    let blocks = readme
        .split("```text\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .filter(|block| block.contains("learned") || block.contains("recalled"));
    let mut lines = 0;
    for block in blocks {
        // In order, with nothing left out but at an ellipsis.
        let mut at = None;
        for line in shown_lines(block) {
            if line == "…" {
                at = at.map(|(place, _)| (place, true));
                continue;
            }
            let from = at.map_or(0, |(place, _)| place);
            let found = printed[from..].iter().position(|one| *one == line);
            let found = found.unwrap_or_else(|| panic!("not printed, or not here: {line}"));
            assert!(
                found == 0 || at.is_none_or(|(_, gap)| gap),
                "left out before: {line}"
            );
            at = Some((from + found + 1, false));
            lines += 1;
        }
    }
    assert!(lines > 15, "the README shows a recorded session");
}

#[test]
fn ids_and_folders_that_are_no_names_are_sessions_all_the_same() {
    let home = Home::new();
    for (id, cwd) in [
        ("CON", "/home/ana/shop"),
        ("memory", "/home/ana/shop"),
        ("memory-state", "/home/ana/shop"),
        ("../../escape", "/home/ana/shop"),
        ("s1", "/"),
        ("s1", "../.."),
    ] {
        let file = session(&home, "s1", &[RULE, "ok"]);
        let text = fs::read_to_string(&file).expect("a transcript");
        let mut lines = String::new();
        for line in text.lines() {
            let mut line: Value = serde_json::from_str(line).expect("JSON");
            line["sessionId"] = json!(id);
            line["cwd"] = json!(cwd);
            lines.push_str(&line.to_string());
            lines.push('\n');
        }
        fs::write(&file, lines).expect("a transcript");
        let lines = check(&replay(&home, &[file], &["--json"]).expect(0));
        let summary = of(&lines, "summary").next().expect("a summary");
        assert_eq!(summary["saved"], 1, "{id} in {cwd}: {lines:?}");
        assert!(scratch_is_empty(&home));
    }
}

/// Ends a replay by a signal in its middle: a pipe that nobody reads holds it there.
#[cfg(unix)]
#[test]
fn a_replay_that_is_stopped_leaves_nothing_behind() {
    use std::io::Read as _;
    let home = Home::new();
    let file = session(&home, "s1", &[RULE; 50]);
    let file = file.to_str().expect("UTF-8");
    // More than a pipe holds.
    let arguments = [&["replay", "--json"][..], &[file; 40]].concat();
    for (signal, code) in [("-TERM", 143), ("-INT", 130)] {
        let scratch = home.path().join("scratch");
        fs::create_dir_all(&scratch).expect("a folder");
        let mut child = home
            .command(&arguments)
            .env("TMPDIR", &scratch)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("the program starts");
        let mut stdout = child.stdout.take().expect("a pipe");
        // The first bytes come when the scratch home is there and in use.
        stdout.read_exact(&mut [0; 64]).expect("the first event");
        let sent = std::process::Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status();
        assert!(sent.expect("kill runs").success());
        let status = child.wait().expect("the program ends");
        assert_eq!(status.code(), Some(code), "{signal}: {status}");
        assert!(scratch_is_empty(&home), "{signal}");
    }
}

#[test]
fn a_folder_to_keep_that_is_a_file_is_refused_by_its_name() {
    let home = Home::new();
    let file = session(&home, "s1", &[RULE]);
    let keep = format!("--keep={}", file.display());
    let run = replay(&home, std::slice::from_ref(&file), &[&keep]).expect(3);
    assert!(run.err.contains("s1.jsonl is no folder"), "{}", run.err);
}

#[test]
fn explain_knows_a_memory_of_a_replay_under_its_old_and_its_new_name() {
    let home = Home::new();
    let file = session(&home, "s1", &[RULE, "ok"]);
    let into = home.path().join("real");
    let into = into.to_str().expect("UTF-8");
    replay(&home, std::slice::from_ref(&file), &["--into", into]).expect(0);
    let ask = |arguments: &[&str], code: i32| {
        let all = [&["--home", into], arguments].concat();
        home.run(&all).expect(code)
    };
    let listed = ask(&["list", "--json"], 0).json();
    let path = listed[0]["path"].as_str().expect("a path").to_owned();
    let title = listed[0]["name"].as_str().expect("a title").to_owned();
    ask(&["rename", &path, "feedback_dependencies.md"], 0);
    let decision = |name: &str| {
        let run = ask(&["explain", name, "--json"], 0);
        let lines = run.json();
        let one = lines.iter().find(|line| line["action"] == "created");
        let one = one.unwrap_or_else(|| panic!("{name}: {run:?}"));
        assert_eq!((&one["turn"], &one["session"]), (&json!(1), &json!("s1")));
        assert_eq!(one["quote"], RULE);
    };
    for name in [
        &path,
        &title,
        "feedback_dependencies.md",
        "feedback_dependencies",
    ] {
        decision(name);
    }
    let said = ask(&["explain", "feedback_dependencies.md"], 0);
    assert!(
        said.out.contains("2026-03-02 09:00 UTC in session s1"),
        "{}",
        said.out
    );
    assert!(!said.err.contains("no session was read"), "{}", said.err);
    ask(&["forget", "feedback_dependencies.md"], 0);
    decision("feedback_dependencies.md");
}

#[test]
fn explain_makes_no_folder_and_says_who_saved_what_no_session_taught() {
    let home = Home::new();
    home.run(&["explain", "Role"]).expect(4);
    home.run(&["explain", "--session", "s1"]).expect(4);
    assert!(!home.path().join(".claude").exists());
    home.run(SAVE_ROLE).expect(0);
    let said = home.run(&["explain", "Role"]).expect(0).err;
    assert!(
        said.contains("user_role.md was first saved by hand on "),
        "{said}"
    );
}
