//! The English phrases, and the words that tell whether one of them is a date.

use super::super::meaning::{Edge, Meaning, Unit, Which};

/// A phrase: words in a row, with one space between them.
///
/// A word is a literal, alternatives with `|`, `?word` for one that may be missing, or one of
/// `{n}`, `{unit}`, `{weekday}`, `{month}`, which fill in the meaning.
pub(super) struct Rule {
    pub(super) words: &'static str,
    pub(super) means: Means,
    /// Put after the date, in parentheses: the part of the day that the phrase names.
    pub(super) part: &'static str,
}

/// How the filled-in words make a [`Meaning`].
#[derive(Debug, Clone, Copy)]
pub(super) enum Means {
    Days(i32),
    /// `{n}` and `{unit}`, into the future (1) or the past (-1), after so many days.
    Count(i32, i32),
    /// `{unit}` as a whole.
    Whole(i32),
    EdgeOf(Edge, i32),
    Fixed(Meaning),
    Weekday(Which),
    WeekdayIn(i32),
    Weekend(i32),
    Month(Which),
}

const fn rule(words: &'static str, means: Means) -> Rule {
    Rule {
        words,
        means,
        part: "",
    }
}

const fn part(words: &'static str, days: i32, part: &'static str) -> Rule {
    Rule {
        words,
        means: Means::Days(days),
        part,
    }
}

use Edge::{End, Middle, Start};
use Means::{Count, Days, EdgeOf, Fixed, Month, Weekday as Named, WeekdayIn, Weekend, Whole};

const END_OF_WEEK: Means = Fixed(Meaning::EdgeOf(End, 0, Unit::Week));
const END_OF_MONTH: Means = Fixed(Meaning::EdgeOf(End, 0, Unit::Month));
const END_OF_QUARTER: Means = Fixed(Meaning::EdgeOf(End, 0, Unit::Quarter));
const END_OF_YEAR: Means = Fixed(Meaning::EdgeOf(End, 0, Unit::Year));

pub(super) static RULES: &[Rule] = &[
    rule("today", Days(0)),
    rule("tomorrow", Days(1)),
    rule("yesterday", Days(-1)),
    rule("?the day after tomorrow", Days(2)),
    rule("?the day before yesterday", Days(-2)),
    rule("later|earlier today", Days(0)),
    part("tonight", 0, "evening"),
    part("this morning", 0, "morning"),
    part("this afternoon", 0, "afternoon"),
    part("this evening", 0, "evening"),
    part("last night", -1, "night"),
    rule("in ?about|around {n} {unit} ?time", Count(1, 0)),
    rule("{n} {unit} from now|today", Count(1, 0)),
    rule("{n} {unit} from tomorrow", Count(1, 1)),
    rule("{n} {unit} ago", Count(-1, 0)),
    rule("this|current {unit}", Whole(0)),
    rule("later|earlier|early|late|mid this {unit}", Whole(0)),
    rule("next|coming {unit}", Whole(1)),
    rule("early|late|mid|sometime next {unit}", Whole(1)),
    rule("last|previous {unit}", Whole(-1)),
    rule("early|late|mid|sometime last {unit}", Whole(-1)),
    rule("?the {unit} after next", Whole(2)),
    rule("?the {unit} before last", Whole(-2)),
    rule("?the end of this {unit}", EdgeOf(End, 0)),
    rule("?the end of next {unit}", EdgeOf(End, 1)),
    rule("?the end of last {unit}", EdgeOf(End, -1)),
    rule("?the end of the {unit}", EdgeOf(End, 0)),
    rule("by end of {unit}", EdgeOf(End, 0)),
    rule("?the beginning|start of this {unit}", EdgeOf(Start, 0)),
    rule("?the beginning|start of next {unit}", EdgeOf(Start, 1)),
    rule("?the middle of this {unit}", EdgeOf(Middle, 0)),
    rule("?the middle of next {unit}", EdgeOf(Middle, 1)),
    rule("by week end", END_OF_WEEK),
    rule("by month end", END_OF_MONTH),
    rule("by quarter end", END_OF_QUARTER),
    rule("by year end", END_OF_YEAR),
    rule("EOW", END_OF_WEEK),
    rule("EOM", END_OF_MONTH),
    rule("EOQ", END_OF_QUARTER),
    rule("EOY", END_OF_YEAR),
    rule("this weekend", Weekend(0)),
    rule("next weekend", Weekend(1)),
    rule("last weekend", Weekend(-1)),
    rule("this {weekday}", Named(Which::This)),
    rule("?this coming {weekday}", Named(Which::Coming)),
    rule("next {weekday}", Named(Which::Next)),
    rule("last {weekday}", Named(Which::Last)),
    rule("?this past {weekday}", Named(Which::Past)),
    rule("{weekday} ?of this week", WeekdayIn(0)),
    rule("{weekday} ?of next week", WeekdayIn(1)),
    rule("{weekday} ?of last week", WeekdayIn(-1)),
    rule("next week ?on {weekday}", WeekdayIn(1)),
    rule("last week ?on {weekday}", WeekdayIn(-1)),
    rule("this {month}", Month(Which::This)),
    rule("next {month}", Month(Which::Next)),
    rule("last {month}", Month(Which::Last)),
];

/// Names, titles and turns of phrase that contain one of the phrases; in lower case, with commas
/// between them.
pub(super) static NAMES: &str = "\
today show, today's show, usa today, psychology today, history today, physics today, today fm,
python today, here today, today's date, today's timestamp, today's day, today's weekday,
tomorrow never dies, tomorrow corporation, tomorrow ventures, no tomorrow, tomorrow's world,
edge of tomorrow, world of tomorrow, land of tomorrow, tomorrow people, better tomorrow,
the day after tomorrow movie, yesterday once more, yesterday's news, born yesterday, this week in, last week tonight, last year's model, next year's model,
saturday night live, friday night lights, monday night football, sunday night football,
thursday night football, black friday, cyber monday, good friday, easter monday, easter sunday,
palm sunday, ash wednesday, holy thursday, shrove tuesday, fat tuesday, patch tuesday,
super tuesday, giving tuesday, taco tuesday, casual friday, throwback thursday, girl friday,
man friday, freaky friday, ruby tuesday, blue monday, manic monday, bloody sunday, friday the 13th,
wednesday addams, sunday times, sunday roast, last day, next day, this day, last name";

/// Words before a phrase that make it a thing that recurs, or one counted from elsewhere.
pub(super) static RECURRING: &str = "every each any all per most other alternate first second third fourth fifth nth \
    biweekly weekly";

/// Words that make "on Friday" any Friday, anywhere before it in the same part of the sentence.
pub(super) static HABIT: &str = "every each weekly biweekly fortnightly always never usually normally regularly \
    typically generally recurring whenever";

/// Words after which a time span is a duration or a general rule, not a date.
pub(super) static DURATION: &str = "finished completed complete done built build written wrote rewrote achieved shipped \
    migrated implemented delivered ported learned learnt reached fixed resolved developed \
    expire expires expired expiring rotate rotates grew doubled times once twice change \
    changes deleted purged renew renews elapse elapses";

/// Words after which a bare weekday is in the future.
pub(super) static FUTURE: &str = "by until till before due start starts starting begin begins beginning end ends ending \
    closes launch launches launching ships shipping lands deadline from happens expires \
    arrives leaves resumes";

/// Words after which a date needs no preposition of its own.
pub(super) static LINKS: &str = "on by until till before after since from for of in to due is was are be starting starts \
    start begins begin ends and or than as the at during through between deadline";
