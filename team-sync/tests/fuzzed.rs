//! Replays the seeds of the fuzz targets, and what fuzzing once found.

#[path = "../fuzz/src/lib.rs"]
mod targets;

use std::fs;
use std::path::Path;

fn replay(name: &str, target: fn(&[u8])) {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let mut seeds = 0;
    for kind in ["seeds", "found"] {
        let Ok(entries) = fs::read_dir(fuzz.join(kind).join(name)) else {
            continue;
        };
        for entry in entries {
            let path = entry.expect("an entry").path();
            target(&fs::read(path).expect("an input"));
            seeds += usize::from(kind == "seeds");
        }
    }
    assert!(seeds > 0, "no seeds for {name}");
}

#[test]
fn bodies_replay() {
    replay("wire", targets::wire);
}

#[test]
fn plans_replay() {
    replay("plan", targets::plan);
}

#[test]
fn merges_replay() {
    replay("merge", targets::merge);
}

#[test]
fn tags_replay() {
    replay("tag", targets::tag);
}

#[test]
fn keys_replay() {
    replay("key", targets::key);
}

#[test]
fn repositories_replay() {
    replay("repository", targets::repository);
}
