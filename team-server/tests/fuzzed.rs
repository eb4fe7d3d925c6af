//! Replays the seeds and the found inputs of the fuzz targets on the stable compiler.

#[allow(unreachable_pub, reason = "the bodies are public in the fuzz package")]
#[path = "../fuzz/src/lib.rs"]
mod targets;

fn replay(name: &str, target: fn(&[u8])) {
    test_support::replay(env!("CARGO_MANIFEST_DIR"), name, target);
}

#[test]
fn the_requests_replay() {
    replay("request", targets::request);
}

#[test]
fn the_decisions_replay() {
    replay("decide", targets::decide);
}
