//! What a push costs when nothing has changed: 200 files of 2 KB, and no request.
//!
//! The baseline is the least that anybody has to do to know that: list the folder, read every file, hash it.
#![allow(missing_docs, reason = "criterion's macros write a public function")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use criterion::{Criterion, criterion_group, criterion_main};
use pathguard::{MemoryRoot, RootOptions};
use team_sync::Checksum;
use team_sync::client::{Client, ClientOptions, SyncOptions};
use tokio::runtime::Builder;

#[path = "../tests/client/server.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod server;

use server::{Direct, Form, Server};

const FILES: usize = 200;

fn text(number: usize) -> String {
    format!(
        "---\nname: memory {number}\ntype: project\n---\n\n{}",
        "a line of a memory that a team shares\n".repeat(50)
    )
}

/// Lists a folder, reads its files and hashes them.
fn read_and_hash(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let hashed = entries.filter_map(|entry| {
        let entry = entry.expect("an entry");
        let is_file = entry.metadata().expect("its metadata").is_file();
        let is_memory = is_file
            && entry
                .path()
                .extension()
                .is_some_and(|ending| ending == "md");
        is_memory.then(|| Checksum::of(&std::fs::read_to_string(entry.path()).expect("a text")))
    });
    hashed.count()
}

fn unchanged(criterion: &mut Criterion) {
    let scratch = tempfile::tempdir().expect("a folder");
    let root = |part: &str| {
        let path = scratch.path().join(part);
        MemoryRoot::open_or_create(&path, &RootOptions::new()).expect("a root")
    };
    let (team, state) = (root("team"), root("state"));
    for number in 0..FILES {
        let file = scratch.path().join(format!("team/memory_{number}.md"));
        std::fs::write(file, text(number)).expect("a file");
    }
    let server = Server::new(Form::Full);
    let counter = AtomicU64::new(1);
    let random = move || {
        let at = counter.fetch_add(1, Ordering::Relaxed);
        at.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    };
    let options = ClientOptions::new("acme/app", "ana", random);
    let client = Client::new(team, state, Box::new(Direct(Arc::clone(&server))), options);
    let runtime = Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    let sync = |options: &SyncOptions| runtime.block_on(client.sync(options)).expect("a sync");
    // The first one sends, the second one sees what the server made of it.
    for _ in 0..2 {
        sync(&SyncOptions::default());
    }
    let requests = || server.lock().expect("no panic").requests;
    assert_eq!(server.lock().expect("no panic").texts().len(), FILES);

    let mut group = criterion.benchmark_group("200 unchanged files");
    group.bench_function("baseline: list, read, SHA-256", |bench| {
        let folder = scratch.path().join("team");
        bench.iter(|| assert_eq!(read_and_hash(&folder), FILES));
    });
    group.bench_function("push", |bench| {
        let before = requests();
        let push = SyncOptions::default().with_push_only(true);
        bench.iter(|| sync(&push));
        assert_eq!(requests(), before, "a push without changes asks nothing");
    });
    group.bench_function("sync", |bench| {
        bench.iter(|| sync(&SyncOptions::default()));
    });
    group.finish();
}

criterion_group!(benches, unchanged);
criterion_main!(benches);
