//! Relative dates in prose ("next Thursday", "明天") and the absolute dates they mean.

mod chinese;
mod context;
mod english;
mod meaning;

use std::ops::Range;

pub use meaning::DatePrecision;

use crate::markdown;
use crate::timestamp::Date;

/// A phrase that means a date only to somebody who knows when it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RelativeDate {
    /// The bytes of the text it stands on.
    pub range: Range<usize>,
    /// The date it means; the first day of the span it means when that is longer than a day.
    pub date: Date,
    /// How long that span is.
    pub precision: DatePrecision,
    /// Whether there is one reading only. An uncertain date is a proposal that a person has to
    /// confirm: "next Thursday" on a Monday is one, "by Thursday" is not.
    pub is_certain: bool,
    /// What to write in place of the phrase, in its language and fitting its surroundings.
    pub replacement: String,
}

/// Finds the relative dates of a Markdown text written on the day `base`, in order.
///
/// English and Chinese are known. Only prose is looked at: front matter, code, comments, link
/// targets, URLs, file names, identifiers and single phrases in quotes are left out, and so are
/// names that merely contain a day ("USA Today", 《昨天》), things that recur ("every Thursday",
/// 每周四), weekday ranges, durations ("done in two weeks") and phrases that have their absolute
/// date next to them. Weeks start on Monday. Takes time linear in the length of the text; a phrase
/// that is broken over two lines is not seen.
///
/// ```
/// use memdir::{Date, find_relative_dates};
///
/// let monday = Date::new(2026, 3, 2).expect("because the day exists");
/// let text = "The merge freeze begins Thursday; every Friday is a demo. 下周二上线。";
/// let found: Vec<_> = find_relative_dates(text, monday)
///     .into_iter()
///     .map(|found| (text[found.range.clone()].to_owned(), found.date.to_string()))
///     .collect();
/// assert_eq!(found, [
///     ("Thursday".to_owned(), "2026-03-05".to_owned()),
///     ("下周二".to_owned(), "2026-03-10".to_owned()),
/// ]);
/// ```
pub fn find_relative_dates(text: &str, base: Date) -> Vec<RelativeDate> {
    let prose = markdown::prose(text);
    let mut found = Vec::new();
    let mut start = 0;
    for line in prose.split_inclusive('\n') {
        let mut on_line = english::find(line, base);
        if !line.is_ascii() {
            on_line.extend(chinese::find(line, base));
        }
        on_line.sort_by_key(|found| (found.range.start, std::cmp::Reverse(found.range.end)));
        for mut date in on_line {
            date.range = date.range.start + start..date.range.end + start;
            found.push(date);
        }
        start += line.len();
    }
    found
}
