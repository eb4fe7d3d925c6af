//! Matches the words of a line against the table.

use super::super::context::month_number;
use super::super::meaning::{Meaning, Unit, Which};
use super::table::{Means, RULES, Rule, STARTS};
use super::words::{Word, is_gap, number, unit, weekday};
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
    if !may_start(&words[at]) {
        return None;
    }
    let longest = RULES
        .iter()
        .filter_map(|rule| match_rule(line, words, at, rule))
        .max_by_key(|phrase| phrase.count);
    longest.or_else(|| {
        let weekday = weekday(words[at].text)?;
        Some(Phrase {
            count: 1,
            means: Means::Weekday(Which::Coming),
            part: "",
            number: None,
            unit: None,
            weekday: Some(weekday),
            month: None,
        })
    })
}

/// Keeps the table away from the words of ordinary prose.
fn may_start(word: &Word<'_>) -> bool {
    word.is_one_of(STARTS) || weekday(word.text).is_some() || number(word.text).is_some()
}

fn match_rule(line: &str, words: &[Word<'_>], start: usize, rule: &Rule) -> Option<Phrase> {
    let mut phrase = Phrase {
        count: 0,
        means: rule.means,
        part: rule.part,
        number: None,
        unit: None,
        weekday: None,
        month: None,
    };
    let mut at = start;
    for pattern in rule.words.split(' ') {
        let optional = pattern.strip_prefix('?');
        let next = words
            .get(at)
            .filter(|_| at == start || is_gap(line, &words[at - 1], &words[at]));
        let taken = next.and_then(|word| phrase.take(optional.unwrap_or(pattern), words, at, word));
        match taken {
            Some(count) => at += count,
            None if optional.is_some() => {}
            None => return None,
        }
    }
    phrase.count = at - start;
    Some(phrase)
}

impl Phrase {
    /// Whether the pattern takes the word, and how many words that are.
    fn take(
        &mut self,
        pattern: &str,
        words: &[Word<'_>],
        at: usize,
        word: &Word<'_>,
    ) -> Option<usize> {
        match pattern {
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
            "EOW" | "EOM" | "EOQ" | "EOY" => (word.text == pattern).then_some(1),
            _ => {
                let mut choices = pattern.split('|');
                choices.any(|choice| word.is(choice)).then_some(1)
            }
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
