//! Replays the seeds and the found inputs of the fuzz targets on the stable compiler.

#[allow(unreachable_pub, reason = "the bodies are public in the fuzz package")]
#[path = "../fuzz/src/lib.rs"]
mod targets;

use std::fs;
use std::path::Path;

fn replay(name: &str, target: fn(&[u8])) {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let mut seeds = 0;
    for kind in ["seeds", "found"] {
        let Ok(entries) = fs::read_dir(fuzz.join(kind).join(name)) else {
            continue;
        };
        for entry in entries {
            let path = entry.expect("an entry").path();
            target(&fs::read(path).expect("an input"));
            seeds += usize::from(kind == "seeds");
        }
    }
    assert!(seeds > 0, "no seeds for {name}");
}

#[test]
fn the_requests_replay() {
    replay("request", targets::request);
}

#[test]
fn the_decisions_replay() {
    replay("decide", targets::decide);
}
