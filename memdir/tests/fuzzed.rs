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
            target(&fs::read(entry.unwrap().path()).unwrap());
            seeds += usize::from(kind == "seeds");
        }
    }
    assert!(seeds > 0, "no seeds for {name}");
}

#[test]
fn memories_replay() {
    replay("memory", targets::memory);
}

#[test]
fn indexes_replay() {
    replay("index", targets::index);
}

#[test]
fn dates_replay() {
    replay("dates", targets::dates);
}

#[test]
fn folders_replay() {
    replay("lint", targets::lint);
}

#[test]
fn settings_replay() {
    replay("settings", targets::settings);
}
