//! Replays the seeds of the fuzz targets, and what fuzzing once found.

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
            target(&fs::read(entry.expect("an entry").path()).expect("a file"));
            seeds += usize::from(kind == "seeds");
        }
    }
    assert!(seeds > 0, "no seeds for {name}");
}

#[test]
fn session_files_and_templates_replay() {
    replay("notes", targets::notes);
}

#[test]
fn pairs_replay() {
    replay("pair", targets::pair);
}

#[test]
fn prompt_templates_replay() {
    replay("template", targets::template);
}
