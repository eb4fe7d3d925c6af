//! Replays the seeds and the found inputs of the fuzz targets on the stable compiler.

#[allow(unreachable_pub, reason = "the bodies are public in the fuzz package")]
#[path = "../fuzz/src/lib.rs"]
mod targets;

fn replay(name: &str, target: fn(&[u8])) {
    test_support::replay(env!("CARGO_MANIFEST_DIR"), name, target);
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
