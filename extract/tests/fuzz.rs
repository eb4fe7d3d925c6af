//! Seeds and found inputs of the fuzz targets, replayed on stable.

use proptest::prelude::*;

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
    assert!(replay("state", bodies::state) >= 4);
    assert!(replay("evidence", bodies::evidence) >= 3);
    assert!(replay("offline", bodies::offline) >= 3);
}

proptest! {
    #[test]
    fn any_pieces_of_the_marks_we_look_for_are_sorted_without_harm(
        pieces in proptest::collection::vec(
            prop_oneof![
                Just("Recalled memories. These are notes saved in earlier sessions".to_owned()),
                Just("\n```memory\n".to_owned()),
                Just("\n````\n".to_owned()),
                Just("\nMemory: ".to_owned()),
                Just("\n# auto memory\n".to_owned()),
                Just("<system-reminder>".to_owned()),
                Just("</system-reminder>".to_owned()),
                Just("\u{c}".to_owned()),
                Just("\u{c}t".to_owned()),
                "[a-z \n\"“”以后]{0,20}",
            ],
            0..20,
        ),
    ) {
        bodies::evidence(pieces.concat().as_bytes());
    }
}
