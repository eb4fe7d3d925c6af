//! Small helpers for text that may hold any script.

/// The largest character boundary that is not above `at`.
///
/// `str::floor_char_boundary` needs a newer compiler than this workspace promises.
pub(crate) fn floor_boundary(text: &str, at: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    (0..=at)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

/// The text on one line: every run of blanks and line ends becomes one space.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// At most `max` characters; a text that is cut ends with an ellipsis, within the limit.
pub(crate) fn shorten(text: &str, max: usize) -> String {
    if text.chars().nth(max).is_none() {
        return text.to_owned();
    }
    let end = text
        .char_indices()
        .nth(max.saturating_sub(1))
        .map_or(0, |(at, _)| at);
    let head = &text[..end];
    // Prefer the end of a word when one is near; scripts without blanks are cut anywhere.
    let word = match head.rfind(char::is_whitespace) {
        Some(at)
            if head[at..].chars().count() <= 20
                && !text[end..].starts_with(char::is_whitespace) =>
        {
            &head[..at]
        }
        _ => head,
    };
    format!("{}…", word.trim_end())
}
