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
