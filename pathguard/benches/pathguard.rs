//! Keys, opens, reads and writes beside std by path on the same files.
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark")]

use std::fs::{self, File};
use std::io::Read;

use criterion::{Criterion, criterion_group, criterion_main};
use pathguard::{
    Backend, BackendChoice, MemoryRoot, PathKeyRef, RootOptions, SyncPolicy, WriteOptions,
};

fn keys(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("key check");
    let too_long = "a".repeat(5_000);
    for (name, key) in [
        ("30 bytes of ASCII", "feedback_database_testing_x.md"),
        ("35 bytes of Chinese", "项目_数据库测试规范说明.md"),
        ("over 4,095 bytes", too_long.as_str()),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| PathKeyRef::parse(std::hint::black_box(key)).is_ok());
        });
    }
    group.finish();
}

fn files(criterion: &mut Criterion) {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("notes/user_role.md");
    fs::create_dir(path.parent().unwrap()).unwrap();
    fs::write(&path, "a line of text\n".repeat(80)).unwrap();
    let key = PathKeyRef::parse("notes/user_role.md").unwrap();
    let backends = [
        ("openat2", BackendChoice::Auto),
        (
            "one openat per component",
            BackendChoice::Forced(Backend::Components),
        ),
    ];

    let mut group = criterion.benchmark_group("open");
    group.bench_function("std by path", |bencher| {
        bencher.iter(|| File::open(&path).unwrap());
    });
    for (name, choice) in backends {
        let root =
            MemoryRoot::open(scratch.path(), &RootOptions::new().with_backend(choice)).unwrap();
        group.bench_function(name, |bencher| {
            bencher.iter(|| root.open_file(key).unwrap());
        });
    }
    group.finish();

    let mut group = criterion.benchmark_group("read");
    group.bench_function("std by path", |bencher| {
        bencher.iter(|| {
            let mut bytes = Vec::new();
            File::open(&path).unwrap().read_to_end(&mut bytes).unwrap();
            bytes
        });
    });
    for (name, choice) in backends {
        let root =
            MemoryRoot::open(scratch.path(), &RootOptions::new().with_backend(choice)).unwrap();
        group.bench_function(name, |bencher| {
            bencher.iter(|| root.read(key, 1 << 20).unwrap());
        });
    }
    group.finish();
}

fn writes(criterion: &mut Criterion) {
    let scratch = tempfile::tempdir().unwrap();
    let root = MemoryRoot::open(scratch.path(), &RootOptions::new()).unwrap();
    let bytes = "a line of text\n".repeat(80);
    let bytes = bytes.as_bytes();
    let key = PathKeyRef::parse("a.md").unwrap();

    let mut group = criterion.benchmark_group("replace without sync");
    let options = WriteOptions::new().with_sync(SyncPolicy::None);
    group.bench_function("std temporary file and rename", |bencher| {
        bencher.iter(|| {
            let temporary = scratch.path().join("b.tmp");
            fs::write(&temporary, bytes).unwrap();
            fs::rename(&temporary, scratch.path().join("b.md")).unwrap();
        });
    });
    group.bench_function("write", |bencher| {
        bencher.iter(|| root.write(key, bytes, &options).unwrap());
    });
    group.finish();

    let keys: Vec<String> = (0..50).map(|number| format!("note_{number}.md")).collect();
    let mut group = criterion.benchmark_group("50 durable writes");
    group.sample_size(10);
    group.bench_function("one by one", |bencher| {
        bencher.iter(|| {
            for key in &keys {
                root.write(PathKeyRef::parse(key).unwrap(), bytes, &WriteOptions::new())
                    .unwrap();
            }
        });
    });
    group.bench_function("batch", |bencher| {
        bencher.iter(|| {
            let mut batch = root.batch();
            for key in &keys {
                batch
                    .write(PathKeyRef::parse(key).unwrap(), bytes, &WriteOptions::new())
                    .unwrap();
            }
            batch.commit().unwrap().into_result().unwrap()
        });
    });
    group.finish();
}

criterion_group!(benches, keys, files, writes);
criterion_main!(benches);
