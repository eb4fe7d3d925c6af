//! Replays the seeds and the found inputs of every fuzz target.

#[path = "../fuzz/src/lib.rs"]
#[allow(
    unreachable_pub,
    reason = "public in the fuzz crate, which this file belongs to"
)]
mod targets;

fn replay(name: &str, target: fn(&[u8])) {
    test_support::replay(env!("CARGO_MANIFEST_DIR"), name, target);
}

#[test]
fn inputs_of_scan_hold() {
    replay("scan", targets::scan);
}

#[test]
fn inputs_of_stream_hold() {
    replay("stream", targets::stream);
}

#[test]
fn inputs_of_redact_hold() {
    replay("redact", targets::redact);
}

#[test]
fn inputs_of_planted_hold() {
    replay("planted", targets::planted);
}

#[test]
fn inputs_of_allow_list_hold() {
    replay("allow_list", targets::allow_list);
}
