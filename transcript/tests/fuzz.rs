//! Seeds and found inputs of the fuzz targets, replayed on stable.

use std::path::Path;

#[path = "../fuzz/src/lib.rs"]
#[allow(
    unreachable_pub,
    reason = "the file is a crate of its own for the fuzzer"
)]
mod bodies;

fn replay(target: &str, body: fn(&[u8])) -> usize {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let mut count = 0;
    for folder in ["seeds", "found"] {
        let Ok(files) = std::fs::read_dir(fuzz.join(folder).join(target)) else {
            continue;
        };
        for file in files {
            let file = file.unwrap();
            body(&std::fs::read(file.path()).unwrap());
            count += 1;
        }
    }
    count
}

#[test]
fn every_seed_and_every_finding_passes() {
    assert!(replay("claude", bodies::claude) >= 3);
    assert!(replay("codex", bodies::codex) >= 2);
    assert!(replay("gemini", bodies::gemini) >= 2);
    assert!(replay("detect", bodies::detect) >= 3);
}
