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
            target(&fs::read(entry.unwrap().path()).unwrap());
            seeds += usize::from(kind == "seeds");
        }
    }
    assert!(seeds > 0, "no seeds for {name}");
}

#[test]
fn the_tokeniser_replays() {
    replay("tokeniser", targets::tokeniser);
}

#[test]
fn the_index_file_replays() {
    replay("index_file", targets::index_file);
}

#[test]
fn the_model_answer_replays() {
    replay("model_answer", targets::model_answer);
}

#[test]
fn the_rendering_replays() {
    replay("render", targets::render);
}

#[test]
fn the_claims_replay() {
    replay("claims", targets::claims);
}
