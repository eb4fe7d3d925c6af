//! Words of a line, and what single words mean.

use super::super::meaning::Unit;
use crate::timestamp::Weekday;

/// A word of a line: letters, digits and apostrophes inside.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'a> {
    pub(super) start: usize,
    /// Without a possessive ending.
    pub(super) text: &'a str,
    pub(super) possessive: bool,
}

impl Word<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(super) fn is(&self, other: &str) -> bool {
        self.text.eq_ignore_ascii_case(other)
    }

    /// Whether it is one of some words with spaces between them.
    pub(super) fn is_one_of(&self, list: &str) -> bool {
        list.split(' ').any(|other| self.is(other))
    }

    pub(super) fn is_capitalised(&self) -> bool {
        let mut chars = self.text.chars();
        chars.next().is_some_and(char::is_uppercase) && chars.any(char::is_lowercase)
    }
}

pub(super) fn words(line: &str) -> Vec<Word<'_>> {
    let mut out = Vec::new();
    let mut start = None;
    for (at, character) in line.char_indices().chain([(line.len(), ' ')]) {
        let apostrophe = matches!(character, '\'' | '’')
            && line[at + character.len_utf8()..]
                .starts_with(|next: char| next.is_ascii_alphabetic());
        // A script without blanks may touch an English word: "周四Thursday".
        if character.is_ascii_alphanumeric() || character == '_' || (apostrophe && start.is_some())
        {
            start = start.or(Some(at));
        } else if let Some(from) = start.take() {
            let text = &line[from..at];
            let bare = text.strip_suffix("'s").or_else(|| text.strip_suffix("’s"));
            out.push(Word {
                start: from,
                text: bare.unwrap_or(text),
                possessive: bare.is_some(),
            });
        }
    }
    out
}

/// One blank, or the apostrophe of "two weeks' time".
pub(super) fn is_gap(line: &str, left: &Word<'_>, right: &Word<'_>) -> bool {
    let gap = &line[left.end()..right.start];
    let gap = if left.possessive {
        gap.trim_start_matches("'s").trim_start_matches("’s")
    } else {
        gap
    };
    matches!(gap, " " | "  " | "' " | "’ " | "-")
}

pub(super) fn unit(word: &str) -> Option<(Unit, i32)> {
    let singular = word.strip_suffix(['s', 'S']).unwrap_or(word);
    let units = [
        ("day", Unit::Day, 1),
        ("week", Unit::Week, 1),
        ("fortnight", Unit::Week, 2),
        ("month", Unit::Month, 1),
        ("quarter", Unit::Quarter, 1),
        ("year", Unit::Year, 1),
    ];
    units
        .iter()
        .find(|unit| unit.0.eq_ignore_ascii_case(singular))
        .map(|unit| (unit.1, unit.2))
}

/// The value of a number word, and whether it is only a guess.
pub(super) fn number(word: &str) -> Option<(i32, bool)> {
    const WORDS: [&str; 13] = [
        "a", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ];
    if word.eq_ignore_ascii_case("an") {
        return Some((1, true));
    }
    if let Some(at) = WORDS
        .iter()
        .position(|known| known.eq_ignore_ascii_case(word))
    {
        // "in a week" is a duration as often as a date.
        return Some((i32::try_from(at.max(1)).ok()?, at == 0));
    }
    match word {
        "couple" => Some((2, true)),
        "few" => Some((3, true)),
        _ if word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some((word.parse().ok()?, false))
        }
        _ => None,
    }
}

/// A weekday by its full name, or by a usual abbreviation with a capital.
pub(super) fn weekday(word: &str) -> Option<Weekday> {
    use Weekday::{Friday, Monday, Saturday, Sunday, Thursday, Tuesday, Wednesday};
    let names = [
        ("monday", "Mon", Monday),
        ("tuesday", "Tue", Tuesday),
        ("tuesday", "Tues", Tuesday),
        ("wednesday", "Wed", Wednesday),
        ("thursday", "Thu", Thursday),
        ("thursday", "Thur", Thursday),
        ("thursday", "Thurs", Thursday),
        ("friday", "Fri", Friday),
        ("saturday", "Sat", Saturday),
        ("sunday", "Sun", Sunday),
    ];
    names
        .iter()
        .find(|name| name.0.eq_ignore_ascii_case(word) || name.1 == word)
        .map(|name| name.2)
}
