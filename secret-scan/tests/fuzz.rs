//! Replays the seeds and the found inputs of every fuzz target.

use std::fs;
use std::path::Path;

#[path = "../fuzz/src/lib.rs"]
#[allow(
    unreachable_pub,
    reason = "public in the fuzz crate, which this file belongs to"
)]
mod targets;

fn replay(name: &str, target: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let mut replayed = 0;
    for kind in ["seeds", "found"] {
        let Ok(inputs) = fs::read_dir(folder.join(kind).join(name)) else {
            continue;
        };
        for input in inputs {
            let path = input.expect("a readable folder").path();
            target(&fs::read(path).expect("a readable file"));
            replayed += 1;
        }
    }
    assert!(replayed > 0, "no inputs for {name}");
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
