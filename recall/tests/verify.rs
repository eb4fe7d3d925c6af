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

#[test]
fn a_verdict_prints_as_one_line() {
    let scratch = tempfile::tempdir().unwrap();
    write(scratch.path(), "src/new.rs", "pub fn kept() {}\n");
    write(scratch.path(), "src/deep/old.rs", "fn x() {}\n");
    let repository = Repository::open(scratch.path()).unwrap();
    let body = "`src/new.rs` has `kept()`, `src/old.rs` has `lost_name`, `/etc/hosts` too.";
    let verdict = verify(&note(body), &repository, Budget::unlimited());
    assert_eq!(
        (verdict.holds(), verdict.gone(), verdict.unknown()),
        (2, 2, 1)
    );
    assert_eq!(
        verdict.to_string(),
        "2 of 4 claims hold; `src/old.rs` is gone, now `src/deep/old.rs`; `lost_name` is gone; \
         1 could not be checked"
    );
    assert!(!verdict.is_mostly_gone());
}

#[test]
fn a_budget_that_is_over_leaves_the_rest_open_and_never_says_gone() {
    let scratch = tempfile::tempdir().unwrap();
    for number in 0..300 {
        write(
            scratch.path(),
            &format!("src/f{number}.rs"),
            format!("pub fn name_{number}() {{}}\n"),
        );
    }
    let repository = Repository::open(scratch.path()).unwrap();
    let asked = Cell::new(0_u32);
    let body = "`src/f1.rs`, `name_299`, `not_there`, `src/gone.rs`";
    for steps in [0, 1, 2, 5, 50, 200] {
        asked.set(0);
        let is_over = || {
            asked.set(asked.get() + 1);
            asked.get() > steps
        };
        let verdict = verify(&note(body), &repository, Budget::new(&is_over));
        assert_eq!(verdict.claims.len(), 4);
        let of = |text: &str| verdict.claims.iter().find(|c| c.text == text).unwrap();
        assert_ne!(of("src/f1.rs").outcome, Outcome::Gone { moved_to: None });
        assert_ne!(of("name_299").outcome, Outcome::Gone { moved_to: None });
        // Nothing may be called gone before every file was searched.
        assert_eq!(
            of("not_there").outcome,
            Outcome::CannotTell,
            "{steps} steps"
        );
        // After the first "over" the crate stops asking for more files at once.
        assert!(
            asked.get() <= steps + 6,
            "{} looks after {steps}",
            asked.get()
        );
    }
    let verdict = verify(&note(body), &repository, Budget::unlimited());
    assert_eq!(
        (verdict.holds(), verdict.gone()),
        (2, 2),
        "{:?}",
        shown(&verdict)
    );
}

#[test]
fn claims_of_one_memory_are_bounded() {
    let scratch = tempfile::tempdir().unwrap();
    let body = (0..500)
        .map(|n| format!("`src/f{n}.rs`"))
        .collect::<Vec<_>>()
        .join("\n");
    let repository = Repository::open(scratch.path()).unwrap();
    let verdict = verify(&note(&body), &repository, Budget::unlimited());
    assert!(verdict.cut);
    assert_eq!(verdict.claims.len(), MAX_CLAIMS);
}

#[test]
fn a_git_file_that_points_elsewhere_is_not_followed() {
    let scratch = tempfile::tempdir().unwrap();
    let (theirs, ours) = (scratch.path().join("theirs"), scratch.path().join("ours"));
    write(&theirs, "secret.rs", "fn their_name() {}\n");
    if git(&theirs, &["init", "-q"]).is_none() {
        println!("SKIPPED: git is not installed");
        return;
    }
    git(&theirs, &["add", "-A"]);
    git(&theirs, &["commit", "-q", "-m", "First"]);
    write(
        &ours,
        ".git",
        format!("gitdir: {}\n", theirs.join(".git").display()),
    );
    write(&ours, "own.rs", "fn own_name() {}\n");
    let repository = Repository::open(&ours).unwrap();
    let body = "`own_name` and `their_name`, on the branch `main`, `../theirs/secret.rs`";
    let verdict = verify(&note(body), &repository, Budget::unlimited());
    let outcomes: Vec<&str> = verdict
        .claims
        .iter()
        .map(|claim| claim.outcome.as_str())
        .collect();
    assert_eq!(outcomes, ["holds", "gone", "unknown", "unknown"]);
}

#[test]
fn a_worktree_is_checked_where_it_is() {
    let scratch = tempfile::tempdir().unwrap();
    let (main, side) = (scratch.path().join("main"), scratch.path().join("side"));
    write(&main, "src/a.rs", "fn a() {}\n");
    if git(&main, &["init", "-q"]).is_none() {
        println!("SKIPPED: git is not installed");
        return;
    }
    git(&main, &["add", "-A"]);
    git(&main, &["commit", "-q", "-m", "First"]);
    git(
        &main,
        &[
            "worktree",
            "add",
            "-q",
            "-b",
            "side/work",
            side.to_str().unwrap(),
        ],
    );
    std::fs::rename(side.join("src/a.rs"), side.join("src/b.rs")).unwrap();
    let body = "`src/a.rs`, `src/b.rs`, on the branches `side/work` and `main`";
    let of = |folder: &Path| {
        let repository = Repository::open(folder).unwrap();
        let verdict = verify(&note(body), &repository, Budget::unlimited());
        verdict
            .claims
            .iter()
            .map(|claim| claim.outcome.as_str())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(of(&side), "gone holds holds holds");
    assert_eq!(of(&main), "holds gone holds holds");
}

#[test]
fn damaged_git_files_leave_claims_open() {
    let scratch = tempfile::tempdir().unwrap();
    write(scratch.path(), "src/a.rs", "fn kept_name() {}\n");
    if git(scratch.path(), &["init", "-q"]).is_none() {
        println!("SKIPPED: git is not installed");
        return;
    }
    git(scratch.path(), &["add", "-A"]);
    git(scratch.path(), &["commit", "-q", "-m", "First"]);
    let index = scratch.path().join(".git/index");
    let whole = std::fs::read(&index).unwrap();
    for length in [0, 4, 11, 12, 40, 60, whole.len() - 1] {
        std::fs::write(&index, &whole[..length]).unwrap();
        let repository = Repository::open(scratch.path()).unwrap();
        let verdict = verify(
            &note("`src/a.rs` and `kept_name`"),
            &repository,
            Budget::unlimited(),
        );
        assert_eq!(verdict.gone(), 0, "{length} bytes: {:?}", shown(&verdict));
        assert_eq!(verdict.claims[0].outcome, Outcome::Holds);
    }
}

/// A submodule that was not fetched, a name that is no key, a file larger than is searched: none of
/// them lets "gone" be said of what may be in it.
#[test]
fn what_cannot_be_searched_is_never_called_gone() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    write(folder, "src/a.rs", "fn kept_name() {}\n");
    if git(folder, &["init", "-q"]).is_none() {
        println!("SKIPPED: git is not installed");
        return;
    }
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "-m", "First"]);
    let of = |body: &str| {
        let repository = Repository::open(folder).unwrap();
        let verdict = verify(&note(body), &repository, Budget::unlimited());
        let outcomes = verdict.claims.iter().map(|claim| claim.outcome.as_str());
        outcomes.collect::<Vec<_>>()
    };
    assert_eq!(of("`lost_name`"), ["gone"]);

    let add = |extra: &[&str]| git(folder, extra).unwrap();
    let head = add(&["rev-parse", "HEAD"]);
    let entry = format!("160000,{head},vendor/engine");
    add(&["update-index", "--add", "--cacheinfo", &entry]);
    std::fs::create_dir_all(folder.join("vendor/engine")).unwrap();
    assert_eq!(
        of("`lost_name`, `vendor/engine/src/core.rs`, `src/gone.rs`"),
        ["unknown", "unknown", "gone"]
    );
    add(&["update-index", "--force-remove", "vendor/engine"]);
    assert_eq!(of("`lost_name`"), ["gone"]);

    for (name, text) in [
        ("src/aux.rs", "fn lost_name() {}\n".to_owned()),
        ("src/big.rs", "x".repeat(3 << 20)),
    ] {
        write(folder, name, text);
        add(&["add", "-A"]);
        assert_eq!(of("`lost_name`"), ["unknown"], "{name}");
        add(&["rm", "-q", "-f", name]);
    }
}

/// Each of these once cost the square of its length, or might: a regression shows as a test that does
/// not end.
#[test]
fn a_text_without_line_ends_costs_no_more_than_its_length() {
    let scratch = tempfile::tempdir().unwrap();
    write(scratch.path(), "src/a.rs", "fn a_name() {}\n");
    let repository = Repository::open(scratch.path()).unwrap();
    let many = |part: &str| part.repeat((128 << 10) / part.len());
    let runs: Vec<String> = (1..500).map(|n| "`".repeat(n)).collect();
    for body in [
        many("`x_y` "),
        many("`true` "),
        many("` "),
        many("`"),
        many("a/"),
        many("src/a.rs "),
        many("the branch `x/y`, "),
        many("--a-b "),
        many("`make x && cargo run --bin y`"),
        many("'\""),
        many("`f("),
        many("`部署`的"),
        many("```sh\nmake x\n```\n"),
        many("\n"),
        runs.join(" "),
    ] {
        let verdict = verify(&note(&body), &repository, Budget::unlimited());
        assert!(verdict.claims.len() <= MAX_CLAIMS);
    }
    let verdict = verify(&note(&many("`x_y` ")), &repository, Budget::unlimited());
    assert!(verdict.cut);
    assert_eq!(verdict.claims.len(), 1);
}

#[test]
fn a_long_paragraph_is_read_to_its_end() {
    let scratch = tempfile::tempdir().unwrap();
    write(scratch.path(), "src/a.rs", "fn a_name() {}\n");
    let repository = Repository::open(scratch.path()).unwrap();
    let body = format!(
        "{}It is in `src/b.rs`.",
        "A sentence of a paragraph. ".repeat(500)
    );
    let verdict = verify(&note(&body), &repository, Budget::unlimited());
    assert_eq!(shown(&verdict), ["path src/b.rs gone ()"]);
}
