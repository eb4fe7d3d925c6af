//! Replays the seeds of the fuzz targets, and what fuzzing once found.

#[path = "../fuzz/src/lib.rs"]
mod targets;

use proptest::prelude::*;

fn replay(name: &str, target: fn(&[u8])) {
    test_support::replay(env!("CARGO_MANIFEST_DIR"), name, target);
}

#[test]
fn memories_replay() {
    replay("memory", targets::memory);
}

#[test]
fn indexes_replay() {
    replay("index", targets::index);
}

#[test]
fn dates_replay() {
    replay("dates", targets::dates);
}

#[test]
fn folders_replay() {
    replay("lint", targets::lint);
}

#[test]
fn settings_replay() {
    replay("settings", targets::settings);
}

/// Pieces of settings files, whole and torn.
const PIECES: [&str; 30] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "'",
    "/",
    "*/",
    "/*",
    "//",
    "\n",
    " ",
    "\\",
    "\u{feff}",
    "\"a\"",
    "\"autoMemoryEnabled\"",
    "\"autoMemoryDirectory\"",
    "\"~/notes\"",
    "true",
    "false",
    "null",
    "-1e9",
    "0x1",
    "é",
    "[modes]\n",
    "persistent = \"off\"\n",
    "= ",
    "\"\\ud800\"",
];

proptest! {
    #[test]
    fn settings_of_any_pieces_are_read_or_refused(
        pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..40)
    ) {
        targets::settings(pieces.concat().as_bytes());
    }

    #[test]
    fn settings_of_any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        targets::settings(&bytes);
    }
}
