//! Keys, opens, reads, listings and writes beside std by path on the same files.
//!
//! The files lie where an agent keeps them: `<home>/projects/<project key>/memory/`, eight components
//! below the root of the file system, of which std walks all and a held folder two. A second group,
//! `…, short path`, has the same file four components deep, the least that std can have.
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark")]

use std::fs::{self, File};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use pathguard::{
    Backend, BackendChoice, ListLimits, MemoryRoot, PathKeyRef, RootOptions, SyncPolicy,
    WriteOptions,
};

const BACKENDS: [(&str, BackendChoice); 2] = [
    ("openat2", BackendChoice::Auto),
    (
        "one openat per component",
        BackendChoice::Forced(Backend::Components),
    ),
];

fn open(folder: &Path, choice: BackendChoice) -> MemoryRoot {
    MemoryRoot::open(folder, &RootOptions::new().with_backend(choice)).unwrap()
}

/// The memory folder of a project whose agent has its home at `home`.
fn memory_folder(home: &Path) -> PathBuf {
    let folder = home.join(".claude/projects/-home-ada-work-teapot/memory");
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs both in turn, and returns the time that the first took.
fn timed(rounds: u64, first: impl Fn(), second: impl Fn()) -> Duration {
    let mut total = Duration::ZERO;
    for _ in 0..rounds {
        let start = Instant::now();
        first();
        total += start.elapsed();
        second();
    }
    total
}

fn keys(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("key check");
    let too_long = "a".repeat(5_000);
    for (name, key) in [
        ("30 bytes of ASCII", "feedback_database_testing_x.md"),
        ("35 bytes of Chinese", "项目_数据库测试规范说明.md"),
        ("over 4,095 bytes", too_long.as_str()),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| PathKeyRef::parse(black_box(key)).is_ok());
        });
    }
    group.finish();
}

fn files(criterion: &mut Criterion) {
    let scratch = tempfile::tempdir().unwrap();
    open_and_read(criterion, &memory_folder(scratch.path()), "");
    open_and_read(criterion, scratch.path(), ", short path");
}

fn open_and_read(criterion: &mut Criterion, folder: &Path, note: &str) {
    let path = folder.join("team/user_role.md");
    fs::create_dir(path.parent().unwrap()).unwrap();
    fs::write(&path, "a line of text\n".repeat(80)).unwrap();
    let key = PathKeyRef::parse("team/user_role.md").unwrap();

    let mut group = criterion.benchmark_group(format!("open{note}"));
    group.bench_function("std by path", |bencher| {
        bencher.iter(|| File::open(&path).unwrap());
    });
    for (name, choice) in BACKENDS {
        let root = open(folder, choice);
        group.bench_function(name, |bencher| {
            bencher.iter(|| root.open_file(key).unwrap());
        });
    }
    group.finish();

    let mut group = criterion.benchmark_group(format!("read{note}"));
    // The faster of the two ways of std: `read_to_end` on an open file asks for its position too.
    group.bench_function("std by path", |bencher| {
        bencher.iter(|| fs::read(&path).unwrap());
    });
    for (name, choice) in BACKENDS {
        let root = open(folder, choice);
        group.bench_function(name, |bencher| {
            bencher.iter(|| root.read(key, 1 << 20).unwrap());
        });
    }
    group.finish();
}

fn listings(criterion: &mut Criterion) {
    let scratch = tempfile::tempdir().unwrap();
    let folder = memory_folder(scratch.path());
    for number in 0..10_000 {
        fs::write(folder.join(format!("feedback_on_topic_{number}.md")), "x").unwrap();
    }
    let mut group = criterion.benchmark_group("list and look at 10,000 files");
    group.sample_size(20);
    // Unsorted and unchecked, but with the names, which a listing is for.
    group.bench_function("std by path", |bencher| {
        bencher.iter(|| {
            fs::read_dir(&folder)
                .unwrap()
                .map(|entry| {
                    let entry = entry.unwrap();
                    (entry.file_name(), entry.metadata().unwrap())
                })
                .collect::<Vec<_>>()
        });
    });
    for (name, choice) in BACKENDS {
        let root = open(&folder, choice);
        let limits = ListLimits::new().with_extension("md");
        group.bench_function(name, |bencher| {
            bencher.iter(|| root.list(&limits).unwrap());
        });
    }
    group.finish();
}

fn writes(criterion: &mut Criterion) {
    let scratch = tempfile::tempdir().unwrap();
    let folder = memory_folder(scratch.path());
    let root = MemoryRoot::open(&folder, &RootOptions::new()).unwrap();
    let bytes = "a line of text\n".repeat(80);
    let bytes = bytes.as_bytes();
    let key = PathKeyRef::parse("a.md").unwrap();

    let mut group = criterion.benchmark_group("replace without sync");
    let options = WriteOptions::new().with_sync(SyncPolicy::None);
    let with_std = || {
        let temporary = folder.join("b.tmp");
        fs::write(&temporary, bytes).unwrap();
        fs::rename(&temporary, folder.join("b.md")).unwrap();
    };
    let with_root = || {
        root.write(key, bytes, &options).unwrap();
    };
    // Turn by turn: ext4 looks for an inode that was not freed in the last seconds, so that whoever
    // comes second would pay for what the first one replaced.
    group.bench_function("std temporary file and rename", |bencher| {
        bencher.iter_custom(|rounds| timed(rounds, with_std, with_root));
    });
    group.bench_function("write", |bencher| {
        bencher.iter_custom(|rounds| timed(rounds, with_root, with_std));
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

criterion_group!(benches, keys, files, listings, writes);
criterion_main!(benches);
