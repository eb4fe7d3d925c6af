//! Relative dates in English: the phrases as a table, and the rules for what only looks like one.

use super::RelativeDate;
use super::context::{date_follows, date_precedes, is_quoted, month_number};
use super::meaning::{DatePrecision, Edge, Meaning, Resolved, Unit, Which};
use crate::markdown::NOT_PROSE;
use crate::timestamp::{Date, Weekday};

/// A phrase: words in a row, with one space between them.
///
/// A word is a literal, alternatives with `|`, `?word` for one that may be missing, or one of
/// `{n}`, `{unit}`, `{weekday}`, `{month}`, which fill in the meaning.
struct Rule {
    words: &'static [&'static str],
    means: Means,
    /// Put after the date, in parentheses: the part of the day that the phrase names.
    part: &'static str,
}

/// How the filled-in words make a [`Meaning`].
#[derive(Debug, Clone, Copy)]
enum Means {
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

const fn rule(words: &'static [&'static str], means: Means) -> Rule {
    Rule {
        words,
        means,
        part: "",
    }
}

const fn part(words: &'static [&'static str], days: i32, part: &'static str) -> Rule {
    Rule {
        words,
        means: Means::Days(days),
        part,
    }
}

use Edge::{End, Middle, Start};
use Means::{Count, Days, EdgeOf, Fixed, Month, Weekday as Named, WeekdayIn, Weekend, Whole};

static RULES: &[Rule] = &[
    rule(&["today"], Days(0)),
    rule(&["tomorrow"], Days(1)),
    rule(&["yesterday"], Days(-1)),
    rule(&["?the", "day", "after", "tomorrow"], Days(2)),
    rule(&["?the", "day", "before", "yesterday"], Days(-2)),
    rule(&["later|earlier", "today"], Days(0)),
    part(&["tonight"], 0, "evening"),
    part(&["this", "morning"], 0, "morning"),
    part(&["this", "afternoon"], 0, "afternoon"),
    part(&["this", "evening"], 0, "evening"),
    part(&["last", "night"], -1, "night"),
    rule(
        &["in", "?about|around", "{n}", "{unit}", "?time"],
        Count(1, 0),
    ),
    rule(&["{n}", "{unit}", "from", "now|today"], Count(1, 0)),
    rule(&["{n}", "{unit}", "from", "tomorrow"], Count(1, 1)),
    rule(&["{n}", "{unit}", "ago"], Count(-1, 0)),
    rule(&["this|current", "{unit}"], Whole(0)),
    rule(
        &["later|earlier|early|late|mid", "this", "{unit}"],
        Whole(0),
    ),
    rule(&["next|coming", "{unit}"], Whole(1)),
    rule(&["early|late|mid|sometime", "next", "{unit}"], Whole(1)),
    rule(&["last|previous", "{unit}"], Whole(-1)),
    rule(&["early|late|mid|sometime", "last", "{unit}"], Whole(-1)),
    rule(&["?the", "{unit}", "after", "next"], Whole(2)),
    rule(&["?the", "{unit}", "before", "last"], Whole(-2)),
    rule(&["?the", "end", "of", "this", "{unit}"], EdgeOf(End, 0)),
    rule(&["?the", "end", "of", "next", "{unit}"], EdgeOf(End, 1)),
    rule(&["?the", "end", "of", "last", "{unit}"], EdgeOf(End, -1)),
    rule(&["?the", "end", "of", "the", "{unit}"], EdgeOf(End, 0)),
    rule(&["by", "end", "of", "{unit}"], EdgeOf(End, 0)),
    rule(
        &["?the", "beginning|start", "of", "this", "{unit}"],
        EdgeOf(Start, 0),
    ),
    rule(
        &["?the", "beginning|start", "of", "next", "{unit}"],
        EdgeOf(Start, 1),
    ),
    rule(
        &["?the", "middle", "of", "this", "{unit}"],
        EdgeOf(Middle, 0),
    ),
    rule(
        &["?the", "middle", "of", "next", "{unit}"],
        EdgeOf(Middle, 1),
    ),
    rule(&["by", "week", "end"], EdgeOfUnit::WEEK),
    rule(&["by", "month", "end"], EdgeOfUnit::MONTH),
    rule(&["by", "quarter", "end"], EdgeOfUnit::QUARTER),
    rule(&["by", "year", "end"], EdgeOfUnit::YEAR),
    rule(&["EOW"], EdgeOfUnit::WEEK),
    rule(&["EOM"], EdgeOfUnit::MONTH),
    rule(&["EOQ"], EdgeOfUnit::QUARTER),
    rule(&["EOY"], EdgeOfUnit::YEAR),
    rule(&["this", "weekend"], Weekend(0)),
    rule(&["next", "weekend"], Weekend(1)),
    rule(&["last", "weekend"], Weekend(-1)),
    rule(&["this", "{weekday}"], Named(Which::This)),
    rule(&["?this", "coming", "{weekday}"], Named(Which::Coming)),
    rule(&["next", "{weekday}"], Named(Which::Next)),
    rule(&["last", "{weekday}"], Named(Which::Last)),
    rule(&["?this", "past", "{weekday}"], Named(Which::Past)),
    rule(&["{weekday}", "?of", "this", "week"], WeekdayIn(0)),
    rule(&["{weekday}", "?of", "next", "week"], WeekdayIn(1)),
    rule(&["{weekday}", "?of", "last", "week"], WeekdayIn(-1)),
    rule(&["next", "week", "?on", "{weekday}"], WeekdayIn(1)),
    rule(&["last", "week", "?on", "{weekday}"], WeekdayIn(-1)),
    rule(&["this", "{month}"], Month(Which::This)),
    rule(&["next", "{month}"], Month(Which::Next)),
    rule(&["last", "{month}"], Month(Which::Last)),
];

/// The ends of units that a phrase names without a `{unit}`.
struct EdgeOfUnit;

impl EdgeOfUnit {
    const WEEK: Means = Fixed(Meaning::EdgeOf(End, 0, Unit::Week));
    const MONTH: Means = Fixed(Meaning::EdgeOf(End, 0, Unit::Month));
    const QUARTER: Means = Fixed(Meaning::EdgeOf(End, 0, Unit::Quarter));
    const YEAR: Means = Fixed(Meaning::EdgeOf(End, 0, Unit::Year));
}

/// Names, titles and turns of phrase that contain one of the phrases. In lower case, one space
/// between words.
static NAMES: &[&str] = &[
    "today show",
    "today's show",
    "usa today",
    "psychology today",
    "history today",
    "physics today",
    "today fm",
    "python today",
    "here today",
    "today's date",
    "today's timestamp",
    "today's day",
    "today's weekday",
    "tomorrow never dies",
    "tomorrow corporation",
    "tomorrow ventures",
    "no tomorrow",
    "tomorrow's world",
    "edge of tomorrow",
    "world of tomorrow",
    "land of tomorrow",
    "tomorrow people",
    "better tomorrow",
    "the day after tomorrow movie",
    "yesterday once more",
    "yesterday's news",
    "only yesterday",
    "born yesterday",
    "this week in",
    "last week tonight",
    "last year's model",
    "next year's model",
    "saturday night live",
    "friday night lights",
    "monday night football",
    "sunday night football",
    "thursday night football",
    "black friday",
    "cyber monday",
    "good friday",
    "easter monday",
    "easter sunday",
    "palm sunday",
    "ash wednesday",
    "holy thursday",
    "shrove tuesday",
    "fat tuesday",
    "patch tuesday",
    "super tuesday",
    "giving tuesday",
    "taco tuesday",
    "casual friday",
    "throwback thursday",
    "girl friday",
    "man friday",
    "freaky friday",
    "ruby tuesday",
    "blue monday",
    "manic monday",
    "bloody sunday",
    "friday the",
    "wednesday addams",
    "sunday times",
    "sunday roast",
    "last day",
    "next day",
    "this day",
    "last name",
];

/// Words before a phrase that make it a thing that recurs, or one counted from elsewhere.
static RECURRING: &[&str] = &[
    "every",
    "each",
    "any",
    "all",
    "per",
    "most",
    "other",
    "alternate",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "nth",
    "biweekly",
    "weekly",
];

/// Words after which a time span is a duration or a general rule, not a date.
static DURATION: &[&str] = &[
    "finished",
    "completed",
    "complete",
    "done",
    "built",
    "build",
    "written",
    "wrote",
    "rewrote",
    "achieved",
    "shipped",
    "migrated",
    "implemented",
    "delivered",
    "ported",
    "learned",
    "learnt",
    "reached",
    "fixed",
    "resolved",
    "developed",
    "expire",
    "expires",
    "expired",
    "expiring",
    "rotate",
    "rotates",
    "grew",
    "doubled",
    "times",
    "once",
    "twice",
    "change",
    "changes",
    "deleted",
    "purged",
    "renew",
    "renews",
    "elapse",
    "elapses",
];

/// Words after which a bare weekday is in the future.
static FUTURE: &[&str] = &[
    "by",
    "until",
    "till",
    "before",
    "due",
    "start",
    "starts",
    "starting",
    "begin",
    "begins",
    "beginning",
    "end",
    "ends",
    "ending",
    "closes",
    "launch",
    "launches",
    "launching",
    "ships",
    "shipping",
    "lands",
    "deadline",
    "from",
    "happens",
    "expires",
    "arrives",
    "leaves",
    "resumes",
];

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

/// A word of a line: letters, digits and apostrophes inside.
#[derive(Debug, Clone, Copy)]
struct Word<'a> {
    start: usize,
    /// Without a possessive ending.
    text: &'a str,
    possessive: bool,
}

impl Word<'_> {
    fn end(&self) -> usize {
        self.start + self.text.len()
    }

    fn is(&self, other: &str) -> bool {
        self.text.eq_ignore_ascii_case(other)
    }

    fn is_one_of(&self, list: &[&str]) -> bool {
        list.iter().any(|other| self.is(other))
    }

    fn is_capitalised(&self) -> bool {
        let mut chars = self.text.chars();
        chars.next().is_some_and(char::is_uppercase) && chars.any(char::is_lowercase)
    }
}

fn words(line: &str) -> Vec<Word<'_>> {
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

/// What a rule matched, and how many words it took.
struct Phrase {
    count: usize,
    means: Means,
    part: &'static str,
    number: Option<(i32, bool)>,
    unit: Option<(Unit, i32)>,
    weekday: Option<Weekday>,
    month: Option<u8>,
}

/// The longest phrase that starts with the word.
fn match_at(line: &str, words: &[Word<'_>], at: usize) -> Option<Phrase> {
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
            means: Named(Which::Coming),
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
    static STARTS: &[&str] = &[
        "today",
        "tomorrow",
        "yesterday",
        "tonight",
        "the",
        "day",
        "later",
        "earlier",
        "this",
        "last",
        "in",
        "current",
        "early",
        "late",
        "mid",
        "sometime",
        "next",
        "coming",
        "previous",
        "past",
        "end",
        "by",
        "beginning",
        "start",
        "middle",
        "week",
        "month",
        "quarter",
        "year",
        "EOW",
        "EOM",
        "EOQ",
        "EOY",
    ];
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
    for pattern in rule.words {
        let optional = pattern.strip_prefix('?');
        let next = words
            .get(at)
            .filter(|_| at == start || is_gap(line, &words[at - 1], &words[at]));
        let taken =
            next.and_then(|word| phrase.take(optional.unwrap_or(pattern), line, words, at, word));
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
        line: &str,
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
                        .is_some_and(|next| next.is_one_of(&["couple", "few"]))
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
                let _ = line;
                pattern
                    .split('|')
                    .any(|literal| word.is(literal))
                    .then_some(1)
            }
        }
    }

    fn meaning(&self) -> Option<(Meaning, bool)> {
        let unit = || self.unit.map(|unit| unit.0);
        let meaning = match self.means {
            Days(days) => Meaning::Days(days),
            Fixed(meaning) => meaning,
            Whole(count) => {
                let (unit, factor) = self.unit?;
                // "this day" and "next fortnight" are no dates.
                if unit == Unit::Day || factor != 1 {
                    return None;
                }
                Meaning::Whole(count, unit)
            }
            EdgeOf(edge, count) => Meaning::EdgeOf(edge, count, unit()?),
            Named(which) => Meaning::Weekday(which, self.weekday?),
            WeekdayIn(weeks) => Meaning::WeekdayIn(weeks, self.weekday?),
            Weekend(weeks) => Meaning::Weekend(weeks),
            Month(which) => Meaning::Month(which, self.month?),
            Count(sign, _) => {
                let ((number, vague), (unit, factor)) = (self.number?, self.unit?);
                return Some((Meaning::Count(sign * number * factor, unit), !vague));
            }
        };
        Some((meaning, true))
    }
}

/// One blank, or the apostrophe of "two weeks' time".
fn is_gap(line: &str, left: &Word<'_>, right: &Word<'_>) -> bool {
    let gap = &line[left.end()..right.start];
    let gap = if left.possessive {
        gap.trim_start_matches("'s").trim_start_matches("’s")
    } else {
        gap
    };
    matches!(gap, " " | "  " | "' " | "’ " | "-")
}

fn unit(word: &str) -> Option<(Unit, i32)> {
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
fn number(word: &str) -> Option<(i32, bool)> {
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
fn weekday(word: &str) -> Option<Weekday> {
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
        Named(Which::Coming) if phrase.count == 1 => meaning = surroundings.bare_weekday()?,
        Named(_) | Whole(_) | Month(_) | Weekend(_) if surroundings.is_relative_to_elsewhere() => {
            return None;
        }
        Count(..) if surroundings.is_duration() => return None,
        Days(_) if surroundings.is_title() => return None,
        _ => {}
    }
    if matches!(phrase.means, EdgeOf(..)) && first.is_one_of(&["the", "end"]) {
        meaning.1 &= surroundings.names_this_end();
    }
    let mut resolved = meaning.0.resolve(base);
    resolved.is_certain &= meaning.1;
    if let Count(_, later) = phrase.means {
        resolved.date = resolved.date.plus_days(later);
    }
    // "by end of month" keeps its preposition.
    let keeps_by = first.is("by") && matches!(phrase.means, EdgeOf(..) | Fixed(_));
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

/// Whether the words around the phrase make one of the [`NAMES`].
fn is_name(words: &[Word<'_>], at: usize, count: usize) -> bool {
    NAMES.iter().any(|name| {
        let parts: Vec<&str> = name.split(' ').collect();
        // Every place at which the name could lie over the phrase.
        (0..parts.len()).any(|offset| {
            let Some(start) = at.checked_sub(offset) else {
                return false;
            };
            let overlaps = start < at + count && start + parts.len() > at;
            let matches = |(word, part): (&Word<'_>, &&str)| match part.strip_suffix("'s") {
                Some(bare) => word.possessive && word.is(bare),
                None => word.is(part) && (!word.possessive || parts.len() > 1),
            };
            let window = words.get(start..start + parts.len());
            overlaps
                && parts.len() >= count
                && window.is_some_and(|window| window.iter().zip(&parts).all(matches))
        })
    })
}

struct Surroundings<'a> {
    line: &'a str,
    words: &'a [Word<'a>],
    at: usize,
    phrase: &'a Phrase,
    before: &'a str,
    after: &'a str,
    previous: Option<&'a Word<'a>>,
    next: Option<&'a Word<'a>>,
}

impl Surroundings<'_> {
    /// "the next week", "over the last month", "last week of March", "the last Thursday of".
    fn is_relative_to_elsewhere(&self) -> bool {
        let first = &self.words[self.at];
        let article = self
            .previous
            .is_some_and(|word| word.is_one_of(&["the", "a", "an", "my", "our", "their", "its"]));
        let of = self
            .next
            .is_some_and(|word| word.is("of") && !first.is("this"));
        (article && first.is_one_of(&["next", "last", "previous"])) || of
    }

    /// "done in two weeks", "older than 30 days ago", "in 2 days of work".
    fn is_duration(&self) -> bool {
        let first = &self.words[self.at];
        let last = &self.words[self.at + self.phrase.count - 1];
        let a_day = self.phrase.number.is_some_and(|number| number.0 == 1)
            && unit(last.text).is_some_and(|unit| unit.0 == Unit::Day);
        let measured = self
            .next
            .is_some_and(|word| word.is_one_of(&["of", "or", "flat", "max"]));
        let compared = self.previous.is_some_and(|word| word.is("than"))
            && self.at >= 2
            && self.words[self.at - 2].is_one_of(&["older", "newer", "later", "earlier", "fewer"]);
        // "in 10-15 days", "in 2.5 weeks": the number goes on to the left.
        let ranged = self.before.trim_end().ends_with(['-', '–', '.', '~']);
        let is_in = first.is("in");
        let done = self.previous.is_some_and(|word| word.is_one_of(DURATION));
        compared || ranged || (is_in && (a_day || measured || done || last.possessive))
    }

    /// A capital in the middle of a sentence makes a name: "Psychology Today".
    fn is_title(&self) -> bool {
        let first = &self.words[self.at];
        let in_sentence = self
            .previous
            .is_some_and(|word| word.is_capitalised() || self.at >= 2);
        first.is_capitalised() && in_sentence && self.phrase.count == 1
    }

    /// Whether "the end of the month" means this one: after "by", "until" or "before".
    fn names_this_end(&self) -> bool {
        let words = &self.words[self.at..self.at + self.phrase.count];
        let named = words
            .iter()
            .any(|word| word.is_one_of(&["this", "next", "last"]));
        named
            || self
                .previous
                .is_some_and(|word| word.is_one_of(&["by", "until", "till", "before"]))
    }

    /// A weekday without "next" and the like is a date only where a sentence makes it one.
    fn bare_weekday(&self) -> Option<(Meaning, bool)> {
        let word = &self.words[self.at];
        if self.in_weekday_list() {
            return None;
        }
        if self.previous.is_some_and(|word| {
            word.is_one_of(&[
                "the", "a", "an", "some", "and", "or", "to", "through", "till", "of",
            ])
        }) {
            return None;
        }
        let weekday = self.phrase.weekday?;
        if word.possessive && self.previous.is_none() {
            return None;
        }
        let plural_time = self
            .next
            .is_some_and(|word| word.is_one_of(&["mornings", "afternoons", "evenings", "nights"]));
        if plural_time {
            return None;
        }
        // "by Sun Microsystems": an abbreviation and a capital make a name.
        let abbreviated = word.text.len() < "monday".len();
        if abbreviated && self.next.is_some_and(|next| next.is_capitalised()) {
            return None;
        }
        // "the week starts on Monday", "the job runs on Sunday".
        let settled = previous_words(self.words, self.at, 2).is_some_and(|words| {
            words[1].is("on")
                && words[0].is_one_of(&["start", "starts", "run", "runs", "meet", "meets"])
        });
        if settled {
            return None;
        }
        let ends_clause = match self.next {
            None => {
                !self
                    .after
                    .trim_start()
                    .starts_with(['&', '/', '-', '–', '—', '+'])
                    || self.after.starts_with(" —")
            }
            Some(next) => next.is_one_of(&[
                "morning",
                "afternoon",
                "evening",
                "night",
                "noon",
                "at",
                "before",
                "after",
                "around",
                "so",
                "because",
                "when",
                "if",
                "but",
                "EOD",
            ]),
        };
        if self.after_colon() {
            return Some((Meaning::Weekday(Which::Coming, weekday), true));
        }
        let previous = self.previous?;
        if previous.is_one_of(FUTURE) {
            return Some((Meaning::Weekday(Which::Coming, weekday), true));
        }
        if previous.is("since") {
            return Some((Meaning::Weekday(Which::Past, weekday), true));
        }
        let on = previous.is("on");
        let ordinary = previous
            .text
            .chars()
            .all(|letter| letter.is_ascii_lowercase());
        (on || (ordinary && ends_clause))
            .then_some((Meaning::Weekday(Which::Coming, weekday), false))
    }

    /// "Deadline: Thursday", "**ETA:** Friday".
    fn after_colon(&self) -> bool {
        static LABELS: &[&str] = &[
            "deadline", "due", "eta", "until", "start", "starts", "ends", "launch", "release",
            "freeze",
        ];
        let Some(label) = self.at.checked_sub(1).map(|at| &self.words[at]) else {
            return false;
        };
        let gap = self.line[label.end()..self.words[self.at].start].trim_matches([' ', '*']);
        gap == ":" && label.is_one_of(LABELS)
    }

    /// "Monday and Wednesday", "Mon-Fri", "Monday to Friday", "Tuesday/Thursday".
    fn in_weekday_list(&self) -> bool {
        let joins = |gap: &str| {
            let gap = gap.trim().to_ascii_lowercase();
            matches!(
                gap.as_str(),
                "," | "/"
                    | "-"
                    | "–"
                    | "—"
                    | "&"
                    | "+"
                    | "~"
                    | "and"
                    | "or"
                    | "to"
                    | "through"
                    | "thru"
                    | "till"
                    | "until"
                    | ", and"
                    | ", or"
            )
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

fn previous_words<'a>(words: &'a [Word<'a>], at: usize, count: usize) -> Option<&'a [Word<'a>]> {
    words.get(at.checked_sub(count)?..at)
}

/// What reads well in the place of the phrase.
fn replacement(
    resolved: Resolved,
    part: &str,
    previous: Option<&Word<'_>>,
    phrase: &str,
) -> String {
    /// Words after which a date needs no preposition of its own.
    static LINKS: &[&str] = &[
        "on", "by", "until", "till", "before", "after", "since", "from", "for", "of", "in", "to",
        "due", "is", "was", "are", "be", "starting", "starts", "start", "begins", "begin", "ends",
        "and", "or", "than", "as", "the", "at", "during", "through", "between", "deadline",
    ];
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
    let date = if resolved.precision == DatePrecision::Week
        && bare
        && phrase.starts_with(char::is_uppercase)
    {
        date.replacen("the", "The", 1)
    } else {
        date
    };
    format!("{preposition}{date}")
}
