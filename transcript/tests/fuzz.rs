//! Seeds and found inputs of the fuzz targets, replayed on stable.

#[path = "../fuzz/src/lib.rs"]
#[allow(
    unreachable_pub,
    reason = "the file is a crate of its own for the fuzzer"
)]
mod bodies;

fn replay(target: &str, body: fn(&[u8])) -> usize {
    test_support::replay(env!("CARGO_MANIFEST_DIR"), target, body)
}

#[test]
fn every_seed_and_every_finding_passes() {
    assert!(replay("claude", bodies::claude) >= 3);
    assert!(replay("codex", bodies::codex) >= 2);
    assert!(replay("gemini", bodies::gemini) >= 2);
    assert!(replay("detect", bodies::detect) >= 3);
}
