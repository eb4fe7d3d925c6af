//! Claims against a repository that has one of everything.

use std::cell::Cell;
use std::path::Path;

use memdir::{Memory, MemoryType};
use memdir_recall::{Budget, MAX_CLAIMS, Outcome, Repository, Verification, verify};
use serde_json::Value;

use crate::support::{git, testdata, write};

/// A labelled claim.
struct Label {
    text: String,
    claim: String,
    kind: String,
    outcome: String,
}

fn labels() -> Vec<Label> {
    let text = std::fs::read_to_string(testdata().join("claims.jsonl")).unwrap();
    let parse = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap();
        let field = |key: &str| value[key].as_str().unwrap().to_owned();
        Label {
            text: field("text"),
            claim: field("claim"),
            kind: field("kind"),
            outcome: field("outcome"),
        }
    };
    text.lines().map(parse).collect()
}

/// Builds the repository; returns the abbreviated names of its two commits, or nothing without git.
fn build(folder: &Path) -> Option<(String, String)> {
    let code = "/// Jitter.\npub struct RetryPolicy;\nimpl RetryPolicy {\n    pub fn new(times: u8, jitter: bool) -> Self { Self }\n    pub fn with_jitter(self) -> Self { self }\n}\npub fn standard_policy() -> RetryPolicy { RetryPolicy::new(5, true) }\n";
    for (path, text) in [
        ("src/net/retry.rs", code),
        ("src/net/mod.rs", "pub mod retry;\n"),
        ("src/adapters/mod.rs", "// edi\n"),
        (
            "src/syntax/parser.rs",
            "fn parse() {}\nfn more() {}\nfn last() {}\n",
        ),
        ("data/rates/table.csv", "a,b\n"),
        (
            "src/bin/gateway.rs",
            "fn main() { let _ = std::env::var(\"DB_POOL_MAX\"); }\n// header x-deadline-ms\n",
        ),
        (
            "src/args.rs",
            "struct Args { shadow_mode: bool }\nconst TENANT: &str = \"--tenant\";\nconst R: &str = \"max-retries\";\n",
        ),
        ("config/production.toml", "pool = 40\n"),
        (
            "docs/adr/0001-rest.md",
            "We keep REST. The helper open_breaker() was an idea.\n",
        ),
        ("docs/术语.md", "词汇\n"),
        (
            "web/components/QuoteForm.tsx",
            "export function QuoteForm() { return null }\n",
        ),
        (".github/workflows/ci.yml", "on: push\n"),
        (
            "Makefile",
            ".PHONY: release\nVERSION := 1\nrelease: build\n\tcargo build\nbuild:\n\ttrue\n",
        ),
        ("justfile", "alias f := fmt\nfmt:\n    cargo fmt\n"),
        (
            "package.json",
            "{\"name\":\"web\",\"scripts\":{\"build\":\"vite build\",\"lint\":\"eslint .\"}}",
        ),
        (
            ".cargo/config.toml",
            "[alias]\nxtask = \"run -p xtask --\"\n",
        ),
        ("Cargo.toml", "[package]\nname = \"harbour-core\"\n"),
        ("tools/release/deploy.sh", "#!/bin/sh\n"),
        ("scripts/seed-tenants", "#!/bin/sh\n"),
        (".gitignore", "build/\n"),
        ("build/report.html", "<p>\n"),
    ] {
        write(folder, path, text);
    }
    git(folder, &["init", "-q"])?;
    git(folder, &["add", "-A"])?;
    git(folder, &["commit", "-q", "-m", "First"])?;
    let first = git(folder, &["rev-parse", "HEAD"])?;
    git(folder, &["branch", "feature/quote-v2"])?;
    git(folder, &["branch", "release/2.4"])?;
    git(folder, &["tag", "v2.4.0"])?;
    // The first commit and the references so far are packed, what follows stays loose.
    git(folder, &["gc", "-q"])?;
    write(folder, "src/net/limit.rs", "pub const LIMIT: u8 = 5;\n");
    git(folder, &["add", "-A"])?;
    git(folder, &["commit", "-q", "-m", "Second"])?;
    let second = git(folder, &["rev-parse", "HEAD"])?;
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc", folder.join("outside")).unwrap();
    Some((commit_like(&first)?, commit_like(&second)?))
}

/// The shortest beginning of at least nine digits that has letters and digits.
fn commit_like(name: &str) -> Option<String> {
    let mixed = |text: &str| {
        text.bytes().any(|b| b.is_ascii_digit()) && text.bytes().any(|b| b.is_ascii_alphabetic())
    };
    (9..=40)
        .map(|length| &name[..length])
        .find(|text| mixed(text))
        .map(str::to_owned)
}

fn note(body: &str) -> Memory {
    Memory::new(MemoryType::Project, "Note", "", body)
}

fn shown(verdict: &Verification) -> Vec<String> {
    let one = |claim: &memdir_recall::CheckedClaim| {
        format!(
            "{} {} {} ({})",
            claim.kind,
            claim.text,
            claim.outcome.as_str(),
            claim.detail
        )
    };
    verdict.claims.iter().map(one).collect()
}

#[test]
fn labelled_claims_are_decided_as_a_person_decides_them() {
    let scratch = tempfile::tempdir().unwrap();
    let Some((first, second)) = build(scratch.path()) else {
        println!("SKIPPED: git is not installed");
        return;
    };
    let repository = Repository::open(scratch.path()).unwrap();
    let labels = labels();
    assert!(labels.len() >= 60);
    let mut wrong = Vec::new();
    for label in &labels {
        let fill = |text: &str| text.replace("{first}", &first).replace("{second}", &second);
        let verdict = verify(&note(&fill(&label.text)), &repository, Budget::unlimited());
        let claim = fill(&label.claim);
        let found = verdict
            .claims
            .iter()
            .find(|c| c.text == claim && c.kind.as_str() == label.kind);
        let outcome = found.map_or("not found", |claim| claim.outcome.as_str());
        if outcome != label.outcome {
            wrong.push(format!(
                "{} → {outcome}, not {}: {:?}",
                label.text,
                label.outcome,
                shown(&verdict)
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} wrong:\n{}",
        wrong.len(),
        labels.len(),
        wrong.join("\n")
    );
}
