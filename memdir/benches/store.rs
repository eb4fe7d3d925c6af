//! What the store costs beside plain file access to the same bytes.
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark")]

use std::fs;
use std::io::Write;
use std::path::Path;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use memdir::{
    Expect, FixedClock, ListOptions, MemoryType, Origin, SaveRequest, Scope, Store, StoreOptions,
};
use tempfile::TempDir;

fn options() -> StoreOptions {
    StoreOptions::new(FixedClock::new("2026-03-05T14:02:11Z".parse().unwrap(), 0))
}

/// A folder of so many memories of about 600 bytes, written past the store.
fn folder(count: usize) -> TempDir {
    let scratch = TempDir::new().unwrap();
    let memory = scratch.path().join("memory");
    fs::create_dir(&memory).unwrap();
    let body = "A line of ordinary prose that somebody wanted to keep.\n".repeat(8);
    let mut index = String::new();
    for number in 0..count {
        let name = format!("project_note_{number}.md");
        let text = format!(
            "---\nname: Note {number}\ndescription: what note {number} is about\ntype: project\n\
             modified: 2026-03-05T14:02:11Z\n---\n\n{body}"
        );
        fs::write(memory.join(&name), text).unwrap();
        if number < 200 {
            let line = format!("- [Note {number}]({name}) — what it is about\n");
            index.push_str(&line);
        }
    }
    fs::write(memory.join("MEMORY.md"), index).unwrap();
    scratch
}

fn read_all(folder: &Path) -> usize {
    let files = fs::read_dir(folder).unwrap();
    files
        .map(|entry| fs::read(entry.unwrap().path()).unwrap().len())
        .sum()
}

fn list(criterion: &mut Criterion) {
    for count in [200, 2_000, 10_000] {
        let scratch = folder(count);
        let memory = scratch.path().join("memory");
        let store = Store::open(&memory, options()).unwrap();
        let mut group = criterion.benchmark_group(format!("list {count}"));
        group.sample_size(10);
        group.bench_function("plain reads", |bencher| bencher.iter(|| read_all(&memory)));
        group.bench_function("headers", |bencher| {
            bencher.iter(|| store.list(&ListOptions::default()).unwrap().memories.len());
        });
        group.finish();
    }
}

fn open(criterion: &mut Criterion) {
    let scratch = folder(200);
    let memory = scratch.path().join("memory");
    drop(Store::open(&memory, options()).unwrap());
    let mut group = criterion.benchmark_group("open 200");
    group.bench_function("plain read of the index", |bencher| {
        bencher.iter(|| fs::read(memory.join("MEMORY.md")).unwrap().len());
    });
    group.bench_function("store", |bencher| {
        bencher.iter(|| Store::open(&memory, options()).unwrap());
    });
    group.bench_function("load index", |bencher| {
        let store = Store::open(&memory, options()).unwrap();
        bencher.iter(|| store.load_index(Scope::Private).unwrap().lines);
    });
    group.finish();
}

fn save(criterion: &mut Criterion) {
    let scratch = folder(200);
    let memory = scratch.path().join("memory");
    let store = Store::open(&memory, options()).unwrap();
    let me = Origin::person("bench");
    let mut group = criterion.benchmark_group("save");
    group.sample_size(20);
    let mut number = 0;
    group.bench_function("plain file and index, each synced", |bencher| {
        bencher.iter(|| {
            number += 1;
            for name in ["plain.tmp", "index.tmp"] {
                let path = memory.join(name);
                let mut file = fs::File::create(&path).unwrap();
                write!(file, "text {number}").unwrap();
                file.sync_data().unwrap();
                fs::rename(&path, path.with_extension("txt")).unwrap();
            }
            fs::File::open(&memory).unwrap().sync_all().unwrap();
        });
    });
    group.bench_function("store", |bencher| {
        bencher.iter_batched(
            || {
                number += 1;
                let body = format!("The text of save {number}.\n");
                SaveRequest::new(MemoryType::Project, "Bench", "a memory", &body)
                    .with_expect(Expect::Anything)
            },
            |request| store.save(&request, &me).unwrap(),
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

criterion_group!(benches, list, open, save);
criterion_main!(benches);
