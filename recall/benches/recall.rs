//! Speed of recall beside what it cannot be faster than: listing with one `stat` a file, and reading
//! every file. Both baselines run in the same group over the same folder.
//!
//! `cargo xtask bench memdir-recall` takes the figures; `RECALL_BENCH_FILES=200,10000` limits the
//! sizes. 100,000 files need about half a GiB below the temporary folder.
#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a panic is the report, and the macros of criterion make undocumented items"
)]

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use memdir::Timestamp;
use memdir_recall::{Query, Recall};
use pathguard::{MemoryRoot, RootOptions};

const SIZES: [usize; 3] = [200, 10_000, 100_000];

/// Words from which the bodies are made; a third of them is rare.
const SUBJECTS: [&str; 24] = [
    "retry",
    "deploy",
    "ledger",
    "invoice",
    "tenant",
    "cache",
    "kafka",
    "migration",
    "rollback",
    "schema",
    "timeout",
    "carrier",
    "booking",
    "tariff",
    "container",
    "vessel",
    "gateway",
    "token",
    "session",
    "pipeline",
    "cluster",
    "firmware",
    "dashboard",
    "incident",
];

fn now() -> Timestamp {
    Timestamp::from_seconds(1_784_548_800)
}

/// A file of about 1 KB, different for each number.
fn text(number: usize) -> String {
    let word =
        |at: usize| SUBJECTS[(number.wrapping_mul(2_654_435_761) >> (at % 20)) % SUBJECTS.len()];
    let mut body = String::new();
    for line in 0..12 {
        let _ = writeln!(
            body,
            "The {} of module{} must not touch {} before the {} is done, see note {}.",
            word(line),
            number % 977,
            word(line + 3),
            word(line + 7),
            number + line,
        );
    }
    format!(
        "---\nname: Rule {number} about {}\ndescription: how the {} of module{} works with {}\ntype: project\nmodified: 2026-0{}-1{}T09:00:00Z\n---\n\n{body}",
        word(1),
        word(2),
        number % 977,
        word(5),
        1 + number % 7,
        number % 9,
    )
}

fn fill(folder: &Path, files: usize) {
    for number in 0..files {
        std::fs::write(folder.join(format!("project_{number}.md")), text(number)).unwrap();
    }
}

fn sizes() -> Vec<usize> {
    match std::env::var("RECALL_BENCH_FILES") {
        Ok(list) => list
            .split(',')
            .filter_map(|size| size.parse().ok())
            .collect(),
        Err(_) => SIZES.to_vec(),
    }
}

/// The floor: names and one `stat` each, by the standard library.
fn list_and_stat(folder: &Path) -> u64 {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        bytes += entry.unwrap().metadata().unwrap().len();
    }
    bytes
}

/// The other floor: every byte of every file.
fn read_all(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap();
    entries
        .map(|entry| std::fs::read(entry.unwrap().path()).unwrap().len())
        .sum()
}

fn root(folder: &Path) -> Arc<MemoryRoot> {
    Arc::new(MemoryRoot::open(folder, &RootOptions::default()).unwrap())
}

fn benches(c: &mut Criterion) {
    for files in sizes() {
        let scratch = tempfile::tempdir().unwrap();
        let (folder, cache) = (scratch.path().join("memory"), scratch.path().join("state"));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::create_dir_all(&cache).unwrap();
        fill(&folder, files);
        let memory = root(&folder);
        let cache = root(&cache);
        let query = Query::new("may the carrier gateway retry without a timeout?", now());
        // Changes right before the first reading are read again: the index settles first.
        while Recall::open(Arc::clone(&memory), Some(Arc::clone(&cache)))
            .refresh()
            .unwrap()
            .read
            > 0
        {}

        let mut group = c.benchmark_group(format!("recall/{files}"));
        group
            .sample_size(10)
            .warm_up_time(Duration::from_secs(1))
            .measurement_time(Duration::from_secs(3));
        group.bench_function(
            BenchmarkId::from_parameter("baseline: list and stat"),
            |b| {
                b.iter(|| black_box(list_and_stat(&folder)));
            },
        );
        group.bench_function(BenchmarkId::from_parameter("baseline: read all"), |b| {
            b.iter(|| black_box(read_all(&folder)));
        });
        group.bench_function(
            BenchmarkId::from_parameter("list through the handle"),
            |b| {
                let limits = pathguard::ListLimits::new()
                    .with_extension("md")
                    .with_max_entries(250_000);
                b.iter(|| black_box(memory.list(&limits).unwrap().entries.len()));
            },
        );
        group.bench_function(
            BenchmarkId::from_parameter("a process: open, verify, query"),
            |b| {
                b.iter(|| {
                    let mut recall = Recall::open(Arc::clone(&memory), Some(Arc::clone(&cache)));
                    black_box(recall.query(&query).unwrap().memories.len())
                });
            },
        );
        let mut kept = Recall::open(Arc::clone(&memory), Some(Arc::clone(&cache)));
        kept.refresh().unwrap();
        group.bench_function(
            BenchmarkId::from_parameter("kept open: verify, query"),
            |b| {
                b.iter(|| black_box(kept.query(&query).unwrap().memories.len()));
            },
        );
        group.bench_function(BenchmarkId::from_parameter("kept open: query alone"), |b| {
            b.iter(|| black_box(kept.rank(&query).memories.len()));
        });
        let mistyped = Query::new("carier gatway timout", now());
        group.bench_function(
            BenchmarkId::from_parameter("kept open: query with slips"),
            |b| {
                b.iter(|| black_box(kept.rank(&mistyped).memories.len()));
            },
        );
        group.bench_function(BenchmarkId::from_parameter("first build, no index"), |b| {
            b.iter(|| {
                let mut recall = Recall::open(Arc::clone(&memory), None);
                black_box(recall.query(&query).unwrap().memories.len())
            });
        });
        group.finish();
    }
}

criterion_group!(recall, benches);
criterion_main!(recall);
