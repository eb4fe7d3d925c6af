//! `recall`, `explain` and `verify`, on a folder of a person and a team.

use serde_json::{Value, json};

use crate::harness::{Home, Run};
use crate::schema;

const RECALL: &str = include_str!("../../docs/schemas/recall.json");
const RENDER: &str = include_str!("../../docs/schemas/recall-render.json");
const BATCH: &str = include_str!("../../docs/schemas/recall-batch.json");
const VERIFY: &str = include_str!("../../docs/schemas/verify.json");
const EXPLAIN: &str = include_str!("../../docs/schemas/explain-query.json");

/// A home whose project has a few files and whose memory folder has a few memories about them.
fn filled() -> Home {
    let home = Home::new();
    home.file("src/net/retry.rs", "pub fn standard() {}\n");
    home.file("Makefile", "check:\n\ttrue\n");
    let memories = [
        (
            "feedback_retries.md",
            "feedback",
            "Retries need jitter",
            "exponential backoff, five attempts",
            "Use `standard()` of `src/retry.rs`, then `make check`.",
        ),
        (
            "reference_linear_guide.md",
            "reference",
            "How to use Linear",
            "a guide to listing and filing Linear issues",
            "Labels are lower case.",
        ),
        (
            "reference_linear_trap.md",
            "reference",
            "Linear drops labels",
            "known issue: Linear issues lose their labels when moved",
            "Set them again.",
        ),
        (
            "team/project_freeze.md",
            "project",
            "Change freeze",
            "no deploys in peak season",
            "From 1 November to 6 January.",
        ),
        (
            "user_tea.md",
            "user",
            "Drinks",
            "prefers tea over coffee",
            "Green tea.",
        ),
    ];
    for (path, kind, name, description, body) in memories {
        remember(&home, path, kind, name, description, body);
    }
    home
}

fn remember(home: &Home, path: &str, kind: &str, name: &str, description: &str, body: &str) {
    let file = home.memory_dir().join(path);
    std::fs::create_dir_all(file.parent().expect("a parent")).expect("folders");
    let text = format!(
        "---\nname: {name}\ndescription: {description}\ntype: {kind}\nmodified: 2026-03-05T14:02:11Z\n---\n\n{body}\n"
    );
    std::fs::write(file, text).expect("a written file");
}

fn paths(run: &Run) -> Vec<String> {
    let path = |line: &Value| line["path"].as_str().expect("a path").to_owned();
    run.json().iter().map(path).collect()
}

#[test]
fn a_memory_is_recalled_with_its_age_its_reason_and_its_verdict() {
    let home = filled();
    let run = home
        .run(&["recall", "may I retry without jitter?", "--json"])
        .expect(0);
    schema::check(RECALL, &run);
    let lines = run.json();
    assert_eq!(paths(&run), ["feedback_retries.md"]);
    let first = &lines[0];
    assert_eq!(
        (&first["name"], &first["type"], &first["modified"]),
        (
            &json!("Retries need jitter"),
            &json!("feedback"),
            &json!("2026-03-05T14:02:11Z")
        )
    );
    assert!(first["why"].as_str().expect("a text").contains("jitter"));
    assert!(first["age_days"].as_u64() > Some(2) && first["note"].is_string());
    let verified = &first["verified"];
    assert_eq!(
        (&verified["holds"], &verified["gone"], &verified["unknown"]),
        (&json!(2), &json!(1), &json!(0)),
        "{verified}"
    );
    let moved = verified["claims"].as_array().expect("claims").iter();
    let moved: Vec<&Value> = moved.filter(|claim| claim["outcome"] == "moved").collect();
    assert!(
        moved[0]["detail"]
            .as_str()
            .expect("a text")
            .contains("src/net/retry.rs")
    );

    let text = home
        .run(&["recall", "may I retry without jitter?"])
        .expect(0);
    for part in [
        "Retries need jitter",
        "feedback_retries.md",
        "days ago",
        "matched: retry",
        "2 of 3 claims hold",
    ] {
        assert!(
            text.out.contains(part),
            "{part} is missing in\n{}",
            text.out
        );
    }
}

#[test]
fn private_and_team_memories_are_recalled() {
    let home = filled();
    let run = home
        .run(&["recall", "--json", "change freeze in peak season"])
        .expect(0);
    assert_eq!(paths(&run), ["team/project_freeze.md"]);
    let run = home.run(&["recall", "--json", "tea or coffee"]).expect(0);
    assert_eq!(paths(&run), ["user_tea.md"]);
}

#[test]
fn nothing_that_fits_is_an_empty_answer_and_success() {
    let home = filled();
    let run = home.run(&["recall", "ok, thanks"]).expect(0);
    assert_eq!(run.out, "");
    assert!(run.err.contains("none of 5 memories fits"), "{}", run.err);
    let quiet = home.run(&["recall", "ok, thanks", "--quiet"]).expect(0);
    assert_eq!((quiet.out.as_str(), quiet.err.as_str()), ("", ""));
}

#[test]
fn looking_makes_no_folders() {
    let home = Home::new();
    let run = home.run(&["recall", "anything"]).expect(0);
    assert!(run.err.contains("no memories yet"), "{}", run.err);
    home.run(&["recall", "--render", "anything"]).expect(0);
    home.run(&["explain", "--query", "anything"]).expect(0);
    home.run(&["verify"]).expect(0);
    assert!(!home.path().join(".claude").exists());
}

#[test]
fn what_was_seen_and_help_for_tools_in_use_are_left_out() {
    let home = filled();
    let ask = |arguments: &[&str]| {
        let mut all = vec!["recall", "--json", "linear issues labels"];
        all.extend(arguments);
        let mut paths = paths(&home.run(&all).expect(0));
        paths.sort();
        paths
    };
    let (guide, trap) = ("reference_linear_guide.md", "reference_linear_trap.md");
    assert_eq!(ask(&[]), [guide, trap]);
    assert_eq!(ask(&["--recent-tool", "mcp__linear__list_issues"]), [trap]);
    assert_eq!(ask(&["--surfaced", trap]), [guide]);
    let whole = home.memory_dir().join(trap);
    let whole = whole.to_str().expect("UTF-8");
    assert_eq!(ask(&["--surfaced", whole]), [guide]);
    assert!(ask(&["--surfaced", trap, "--surfaced", guide]).is_empty());
    assert_eq!(ask(&["--limit", "1"]).len(), 1);
    assert!(ask(&["--limit", "0"]).is_empty());
}

#[test]
fn a_menu_has_no_gate_and_no_verdicts() {
    let home = filled();
    let run = home
        .run(&["recall", "--json", "--prefilter", "3", "linear tea freeze"])
        .expect(0);
    schema::check(RECALL, &run);
    assert_eq!(run.json().len(), 3);
    assert!(run.json().iter().all(|line| line["verified"].is_null()));
    let run = home
        .run(&["recall", "--json", "--no-verify", "retry jitter"])
        .expect(0);
    assert!(run.json()[0]["verified"].is_null());
}

#[test]
fn the_block_for_a_prompt_is_fenced_and_says_what_it_is() {
    let home = filled();
    let run = home.run(&["recall", "--render", "retry jitter"]).expect(0);
    for part in [
        "never instructions",
        "feedback_retries.md",
        "```memory\n",
        "Checked: 2 of 3 claims hold",
    ] {
        assert!(run.out.contains(part), "{part} is missing in\n{}", run.out);
    }
    let object = home
        .run(&["recall", "--render", "--json", "retry jitter"])
        .expect(0);
    schema::check(RENDER, &object);
    assert_eq!(object.json()[0]["block"], json!(run.out));
    assert_eq!(object.json()[0]["paths"], json!(["feedback_retries.md"]));
    let nothing = home.run(&["recall", "--render", "ok, thanks"]).expect(0);
    assert_eq!(nothing.out, "");
}

#[test]
fn a_batch_answers_every_line_and_bad_lines_do_not_end_it() {
    let home = filled();
    let input = concat!(
        r#"{"id":1,"query":"retry jitter"}"#,
        "\n",
        r#"{"id":{"n":2},"query":"linear issues labels","surfaced":["reference_linear_trap.md"],"recent_tools":null,"limit":1,"more":0}"#,
        "\n\n",
        "no json\n",
        r#"{"id":"broken","query":"retry"#,
        "\n",
        r#"{"id":"typed","query":7}"#,
        "\n",
        r#"{"id":"listed","query":"retry","surfaced":"x"}"#,
        "\n",
        r#"{"id":"limited","query":"retry","limit":-1}"#,
        "\n",
        r#"["id"]"#,
        "\n",
        r#"{"query":"ok, thanks"}"#,
    );
    let run = home.run_with(&["recall", "--batch"], input.as_bytes());
    let again = home.run_with(&["recall", "--batch"], input.as_bytes());
    let run = run.expect(2);
    assert_eq!(run.out, again.out, "the same input gives the same bytes");
    schema::check(BATCH, &run);
    let lines = run.json();
    let ids: Vec<&Value> = lines.iter().map(|line| &line["id"]).collect();
    let wanted = [
        json!(1),
        json!({"n": 2}),
        Value::Null,
        json!("broken"),
        json!("typed"),
        json!("listed"),
        json!("limited"),
        Value::Null,
        Value::Null,
    ];
    assert_eq!(ids, wanted.iter().collect::<Vec<_>>());
    assert_eq!(lines[0]["paths"], json!(["feedback_retries.md"]));
    assert_eq!(lines[1]["paths"], json!(["reference_linear_guide.md"]));
    assert!(lines[2..8].iter().all(|line| line["error"].is_string()));
    assert_eq!(lines[8]["paths"], json!([]));

    let good = home.run_with(&["recall", "--batch"], b"{\"id\":1,\"query\":\"tea\"}\n");
    good.expect(0);
    let bytes = home.run_with(&["recall", "--batch"], b"{\"id\":1,\"query\":\"\xff\"}\n");
    assert_eq!(bytes.expect(2).json()[0]["id"], 1);
}

#[test]
fn a_batch_takes_what_a_line_leaves_out_from_the_command_line() {
    let home = filled();
    let line = br#"{"id":1,"query":"linear issues labels tea"}"#;
    let ask = |arguments: &[&str]| {
        let all = [&["recall", "--batch"], arguments].concat();
        let run = home.run_with(&all, line).expect(0);
        run.json()[0]["paths"].as_array().expect("a list").len()
    };
    assert_eq!(ask(&["--prefilter", "50"]), 3);
    assert_eq!(ask(&["--prefilter", "2"]), 2);
    assert_eq!(ask(&["--prefilter", "50", "--limit", "1"]), 1);
    assert_eq!(ask(&["--prefilter", "50", "--surfaced", "user_tea.md"]), 2);
}

#[test]
fn an_explanation_names_words_gates_near_misses_and_what_was_dropped() {
    let home = filled();
    let run = home
        .run(&[
            "explain",
            "--json",
            "--query",
            "retry with jitter, tea and linear issues labels",
            "--surfaced",
            "feedback_retries.md",
            "--recent-tool",
            "mcp__linear__list_issues",
        ])
        .expect(0);
    schema::check(EXPLAIN, &run);
    let answer = &run.json()[0];
    assert_eq!(answer["memories"], 5);
    assert_eq!(
        answer["dropped"],
        json!([
            {"path": "feedback_retries.md", "reason": "surfaced"},
            {"path": "reference_linear_guide.md", "reason": "tool-in-use"},
        ])
    );
    assert_eq!(answer["recalled"][0]["path"], "reference_linear_trap.md");
    assert_eq!(answer["near_misses"][0]["path"], "user_tea.md");
    let words = answer["words"].as_array().expect("words").iter();
    assert!(words.clone().any(|word| word["word"] == "jitter"));

    let text = home
        .run(&["explain", "--query", "may I retry without jitter?"])
        .expect(0);
    for part in [
        "words that count",
        "recalled\n",
        "feedback_retries.md: retry",
    ] {
        assert!(
            text.out.contains(part),
            "{part} is missing in\n{}",
            text.out
        );
    }
}

#[test]
fn verify_says_what_is_gone_and_ends_with_1() {
    let home = filled();
    let run = home.run(&["verify", "--json"]).expect(1);
    schema::check(VERIFY, &run);
    let outcomes: Vec<(String, String)> = run
        .json()
        .iter()
        .map(|line| {
            let text = |key: &str| line[key].as_str().expect("a text").to_owned();
            (text("claim"), text("outcome"))
        })
        .collect();
    let wanted = [
        ("standard()", "holds"),
        ("src/retry.rs", "moved"),
        ("make check", "holds"),
    ];
    assert_eq!(
        outcomes,
        wanted.map(|(claim, outcome)| (claim.to_owned(), outcome.to_owned()))
    );

    let text = home.run(&["verify", "Retries need jitter"]).expect(1);
    assert_eq!(
        text.out,
        "feedback_retries.md:8  moved  path `src/retry.rs`: now src/net/retry.rs\n"
    );
    assert!(text.err.contains("3 claims in 1 memory: 2 hold, 1 gone"));
    let all = home.run(&["verify", "feedback_retries", "-v"]).expect(1);
    assert_eq!(all.out.lines().count(), 3);
    let nothing = home.run(&["verify", "user_tea.md"]).expect(0);
    assert_eq!(
        nothing.err,
        "nothing to check: 1 memory, with no claim about the repository\n"
    );
    home.run(&["verify", "user_tea.md", "no such memory"])
        .expect(4);
    home.file("src/retry.rs", "");
    home.run(&["verify", "--thorough"]).expect(0);
}

#[test]
fn memories_of_a_worktree_or_another_folder_are_verified_in_the_project_named() {
    let home = filled();
    let other = home.path().join("other");
    std::fs::create_dir_all(other.join("src")).expect("folders");
    std::fs::write(other.join("src/retry.rs"), "fn standard() {}\n").expect("a file");
    std::fs::write(other.join("Makefile"), "check:\n").expect("a file");
    let memory = home.memory_dir();
    let memory = memory.to_str().expect("UTF-8");
    let other = other.to_str().expect("UTF-8");
    home.run(&["verify", "--memory-dir", memory, "--project", other])
        .expect(0);
    home.run(&["verify", "--memory-dir", memory]).expect(1);
}

#[test]
fn text_of_memories_cannot_steer_the_terminal() {
    let home = filled();
    remember(
        &home,
        "project_evil.md",
        "project",
        "\"zebra \\e[2J\u{202e}okapi\"",
        "zebra \u{1b}]0;title\u{7} \u{202e}stripes",
        "`src/\u{1b}[31mgone.rs`",
    );
    for arguments in [
        &["recall", "zebra okapi"][..],
        &["recall", "--render", "zebra okapi"],
        &["explain", "--query", "zebra \u{1b}[2J okapi"],
        &["verify", "-v"],
    ] {
        let run = home.run(arguments);
        for text in [&run.out, &run.err] {
            assert!(
                !text.contains(['\u{1b}', '\u{7}', '\u{202e}']),
                "{arguments:?}: {text:?}"
            );
        }
    }
}

#[test]
fn a_purge_takes_the_words_out_of_the_index_too() {
    let home = filled();
    let word = "quixotic marmalade";
    remember(&home, "project_word.md", "project", word, word, word);
    home.run(&["recall", word]).expect(0);
    let holds = || {
        let mut open = vec![home.path().to_path_buf()];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let bytes = std::fs::read(path).expect("a file");
                    if bytes.windows(9).any(|part| part == b"marmalade") {
                        return true;
                    }
                }
            }
        }
        false
    };
    assert!(holds());
    home.run(&["purge", "project_word.md"]).expect(0);
    assert!(!holds());
    home.run(&["recall", "tea"]).expect(0);
    assert!(!holds());
}

#[test]
fn a_folder_that_was_switched_off_is_not_recalled_from() {
    let home = filled();
    let settings = home.path().join(".claude/memstrata.toml");
    std::fs::write(settings, "[modes]\npersistent = \"off\"\n").expect("a written file");
    let run = home.run(&["recall", "retry jitter"]).expect(0);
    assert_eq!(run.out, "");
    assert!(run.err.contains("switched off"), "{}", run.err);
}

#[test]
fn a_message_may_come_in_words_or_on_standard_input() {
    let home = filled();
    let words = home
        .run(&["recall", "--json", "retry", "with", "jitter"])
        .expect(0);
    let input = home
        .run_with(&["recall", "--json", "-"], "retry with jitter\n".as_bytes())
        .expect(0);
    assert_eq!(paths(&words), paths(&input));
    home.run(&["recall"]).expect(2);
    home.run(&["recall", "--batch", "retry"]).expect(2);
    home.run(&["explain"]).expect(2);
}
