//! Memories that hold what the project itself tells: code, file trees, diffs, commit lists.

use super::{Code, Findings, MemoryFile};
use crate::markdown::{self, LineKind};

/// The share of a body, in per cent, from which on it "mostly" is of one kind.
const MOSTLY_PERCENT: usize = 60;

/// Shorter bodies are never judged: a rule with one example is fine.
const MIN_LINES: usize = 5;

pub(super) fn check(file: &MemoryFile<'_>, findings: &mut Findings) {
    let body = file.memory.body();
    let Some((kind, share)) = mostly(body) else {
        return;
    };
    let message = format!(
        "{share} % of the lines are {kind}, which the project itself tells; keep what was surprising about it"
    );
    findings.add(
        Code::Derivable,
        file.file.path,
        file.memory.body_line(),
        message,
    );
}

/// What a body mostly consists of, and the share of it.
fn mostly(body: &str) -> Option<(&'static str, usize)> {
    let mut total = 0;
    let mut counts = [0_usize; 4];
    for line in markdown::lines(body.as_bytes()) {
        let text = &body[line.bytes.clone()];
        if text.trim().is_empty() {
            continue;
        }
        total += 1;
        if let Some(kind) = kind_of(text, line.kind == LineKind::Code) {
            counts[kind] += 1;
        }
    }
    // A tree or diff in a code block counts as code as well.
    counts[CODE] += counts[TREE] + counts[DIFF];
    let share = |count: usize| count * 100 / total.max(1);
    let order = [TREE, DIFF, COMMITS, CODE];
    let found = order
        .into_iter()
        .find(|kind| share(counts[*kind]) >= MOSTLY_PERCENT);
    found
        .filter(|_| total >= MIN_LINES)
        .map(|kind| (NAMES[kind], share(counts[kind])))
}

const TREE: usize = 0;
const DIFF: usize = 1;
const COMMITS: usize = 2;
const CODE: usize = 3;
const NAMES: [&str; 4] = ["a file tree", "a diff", "a list of commits", "code"];

fn kind_of(line: &str, is_code: bool) -> Option<usize> {
    let content = line.trim();
    if content.contains("├──") || content.contains("└──") || content.starts_with("│")
    {
        return Some(TREE);
    }
    if is_commit(content) {
        return Some(COMMITS);
    }
    if !is_code {
        return None;
    }
    let is_diff =
        line.starts_with(['+', '-']) || line.starts_with("@@") || line.starts_with("diff --git");
    Some(if is_diff { DIFF } else { CODE })
}

/// A short or full hash in front of a subject, with or without a list mark.
fn is_commit(content: &str) -> bool {
    let content = content.trim_start_matches(['-', '*', ' ', '`']);
    let hash = content.split([' ', '`']).next().unwrap_or_default();
    let has_letter = hash.bytes().any(|byte| byte.is_ascii_lowercase());
    let has_digit = hash.bytes().any(|byte| byte.is_ascii_digit());
    let is_hash = (7..=40).contains(&hash.len())
        && hash
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let subject = content[hash.len()..].trim_start_matches('`').trim();
    is_hash
        && has_digit
        && (has_letter || hash.len() == 7 || hash.len() == 40)
        && !subject.is_empty()
}
