//! Relative dates in English: the phrases as a table, and the rules for what only looks like one.

mod phrase;
mod surroundings;
mod table;
mod words;

use std::collections::HashMap;
use std::sync::LazyLock;

use super::RelativeDate;
use super::context::{date_follows, date_precedes, is_quoted};
use super::meaning::{DatePrecision, Resolved, Which};
use crate::markdown::NOT_PROSE;
use crate::timestamp::Date;
use phrase::{Phrase, match_at};
use surroundings::Surroundings;
use table::{LINKS, Means, NAMES, RECURRING};
use words::{Word, is_gap, words};

/// Finds the phrases on one line of prose.
pub(super) fn find(line: &str, base: Date) -> Vec<RelativeDate> {
    let words = words(line);
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match match_at(line, &words, at) {
            Some(phrase) => {
                if let Some(date) = read(line, &words, at, &phrase, base) {
                    found.push(date);
                }
                at += phrase.count;
            }
            None => at += 1,
        }
    }
    found
}

/// Decides whether the phrase at its place means a date, and which.
fn read(
    line: &str,
    words: &[Word<'_>],
    at: usize,
    phrase: &Phrase,
    base: Date,
) -> Option<RelativeDate> {
    let (first, last) = (&words[at], &words[at + phrase.count - 1]);
    let range = first.start..last.end();
    let (before, after) = (&line[..range.start], &line[range.end..]);
    let previous = at
        .checked_sub(1)
        .map(|at| &words[at])
        .filter(|word| is_gap(line, word, first));
    let next = words
        .get(at + phrase.count)
        .filter(|word| is_gap(line, last, word));
    let stands_alone = !touches_identifier(before, after, last.possessive)
        && !is_quoted(before, after)
        && !date_follows(after)
        && !date_precedes(before);
    if !stands_alone || is_name(words, at, phrase.count) {
        return None;
    }
    if previous.is_some_and(|word| word.is_one_of(RECURRING))
        || next.is_some_and(|word| word.is("or") && phrase.number.is_some())
    {
        return None;
    }
    let mut meaning = phrase.meaning()?;
    let surroundings = Surroundings {
        line,
        words,
        at,
        phrase,
        before,
        after,
        previous,
        next,
    };
    match phrase.means {
        Means::Weekday(Which::Coming) if phrase.count == 1 => {
            meaning = surroundings.bare_weekday()?;
        }
        Means::Weekday(_) | Means::Whole(_) | Means::Month(_) | Means::Weekend(_)
            if surroundings.is_relative_to_elsewhere() =>
        {
            return None;
        }
        Means::Count(..) if surroundings.is_duration() => return None,
        Means::Days(_) if surroundings.is_title() => return None,
        _ => {}
    }
    if matches!(phrase.means, Means::EdgeOf(..)) && first.is_one_of("the end") {
        meaning.1 &= surroundings.names_this_end();
    }
    let mut resolved = meaning.0.resolve(base);
    resolved.is_certain &= meaning.1;
    if let Means::Count(_, later) = phrase.means {
        resolved.date = resolved.date.plus_days(later);
    }
    // "by end of month" keeps its preposition.
    let keeps_by = first.is("by") && matches!(phrase.means, Means::EdgeOf(..) | Means::Fixed(_));
    let range = if keeps_by {
        words[at + 1].start..range.end
    } else {
        range
    };
    let previous = if keeps_by { Some(first) } else { previous };
    Some(RelativeDate {
        replacement: replacement(resolved, phrase.part, previous, &line[range.clone()]),
        date: resolved.date,
        precision: resolved.precision,
        is_certain: resolved.is_certain,
        range,
    })
}

/// Whether the phrase is a part of an identifier, path, call, tag or hyphenated word.
fn touches_identifier(before: &str, after: &str, possessive: bool) -> bool {
    let alphanumeric = |next: Option<char>| next.is_some_and(|next| next.is_ascii_alphanumeric());
    let hidden = char::from(NOT_PROSE);
    let left = before.chars().next_back();
    let joined_left = match left {
        Some('/' | '\\' | '$' | '@' | '#' | '=' | '{' | '.' | '&' | '%' | '-' | '+') => true,
        Some('_') => alphanumeric(before.chars().rev().nth(1)),
        Some(other) => other == hidden,
        None => false,
    };
    let mut right = after.chars();
    let joined_right = match right.next() {
        Some('/' | '\\' | '(' | '=' | '{' | '@' | '$' | '>' | '}') => true,
        Some('_' | '-' | '.' | ':' | '&') => alphanumeric(right.next()),
        Some(other) => other == hidden,
        None => false,
    };
    joined_left || (joined_right && !possessive)
}

/// A word of a name, and whether it has to be a possessive.
type NameWord = (&'static str, bool);

/// The [`NAMES`] by each of their words.
static NAMES_BY_WORD: LazyLock<HashMap<&'static str, Vec<Vec<NameWord>>>> = LazyLock::new(|| {
    let mut names: HashMap<&'static str, Vec<Vec<NameWord>>> = HashMap::new();
    for name in NAMES.split(',') {
        let word = |word: &'static str| match word.strip_suffix("'s") {
            Some(bare) => (bare, true),
            None => (word, false),
        };
        let words: Vec<NameWord> = name.split_ascii_whitespace().map(word).collect();
        for word in &words {
            names.entry(word.0).or_default().push(words.clone());
        }
    }
    names
});

/// Whether the words around the phrase make one of the [`NAMES`].
fn is_name(words: &[Word<'_>], at: usize, count: usize) -> bool {
    let first = words[at].text.to_ascii_lowercase();
    let candidates = NAMES_BY_WORD.get(first.as_str()).into_iter().flatten();
    let same = |(word, part): (&Word<'_>, &NameWord)| word.is(part.0) && word.possessive == part.1;
    candidates.filter(|name| name.len() >= count).any(|name| {
        // Every place at which the name could lie over the phrase.
        (0..name.len()).any(|offset| {
            let start = at.checked_sub(offset);
            let window = start.and_then(|start| words.get(start..start + name.len()));
            window.is_some_and(|window| window.iter().zip(name).all(same))
        })
    })
}

/// What reads well in the place of the phrase.
fn replacement(
    resolved: Resolved,
    part: &str,
    previous: Option<&Word<'_>>,
    phrase: &str,
) -> String {
    let date = match resolved.precision {
        DatePrecision::Day => resolved.date.to_string(),
        DatePrecision::Week => format!("the week of {}", resolved.date),
        DatePrecision::Month => format!("{}-{:02}", resolved.date.year(), resolved.date.month()),
        DatePrecision::Quarter => format!(
            "{}-Q{}",
            resolved.date.year(),
            (resolved.date.month() - 1) / 3 + 1
        ),
        DatePrecision::Year => resolved.date.year().to_string(),
    };
    let date = if part.is_empty() {
        date
    } else {
        format!("{date} ({part})")
    };
    // At the start of a sentence or cell, and after a linking word, the bare date reads well.
    let bare = previous.is_none_or(|word| word.is_one_of(LINKS));
    let preposition = match resolved.precision {
        _ if bare => "",
        DatePrecision::Day => "on ",
        DatePrecision::Week
        | DatePrecision::Month
        | DatePrecision::Quarter
        | DatePrecision::Year => "in ",
    };
    let date = match date.strip_prefix("the ") {
        // "the current week"
        Some(bare) if previous.is_some_and(|word| word.is("the")) => bare.to_owned(),
        Some(rest) if bare && phrase.starts_with(char::is_uppercase) => format!("The {rest}"),
        _ => date,
    };
    format!("{preposition}{date}")
}
