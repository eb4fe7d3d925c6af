//! Replays the seeds of the fuzz targets, and what fuzzing once found.

#[path = "../fuzz/src/lib.rs"]
mod targets;

fn replay(name: &str, target: fn(&[u8])) {
    test_support::replay(env!("CARGO_MANIFEST_DIR"), name, target);
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
