//! Matches the words of a line against the table.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::super::context::month_number;
use super::super::meaning::{Meaning, Unit, Which};
use super::table::{self, Means, RULES};
use super::words::{NUMBERS, UNITS, WEEKDAYS, Word, is_gap, number, unit, weekday};
use crate::timestamp::Weekday;

/// What a rule matched, and how many words it took.
pub(super) struct Phrase {
    pub(super) count: usize,
    pub(super) means: Means,
    pub(super) part: &'static str,
    pub(super) number: Option<(i32, bool)>,
    unit: Option<(Unit, i32)>,
    pub(super) weekday: Option<Weekday>,
    month: Option<u8>,
}

/// The longest phrase that starts with the word.
pub(super) fn match_at(line: &str, words: &[Word<'_>], at: usize) -> Option<Phrase> {
    let first = &words[at];
    let matching = rules_for(first.text)?
        .iter()
        .filter_map(|rule| match_rule(line, words, at, rule));
    matching.max_by_key(|phrase| phrase.count).or_else(|| {
        Some(Phrase {
            weekday: Some(weekday(first.text)?),
            ..Phrase::new(Means::Weekday(Which::Coming), "", 1)
        })
    })
}

/// A rule of the table, taken apart.
struct Rule {
    words: Vec<Element>,
    means: Means,
    part: &'static str,
}

/// One word of a rule.
struct Element {
    choices: Vec<&'static str>,
    is_optional: bool,
}

/// The rules by the words they may start with, in lower case; `0` stands for any number in
/// digits. Ordinary words of a text are in no rule, and one look-up tells.
static STARTS: LazyLock<HashMap<String, Vec<Rule>>> = LazyLock::new(|| {
    let mut starts: HashMap<String, Vec<Rule>> = HashMap::new();
    // A weekday is a phrase by itself.
    for name in WEEKDAYS {
        starts.entry(name.0.to_ascii_lowercase()).or_default();
    }
    for rule in RULES {
        for first in first_words(rule.words) {
            starts
                .entry(first.to_ascii_lowercase())
                .or_default()
                .push(compiled(rule));
        }
    }
    starts
});

fn rules_for(word: &str) -> Option<&'static [Rule]> {
    const LONGEST: usize = "wednesday".len();
    if word.len() > LONGEST {
        return None;
    }
    if word.as_bytes()[0].is_ascii_digit() {
        return STARTS.get("0").map(Vec::as_slice);
    }
    // Lower case without an allocation.
    let mut buffer = [0; LONGEST];
    let lower = &mut buffer[..word.len()];
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    let lower = std::str::from_utf8(lower).ok()?;
    STARTS.get(lower).map(Vec::as_slice)
}

fn compiled(rule: &table::Rule) -> Rule {
    let words = rule.words.split(' ').map(|word| Element {
        choices: word.trim_start_matches('?').split('|').collect(),
        is_optional: word.starts_with('?'),
    });
    Rule {
        words: words.collect(),
        means: rule.means,
        part: rule.part,
    }
}

/// Every word a rule can start with; behind an optional word the next one counts, too.
fn first_words(words: &'static str) -> Vec<&'static str> {
    let mut out = Vec::new();
    for word in words.split(' ') {
        for choice in word.trim_start_matches('?').split('|') {
            match choice {
                "{n}" => out.extend(NUMBERS.into_iter().chain(["0"])),
                "{unit}" => out.extend(UNITS.iter().flat_map(|unit| [unit.0, unit.1])),
                "{weekday}" => out.extend(WEEKDAYS.iter().map(|name| name.0)),
                _ => out.push(choice),
            }
        }
        if !word.starts_with('?') {
            break;
        }
    }
    out
}

fn match_rule(line: &str, words: &[Word<'_>], start: usize, rule: &Rule) -> Option<Phrase> {
    let mut phrase = Phrase::new(rule.means, rule.part, 0);
    let mut at = start;
    for element in &rule.words {
        let next = words
            .get(at)
            .filter(|_| at == start || is_gap(line, &words[at - 1], &words[at]));
        match next.and_then(|word| phrase.take(element, words, at, word)) {
            Some(count) => at += count,
            None if element.is_optional => {}
            None => return None,
        }
    }
    phrase.count = at - start;
    Some(phrase)
}

impl Phrase {
    fn new(means: Means, part: &'static str, count: usize) -> Self {
        Self {
            count,
            means,
            part,
            number: None,
            unit: None,
            weekday: None,
            month: None,
        }
    }

    /// Whether the element takes the word, and how many words that are.
    fn take(
        &mut self,
        element: &Element,
        words: &[Word<'_>],
        at: usize,
        word: &Word<'_>,
    ) -> Option<usize> {
        match element.choices[0] {
            "{n}" => {
                // "a couple of weeks", "a few days".
                let mut count = 1;
                let mut last = word;
                if word.is("a")
                    && words
                        .get(at + 1)
                        .is_some_and(|next| next.is_one_of("couple few"))
                {
                    last = &words[at + 1];
                    count += 1;
                }
                self.number = Some(number(last.text)?);
                let of = words
                    .get(at + count)
                    .filter(|next| last.is("couple") && next.is("of"));
                count += usize::from(of.is_some());
                Some(count)
            }
            "{unit}" => {
                self.unit = Some(unit(word.text)?);
                Some(1)
            }
            "{weekday}" => {
                self.weekday = Some(weekday(word.text)?);
                Some(1)
            }
            "{month}" => {
                // "may" is a verb more often than a month.
                let named = word
                    .text
                    .starts_with(|first: char| first.is_ascii_uppercase());
                self.month = Some(month_number(word.text).filter(|_| named)?);
                Some(1)
            }
            // Abbreviations count in capitals only.
            short @ ("EOW" | "EOM" | "EOQ" | "EOY") => (word.text == short).then_some(1),
            _ => element
                .choices
                .iter()
                .any(|choice| word.is(choice))
                .then_some(1),
        }
    }

    /// What the words say, and whether they leave no doubt about it.
    pub(super) fn meaning(&self) -> Option<(Meaning, bool)> {
        let unit = || self.unit.map(|unit| unit.0);
        let meaning = match self.means {
            Means::Days(days) => Meaning::Days(days),
            Means::Fixed(meaning) => meaning,
            Means::Whole(count) => {
                let (unit, factor) = self.unit?;
                // "this day" and "next fortnight" are no dates.
                if unit == Unit::Day || factor != 1 {
                    return None;
                }
                Meaning::Whole(count, unit)
            }
            Means::EdgeOf(edge, count) => Meaning::EdgeOf(edge, count, unit()?),
            Means::Weekday(which) => Meaning::Weekday(which, self.weekday?),
            Means::WeekdayIn(weeks) => Meaning::WeekdayIn(weeks, self.weekday?),
            Means::Weekend(weeks) => Meaning::Weekend(weeks),
            Means::Month(which) => Meaning::Month(which, self.month?),
            Means::Count(sign, _) => {
                let ((number, vague), (unit, factor)) = (self.number?, self.unit?);
                return Some((Meaning::Count(sign * number * factor, unit), !vague));
            }
        };
        Some((meaning, true))
    }
}
