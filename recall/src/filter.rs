//! What is taken out before ranking: what the session has seen or does not read, and help for tools it already
//! uses.

use memdir::Scope;
use pathguard::PathKeyRef;

use crate::query::Surfaced;
use crate::rank::Corpus;
use crate::text::term::{Stems, Term};
use crate::text::{Piece, normalise, pieces};

/// Words of a tool or server name that name nothing.
const GENERIC: &[&str] = &[
    "agent",
    "ai",
    "api",
    "app",
    "claude",
    "cli",
    "client",
    "cloud",
    "default",
    "dev",
    "local",
    "main",
    "mcp",
    "official",
    "plugin",
    "prod",
    "production",
    "remote",
    "server",
    "service",
    "staging",
    "test",
    "tool",
    "tools",
];

/// Tools of the hosts themselves, whose names are ordinary words: a note that has such a word in it
/// is not about the tool.
const BUILT_IN: &[&str] = &[
    "agent",
    "bash",
    "edit",
    "exec",
    "fetch",
    "glob",
    "grep",
    "list",
    "ls",
    "multiedit",
    "notebookedit",
    "patch",
    "read",
    "search",
    "shell",
    "skill",
    "task",
    "todowrite",
    "webfetch",
    "websearch",
    "write",
];

/// A note with one of these in its name or description says how to use something.
const HOW_TO: &[&str] = &[
    "api reference",
    "cheat sheet",
    "cheatsheet",
    "cli reference",
    "command reference",
    "commands",
    "documentation",
    "getting started",
    "guide",
    "handbook",
    "how do i",
    "how to",
    "howto",
    "how-to",
    "instructions",
    "manual",
    "quick reference",
    "quickstart",
    "step by step",
    "step-by-step",
    "syntax",
    "tutorial",
    "usage",
    "using",
    "walkthrough",
    "使い方",
    "入门",
    "入門",
    "参考",
    "命令",
    "如何使用",
    "快速开始",
    "怎么用",
    "手册",
    "指南",
    "操作步骤",
    "教程",
    "文档",
    "用法",
    "语法",
    "说明",
    "사용법",
];

/// A note with one of these in its name or description warns; it is kept.
const WARNING: &[&str] = &[
    "avoid",
    "beware",
    "breaks",
    "broken",
    "bug",
    "careful",
    "caution",
    "caveat",
    "corrupt",
    "crash",
    "danger",
    "data loss",
    "deprecated",
    "do not",
    "doesn't work",
    "does not work",
    "don't",
    "error",
    "fail",
    "flaky",
    "gotcha",
    "hang",
    "incident",
    "known issue",
    "known problem",
    "known-issue",
    "known_issue",
    "limitation",
    "mistake",
    "must not",
    "never",
    "outage",
    "pitfall",
    "problem",
    "quirk",
    "rate limit",
    "rate-limit",
    "regression",
    "risk",
    "stale",
    "timeout",
    "times out",
    "trap",
    "trouble",
    "unreliable",
    "unstable",
    "warning",
    "watch out",
    "workaround",
    "wrong",
    "不可",
    "不稳定",
    "不要",
    "不能",
    "严禁",
    "事故",
    "切勿",
    "别用",
    "勿",
    "坑",
    "失败",
    "已知问题",
    "已知缺陷",
    "崩溃",
    "异常",
    "报错",
    "故障",
    "易错",
    "有问题",
    "注意",
    "漏洞",
    "禁止",
    "缺陷",
    "警告",
    "警示",
    "谨慎",
    "超时",
    "避免",
    "避坑",
    "错误",
    "限流",
    "限制",
    "陷阱",
    "風險",
    "风险",
    "危险",
    "주의",
    "버그",
];

/// Returns whether the session has seen a file.
pub(crate) fn is_surfaced(surfaced: &[Surfaced], path: &str, hash: &[u8; 32]) -> bool {
    surfaced.iter().any(|seen| match seen.hash {
        Some(known) => known.as_bytes() == *hash,
        None => same_path(&seen.path, path),
    })
}

/// Returns whether a file lies in the folder of the team. What is no legal path leads nowhere anyway.
pub(crate) fn is_of_team(path: &str) -> bool {
    PathKeyRef::parse(path).is_ok_and(|key| Scope::of(key) == Scope::Team)
}

/// Paths are compared without regard to case and Unicode form: being shown twice is worse than being
/// left out once.
fn same_path(a: &str, b: &str) -> bool {
    a == b
        || (a.len().abs_diff(b.len()) <= a.len() / 2
            && pathguard::fold_key(a) == pathguard::fold_key(b))
}

/// A tool by the words that a note about it must have.
#[derive(Debug)]
struct Tool {
    /// One of these sets must be met whole.
    names: Vec<Vec<Term>>,
}

/// Returns the files that explain how to use one of the tools.
pub(crate) fn tool_help(corpus: &Corpus<'_>, tools: &[String]) -> Vec<u32> {
    let mut stems = Stems::new();
    let mut found = Vec::new();
    for tool in tools.iter().filter_map(|tool| parse(tool, &mut stems)) {
        for terms in &tool.names {
            for hit in corpus.hits(terms).iter() {
                if hit.counts.name + hit.counts.description > 0 && is_help(corpus, hit.file) {
                    found.push(hit.file);
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn is_help(corpus: &Corpus<'_>, file: u32) -> bool {
    let (index, number) = corpus.place(file);
    let Some(info) = index.info(number) else {
        return false;
    };
    let text = format!("{} {} {}", info.name, info.description, info.path).to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| contains_word(&text, word));
    if has(WARNING) {
        return false;
    }
    match info.type_text.to_ascii_lowercase().as_str() {
        "reference" => true,
        // How a person wants it done, and who the person is, is no help page.
        "feedback" | "user" => false,
        _ => has(HOW_TO),
    }
}

/// Returns whether a text has a word or phrase; Latin ones must begin at a word border, so that
/// `using` is not found in `housing`, and may go on, so that `fail` is found in `failures`.
fn contains_word(text: &str, word: &str) -> bool {
    if !word.is_ascii() {
        return text.contains(word);
    }
    text.match_indices(word).any(|(at, _)| {
        !text[..at]
            .chars()
            .next_back()
            .is_some_and(char::is_alphanumeric)
    })
}

/// Returns what a note about a tool must contain; none for a tool whose name says nothing.
fn parse(tool: &str, stems: &mut Stems) -> Option<Tool> {
    let name = match tool.strip_prefix("mcp__") {
        Some(rest) => rest.split("__").next().unwrap_or(rest),
        None => tool,
    };
    let normal = normalise(name);
    if BUILT_IN.contains(&normal.to_lowercase().as_str()) {
        return None;
    }
    let mut words = Vec::new();
    let mut joined = Vec::new();
    pieces(&normal, &mut |piece| match piece {
        Piece::Word(word) if GENERIC.contains(&word) => {}
        Piece::Whole { .. } => joined.extend(stems.of(piece)),
        Piece::Word(_) | Piece::Bigram(_) => words.extend(stems.of(piece)),
        Piece::Single(_) => {}
    });
    words.dedup();
    let mut names: Vec<Vec<Term>> = joined.into_iter().map(|term| vec![term]).collect();
    if !words.is_empty() {
        names.push(words);
    }
    (!names.is_empty()).then_some(Tool { names })
}

#[cfg(test)]
mod tests {
    use super::contains_word;

    #[test]
    fn words_begin_at_a_border_and_may_go_on() {
        for (text, word, expected) in [
            ("using the server", "using", true),
            ("housing market", "using", false),
            ("many failures", "fail", true),
            ("使用说明", "说明", true),
            ("", "fail", false),
        ] {
            assert_eq!(contains_word(text, word), expected, "{text} {word}");
        }
    }
}
