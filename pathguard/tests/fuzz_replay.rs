//! The fuzz targets on stable: seeds, found inputs, and random ones.

use proptest::prelude::*;

// The bodies of the targets, as the fuzz package builds them.
#[path = "../fuzz/src/lib.rs"]
#[allow(unreachable_pub, reason = "the file is the root of a crate of its own")]
mod targets;

fn replay(name: &str, target: fn(&[u8])) {
    test_support::replay(env!("CARGO_MANIFEST_DIR"), name, target);
}

#[test]
fn stored_inputs_of_keys_pass() {
    replay("keys", targets::keys);
}

#[cfg(unix)]
#[test]
fn stored_inputs_of_operations_pass() {
    crate::table::unprivileged(crate::table::here!(), || {
        replay("operations", targets::operations);
    });
}

#[cfg(unix)]
#[test]
fn random_operations_agree_with_the_model() {
    crate::table::unprivileged(crate::table::here!(), || {
        proptest!(ProptestConfig { failure_persistence: None, cases: 256, ..Default::default() },
            |(data in prop::collection::vec(any::<u8>(), 1..190))| {
            targets::operations(&data);
        });
    });
}

proptest! {
    #[test]
    fn random_texts_pass_as_keys(data in prop::collection::vec(any::<u8>(), 0..64)) {
        targets::keys(&data);
    }
}
