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

/// The units, in the singular and the plural, with how many of the unit they are.
pub(super) const UNITS: [(&str, &str, Unit, i32); 6] = [
    ("day", "days", Unit::Day, 1),
    ("week", "weeks", Unit::Week, 1),
    ("fortnight", "fortnights", Unit::Week, 2),
    ("month", "months", Unit::Month, 1),
    ("quarter", "quarters", Unit::Quarter, 1),
    ("year", "years", Unit::Year, 1),
];

pub(super) fn unit(word: &str) -> Option<(Unit, i32)> {
    let is_named = |unit: &&(&str, &str, Unit, i32)| {
        unit.0.eq_ignore_ascii_case(word) || unit.1.eq_ignore_ascii_case(word)
    };
    UNITS.iter().find(is_named).map(|unit| (unit.2, unit.3))
}

/// The numbers that are words; those up to twelve stand at their value, "a" at zero.
pub(super) const NUMBERS: [&str; 16] = [
    "a", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "an", "couple", "few",
];

/// The value of a number, and whether it is only a guess.
pub(super) fn number(word: &str) -> Option<(i32, bool)> {
    if word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some((word.parse().ok()?, false));
    }
    let at = NUMBERS
        .iter()
        .position(|known| known.eq_ignore_ascii_case(word))?;
    match NUMBERS[at] {
        // "in a week" is a duration as often as a date.
        "a" | "an" => Some((1, true)),
        "couple" => Some((2, true)),
        "few" => Some((3, true)),
        _ => Some((i32::try_from(at).ok()?, false)),
    }
}

use Weekday::{Friday, Monday, Saturday, Sunday, Thursday, Tuesday, Wednesday};

/// The weekdays; the abbreviations count with a capital only.
pub(super) const WEEKDAYS: [(&str, Weekday); 17] = [
    ("monday", Monday),
    ("tuesday", Tuesday),
    ("wednesday", Wednesday),
    ("thursday", Thursday),
    ("friday", Friday),
    ("saturday", Saturday),
    ("sunday", Sunday),
    ("Mon", Monday),
    ("Tue", Tuesday),
    ("Tues", Tuesday),
    ("Wed", Wednesday),
    ("Thu", Thursday),
    ("Thur", Thursday),
    ("Thurs", Thursday),
    ("Fri", Friday),
    ("Sat", Saturday),
    ("Sun", Sunday),
];

/// A weekday by its full name, or by a usual abbreviation with a capital.
pub(super) fn weekday(word: &str) -> Option<Weekday> {
    let is_abbreviation = |name: &str| name.starts_with(|first: char| first.is_ascii_uppercase());
    let is_named = |name: &&(&str, Weekday)| {
        name.0 == word || (!is_abbreviation(name.0) && name.0.eq_ignore_ascii_case(word))
    };
    WEEKDAYS.iter().find(is_named).map(|name| name.1)
}
