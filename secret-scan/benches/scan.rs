//! Speed on source text, on one note and on hostile inputs, with a copy of the same bytes and the
//! classic way, one regular expression a rule, in the same run.

mod common;

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use regex::bytes::Regex;
use secret_scan::{Ruleset, Scanner, Views};

const LARGE: usize = 64 << 20;
const HOSTILE: usize = 1 << 20;

/// A memory as people keep them, 1.1 KB.
const NOTE: &str = "\
---
name: deploy-checklist
description: How the staging deploy is done, and what went wrong last time
type: project
---

# Deploying to staging

The pipeline builds `crates/server` and pushes `registry.example.org/app:v1.42.0`; the commit that is
running is 3f1d0c9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392. Rollbacks go through `deploy.sh --to <tag>`.

- The token for the registry is in the vault under `ci/registry`; never paste it here.
- `export GITHUB_TOKEN=$(gh auth token)` before `cargo xtask release`.
- The health check is https://staging.example.org/healthz?verbose=1&format=json.

| service | port | owner |
|---------|------|-------|
| api     | 8080 | kim   |
| worker  | 8081 | noor  |

**Why:** on 2024-03-11 the migration ran twice, because two runners picked the job up. The lock in
`src/jobs/lock.rs` fixes that; see the session `0b7e9a52-4c1d-4f3e-9a86-2f5d7c1e8b30`.

部署之前先看一下 `MEMORY.md`，别忘了更新版本号。 Ask in #deploys if the queue is longer than ten.
";

/// The patterns of the standard rules as regular expressions, checks left out.
const PATTERNS: [&str; 30] = [
    r"\b(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b",
    r"AIza[\w-]{35}\b|AQ\.Ab8RN6[\w-]{44}",
    r"[\w~.]{3}\dQ~[\w~.-]{31,34}",
    r"dop_v1_[0-9a-fA-F]{64}\b",
    r"do[or]_v1_[0-9a-fA-F]{64}\b",
    r"sk-ant-api\d{2}-[\w-]{80,}",
    r"sk-ant-admin\d{2}-[\w-]{80,}",
    r"sk-(?:[a-z]+-)?[\w-]{16,}T3BlbkFJ[\w-]{16,}",
    r"\bhf_[0-9A-Za-z]{34}\b",
    r"ghp_[0-9A-Za-z]{36}",
    r"github_pat_[0-9A-Za-z]{22}_[0-9A-Za-z]{59}",
    r"gh[us]_[0-9A-Za-z]{36}|ghs_\d+_eyJ[\w-]+\.[\w-]+\.[\w-]+",
    r"gho_[0-9A-Za-z]{36}",
    r"ghr_[0-9A-Za-z]{36,}",
    r"glpat-[\w-]{20,}(?:\.[0-9a-z]{2})?(?:\.[0-9a-z]{9})?",
    r"gldt-[\w-]{20,}",
    r"xox[bp]-\d{8,}-[0-9A-Za-z-]{16,}|xapp-\d-A[A-Z0-9]+-\d+-[0-9a-f]{32,}|xoxe(?:\.xox[bp])?-[0-9A-Za-z-]{40,}",
    r"\bSK[0-9a-f]{32}\b",
    r"SG\.[\w-]{20,24}\.[\w-]{39,50}",
    r"npm_[0-9A-Za-z]{36}\b",
    r"pypi-AgE[\w-]{60,}",
    r"\bdapi[0-9a-fA-F]{32}(?:-\d)?\b",
    r"[0-9A-Za-z]{14}\.atlasv1\.[\w=-]{60,}",
    r"\bpul-[0-9a-fA-F]{40}\b",
    r"PMAK-[0-9a-fA-F]{24}-[0-9a-fA-F]{34}\b",
    r"eyJrIjoi[0-9A-Za-z+/]{62,}|glc_eyJ[0-9A-Za-z+/]{32,}|glsa_[0-9A-Za-z]{32}_[0-9a-fA-F]{8}",
    r"sntryu_[0-9a-fA-F]{64}|sntrys_eyJ[0-9A-Za-z+/=]{20,}_[0-9A-Za-z+/]{43}",
    r"[sr]k_(?:test|live|prod)_[0-9A-Za-z]{20,247}",
    r"shp(?:at|ca|pa|ss|tka)_[0-9a-fA-F]{32}",
    r"-----BEGIN[ A-Z0-9_-]{0,64}PRIVATE KEY(?: BLOCK)?-----",
];

fn raw() -> Scanner {
    Scanner::standard().clone().with_views(Views::Off)
}

fn classic() -> Vec<Regex> {
    let compile = |pattern| Regex::new(&format!("(?-u){pattern}")).expect("a valid expression");
    PATTERNS.into_iter().map(compile).collect()
}

fn copy(group: &mut BenchmarkGroup<'_, WallTime>, text: &[u8]) {
    let mut target = vec![0_u8; text.len()];
    group.bench_function("copy", |bencher| {
        bencher.iter(|| black_box(&mut target).copy_from_slice(black_box(text)));
    });
}

fn scan(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, scanner: &Scanner, text: &[u8]) {
    group.bench_function(name, |bencher| {
        bencher.iter(|| scanner.scan(black_box(text)));
    });
}

fn source_text(criterion: &mut Criterion) {
    let text = common::source_text(LARGE);
    let mut group = criterion.benchmark_group("source text");
    group
        .throughput(Throughput::Bytes(text.len() as u64))
        .sample_size(10)
        .warm_up_time(Duration::from_secs(1));
    copy(&mut group, &text);
    scan(&mut group, "raw", &raw(), &text);
    scan(&mut group, "all views", Scanner::standard(), &text);
    scan(
        &mut group,
        "all views, extended rules",
        &Scanner::new(&Ruleset::extended()),
        &text,
    );
    group.bench_function("all views, in chunks", |bencher| {
        bencher.iter(|| {
            let mut stream = Scanner::standard().stream();
            for chunk in black_box(&text).chunks(16 * 1024) {
                stream.push(chunk);
            }
            stream.finish()
        });
    });
    let rules = classic();
    let part = &text[..text.len() / 16];
    group.throughput(Throughput::Bytes(part.len() as u64));
    group.bench_function("one regex a rule", |bencher| {
        bencher.iter(|| {
            rules
                .iter()
                .filter(|rule| rule.is_match(black_box(part)))
                .count()
        });
    });
    group.finish();
}

fn note(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("note");
    group.throughput(Throughput::Bytes(NOTE.len() as u64));
    copy(&mut group, NOTE.as_bytes());
    scan(&mut group, "raw", &raw(), NOTE.as_bytes());
    scan(
        &mut group,
        "all views",
        Scanner::standard(),
        NOTE.as_bytes(),
    );
    scan(
        &mut group,
        "all views, extended rules",
        &Scanner::new(&Ruleset::extended()),
        NOTE.as_bytes(),
    );
    let rules = classic();
    group.bench_function("one regex a rule", |bencher| {
        bencher.iter(|| {
            rules
                .iter()
                .filter(|rule| rule.is_match(black_box(NOTE.as_bytes())))
                .count()
        });
    });
    group.finish();
}

fn ready(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ready");
    for (name, rules) in [
        ("standard", Ruleset::standard()),
        ("extended", Ruleset::extended()),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| Scanner::new(black_box(&rules)));
        });
    }
    group
        .sample_size(10)
        .bench_function("one regex a rule", |bencher| bencher.iter(classic));
    group.finish();
}

/// Inputs that make a scanner look again and again.
fn hostile(criterion: &mut Criterion) {
    let repeated = |unit: &str| unit.bytes().cycle().take(HOSTILE).collect::<Vec<u8>>();
    let mut noise = 0_u32;
    let base64: Vec<u8> = (0..HOSTILE)
        .map(|_| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
                [(noise >> 26) as usize]
        })
        .collect();
    let inputs = [
        ("one literal", repeated("ghp_")),
        ("one open literal", repeated("glpat-x")),
        ("near misses", repeated("eyJrIjoi")),
        ("base64 of noise", base64.clone()),
        (
            "base64 of noise, wrapped",
            base64.chunks(76).collect::<Vec<_>>().join(&b'\n'),
        ),
        // `some text ` in base64, and that in base64 again.
        ("base64 of text", repeated("c29tZSB0ZXh0")),
        ("base64 twice", repeated("YzI5dFpTQjBaWGgw")),
        ("percent", repeated("%41")),
        ("percent twice", repeated("%2541")),
        (
            "escapes of all kinds",
            repeated("%41\\u0041&#65;=41\\_**a\u{200B}"),
        ),
        ("short lines", repeated("a\n")),
        ("short lines of a token", repeated("glpat-a\n")),
        ("strings", repeated("a\" + \"")),
        ("tags", repeated("a<b>")),
        ("marks", repeated("a*")),
        ("labels", repeated("-----BEGIN PRIVATE KEY-----")),
        ("hidden labels", repeated("%42EGINxxxxxxxxxxxxxxxx ")),
        ("NUL", repeated("a\0")),
    ];
    let mut group = criterion.benchmark_group("hostile");
    group
        .throughput(Throughput::Bytes(HOSTILE as u64))
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    for (name, input) in &inputs {
        scan(&mut group, name, Scanner::standard(), input);
    }
    group.finish();
}

criterion_group!(benches, source_text, note, ready, hostile);
criterion_main!(benches);
