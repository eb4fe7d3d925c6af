//! `--model`: the commands that ask a model, against a server that speaks Anthropic's form.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::harness::{Home, Run};

#[path = "../../tests/models/server.rs"]
mod server;

pub(crate) use server::{Server, Turn};

const RULE: &str = "From now on, ask before you add a dependency, we got burned by one.";

/// A key that appears nowhere else, put together so that no scanner takes this file for a leak.
pub(crate) fn key() -> String {
    ["sk", "-test-", "Q7wk3", "Zp9vX", "2mLr8", "TbN4d"].concat()
}

/// A home whose settings name a model behind a server.
fn home(server: &Server, more: &str) -> Home {
    let home = Home::new();
    let settings = format!(
        "[model]\nbackend = \"anthropic\"\nname = \"claude-haiku-5-5\"\nbase_url = \"{}\"\n{more}\n",
        server.base()
    );
    std::fs::create_dir(home.path().join(".claude")).expect("a folder");
    std::fs::write(home.path().join(".claude/memstrata.toml"), settings).expect("settings");
    home
}

/// Runs the program with the key in its variable.
fn run(home: &Home, arguments: &[&str]) -> Run {
    let output = home
        .command(arguments)
        .env("ANTHROPIC_API_KEY", key())
        .output()
        .expect("the program runs");
    let run = Run::from(output);
    assert!(!format!("{run:?}").contains(&key()), "{run:?}");
    run
}

pub(crate) fn message(content: &Value, stop: &str) -> Turn {
    let body = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-haiku-5-5",
        "content": content, "stop_reason": stop,
        "usage": { "input_tokens": 1_000, "output_tokens": 50 },
    });
    Turn::Answer(200, body.to_string())
}

fn said(text: &str) -> Turn {
    message(&json!([{ "type": "text", "text": text }]), "end_turn")
}

/// The model saves what a person said of packages in that file.
fn packages(path: &Path) -> Turn {
    let content = format!(
        "---\nname: Packages\ndescription: likes pnpm\ntype: user\nevidence: \"{}\"\n---\n\nLikes pnpm.\n",
        "I like pnpm best"
    );
    let input = json!({ "file_path": path, "content": content });
    message(
        &json!([{ "type": "tool_use", "id": "c1", "name": "FileWrite", "input": input }]),
        "tool_use",
    )
}

fn refused() -> Turn {
    message(&json!([]), "refusal")
}

/// Writes a transcript of Claude Code in which a person says this and gets an answer.
fn transcript(home: &Home, words: &str) -> PathBuf {
    let line = |number: usize, role: &str, text: &str| {
        json!({
            "type": role, "uuid": format!("m{number}"), "parentUuid": (number > 1).then_some("m1"),
            "sessionId": "5c0375b4", "cwd": home.project(), "timestamp": "2026-03-02T09:30:00.000Z",
            "message": { "role": role, "content": [{ "type": "text", "text": text }] },
        })
        .to_string()
    };
    let lines = format!(
        "{}\n{}\n",
        line(1, "user", words),
        line(2, "assistant", "Understood.")
    );
    let path = home.path().join("5c0375b4.jsonl");
    std::fs::write(&path, lines).expect("a transcript");
    path
}

#[test]
fn without_a_model_in_the_settings_the_option_is_wrong_use() {
    let home = Home::new();
    let path = transcript(&home, RULE);
    let run = home
        .run(&["extract", path.to_str().expect("UTF-8"), "--model"])
        .expect(2);
    assert!(run.err.contains("no model is set up"), "{}", run.err);
    // A repository cannot set one up.
    home.file(
        ".memstrata/config.toml",
        "[model]\nbackend = \"anthropic\"\nname = \"x\"\nbase_url = \"http://localhost:1\"\n",
    );
    home.run(&["extract", path.to_str().expect("UTF-8"), "--model"])
        .expect(2);
}

#[test]
fn extract_lets_the_model_write_and_books_what_it_cost() {
    let words = "By the way, I like pnpm best.";
    let folder = Arc::new(Mutex::new(PathBuf::new()));
    let known = Arc::clone(&folder);
    let server = Server::start(move |_, _| {
        let path = known.lock().expect("no panic").join("user_packages.md");
        packages(&path)
    });
    let home = home(
        &server,
        "[model.price]\ninput = 1.0\noutput = 5.0\n[model.budget]\nmoney = 2.0",
    );
    *folder.lock().expect("no panic") = home.memory_dir();
    let path = transcript(&home, words);
    let done = run(
        &home,
        &["extract", path.to_str().expect("UTF-8"), "--model"],
    )
    .expect(0);
    assert!(done.out.contains("created user_packages.md"), "{done:?}");
    assert_eq!(server.asked()[0].key, key());
    let cost = run(&home, &["cost"]).expect(0);
    assert!(
        cost.out.contains("extract") && cost.out.contains("left today"),
        "{}",
        cost.out
    );
}

#[test]
fn a_model_that_is_of_no_help_leaves_the_work_to_the_rules_and_exit_code_0() {
    let table = [
        (refused(), "", "refused"),
        (
            Turn::Answer(401, "{}".to_owned()),
            "",
            "does not accept the key",
        ),
        (
            said("x"),
            "[model.budget]\ncalls = 0",
            "budget does not allow",
        ),
    ];
    for (turn, more, why) in table {
        let server = Server::always(turn);
        let home = home(&server, more);
        let path = transcript(&home, RULE);
        let file = path.to_str().expect("UTF-8");
        let done = run(&home, &["extract", file, "--model"]).expect(0);
        assert!(done.out.contains("created feedback_ask_before"), "{done:?}");
        assert!(
            done.err.contains(why) && done.err.contains("the rules did it"),
            "{done:?}"
        );

        let done = run(&home, &["session", "update", file, "--model"]).expect(0);
        assert!(done.err.contains("the rules did it"), "{done:?}");
        let done = run(&home, &["recall", "--model", "may I add a dependency?"]).expect(0);
        assert!(done.err.contains("the rules did it"), "{done:?}");
        assert!(done.out.contains("feedback_ask_before"), "{done:?}");
        let done = run(&home, &["dream", "--model"]).expect(0);
        assert!(done.err.contains("the rules did it"), "{done:?}");
    }
}

#[test]
fn recall_shows_what_the_model_chose() {
    let server = Server::always(said(r#"{"selected_memories": ["user_tabs.md"]}"#));
    let home = home(&server, "");
    for (name, body) in [
        ("Tabs", "Likes tabs in editors."),
        ("Editors", "Uses vim and other editors."),
    ] {
        home.run(&[
            "save",
            "--type",
            "user",
            "--name",
            name,
            "--description",
            "editors",
            body,
        ])
        .expect(0);
    }
    let done = run(&home, &["recall", "--model", "--json", "which editors?"]).expect(0);
    let paths: Vec<_> = done.json().iter().map(|one| one["path"].clone()).collect();
    assert_eq!(paths, ["user_tabs.md"]);
}

#[test]
fn a_model_that_says_nothing_holds_nobody_up() {
    let server = Server::always(Turn::Silent);
    let home = home(&server, "recall_milliseconds = 200");
    home.run(&[
        "save",
        "--type",
        "user",
        "--name",
        "Tabs",
        "--description",
        "tabs in editors",
        "Likes tabs.",
    ])
    .expect(0);
    let done = run(&home, &["recall", "--model", "tabs in which editors?"]).expect(0);
    assert!(done.err.contains("no answer in time"), "{done:?}");
    assert!(done.out.contains("user_tabs.md"), "{done:?}");
}

#[test]
fn dream_plans_what_the_model_asks_for_and_the_checks_hold() {
    let answer = json!({ "operations": [{
        "kind": "delete", "path": "user_tabs.md", "from": [], "type": "", "name": "", "description": "",
        "body": "", "sources": [], "reason": "old",
    }] });
    let server = Server::always(said(&answer.to_string()));
    let home = home(&server, "");
    home.run(&[
        "save",
        "--type",
        "user",
        "--name",
        "Tabs",
        "--description",
        "tabs",
        "Likes tabs.",
    ])
    .expect(0);
    let done = run(&home, &["dream", "--model"]).expect(3);
    assert!(
        done.err.contains("1 of 1 memories would be gone"),
        "{done:?}"
    );
    assert!(home.memory_dir().join("user_tabs.md").is_file());
}

#[test]
fn session_update_lets_the_model_edit_the_notes() {
    const HINT: &str = "_Step by step, one short line each: what was done._";
    let server = Server::start(|_, asked| {
        let text = asked.text();
        let path = text
            .split([' ', '\n'])
            .map(|word| word.trim_end_matches('.'))
            .find(|word| word.ends_with("session-memory.md"))
            .expect("the prompt names the file")
            .to_owned();
        let input = json!({
            "file_path": path, "old_string": HINT, "new_string": format!("{HINT}\n\n- said by the model"),
        });
        message(
            &json!([{ "type": "tool_use", "id": "c1", "name": "FileEdit", "input": input }]),
            "tool_use",
        )
    });
    let home = home(&server, "");
    let path = transcript(&home, RULE);
    let file = path.to_str().expect("UTF-8");
    run(&home, &["session", "update", file, "--model"]).expect(0);
    let shown = run(&home, &["session", "show", file]).expect(0);
    assert!(shown.out.contains("said by the model"), "{}", shown.out);
}

#[test]
fn a_session_on_another_provider_is_refused_unless_it_is_allowed() {
    let server = Server::always(said("Nothing."));
    let codex = |home: &Home| {
        let path = home.path().join("rollout.jsonl");
        let lines = [
            json!({"timestamp": "2026-03-02T09:30:00.000Z", "type": "session_meta", "payload": {
                "id": "019a", "timestamp": "2026-03-02T09:30:00.000Z", "cwd": home.project(),
                "originator": "codex_cli_rs", "cli_version": "0.60.0", "model_provider": "openai"}}),
            json!({"timestamp": "2026-03-02T09:30:01.000Z", "type": "response_item", "payload": {
                "type": "message", "role": "user", "content": [{"type": "input_text", "text": RULE}]}}),
        ];
        let text = lines.map(|line| line.to_string()).join("\n");
        std::fs::write(&path, text).expect("a transcript");
        path.to_str().expect("UTF-8").to_owned()
    };
    let strict = home(&server, "");
    let refused = run(&strict, &["extract", &codex(&strict), "--model"]).expect(3);
    assert!(refused.err.contains("model.any_session"), "{refused:?}");
    assert!(server.asked().is_empty(), "nothing was sent");
    let open = home(&server, "any_session = true");
    run(&open, &["extract", &codex(&open), "--model"]).expect(0);
    assert!(!server.asked().is_empty());
}

/// The whole of a recorded session with a model behind each part that has one.
#[test]
fn replay_lets_the_model_learn_and_books_it_in_the_person_s_own_ledger() {
    let words = "By the way, I like pnpm best.";
    let server = Server::start(move |_, request| {
        let asked = request.body.to_string();
        // The side agent is told where it may write; that is a scratch folder, known to nobody before.
        let Some(folder) = memory_folder_in(&asked) else {
            return refused();
        };
        packages(&Path::new(&folder).join("user_packages.md"))
    });
    let home = home(
        &server,
        "any_session = true\n[model.price]\ninput = 1.0\noutput = 5.0\n[model.budget]\nmoney = 2.0",
    );
    let path = transcript(&home, words);
    let path = path.to_str().expect("UTF-8");
    // By the rules alone nothing is learned from these words.
    let by_rules = run(&home, &["replay", path, "--json"]).expect(0).json();
    let summary = |lines: &[Value]| {
        let one = lines.iter().find(|line| line["event"] == "summary");
        one.expect("a summary").clone()
    };
    assert_eq!(summary(&by_rules)["saved"], 0);
    let lines = run(&home, &["replay", path, "--model", "--json"])
        .expect(0)
        .json();
    assert_eq!(summary(&lines)["saved"], 1, "{lines:?}");
    let learned = lines.iter().find(|line| line["event"] == "memory");
    let learned = learned.expect("a memory");
    assert_eq!(learned["path"], "user_packages.md", "{learned}");
    assert!(!server.asked().is_empty());
    // Nothing of it is in the person's own memory; what it cost is in their ledger.
    assert!(home.run(&["list", "--json"]).expect(0).out.is_empty());
    let cost = run(&home, &["cost", "--json"]).expect(0).json();
    assert!(
        cost.iter()
            .any(|line| line["purpose"] == "extract" && line["calls"].as_u64() > Some(0)),
        "{cost:?}"
    );
}

/// The folder for memories that a request names.
fn memory_folder_in(request: &str) -> Option<String> {
    let (before, _) = request.split_once("/memory")?;
    let begin = before.rfind(|sign: char| !(sign.is_alphanumeric() || "/-_.".contains(sign)))?;
    let folder = &before[begin + 1..];
    folder.starts_with('/').then(|| format!("{folder}/memory"))
}
