//! Clean text stays clean: 12,000 generated notes, and the documentation of whatever crates are
//! at hand.

use std::fs;
use std::path::{Path, PathBuf};

use secret_scan::{Level, Ruleset, Scanner};

use crate::support::Letters;

const NOTES: u64 = 12_000;

const WORDS: &[&str] = &[
    "the",
    "build",
    "server",
    "token",
    "secret",
    "key",
    "password",
    "memory",
    "note",
    "index",
    "rotate",
    "vault",
    "deploy",
    "branch",
    "cache",
    "client",
    "request",
    "session",
    "user",
    "prefers",
    "tabs",
    "over",
    "spaces",
    "because",
    "tests",
    "fail",
    "on",
    "Windows",
    "when",
    "path",
    "is",
    "long",
    "and",
    "migration",
    "runs",
    "twice",
    "scikit",
    "task",
    "risk",
    "disk",
    "description",
    "authentication",
    "configuration",
    "internationalisation",
    "日本語",
    "部署",
    "缓存",
    "ключ",
    "схема",
    "naïve",
    "façade",
    "🚀",
    "✅",
    "TODO:",
    "see",
    "also",
    "SKU",
    "HTTP",
    "API",
    "AWS",
    "GitHub",
    "GitLab",
    "Slack",
    "Stripe",
    "OpenAI",
    "Anthropic",
    "npm",
    "PyPI",
];

const PATHS: &[&str] = &[
    "src/main.rs",
    "memory/team/MEMORY.md",
    "~/.claude/projects/",
    "crates/a/tests/all.rs",
    "docs/ARCHITECTURE.md",
    "https://example.org/a/b?c=d&e=f#g",
    "C:\\Users\\dev\\new\\test",
    "@scope/package",
    "feature/long-branch-name-with-many-words",
    "node_modules/.bin/tsc",
];

const COMMANDS: &[&str] = &[
    "cargo test -p secret-scan -- --nocapture",
    "git rebase --onto main HEAD~3",
    "export GITHUB_TOKEN=$(gh auth token)",
    "curl -H \"Authorization: Bearer $TOKEN\" \"$URL\"",
    "docker run --rm -e KEY=${KEY:?} image:latest",
    "kubectl get secret -o yaml | base64 -d",
    "psql postgres://app:$PGPASSWORD@localhost/app",
    "npm config set //registry/:_authToken ...",
];

const HEX: &str = "0123456789abcdef";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// A sentence wrapped at some column, as editors do.
fn paragraph(letters: &mut Letters) -> String {
    let width = 40 + letters.below(60);
    let mut text = String::new();
    let mut column = 0;
    for _ in 0..10 + letters.below(60) {
        let word = match letters.below(40) {
            0 => format!("`{}`", letters.pick(PATHS)),
            1 => letters.text(40, HEX),
            2 => format!("**{}**", letters.pick(WORDS)),
            3 => format!(
                "{}_{}_{}",
                letters.pick(WORDS),
                letters.pick(WORDS),
                letters.pick(WORDS)
            ),
            4 => format!("{}.", letters.pick(WORDS)),
            5 => letters.text(8, HEX),
            _ => (*letters.pick(WORDS)).to_owned(),
        };
        if column > 0 && column + word.len() > width {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
        }
        column += word.len() + 1;
        text += &word;
    }
    text + "\n\n"
}

/// A word on each line.
fn list(letters: &mut Letters, mark: &str) -> String {
    let lines: Vec<_> = (0..3 + letters.below(12))
        .map(|_| [mark, letters.pick(WORDS)].concat())
        .collect();
    lines.join("\n") + "\n"
}

fn block(letters: &mut Letters) -> String {
    match letters.below(9) {
        0 => format!("```sh\n{}\n```\n\n", letters.pick(COMMANDS)),
        1 => list(letters, "- "),
        2 => list(letters, ""),
        3 => format!(
            "| {} | {} |\n|---|---|\n| `{}` | {} |\n\n",
            letters.pick(WORDS),
            letters.pick(WORDS),
            letters.pick(PATHS),
            letters.text(12, HEX)
        ),
        4 => format!(
            "\"integrity\": \"sha512-{}==\",\n",
            letters.text(86, BASE64)
        ),
        5 => format!(
            "![shot](data:image/png;base64,{})\n",
            letters.text(400, BASE64)
        ),
        6 => format!(
            "> {} {}\n> {}\n\n",
            letters.pick(WORDS),
            letters.pick(COMMANDS),
            letters.pick(WORDS)
        ),
        7 => format!(
            "checksum = \"{}\"\nrev = \"{}\"\n",
            letters.text(64, HEX),
            letters.text(40, HEX)
        ),
        _ => paragraph(letters),
    }
}

fn note(seed: u64) -> String {
    let mut letters = Letters::new(seed);
    let mut text = format!(
        "---\nname: {}-{}\ndescription: {}\ntype: project\n---\n\n# {}\n\n",
        letters.pick(WORDS),
        letters.pick(WORDS),
        letters.pick(WORDS),
        letters.pick(WORDS)
    );
    for _ in 0..2 + letters.below(8) {
        text += &block(&mut letters);
    }
    if letters.below(10) == 0 {
        text = text.replace('\n', "\r\n");
    }
    text
}

fn assert_clean(scanner: &Scanner, name: &str, text: &str) {
    let secrets: Vec<_> = scanner
        .scan(text.as_bytes())
        .into_iter()
        .filter(|finding| finding.level() == Level::Secret)
        .collect();
    assert!(secrets.is_empty(), "{name}: {secrets:?}");
}

#[test]
fn generated_notes_are_clean_under_all_rules() {
    let extended = Scanner::new(&Ruleset::extended());
    for seed in 0..NOTES {
        let note = note(seed);
        assert_clean(Scanner::standard(), "standard", &note);
        assert_clean(&extended, "extended", &note);
    }
}

/// The documentation comments of a source file, as one note each.
fn doc_comments(source: &str) -> Vec<String> {
    let mut notes = Vec::new();
    let mut note = String::new();
    for line in source.lines().chain([""]) {
        let line = line.trim_start();
        match line
            .strip_prefix("///")
            .or_else(|| line.strip_prefix("//!"))
        {
            Some(text) => {
                note += text;
                note.push('\n');
            }
            None if note.len() > 80 => notes.push(std::mem::take(&mut note)),
            None => note.clear(),
        }
    }
    notes
}

/// The first files below `folder` with one of these endings, in a stable order.
fn files(folder: &Path, endings: &[&str], most: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if found.len() >= most {
            return;
        }
        if path.is_dir() {
            files(&path, endings, most, found);
        } else if path
            .extension()
            .is_some_and(|extension| endings.iter().any(|ending| extension == *ending))
        {
            found.push(path);
        }
    }
}

/// The folder names of the crates this workspace is locked to: a set that does not change with
/// what else is on the machine.
fn locked_crates() -> Vec<String> {
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
    let lock = fs::read_to_string(lock).unwrap_or_default();
    let value = |line: &str| line.split('"').nth(1).unwrap_or_default().to_owned();
    let mut names = Vec::new();
    let mut name = String::new();
    for line in lock.lines() {
        if line.starts_with("name = ") {
            name = value(line);
        } else if line.starts_with("version = ") {
            names.push(format!("{name}-{}", value(line)));
        }
    }
    names
}

#[test]
fn documentation_of_the_crates_we_use_is_clean() {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let registries = home.and_then(|home| fs::read_dir(home.join("registry/src")).ok());
    let mut sources = Vec::new();
    for registry in registries.into_iter().flatten().flatten() {
        for name in locked_crates() {
            files(&registry.path().join(name), &["rs"], 20_000, &mut sources);
        }
    }
    if sources.is_empty() {
        println!("SKIPPED: no sources of crates in the registry folder");
    }
    let mut notes = 0;
    for path in sources {
        let Ok(source) = fs::read_to_string(&path) else {
            continue;
        };
        for note in doc_comments(&source) {
            assert_clean(Scanner::standard(), &path.display().to_string(), &note);
            notes += 1;
        }
    }
    println!("{notes} notes from documentation comments");
}

#[test]
fn shared_samples_are_clean() {
    let Some(folder) = test_support::samples(env!("CARGO_MANIFEST_DIR"), "") else {
        return;
    };
    let mut samples = Vec::new();
    files(
        &folder,
        &["md", "jsonl", "json", "txt"],
        1_000,
        &mut samples,
    );
    for path in samples {
        let bytes = fs::read(&path).expect("a sample can be read");
        let findings = secret_scan::scan(&bytes);
        assert!(findings.is_empty(), "{}: {findings:?}", path.display());
    }
}
