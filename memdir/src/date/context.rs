//! What stands around a phrase, as far as it decides whether the phrase is a date of its own.

use crate::text::floor_boundary;

/// How far around a phrase is looked, in bytes. A line may be megabytes long and hold a phrase at
/// every word.
const WINDOW: usize = 96;

/// The start of what follows a phrase.
pub(super) fn head(after: &str) -> &str {
    &after[..floor_boundary(after, WINDOW)]
}

/// The end of what precedes a phrase.
pub(super) fn tail(before: &str) -> &str {
    &before[floor_boundary(before, before.len().saturating_sub(WINDOW))..]
}

/// Quotes that make a single phrase a word that is talked about, such as the label "Today".
const QUOTES: [(char, char); 9] = [
    ('"', '"'),
    ('\'', '\''),
    ('“', '”'),
    ('‘', '’'),
    ('„', '“'),
    ('«', '»'),
    ('「', '」'),
    ('『', '』'),
    ('`', '`'),
];

/// Whether exactly this phrase stands in quotes.
pub(super) fn is_quoted(before: &str, after: &str) -> bool {
    let Some(open) = before.chars().next_back() else {
        return false;
    };
    let close = after.chars().next();
    QUOTES
        .iter()
        .any(|pair| pair.0 == open && Some(pair.1) == close)
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The number of a month by its English name or its first three letters, from 1.
pub(super) fn month_number(word: &str) -> Option<u8> {
    let is_name = |month: &&str| {
        month.eq_ignore_ascii_case(word)
            || (word.len() == 3 && month[..3].eq_ignore_ascii_case(word))
            || (*month == "september" && word.eq_ignore_ascii_case("sept"))
    };
    let at = MONTHS.iter().position(is_name)?;
    u8::try_from(at + 1).ok()
}

/// Whether an absolute date follows at once, as in "Thursday (2026-03-05)", "Thursday, March 5" or
/// "next quarter (Q2 2026)".
pub(super) fn date_follows(after: &str) -> bool {
    let after = head(after);
    let after = after.strip_prefix("'s").unwrap_or(after);
    let rest = after.trim_start_matches([' ', ',', '(', '（', '，', '*', '=', '[', ':', '：']);
    let rest = rest.strip_prefix("the ").unwrap_or(rest);
    is_date(rest) || year_in_parentheses(after)
}

/// Whether what follows is in parentheses and names a year.
pub(super) fn year_in_parentheses(after: &str) -> bool {
    let after = head(after);
    let Some(inside) = after.trim_start().strip_prefix(['(', '（']) else {
        return false;
    };
    let inside = inside.split([')', '）']).next().unwrap_or_default();
    inside
        .split(|end: char| !end.is_ascii_digit())
        .any(|digits| digits.len() == 4 && (digits.starts_with("19") || digits.starts_with("20")))
}

/// Whether an absolute date stands right before, as in "2026-03-05 (Thursday)" or "3月5日周四".
pub(super) fn date_precedes(before: &str) -> bool {
    let before = tail(before);
    let rest = before.trim_end_matches([' ', ',', '(', '（', '，', '*', '=', '/', '[']);
    if rest.ends_with(['日', '号', '號']) {
        let digits = rest.trim_end_matches(['日', '号', '號']);
        return digits.ends_with(|last: char| {
            last.is_ascii_digit() || "一二三四五六七八九十".contains(last)
        });
    }
    // "Mar 5th", "5 March", "2026-03-05", "3/5".
    let rest = ["st", "nd", "rd", "th"]
        .iter()
        .find_map(|end| {
            rest.strip_suffix(end)
                .filter(|rest| rest.ends_with(|last: char| last.is_ascii_digit()))
        })
        .unwrap_or(rest);
    let last = rest.rsplit([' ', '(', ',']).next().unwrap_or(rest);
    let before_last = rest[..rest.len() - last.len()].trim_end();
    let word_before = before_last.rsplit([' ', '(']).next().unwrap_or(before_last);
    if month_number(last).is_some() {
        return word_before.ends_with(|end: char| end.is_ascii_digit());
    }
    is_numeric_date(last)
        || (is_short_number(last) && month_number(word_before.trim_end_matches('.')).is_some())
}

fn is_date(rest: &str) -> bool {
    let word: &str = rest
        .split(|end: char| !(end.is_alphanumeric() || "-/.".contains(end)))
        .next()
        .unwrap_or(rest);
    if is_numeric_date(word.trim_end_matches(['.', '-', '/'])) {
        return true;
    }
    let digits = word.len()
        - word
            .trim_start_matches(|digit: char| digit.is_ascii_digit())
            .len();
    let chinese = |rest: &str| rest.starts_with(['月', '号', '號', '日', '年']);
    if (1..=4).contains(&digits) && chinese(&word[digits..]) {
        return true;
    }
    let mut words = rest.split([' ', '.', ',']).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let second = words.next().unwrap_or_default();
    (month_number(first).is_some() && is_short_number(second))
        || (is_short_number(first) && month_number(second.trim_end_matches(')')).is_some())
}

/// `2026-03-05`, `03-05`, `3/5`, `5.3.2026`.
fn is_numeric_date(word: &str) -> bool {
    let Some(mark) = word.chars().find(|mark| "-/.".contains(*mark)) else {
        return false;
    };
    let parts: Vec<&str> = word.split(mark).collect();
    let all_digits = parts.iter().all(|part| {
        (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    });
    // Two numbers with a point between them are a version or a fraction.
    all_digits && (parts.len() == 3 || (parts.len() == 2 && mark != '.'))
}

/// A day of the month, with or without its English ending.
fn is_short_number(word: &str) -> bool {
    let word = word.trim_end_matches([')', '.', ';', ':', '*']);
    let digits = word.trim_end_matches(|end: char| end.is_ascii_alphabetic());
    let ending = &word[digits.len()..];
    (1..=2).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && matches!(ending, "" | "st" | "nd" | "rd" | "th")
}
