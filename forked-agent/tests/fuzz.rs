//! Replays the seeds and the inputs that fuzzing has found, on the stable tool chain.

use std::path::Path;

#[allow(
    unreachable_pub,
    reason = "the file is the root of the fuzz package too"
)]
#[path = "../fuzz/src/lib.rs"]
mod bodies;

/// Runs a body on every stored input of its target.
fn replay(target: &str, body: fn(&[u8])) -> usize {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let folders = ["seeds", "found"].map(|kind| fuzz.join(kind).join(target));
    let mut count = 0;
    for entry in folders
        .iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flatten()
    {
        body(&std::fs::read(entry.unwrap().path()).unwrap());
        count += 1;
    }
    count
}

#[test]
fn stored_inputs_of_the_vetter_hold_its_promises() {
    assert!(replay("vet", bodies::vet) >= 10);
}
