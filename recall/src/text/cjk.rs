//! Scripts without word spaces: pairs of neighbouring characters, and the characters themselves.

use super::Piece;
use super::stop;

/// Returns whether a character belongs to a script that is written without spaces between words,
/// or, for Hangul, with endings glued to the words.
pub(crate) fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30FA}'
        | '\u{30FC}'..='\u{30FF}'
        | '\u{3100}'..='\u{312F}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7AF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{323AF}')
}

/// Emits the pieces of one run; function words cut the run and are dropped.
pub(crate) fn pieces(run: &str, sink: &mut dyn FnMut(Piece<'_>)) {
    let mut start = 0;
    let mut at = 0;
    while at < run.len() {
        let skipped = stop::cjk_prefix(&run[at..]);
        if skipped > 0 {
            stretch(&run[start..at], sink);
            at += skipped;
            start = at;
        } else {
            at += run[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    stretch(&run[start..], sink);
}

fn stretch(text: &str, sink: &mut dyn FnMut(Piece<'_>)) {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        if let Some((_, next)) = chars.peek() {
            sink(Piece::Bigram(&text[at..end + next.len_utf8()]));
        }
        sink(Piece::Single(&text[at..end]));
    }
}
