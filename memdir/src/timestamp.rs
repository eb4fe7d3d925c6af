//! Points in time and civil dates, given by the caller and printed as RFC 3339.
//!
//! Thin over `jiff`, which stays out of the public signatures so that it can change its major
//! version without changing ours. Nothing here reads a clock.

use std::fmt;
use std::str::FromStr;

use jiff::civil;

/// A point in time, to the nanosecond, in the years -9999 to 9999.
///
/// Prints as RFC 3339 in UTC with as many fraction digits as it needs, and reads the same form
/// back. It is never taken from a clock here: callers pass it in.
///
/// ```
/// use memdir::Timestamp;
///
/// let time: Timestamp = "2026-03-05T14:02:11Z".parse()?;
/// assert_eq!(time.seconds(), 1_772_719_331);
/// assert_eq!(time.to_string(), "2026-03-05T14:02:11Z");
/// # Ok::<(), memdir::InvalidTime>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(jiff::Timestamp);

impl Timestamp {
    /// 1970-01-01T00:00:00Z.
    pub const UNIX_EPOCH: Self = Self(jiff::Timestamp::UNIX_EPOCH);

    /// Returns the time that many seconds after the Unix epoch, or the nearest one in range.
    pub fn from_seconds(seconds: i64) -> Self {
        Self::from_nanoseconds(i128::from(seconds) * 1_000_000_000)
    }

    /// Returns the time that many nanoseconds after the Unix epoch, or the nearest one in range.
    pub fn from_nanoseconds(nanoseconds: i128) -> Self {
        match jiff::Timestamp::from_nanosecond(nanoseconds) {
            Ok(time) => Self(time),
            Err(_) if nanoseconds < 0 => Self(jiff::Timestamp::MIN),
            Err(_) => Self(jiff::Timestamp::MAX),
        }
    }

    /// Reads a time as other tools write it: RFC 3339 with `T` or a space, any offset, any
    /// number of fraction digits up to nine; without an offset it is taken as UTC, and a bare
    /// date as its midnight.
    pub fn parse_lenient(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(time) = text.parse() {
            return Some(Self(time));
        }
        let civil: civil::DateTime = text.parse().ok()?;
        jiff::tz::Offset::UTC.to_timestamp(civil).ok().map(Self)
    }

    /// Whole seconds since the Unix epoch, rounded towards it.
    pub fn seconds(self) -> i64 {
        self.0.as_second()
    }

    /// Nanoseconds since the Unix epoch.
    pub fn nanoseconds(self) -> i128 {
        self.0.as_nanosecond()
    }

    /// The same time without its fraction of a second.
    #[must_use]
    pub fn to_whole_second(self) -> Self {
        Self::from_seconds(self.nanoseconds().div_euclid(1_000_000_000) as i64)
    }

    /// The time that many seconds later (earlier when negative), kept in range.
    #[must_use]
    pub fn plus_seconds(self, seconds: i64) -> Self {
        Self::from_nanoseconds(self.nanoseconds() + i128::from(seconds) * 1_000_000_000)
    }

    /// The civil date at that moment for somebody whose clock is `offset_seconds` ahead of UTC.
    ///
    /// Offsets beyond ±25:59:59, which no time zone has, count as UTC.
    pub fn date(self, offset_seconds: i32) -> Date {
        Date(self.civil(offset_seconds).date())
    }

    /// Hour, minute and second at that moment for somebody that far ahead of UTC; the same rule
    /// for offsets as [`date`](Self::date).
    pub fn time_of_day(self, offset_seconds: i32) -> (u8, u8, u8) {
        let time = self.civil(offset_seconds).time();
        let part = |value: i8| u8::try_from(value).unwrap_or(0);
        (part(time.hour()), part(time.minute()), part(time.second()))
    }

    fn civil(self, offset_seconds: i32) -> civil::DateTime {
        let offset =
            jiff::tz::Offset::from_seconds(offset_seconds).unwrap_or(jiff::tz::Offset::UTC);
        offset.to_datetime(self.0)
    }
}

impl FromStr for Timestamp {
    type Err = InvalidTime;

    /// Reads RFC 3339 with an offset. [`parse_lenient`](Self::parse_lenient) takes more.
    fn from_str(text: &str) -> Result<Self, InvalidTime> {
        text.parse().map(Self).map_err(|_| InvalidTime)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// A civil date, without time and zone, in the years -9999 to 9999.
///
/// ```
/// use memdir::{Date, Weekday};
///
/// let date = Date::new(2026, 3, 2).expect("because the day exists");
/// assert_eq!(date.weekday(), Weekday::Monday);
/// assert_eq!(date.plus_days(3).to_string(), "2026-03-05");
/// assert_eq!(date.last_of_month().to_string(), "2026-03-31");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(civil::Date);

impl Date {
    /// 1970-01-01.
    pub const EPOCH: Self = Self(civil::Date::constant(1970, 1, 1));

    /// Returns that date, if the calendar has it.
    pub fn new(year: i16, month: u8, day: u8) -> Option<Self> {
        let month = i8::try_from(month).ok()?;
        let day = i8::try_from(day).ok()?;
        civil::Date::new(year, month, day).ok().map(Self)
    }

    /// The year.
    pub fn year(self) -> i16 {
        self.0.year()
    }

    /// The month, 1 to 12.
    pub fn month(self) -> u8 {
        self.0.month().unsigned_abs()
    }

    /// The day of the month, from 1.
    pub fn day(self) -> u8 {
        self.0.day().unsigned_abs()
    }

    /// The day of the week.
    pub fn weekday(self) -> Weekday {
        Weekday::from_monday_zero(self.0.weekday().to_monday_zero_offset())
    }

    /// The date that many days later (earlier when negative), kept in range.
    #[must_use]
    pub fn plus_days(self, days: i32) -> Self {
        Self(
            self.0.saturating_add(
                jiff::Span::new().days(i64::from(days).clamp(-7_300_000, 7_300_000)),
            ),
        )
    }

    /// The same day that many months later (earlier when negative), or the last day of that
    /// month when it is shorter; kept in range.
    #[must_use]
    pub fn plus_months(self, months: i32) -> Self {
        Self(
            self.0.saturating_add(
                jiff::Span::new().months(i64::from(months).clamp(-239_000, 239_000)),
            ),
        )
    }

    /// The first day of its month.
    #[must_use]
    pub fn first_of_month(self) -> Self {
        Self(self.0.first_of_month())
    }

    /// The last day of its month.
    #[must_use]
    pub fn last_of_month(self) -> Self {
        Self(self.0.last_of_month())
    }

    /// The Monday of its week (weeks run from Monday to Sunday, as in ISO 8601).
    #[must_use]
    pub fn monday(self) -> Self {
        self.plus_days(-i32::from(self.weekday().days_after_monday()))
    }

    /// Days from this date to `other`; negative when `other` is earlier.
    pub fn days_until(self, other: Self) -> i32 {
        (self.0.duration_until(other.0).as_hours() / 24) as i32
    }

    /// The first moment of that day in UTC.
    pub fn midnight_utc(self) -> Timestamp {
        Timestamp::from_seconds(i64::from(Self::EPOCH.days_until(self)) * 86_400)
    }
}

impl FromStr for Date {
    type Err = InvalidTime;

    /// Reads `YYYY-MM-DD` and nothing else.
    fn from_str(text: &str) -> Result<Self, InvalidTime> {
        let shape = text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
        if text.len() != 10 || !shape {
            return Err(InvalidTime);
        }
        text.parse().map(Self).map_err(|_| InvalidTime)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl fmt::Debug for Date {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// A day of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names of the days say it all")]
pub enum Weekday {
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}

impl Weekday {
    /// Days since the Monday of the same week, 0 to 6.
    pub fn days_after_monday(self) -> u8 {
        self as u8
    }

    pub(crate) fn from_monday_zero(days: i8) -> Self {
        match days.rem_euclid(7) {
            0 => Self::Monday,
            1 => Self::Tuesday,
            2 => Self::Wednesday,
            3 => Self::Thursday,
            4 => Self::Friday,
            5 => Self::Saturday,
            _ => Self::Sunday,
        }
    }
}

/// The text is not a time or date of the expected form. The text itself is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidTime;

impl fmt::Display for InvalidTime {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("not a time or date of the expected form")
    }
}

impl std::error::Error for InvalidTime {}
