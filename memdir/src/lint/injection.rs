//! Text in a shared memory that gives orders to a model instead of telling it something.
//!
//! A memory from a teammate goes into the prompt of everybody. These patterns find the plain
//! forms of misuse; they are a tripwire for a person to look at, not a wall.

use super::{Code, Findings, SourceFile};

/// Words in a row: alternatives with `|`, `?word` for one that may be missing, `*` for up to three
/// words of any kind.
static PATTERNS: &[&[&str]] = &[
    &[
        "ignore|disregard|forget|override",
        "?all|any|every|everything",
        "?of",
        "?the|your|my|these",
        "previous|prior|earlier|preceding|above|foregoing|system|other",
        "instruction|instructions|rules|prompt|prompts|directions|guidelines|messages|context|memories",
    ],
    &["ignore|disregard|forget", "everything", "above|before|you"],
    &[
        "disregard|ignore",
        "?all|any",
        "?of",
        "your",
        "instructions|rules|guidelines|safety",
    ],
    &[
        "do",
        "not|never",
        "tell|inform|alert|notify|warn",
        "?to",
        "the|this|your",
        "user|users|human|operator",
    ],
    &[
        "don't|never",
        "tell|inform|alert|notify|warn",
        "the|this|your",
        "user|users|human|operator",
    ],
    &[
        "do",
        "not",
        "mention|reveal|disclose",
        "this",
        "*",
        "user|users|human",
    ],
    &[
        "without",
        "telling|informing|alerting|notifying",
        "the|your",
        "user|human|operator",
    ],
    &[
        "hide|conceal",
        "this",
        "from",
        "the|your",
        "user|human|operator",
    ],
    &[
        "you",
        "are",
        "now",
        "a|an|in|no",
        "*",
        "mode|assistant|longer|jailbroken|unrestricted",
    ],
    &[
        "from",
        "now",
        "on",
        "you",
        "must|will|are|shall",
        "?always|never",
        "obey|ignore|comply|execute|approve|send",
    ],
    &["new|updated|real|actual", "system", "instructions|prompt"],
    &[
        "reveal|print|show|output|repeat|leak|send",
        "*",
        "system",
        "prompt",
    ],
    &[
        "bypass|disable|circumvent|skip",
        "?all|any|the|your",
        "?all",
        "safety|permission|permissions|security|sandbox|guardrails",
        "checks|check|prompts|rules|guard|restrictions|filters|guardrails",
    ],
    &[
        "always",
        "approve|accept|allow|grant",
        "?all|any|every",
        "tool|tools|command|commands|permission|permissions",
        "?calls|requests",
    ],
    &["exfiltrate"],
    &[
        "send|post|upload|forward|email",
        "*",
        "environment|secrets|credentials|keys|tokens|passwords|env",
        "?variables|file|files",
        "to",
    ],
    &[
        "send|post|upload|forward",
        "*",
        "ssh|api|private",
        "key|keys",
        "to",
    ],
];

/// Texts that are suspicious as they stand, in lower case.
static LITERALS: &[&str] = &[
    "<system>",
    "</system>",
    "<system-reminder>",
    "<|im_start|>",
    "<|im_end|>",
    "<|system|>",
    "[inst]",
    "[/inst]",
    "<<sys>>",
    "### system:",
    "### instruction:",
    "begin system prompt",
    "--dangerously-skip-permissions",
    "jailbreak mode",
    "忽略之前的指令",
    "忽略以上指令",
    "忽略前面的指令",
    "忽略所有指令",
    "忽略之前所有",
    "无视之前的",
    "忘记之前的指令",
    "不要告诉用户",
    "不要告知用户",
    "不能让用户知道",
    "别告诉用户",
    "瞒着用户",
    "你现在是一个",
    "绕过权限",
    "绕过安全",
    "禁用安全",
    "输出系统提示词",
    "泄露系统提示",
];

pub(super) fn check(file: &SourceFile<'_>, findings: &mut Findings) {
    let text = String::from_utf8_lossy(file.bytes);
    let lower = text.to_lowercase();
    for literal in LITERALS {
        if let Some(at) = lower.find(literal) {
            add(file, line_at(&lower, at), findings);
        }
    }
    for line in piped_to_shell(&lower) {
        add(file, line, findings);
    }
    let words = words(&lower);
    for start in 0..words.len() {
        let found = PATTERNS
            .iter()
            .any(|pattern| matches(&words[start..], pattern));
        if found {
            add(file, words[start].1, findings);
        }
    }
}

fn add(file: &SourceFile<'_>, line: usize, findings: &mut Findings) {
    let message = "this reads like an order to the model, not like something to remember";
    findings.add(Code::Injection, file.path, line, message);
}

fn line_at(text: &str, at: usize) -> usize {
    1 + text[..at].matches('\n').count()
}

/// Lines that fetch something and give it to a shell.
fn piped_to_shell(lower: &str) -> Vec<usize> {
    let is_shell = |part: &str| {
        let command = part.trim_start().trim_start_matches("sudo ");
        ["sh", "bash", "zsh", "python", "python3", "node", "iex"]
            .iter()
            .any(|shell| {
                command
                    .strip_prefix(shell)
                    .is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric()))
            })
    };
    let fetches = |part: &str| {
        ["curl ", "wget ", "base64 -d", "base64 --decode"]
            .iter()
            .any(|fetch| part.contains(fetch))
    };
    let pipes = |line: &str| {
        let mut parts = line.split('|');
        let mut before = parts.next().unwrap_or_default();
        parts.any(|part| {
            let found = fetches(before) && is_shell(part);
            before = part;
            found
        })
    };
    lower
        .split('\n')
        .enumerate()
        .filter(|(_, line)| pipes(line))
        .map(|(at, _)| at + 1)
        .collect()
}

/// The words of a text with their lines; a phrase may run over a line end.
fn words(lower: &str) -> Vec<(&str, usize)> {
    let mut out = Vec::new();
    for (at, line) in lower.split('\n').enumerate() {
        let words = line.split(|end: char| !(end.is_alphanumeric() || end == '\'' || end == '’'));
        out.extend(
            words
                .filter(|word| !word.is_empty())
                .map(|word| (word, at + 1)),
        );
    }
    out
}

fn matches(words: &[(&str, usize)], pattern: &[&str]) -> bool {
    let Some((first, rest)) = pattern.split_first() else {
        return true;
    };
    if *first == "*" {
        return (0..=3.min(words.len())).any(|skipped| matches(&words[skipped..], rest));
    }
    let (choices, optional) = match first.strip_prefix('?') {
        Some(choices) => (choices, true),
        None => (*first, false),
    };
    let taken = words.first().is_some_and(|word| {
        choices.split('|').any(|choice| {
            choice == word.0 || (choice.contains('\'') && choice.replace('\'', "’") == word.0)
        })
    });
    (taken && matches(&words[1..], rest)) || (optional && matches(words, rest))
}
