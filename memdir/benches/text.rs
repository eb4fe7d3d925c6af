//! What the text half of the crate costs: headers, index, dates, lint, each next to the plainest
//! thing that touches the same bytes.

use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::path::PathBuf;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use memdir::limits::HEADER_MAX_BYTES;
use memdir::lint::{Input, SourceFile, check};
use memdir::{Date, Header, Index, IndexLimits, Memory, find_relative_dates};

/// A memory as real folders have them: every third keeps its type under `metadata:`, every fifth
/// quotes its description.
fn memory(at: usize) -> String {
    let description = match at % 5 {
        0 => format!(
            "\"topic {at}: what the team agreed on in the review of week {}\"",
            at % 52
        ),
        _ => format!("topic {at}, what the team agreed on in the review — see the tracker"),
    };
    let kind = ["user", "feedback", "project", "reference"][at % 4];
    let kind = match at % 3 {
        0 => format!(
            "metadata:\n  node_type: memory\n  type: {kind}\n  modified: 2026-03-05T14:02:11.123Z"
        ),
        _ => format!("type: {kind}\nmodified: 2026-03-05T14:02:11Z"),
    };
    let body =
        "Run the whole test suite before every push, the slow part included.\n".repeat(8 + at % 9);
    format!(
        "---\nname: Topic number {at}\ndescription: {description}\n{kind}\n---\n\n{body}\n**Why:** reason {at}\n**How to apply:** always\n"
    )
}

fn headers(criterion: &mut Criterion) {
    let memories: Vec<String> = (0..10_000).map(memory).collect();
    let bytes: usize = memories.iter().map(String::len).sum();
    let mut group = criterion.benchmark_group("headers-10000");
    group.throughput(Throughput::Bytes(bytes as u64));
    group.bench_function("memchr-30-lines", |bencher| {
        bencher.iter(|| {
            let lines =
                |text: &String| memchr::memchr_iter(b'\n', text.as_bytes()).take(30).count();
            black_box(memories.iter().map(lines).sum::<usize>())
        });
    });
    group.bench_function("parse", |bencher| {
        bencher.iter(|| {
            for memory in &memories {
                black_box(Header::parse(memory.as_bytes()));
            }
        });
    });
    group.bench_function("whole-memory", |bencher| {
        bencher.iter(|| {
            for memory in &memories {
                black_box(Memory::parse(memory.as_bytes()));
            }
        });
    });
    group.finish();
}

/// The promise of the specification: listing costs at most twice what reading the files costs.
fn header_files(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let paths: Vec<PathBuf> = (0..10_000)
        .map(|at| {
            let path = folder.path().join(format!("project_topic_{at}.md"));
            fs::write(&path, memory(at)).expect("a writable temporary folder");
            path
        })
        .collect();
    let mut group = criterion.benchmark_group("header-files-10000");
    group.sample_size(10);
    let read = |path: &PathBuf| fs::read(path).expect("a file that was just written");
    group.bench_function("plain-read", |bencher| {
        bencher.iter(|| paths.iter().map(|path| read(path).len()).sum::<usize>());
    });
    group.bench_function("read-and-parse", |bencher| {
        bencher.iter(|| {
            let headers = paths.iter().map(|path| {
                let bytes = read(path);
                Header::parse(
                    &bytes[..bytes
                        .len()
                        .min(usize::try_from(HEADER_MAX_BYTES).unwrap_or(usize::MAX))],
                )
            });
            black_box(headers.collect::<Vec<_>>())
        });
    });
    group.finish();
}

fn index(criterion: &mut Criterion) {
    let mut text = String::from("# Memory\n\n");
    for at in 0..198 {
        let _ = writeln!(
            text,
            "- [Topic number {at}](project_topic_{at}.md) — what the team agreed on in review {at}"
        );
    }
    let mut group = criterion.benchmark_group("index-200-lines");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("memchr-lines", |bencher| {
        bencher.iter(|| memchr::memchr_iter(b'\n', black_box(text.as_bytes())).count());
    });
    group.bench_function("parse-and-load", |bencher| {
        bencher.iter(|| Index::parse(black_box(text.as_bytes())).load(&IndexLimits::default()));
    });
    group.bench_function("parse-and-add", |bencher| {
        bencher.iter(|| {
            let mut index = Index::parse(black_box(text.as_bytes()));
            index.add("project_new.md", "New", "hook");
            index
        });
    });
    group.finish();
}

fn dates(criterion: &mut Criterion) {
    let english = "We agreed to keep the old parser until next Thursday, and to run the tests in the meantime. ".repeat(400);
    let chinese = "我们同意在下周四之前保留旧的解析器，并在此期间运行所有测试，线下周边商店除外。"
        .repeat(300);
    let base = Date::EPOCH;
    let mut group = criterion.benchmark_group("relative-dates");
    for (name, text) in [("english", english), ("chinese", chinese)] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(format!("{name}/memchr"), |bencher| {
            bencher.iter(|| memchr::memchr_iter(b' ', black_box(text.as_bytes())).count());
        });
        group.bench_function(format!("{name}/find"), |bencher| {
            bencher.iter(|| find_relative_dates(black_box(&text), base));
        });
    }
    group.finish();
}

fn lint(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("lint");
    group.sample_size(10);
    for count in [200, 2_000] {
        let memories: Vec<(String, String)> = (0..count)
            .map(|at| (format!("project_topic_{at}.md"), memory(at)))
            .collect();
        let bytes: usize = memories.iter().map(|memory| memory.1.len()).sum();
        group.throughput(Throughput::Bytes(bytes as u64));
        group.bench_function(format!("parse-only/{count}"), |bencher| {
            bencher.iter(|| {
                for (_, text) in &memories {
                    black_box(Memory::parse(text.as_bytes()));
                }
            });
        });
        group.bench_function(format!("secrets-only/{count}"), |bencher| {
            let scanner = secret_scan::Scanner::standard();
            bencher.iter(|| {
                for (_, text) in &memories {
                    black_box(scanner.scan(text.as_bytes()));
                }
            });
        });
        group.bench_function(format!("check/{count}"), |bencher| {
            let files = || {
                let files = memories
                    .iter()
                    .map(|(path, text)| SourceFile::new(path, text.as_bytes()));
                Input::new(files.collect(), Date::EPOCH)
            };
            bencher.iter_batched(files, |input| check(&input), BatchSize::SmallInput);
        });
    }
    group.finish();
}

criterion_group!(benches, headers, header_files, index, dates, lint);
criterion_main!(benches);
