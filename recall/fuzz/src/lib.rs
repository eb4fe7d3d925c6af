//! Bodies of the fuzz targets of memdir-recall.
#![allow(
    clippy::missing_panics_doc,
    reason = "a panic is what a fuzz target looks for"
)]

use memdir_recall::fuzzing::{self, Memory, Timestamp};
use memdir_recall::{ChoiceRequest, Query};

/// Any text is taken apart without a panic, and each piece is a word.
pub fn tokeniser(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for piece in fuzzing::pieces_of(&text) {
        assert!(!piece.is_empty() && !piece.contains(char::is_whitespace));
    }
    let index = fuzzing::sample_index(&[&text, "retry policy 重试"]);
    assert!(fuzzing::use_index(&index, &text));
}

/// Damaged and crafted index files give fewer results, never a panic.
pub fn index_file(data: &[u8]) {
    fuzzing::use_index(data, "retry polcy 重试 src/net/retry.rs");
    // The same bytes laid over a sound index: damage in depth.
    let mut index = fuzzing::sample_index(&["retry policy", "重试策略 deploy", "src/net/retry.rs"]);
    for pair in data.chunks_exact(3) {
        let at = usize::from(pair[0]) | usize::from(pair[1]) << 8;
        if let Some(byte) = index.get_mut(at) {
            *byte ^= pair[2];
        }
    }
    fuzzing::use_index(&index, "retry polcy 重试 src/net/retry.rs");
}

/// Any answer of a model is taken apart; without a menu nothing is chosen.
pub fn model_answer(data: &[u8]) {
    let query = Query::new("retry", Timestamp::UNIX_EPOCH).prefilter(5);
    let request = ChoiceRequest::new(&[], &query);
    if let Ok(choice) = request.parse(&String::from_utf8_lossy(data)) {
        assert!(choice.paths.is_empty());
    }
}

/// A memory of any bytes stays inside of its fence.
pub fn render(data: &[u8]) {
    let memory = Memory::parse(data);
    let text = fuzzing::rendered(&memory);
    let mut fence: Option<usize> = None;
    let mut headers = 0;
    for line in text.lines() {
        let ticks = line.bytes().take_while(|b| *b == b'`').count();
        match fence {
            None if ticks >= 3 => fence = Some(ticks),
            None => headers += usize::from(line.starts_with("Memory: ")),
            Some(open) if ticks >= open => fence = None,
            Some(_) => {}
        }
    }
    assert_eq!(fence, None, "a fence is left open");
    assert!(headers <= 1, "a header was forged");
    assert!(
        text.chars()
            .all(|c| c == '\n' || c == '\t' || !c.is_control())
    );
}

/// Claims are found in any text without a panic, each on a line of it.
pub fn claims(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for (line, claim) in fuzzing::claims_of(&text) {
        assert!(line >= 1 && line <= text.lines().count());
        assert!(!claim.is_empty());
    }
}
