//! The patterns that steps cannot express: matches around a marker, and private keys.

use super::example::{self, Letters};
use crate::class::{ALNUM, WORD_DASH};
use crate::matcher;
use crate::text::{Span, Text};
use crate::views::base64;

/// Base64 of `OpenAI`, which every key of that issuer carries in its middle.
pub(super) const OPENAI_MARKER: &str = "T3BlbkFJ";

/// Characters on either side of the marker.
const OPENAI_HALF: usize = 16;

/// How far before the marker a key may start: keys seen have 20 to 80 characters there.
const OPENAI_LOOK_BACK: usize = 160;

/// `sk-`, an optional word and hyphen, 16 or more characters, the marker, 16 or more characters.
pub(super) fn openai_key(text: &Text<'_>, marker: Span) -> Option<Span> {
    let from = marker.start.saturating_sub(OPENAI_LOOK_BACK);
    let last = marker.start.checked_sub(OPENAI_HALF)?;
    let reach = text.bytes().get(from..last)?;
    let starts = || {
        memchr::memmem::find_iter(reach, "sk-")
            .map(|at| from + at)
            .filter(|&at| text.run_end(at, &WORD_DASH) >= marker.end)
    };
    let first = starts().next()?;
    // `task-…` holds `sk-` too; a start at a word boundary is the better reading.
    let start = starts().find(|&at| text.starts_word(at)).unwrap_or(first);
    let end = text.run_end(marker.end, &WORD_DASH);
    let end = matcher::open_end(text, start, marker.end + OPENAI_HALF, end)?;
    Some(start..end)
}

pub(super) fn openai_example() -> String {
    let mut letters = Letters::new(b"openai");
    [
        "sk-proj-",
        &letters.text(74, &ALNUM),
        OPENAI_MARKER,
        &letters.text(74, &ALNUM),
    ]
    .concat()
}

/// Amazon's documentation ends its made-up ids with this word.
pub(super) fn is_no_aws_example(matched: &[u8]) -> bool {
    !matched.ends_with(b"EXAMPLE")
}

/// Grafana's legacy keys are JSON with the members `k`, `n` and `id`. Links into Power BI start
/// with the same bytes, but hold `k` and `t`.
pub(super) fn is_grafana_json(matched: &[u8]) -> bool {
    // A key of 32 characters comes before the name.
    const REACH: usize = 128;
    let decoded = base64::decode(&matched[..matched.len().min(REACH)]);
    memchr::memmem::find(&decoded, br#""n":"#).is_some()
}

pub(super) fn grafana_example() -> String {
    let key = Letters::new(b"grafana").text(32, &ALNUM);
    example::base64(&format!(r#"{{"k":"{key}","n":"deploy","id":1}}"#))
}
