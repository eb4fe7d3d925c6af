//! Replays the seeds and the inputs that fuzzing has found, on the stable tool chain.

#[allow(
    unreachable_pub,
    reason = "the file is the root of the fuzz package too"
)]
#[path = "../fuzz/src/lib.rs"]
mod bodies;

fn replay(target: &str, body: fn(&[u8])) -> usize {
    test_support::replay(env!("CARGO_MANIFEST_DIR"), target, body)
}

#[test]
fn stored_inputs_of_the_vetter_hold_its_promises() {
    assert!(replay("vet", bodies::vet) >= 10);
}
