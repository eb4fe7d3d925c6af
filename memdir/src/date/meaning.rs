//! What the phrases of all languages can mean, and which date that is.

use crate::timestamp::{Date, Weekday};

/// How long the span is that a phrase means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names of the spans say it all")]
pub enum DatePrecision {
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

/// Which of several days of one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    /// The one in the current week (or year, for months).
    This,
    /// The next one from today, today excluded.
    Coming,
    /// "next": in English either the coming one or the one in the next week.
    Next,
    /// "last": either the one just past or the one in the last week.
    Last,
    /// The one just past, today excluded.
    Past,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    Start,
    Middle,
    End,
}

/// The meaning of a phrase, before it is known when it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// So many days from today.
    Days(i32),
    /// So many units from today.
    Count(i32, Unit),
    /// The whole unit that many after the current one.
    Whole(i32, Unit),
    /// The first or last day, or the middle, of that unit.
    EdgeOf(Edge, i32, Unit),
    Weekday(Which, Weekday),
    /// That day in the week that many after the current one.
    WeekdayIn(i32, Weekday),
    /// The Saturday of that week.
    Weekend(i32),
    /// A month by its number, 1 to 12.
    Month(Which, u8),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Resolved {
    pub(super) date: Date,
    pub(super) precision: DatePrecision,
    /// Whether all readings of the phrase agree.
    pub(super) is_certain: bool,
}

impl Meaning {
    pub(super) fn resolve(self, base: Date) -> Resolved {
        match self {
            Self::Days(days) => sure(base.plus_days(days)),
            Self::Count(count, unit) => after(base, count, unit),
            Self::Whole(count, unit) => whole(base, count, unit),
            Self::EdgeOf(edge, count, unit) => edge_of(base, edge, count, unit),
            Self::Weekday(which, weekday) => weekday_of(base, which, weekday),
            Self::WeekdayIn(weeks, weekday) => sure(in_week(base, weeks, weekday)),
            Self::Weekend(weeks) => sure(in_week(base, weeks, Weekday::Saturday)),
            Self::Month(which, month) => month_of(base, which, month),
        }
    }
}

fn sure(date: Date) -> Resolved {
    Resolved {
        date,
        precision: DatePrecision::Day,
        is_certain: true,
    }
}

/// Months and years are too coarse for a day: "two years ago" names a year.
fn after(base: Date, count: i32, unit: Unit) -> Resolved {
    match unit {
        Unit::Day => sure(base.plus_days(count)),
        Unit::Week => sure(base.plus_days(count.saturating_mul(7))),
        Unit::Month | Unit::Quarter | Unit::Year => whole(base, count, unit),
    }
}

fn whole(base: Date, count: i32, unit: Unit) -> Resolved {
    let (date, precision) = match unit {
        Unit::Day => (base.plus_days(count), DatePrecision::Day),
        Unit::Week => (in_week(base, count, Weekday::Monday), DatePrecision::Week),
        Unit::Month => (first_of(base, count), DatePrecision::Month),
        Unit::Quarter => {
            let month = i32::from((base.month() - 1) % 3);
            (
                first_of(base, count.saturating_mul(3) - month),
                DatePrecision::Quarter,
            )
        }
        Unit::Year => {
            let month = i32::from(base.month() - 1);
            (
                first_of(base, count.saturating_mul(12) - month),
                DatePrecision::Year,
            )
        }
    };
    Resolved {
        date,
        precision,
        is_certain: true,
    }
}

fn edge_of(base: Date, edge: Edge, count: i32, unit: Unit) -> Resolved {
    let first = whole(base, count, unit).date;
    let next = whole(base, count.saturating_add(1), unit).date;
    let last = match unit {
        // A working week ends on Friday; "by the end of the week" means that day.
        Unit::Week => first.plus_days(4),
        _ => next.plus_days(-1),
    };
    let date = match edge {
        Edge::Start => first,
        Edge::Middle => first.plus_days(first.days_until(next) / 2 - 1),
        Edge::End => last,
    };
    Resolved {
        date,
        precision: DatePrecision::Day,
        is_certain: edge != Edge::Middle,
    }
}

fn weekday_of(base: Date, which: Which, weekday: Weekday) -> Resolved {
    let this = in_week(base, 0, weekday);
    let coming = if this > base { this } else { this.plus_days(7) };
    let past = if this < base {
        this
    } else {
        this.plus_days(-7)
    };
    let (date, is_certain) = match which {
        // "this Thursday" on a Friday can only be a slip.
        Which::This if this < base => (coming, false),
        Which::This => (this, true),
        // On a Thursday, "by Thursday" may mean today.
        Which::Coming => (coming, this != base),
        Which::Past => (past, this != base),
        Which::Next => {
            let next = in_week(base, 1, weekday);
            (next, next == coming)
        }
        Which::Last => {
            let last = in_week(base, -1, weekday);
            (past, last == past)
        }
    };
    Resolved {
        date,
        precision: DatePrecision::Day,
        is_certain,
    }
}

fn month_of(base: Date, which: Which, month: u8) -> Resolved {
    let this = first_of(base, i32::from(month) - i32::from(base.month()));
    let current = base.first_of_month();
    let date = match which {
        Which::This => this,
        Which::Coming | Which::Next if this > current => this,
        Which::Coming | Which::Next => this.plus_months(12),
        Which::Last | Which::Past if this < current => this,
        Which::Last | Which::Past => this.plus_months(-12),
    };
    // "next March" in January may be this year's or the year after.
    Resolved {
        date,
        precision: DatePrecision::Month,
        is_certain: which == Which::This,
    }
}

fn in_week(base: Date, weeks: i32, weekday: Weekday) -> Date {
    let days = weeks
        .saturating_mul(7)
        .saturating_add(i32::from(weekday.days_after_monday()));
    base.monday().plus_days(days)
}

fn first_of(base: Date, months: i32) -> Date {
    base.first_of_month().plus_months(months)
}
