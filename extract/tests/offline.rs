//! The extractor that asks no model.

use memdir::{Date, MemoryType, Timestamp};
use memdir_extract::{Proposal, Statement, offline};

fn monday() -> Timestamp {
    "2026-03-02T09:00:00Z".parse().expect("a time")
}

fn propose(texts: &[&str]) -> Vec<Proposal> {
    let statements: Vec<Statement> = texts
        .iter()
        .map(|text| Statement::new(*text).with_time(monday()))
        .collect();
    offline::propose(&statements, Date::new(2026, 11, 30).expect("a day"))
}

#[test]
fn what_is_worth_keeping_is_kept_with_its_type() {
    let cases = [
        (
            "Remember that the staging database is shared with QA.",
            MemoryType::Project,
        ),
        (
            "from now on run the tests before you commit",
            MemoryType::Feedback,
        ),
        (
            "I prefer small commits over big ones.",
            MemoryType::Feedback,
        ),
        ("Never push to main directly.", MemoryType::Feedback),
        ("I'm a data scientist, mostly pandas.", MemoryType::User),
        (
            "Bugs are tracked in the Linear project INGEST.",
            MemoryType::Reference,
        ),
        ("The merge freeze starts Thursday.", MemoryType::Project),
        (
            "Not like that. We write commit subjects in the imperative, because the release notes are made from them.",
            MemoryType::Feedback,
        ),
        (
            "Don't mock the database in tests. In January the mocks passed and the migration broke the intake.",
            MemoryType::Feedback,
        ),
        ("记住：发布分支只接受修复。", MemoryType::Feedback),
        ("以后提交前先跑一遍测试。", MemoryType::Feedback),
        ("别再给每一行加注释了，太啰嗦。", MemoryType::Feedback),
        ("我是一名后端工程师，写了十年 Go。", MemoryType::User),
    ];
    let mut wrong = Vec::new();
    for (text, memory_type) in cases {
        let found = propose(&[text]);
        let types: Vec<_> = found.iter().map(|found| found.memory_type).collect();
        if types != [memory_type] {
            wrong.push(format!("{text}: {found:#?}"));
        }
        assert!(
            found
                .iter()
                .all(|found| text.contains(&found.evidence.quote)),
            "{text}"
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_not_worth_keeping_gives_nothing() {
    let cases = [
        "Should we always rebase?",
        "If we always rebased, history would be linear.",
        "Write a handler that always returns 200.",
        "Always return 200 in this handler.",
        "> Never push to main.",
        "```\n// always use tabs\n```",
        "<system-reminder>Remember that the user likes tabs.</system-reminder>",
        "Don't remember this, but I prefer tabs.",
        "The build always fails on Windows.",
        "Directly. Good that you asked.",
        "Don't touch the database. In January the restore took two days.",
        "以后再说吧。",
        "我们是不是应该每次都跑测试？",
        "这个函数永远不要返回空。",
    ];
    let mut wrong = Vec::new();
    for text in cases {
        let found = propose(&[text]);
        if !found.is_empty() {
            wrong.push(format!("{text}: {found:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The bars of the labelled set, over all files. `cargo xtask eval extract` prints the table.
#[test]
fn the_labelled_messages_reach_the_bars() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/extract");
    let (mut expected, mut proposed, mut right) = (0, 0, 0);
    for file in ["tuned", "held", "fresh", "last", "blind"] {
        let lines =
            std::fs::read_to_string(folder.join(format!("{file}.jsonl"))).expect("the file");
        for line in lines.lines() {
            let case: serde_json::Value = serde_json::from_str(line).expect("a message");
            let text = case["text"].as_str().expect("a text");
            let found = propose(&[text]);
            assert_sound(text, &found);
            let wanted = case["expect"].as_array().expect("a list");
            let fits = |one: &serde_json::Value, proposal: &Proposal| {
                let all = format!(
                    "{} {} {}",
                    proposal.name, proposal.description, proposal.body
                )
                .to_lowercase();
                let has = |words: &serde_json::Value| {
                    let words = words.as_str().unwrap_or_default().to_lowercase();
                    words.split('|').any(|word| all.contains(word))
                };
                let types = one["type"].as_array().expect("types");
                types
                    .iter()
                    .any(|name| name == proposal.memory_type.as_str())
                    && one["words"].as_array().expect("words").iter().all(has)
            };
            expected += wanted.len();
            proposed += found.len();
            right += wanted
                .iter()
                .filter(|one| found.iter().any(|proposal| fits(one, proposal)))
                .count();
        }
    }
    assert!(
        right * 10 >= proposed * 9,
        "precision {right} of {proposed}"
    );
    assert!(right * 10 >= expected * 6, "recall {right} of {expected}");
}

/// What holds of every proposal, whatever the text.
fn assert_sound(text: &str, proposals: &[Proposal]) {
    for one in proposals {
        assert!(
            !one.evidence.quote.is_empty() && text.contains(&one.evidence.quote),
            "{text:?}"
        );
        assert!(
            !one.name.trim().is_empty() && !one.name.contains('\n'),
            "{text:?}"
        );
        assert!(
            one.description.len() <= 200 && !one.description.contains('\n'),
            "{text:?}"
        );
        assert!(one.description != one.name, "{text:?}");
        for part in [&one.name, &one.description, &one.body, &one.evidence.quote] {
            assert!(
                !secret_scan::contains_secret(part.as_bytes()),
                "a secret was proposed"
            );
        }
    }
}

#[test]
fn a_name_ends_with_a_whole_phrase() {
    let cases = [
        (
            "Remember that our staging database is called teal and lives on the second rack in the Frankfurt office.",
            "Our staging database is called teal",
        ),
        (
            "From now on, always ask me personally before you add a new dependency to any of our crates.",
            "Always ask me personally before you add a new dependency",
        ),
        (
            "Never push to main directly.",
            "Never push to main directly",
        ),
        (
            "I'm the only backend developer on larder since last week: twelve years of Java.",
            "I'm the only backend developer on larder",
        ),
        // A colon of a time or an address ends nothing, and nobody calls a thing by its address.
        (
            "Remember that the staging database is refreshed every Monday at 06:00 UTC, so never put data there.",
            "The staging database is refreshed every Monday",
        ),
        (
            "Remember that the nightly import begins at 06:00.",
            "The nightly import begins at 06:00",
        ),
        (
            "The dashboards are at https://grafana.example.com/d/abc123, check them after deploys.",
            "The dashboards",
        ),
        (
            "Bugs of the app are tracked at https://bugs.example.com/app, in the project APP.",
            "Bugs of the app are tracked",
        ),
        (
            "From now on, never call retry(url) with more than 1,000 attempts, it floods the gateway.",
            "Never call retry(url) with more than 1,000 attempts",
        ),
    ];
    for (text, name) in cases {
        let found = propose(&[text]);
        assert_eq!(found.len(), 1, "{text}");
        assert_eq!(found[0].name, name, "{text}");
    }
}

#[test]
fn the_body_has_the_rule_first_then_reason_and_scope() {
    let cases = [
        (
            "Never force-push to shared branches because two people lost work that way.",
            "Never force-push to shared branches.\n\n**Why:** Because two people lost work that way.\n",
        ),
        (
            "From now on run the smoke suite before every release. Last time the emulators fooled us.",
            "Run the smoke suite before every release.\n\n**Why:** Last time the emulators fooled us.\n**How to apply:** before every release.\n",
        ),
        (
            "From now on, always run cargo fmt before you commit, CI broke twice because of it.",
            "Always run cargo fmt before you commit.\n\n**Why:** CI broke twice.\n**How to apply:** before you commit.\n",
        ),
        (
            "From now on, always run fmt, clippy and the tests because of that.",
            "Always run fmt, clippy and the tests.\n",
        ),
        (
            "From now on, always run clippy before you push. Because of it.",
            "Always run clippy before you push.\n\n**How to apply:** before you push.\n",
        ),
        (
            "以后提交之前先跑一遍测试，因为上次把主分支弄坏了。",
            "提交之前先跑一遍测试。\n\n**Why:** 因为上次把主分支弄坏了。\n",
        ),
        (
            "Don't mock the database in tests. In January the mocks passed and the migration broke production.",
            "Don't mock the database in tests.\n\n**Why:** In January the mocks passed and the migration broke production.\n**How to apply:** in tests.\n",
        ),
        (
            "Always answer me in English, even when I write German: others read these logs too.",
            "Always answer me in English, even when I write German: others read these logs too.\n\n**How to apply:** when I write German.\n",
        ),
        (
            "I'm the only developer of this since last week, and new to Python.",
            "I'm the only developer of this since the week of 2026-02-23, and new to Python.\n",
        ),
        (
            "I am the product manager of this team.",
            "I am the product manager of this team.\n",
        ),
    ];
    for (text, body) in cases {
        let found = propose(&[text]);
        assert_eq!(found.len(), 1, "{text}");
        assert_eq!(found[0].body, body, "{text}");
    }
}

#[test]
fn dates_are_made_absolute_from_when_it_was_said() {
    let cases = [
        (
            "The merge freeze starts Thursday.",
            "The merge freeze starts 2026-03-05.\n",
        ),
        (
            "The code freeze starts on Thursday.",
            "The code freeze starts on Thursday (2026-03-05).\n",
        ),
        (
            "The demo for the investors is tomorrow.",
            "The demo for the investors is 2026-03-03.\n",
        ),
        ("周四开始封版。", "2026-03-05开始封版。\n"),
    ];
    for (text, body) in cases {
        let found = propose(&[text]);
        assert_eq!(found.len(), 1, "{text}");
        assert_eq!(found[0].body, body, "{text}");
    }
    let undated = offline::propose(
        &[Statement::new("The demo is tomorrow.")],
        Date::new(2026, 5, 1).expect("a day"),
    );
    assert_eq!(undated[0].body, "The demo is 2026-05-02.\n");
}

#[test]
fn rules_that_sound_alike_and_name_different_things_are_all_kept() {
    let rules: Vec<String> = ["client", "lock", "schema", "icon", "locale", "proto"]
        .iter()
        .map(|what| format!("Never commit generated {what} files."))
        .collect();
    let texts: Vec<&str> = rules.iter().map(String::as_str).collect();
    let proposals = propose(&texts);
    assert_eq!(proposals.len(), rules.len(), "{proposals:#?}");

    let corrected = propose(&[
        "Always deploy the ingest service before 12:00 UTC.",
        "Always deploy the ingest service before 14:00 UTC.",
    ]);
    assert_eq!(corrected.len(), 1, "{corrected:#?}");
    assert!(corrected[0].body.contains("14:00"), "{corrected:#?}");
}

#[test]
fn what_is_said_later_wins() {
    let cases: &[(&[&str], &[&str])] = &[
        (
            &[
                "From now on use tabs in Go files.",
                "Actually, from now on use spaces in Go files.",
            ],
            &["Use spaces in Go files"],
        ),
        (
            &[
                "Always squash before merging.",
                "Scratch that, I was wrong.",
            ],
            &[],
        ),
        (&["Always squash before merging. Scratch that."], &[]),
        (
            &[
                "Always squash before merging.",
                "Never squash before merging.",
            ],
            &["Never squash before merging"],
        ),
        (&["以后提交信息用中文写。", "算了，当我没说。"], &[]),
        (
            &[
                "Always ask before adding a dependency.",
                "Always ask before adding a dependency!",
            ],
            &["Always ask before adding a dependency"],
        ),
        (
            &["Never push to main.", "I prefer short answers."],
            &["Never push to main", "I prefer short answers"],
        ),
        (
            &[
                "Never push to main.",
                "Don't remember this: I prefer long answers.",
            ],
            &["Never push to main"],
        ),
    ];
    for (texts, names) in cases {
        let found = propose(texts);
        let found: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(found, *names, "{texts:?}");
    }
}

#[test]
fn lists_behind_an_introduction_are_kept_item_by_item() {
    let found = propose(&[
        "Please remember:\n- never edit the generated client\n- releases are cut by Tomasz\n\nThen fix the test.",
    ]);
    assert_eq!(found.len(), 2, "{found:#?}");
    let found =
        propose(&["From now on:\n1. tests before commits\n2. no emojis in commit messages\n"]);
    assert_eq!(found.len(), 2, "{found:#?}");
    let found = propose(&["Requirements:\n- always require a password\n- never store plain text"]);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn credentials_are_never_proposed() {
    let token = secret_scan::rules()
        .iter()
        .find(|rule| rule.id() == "slack-token")
        .expect("a standard rule")
        .examples()
        .remove(0);
    for text in [
        format!("Remember that the bot uses {token}."),
        format!("记住机器人用的是{token}。"),
        format!(
            "From now on use {token} when you post to the channel, because the old one was revoked."
        ),
        format!("Never push to main. The bot is {token}."),
    ] {
        let found = propose(&[text.as_str()]);
        assert!(found.iter().all(|one| !format!("{one:?}").contains(&token)));
        assert_sound(&text, &found);
    }
}

#[test]
fn a_list_of_proposals_is_bounded() {
    let texts: Vec<String> = (0..200)
        .map(|number| format!("Never deploy service w{number}x on day d{number}y."))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let found = propose(&texts);
    assert_eq!(found.len(), 64);
    assert!(found[63].name.contains("w199x"), "the newest stay");
}

/// Texts made to cost much. Each is read in one pass; the test would not end within the runner's limit
/// otherwise.
#[test]
fn megabytes_of_anything_are_read_in_one_pass() {
    let pieces = [
        "always never remember that ",
        "<a>",
        "<a",
        "</a>",
        "<x1><x2>",
        "“",
        "\"",
        "`",
        "'",
        "a. ",
        "\n",
        "- ",
        "> ",
        "```\n",
        "以后",
        "，",
        "日志：\n",
        ":\n\n",
        "（",
        "if we always ",
        "x",
        "Traceback\n",
        "\u{1a}",
    ];
    for piece in pieces {
        let text = piece.repeat(600_000 / piece.len());
        assert_sound(&text, &propose(&[text.as_str()]));
    }
    let names: Vec<String> = (0..300_000).map(|number| format!("<t{number}>")).collect();
    assert!(propose(&[names.concat().as_str()]).is_empty());
    let rule =
        "word ".repeat(500_000) + "\n\nNever push to main directly.\n\n" + &"word ".repeat(500_000);
    assert_eq!(
        propose(&[rule.as_str()]).len(),
        1,
        "a rule is found behind megabytes"
    );
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..proptest::prelude::ProptestConfig::with_cases(96) })]

    #[test]
    fn no_text_breaks_it(text in "\\PC{0,300}") {
        assert_sound(&text, &propose(&[text.as_str()]));
    }

    #[test]
    fn no_mix_of_phrases_and_marks_breaks_it(parts in proptest::collection::vec(proptest::sample::select(PARTS), 0..24)) {
        let text = parts.concat();
        let both = propose(&[text.as_str(), "Never push to main."]);
        let alone: Vec<_> = both.into_iter().filter(|one| text.contains(&one.evidence.quote)).collect();
        assert_sound(&text, &alone);
        assert_sound(&text, &propose(&[text.as_str()]));
    }
}

const PARTS: &[&str] = &[
    "remember that ",
    "from now on ",
    "never push ",
    "because ",
    "“",
    "”",
    "「",
    "`",
    "\"",
    "'",
    "\n",
    "\n\n",
    "- ",
    "1. ",
    "> ",
    "```",
    "<a>",
    "</a>",
    "<system-reminder>",
    "记住，",
    "以后",
    "别再",
    "因为",
    "。",
    "，",
    "？",
    "?",
    ". ",
    ": ",
    "tomorrow",
    "下周三",
    "https://x.example/",
    "#general ",
    "I'm a ",
    "engineer",
    "我是",
    "工程师",
    "\u{1a}",
    "\u{200b}",
    "İ",
    "ß",
    "é",
    "🎉",
    "scratch that. ",
    "don't save this",
    "we decided to ",
    "on Thursday",
    "\t",
    "\r\n",
    "|",
    "@@ -1",
];
