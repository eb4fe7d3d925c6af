//! What the store costs beside plain file access to the same bytes, in folders of 200, 2,000 and
//! 10,000 memories.
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

/// How many memories a folder holds. At 10,000 the index is far over its limits, on purpose.
const SIZES: [usize; 3] = [200, 2_000, 10_000];

/// A folder of so many memories of about 600 bytes with an index line each, written past the store.
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
        let line = format!("- [Note {number}]({name}) — what it is about\n");
        index.push_str(&line);
    }
    fs::write(memory.join("MEMORY.md"), index).unwrap();
    scratch
}

/// The same folder after 100 changes through the store, so that its journal is one in use.
fn used_folder(count: usize) -> TempDir {
    let scratch = folder(count);
    let store = Store::open(&scratch.path().join("memory"), options()).unwrap();
    for number in 0..100 {
        store.save(&replacement(number), &me()).unwrap();
    }
    scratch
}

fn me() -> Origin {
    Origin::person("bench")
}

fn replacement(number: usize) -> SaveRequest {
    let body = format!("The text of save {number}.\n");
    SaveRequest::new(MemoryType::Project, "Bench", "a memory", &body).with_expect(Expect::Anything)
}

fn read_all(folder: &Path) -> usize {
    let files = fs::read_dir(folder).unwrap();
    files
        .map(|entry| fs::read(entry.unwrap().path()).unwrap().len())
        .sum()
}

fn list(criterion: &mut Criterion) {
    for count in SIZES {
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
    for count in SIZES {
        let scratch = used_folder(count);
        let memory = scratch.path().join("memory");
        let mut group = criterion.benchmark_group(format!("open {count}"));
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
}

/// The plainest save that survives a crash: file and index, each written beside, synced, renamed.
fn plain_save(memory: &Path, number: usize, index: &[u8]) {
    let text = format!("text {number}");
    for (name, bytes) in [("plain.tmp", text.as_bytes()), ("index.tmp", index)] {
        let path = memory.join(name);
        let mut file = fs::File::create(&path).unwrap();
        file.write_all(bytes).unwrap();
        file.sync_data().unwrap();
        fs::rename(&path, path.with_extension("txt")).unwrap();
    }
    fs::File::open(memory).unwrap().sync_all().unwrap();
}

fn save(criterion: &mut Criterion) {
    for count in SIZES {
        let scratch = used_folder(count);
        let memory = scratch.path().join("memory");
        let store = Store::open(&memory, options()).unwrap();
        let index = fs::read(memory.join("MEMORY.md")).unwrap();
        let mut group = criterion.benchmark_group(format!("save {count}"));
        group.sample_size(20);
        let mut number = 0;
        group.bench_function("plain file and index, each synced", |bencher| {
            bencher.iter(|| {
                number += 1;
                plain_save(&memory, number, &index);
            });
        });
        group.bench_function("replace", |bencher| {
            bencher.iter_batched(
                || {
                    number += 1;
                    replacement(number)
                },
                |request| store.save(&request, &me()).unwrap(),
                BatchSize::PerIteration,
            );
        });
        group.bench_function("create", |bencher| {
            bencher.iter_batched(
                || {
                    number += 1;
                    let name = format!("Created {number}");
                    SaveRequest::new(MemoryType::Project, &name, "a memory", "Its text.\n")
                },
                |request| store.save(&request, &me()).unwrap(),
                BatchSize::PerIteration,
            );
        });
        group.finish();
    }
}

criterion_group!(benches, list, open, save);
criterion_main!(benches);
