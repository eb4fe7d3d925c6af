//! Replays the seeds of the fuzz targets, and what fuzzing once found.

#[path = "../fuzz/src/lib.rs"]
mod targets;

fn replay(name: &str, target: fn(&[u8])) {
    test_support::replay(env!("CARGO_MANIFEST_DIR"), name, target);
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
