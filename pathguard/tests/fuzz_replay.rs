//! The fuzz targets on stable: seeds, found inputs, and random ones.

use proptest::prelude::*;

// The bodies of the targets, as the fuzz package builds them.
#[path = "../fuzz/src/lib.rs"]
#[allow(unreachable_pub, reason = "the file is the root of a crate of its own")]
mod targets;

/// Runs a target on every stored input.
fn replay(name: &str, target: fn(&[u8])) {
    let fuzz = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let mut replayed = 0;
    for folder in ["seeds", "found"] {
        let Ok(entries) = std::fs::read_dir(fuzz.join(folder).join(name)) else {
            continue;
        };
        for entry in entries {
            let path = entry.unwrap().path();
            println!("{}", path.display());
            target(&std::fs::read(&path).unwrap());
            replayed += 1;
        }
    }
    assert!(replayed > 0, "no stored input of {name}");
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
