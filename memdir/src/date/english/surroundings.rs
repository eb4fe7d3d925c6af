//! What stands around a phrase, as far as English grammar needs it.

use super::super::meaning::{Meaning, Unit, Which};
use super::phrase::Phrase;
use super::table::{DURATION, FUTURE, HABIT};
use super::words::{Word, unit, weekday};

/// The line around a phrase.
pub(super) struct Surroundings<'a> {
    pub(super) line: &'a str,
    pub(super) words: &'a [Word<'a>],
    pub(super) at: usize,
    pub(super) phrase: &'a Phrase,
    pub(super) before: &'a str,
    pub(super) after: &'a str,
    pub(super) previous: Option<&'a Word<'a>>,
    pub(super) next: Option<&'a Word<'a>>,
}

impl Surroundings<'_> {
    /// "the next week", "over the last month", "last week of March", "the last Thursday of".
    pub(super) fn is_relative_to_elsewhere(&self) -> bool {
        let first = &self.words[self.at];
        let article = self
            .previous
            .is_some_and(|word| word.is_one_of("the a an my our their its"));
        let of = self
            .next
            .is_some_and(|word| word.is("of") && !first.is("this"));
        (article && first.is_one_of("next last previous")) || of
    }

    /// "done in two weeks", "older than 30 days ago", "in 2 days of work".
    pub(super) fn is_duration(&self) -> bool {
        let first = &self.words[self.at];
        let last = &self.words[self.at + self.phrase.count - 1];
        let a_day = self.phrase.number.is_some_and(|number| number.0 == 1)
            && unit(last.text).is_some_and(|unit| unit.0 == Unit::Day);
        let measured = self
            .next
            .is_some_and(|word| word.is_one_of("of or flat max"));
        let compared = self.previous.is_some_and(|word| word.is("than"))
            && self.at >= 2
            && self.words[self.at - 2].is_one_of("older newer later earlier fewer");
        // "in 10-15 days", "in 2.5 weeks": the number goes on to the left.
        let ranged = self.before.trim_end().ends_with(['-', '–', '.', '~']);
        let is_in = first.is("in");
        let done = self.previous.is_some_and(|word| word.is_one_of(DURATION));
        compared || ranged || (is_in && (a_day || measured || done || last.possessive))
    }

    /// A capital in the middle of a sentence makes a name: "Psychology Today".
    pub(super) fn is_title(&self) -> bool {
        let first = &self.words[self.at];
        let in_sentence = self
            .previous
            .is_some_and(|word| word.is_capitalised() || self.at >= 2);
        first.is_capitalised() && in_sentence && self.phrase.count == 1
    }

    /// Whether "the end of the month" means this one: after "by", "until" or "before".
    pub(super) fn names_this_end(&self) -> bool {
        let words = &self.words[self.at..self.at + self.phrase.count];
        let named = words.iter().any(|word| word.is_one_of("this next last"));
        named
            || self
                .previous
                .is_some_and(|word| word.is_one_of("by until till before"))
    }

    /// A weekday without "next" and the like is a date only where a sentence makes it one.
    pub(super) fn bare_weekday(&self) -> Option<(Meaning, bool)> {
        if self.is_recurring_weekday() {
            return None;
        }
        let weekday = self.phrase.weekday?;
        let coming = Meaning::Weekday(Which::Coming, weekday);
        if self.after_colon() {
            return Some((coming, true));
        }
        let previous = self.previous?;
        if previous.is_one_of(FUTURE) {
            return Some((coming, true));
        }
        if previous.is("since") {
            return Some((Meaning::Weekday(Which::Past, weekday), true));
        }
        let is_ordinary = previous
            .text
            .bytes()
            .all(|letter| letter.is_ascii_lowercase());
        let is_date = previous.is("on") || (is_ordinary && self.ends_clause());
        is_date.then_some((coming, false))
    }

    /// "the Thursday standup", "Monday to Friday", "on Monday mornings", "the week starts on
    /// Monday", "by Sun Microsystems": a weekday that is no single day.
    fn is_recurring_weekday(&self) -> bool {
        let word = &self.words[self.at];
        let follows = |list: &str| self.previous.is_some_and(|word| word.is_one_of(list));
        let precedes = |list: &str| self.next.is_some_and(|word| word.is_one_of(list));
        let is_abbreviated = word.text.len() < "monday".len();
        let before_on = self
            .at
            .checked_sub(2)
            .map(|at| &self.words[at])
            .filter(|_| follows("on"));
        self.in_weekday_list()
            || follows("the a an some and or to through till of")
            || precedes("mornings afternoons evenings nights")
            || (is_abbreviated && self.next.is_some_and(Word::is_capitalised))
            || before_on.is_some_and(|word| word.is_one_of("start starts run runs meet meets"))
            || (follows("on") && self.is_habit())
    }

    /// "weekly on Monday", "every two weeks on Friday", "we always deploy on Tuesday": a word of habit in
    /// the same part of the sentence.
    fn is_habit(&self) -> bool {
        const NEAR: usize = 6;
        let this = self.words[self.at].start;
        let near = self.words[..self.at].iter().rev().take(NEAR);
        let ends_part = |gap: &str| gap.contains(['.', ';', ':', '!', '?', ',', '(', '—', '–']);
        near.take_while(|word| !ends_part(&self.line[word.end()..this]))
            .any(|word| word.is_one_of(HABIT))
    }

    /// Whether the sentence or a part of it ends after the phrase, so that no noun can follow.
    fn ends_clause(&self) -> bool {
        const AFTER: &str = "morning afternoon evening night noon at before after around so because when if but EOD";
        match self.next {
            Some(next) => next.is_one_of(AFTER),
            None => {
                self.after.starts_with(" —")
                    || !self
                        .after
                        .trim_start()
                        .starts_with(['&', '/', '-', '–', '—', '+'])
            }
        }
    }

    /// "Deadline: Thursday", "**ETA:** Friday".
    fn after_colon(&self) -> bool {
        const LABELS: &str = "deadline due eta until start starts ends launch release freeze";
        let Some(label) = self.at.checked_sub(1).map(|at| &self.words[at]) else {
            return false;
        };
        let gap = self.line[label.end()..self.words[self.at].start].trim_matches([' ', '*']);
        gap == ":" && label.is_one_of(LABELS)
    }

    /// "Monday and Wednesday", "Mon-Fri", "Monday to Friday", "Tuesday/Thursday".
    fn in_weekday_list(&self) -> bool {
        const JOINS: &str = ", / - – — & + ~ and or to through thru till until ,and ,or";
        let joins = |gap: &str| {
            let gap = gap.replace(' ', "").to_ascii_lowercase();
            !gap.is_empty() && JOINS.split(' ').any(|join| join == gap)
        };
        let is_day = |word: &Word<'_>| weekday(word.text).is_some();
        let this = &self.words[self.at];
        let right = self.words[self.at + 1..]
            .iter()
            .take(2)
            .find(|word| is_day(word));
        let left = self.words[..self.at]
            .iter()
            .rev()
            .take(2)
            .find(|word| is_day(word));
        right.is_some_and(|other| joins(&self.line[this.end()..other.start]))
            || left.is_some_and(|other| joins(&self.line[other.end()..this.start]))
    }
}
