//! Checking claims in a large repository: what a limit of 150 and of 25 milliseconds really takes, beside
//! reading the index of git's files once (the least that any check of names needs).
//!
//! `RECALL_BENCH_REPOSITORY=50000` sets the number of files.
#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a panic is the report, and the macros of criterion make undocumented items"
)]

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use memdir::{Memory, MemoryType};
use memdir_recall::{
    Budget, Repository, VERIFY_HOOK_MILLISECONDS, VERIFY_MILLISECONDS, Verification, verify,
};

fn fill(folder: &Path, files: usize) {
    for number in 0..files {
        let below = folder.join(format!("src/part{}", number % 500));
        std::fs::create_dir_all(&below).unwrap();
        let text = format!("pub fn name_{number}() {{}}\n").repeat(20);
        std::fs::write(below.join(format!("file_{number}.rs")), text).unwrap();
    }
    // Without git the files are listed instead; the bench then measures that.
    for arguments in [&["init", "-q"][..], &["add", "-A"][..]] {
        let _ = Command::new("git")
            .current_dir(folder)
            .args(arguments)
            .status();
    }
}

/// Opens the repository and checks a memory within a limit, as a program does for each answer.
fn check(folder: &Path, memory: &Memory, limit: u64) -> Verification {
    let begin = Instant::now();
    let limit = Duration::from_millis(limit);
    let is_over = || begin.elapsed() > limit;
    verify(
        memory,
        &Repository::open(folder).unwrap(),
        Budget::new(&is_over),
    )
}

fn benches(c: &mut Criterion) {
    let files = std::env::var("RECALL_BENCH_REPOSITORY").ok();
    let files = files.and_then(|files| files.parse().ok()).unwrap_or(50_000);
    let scratch = tempfile::tempdir().unwrap();
    fill(scratch.path(), files);
    let memory = |body: &str| Memory::new(MemoryType::Project, "Note", "", body);
    let paths = memory("`src/part1/file_1.rs`, `src/part2/file_1.rs`, `src/part3/gone.rs`.");
    let names = memory("`src/part1/file_1.rs` has `name_1()`, and `never_defined_here` is gone.");
    let mut group = c.benchmark_group(format!("verify/{files}"));
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(4));
    group.bench_function("baseline: read the index of git", |b| {
        b.iter(|| {
            black_box(
                std::fs::read(scratch.path().join(".git/index"))
                    .map(|bytes| bytes.len())
                    .ok(),
            )
        });
    });
    group.bench_function("paths, 150 ms", |b| {
        b.iter(|| black_box(check(scratch.path(), &paths, VERIFY_MILLISECONDS)));
    });
    group.bench_function("a name that is nowhere, 150 ms", |b| {
        b.iter(|| black_box(check(scratch.path(), &names, VERIFY_MILLISECONDS)));
    });
    group.bench_function("a name that is nowhere, 25 ms", |b| {
        b.iter(|| black_box(check(scratch.path(), &names, VERIFY_HOOK_MILLISECONDS)));
    });
    group.finish();
}

criterion_group!(verification, benches);
criterion_main!(verification);
