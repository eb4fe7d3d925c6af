//! Points in time, as transcripts write them.

use std::fmt;

const DAY: i64 = 86_400_000;

/// Days from 1 January of year 0 to 1 January 1970, when years begin in March.
const EPOCH: i64 = 719_468;

/// A point in time, in milliseconds since 1970 (UTC).
///
/// ```
/// use agent_transcript::Timestamp;
///
/// let time = Timestamp::parse("2026-11-20T10:00:01.5+01:00").unwrap();
/// assert_eq!(time.to_string(), "2026-11-20T09:00:01.500Z");
/// assert_eq!(time.as_millis(), 1_795_165_201_500);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Returns the time this many milliseconds after 1970 began, or before when negative.
    pub fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Returns the milliseconds since 1970.
    pub fn as_millis(self) -> i64 {
        self.0
    }

    /// Reads RFC 3339: date, time, optional fraction, `Z` or an offset. Anything else is `None`; digits
    /// of the fraction beyond the third are dropped, a leap second counts as the second after.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let number = |from: usize, length: usize| {
            let digits = bytes.get(from..from + length)?;
            digits.iter().try_fold(0_i64, |sum, digit| {
                digit
                    .is_ascii_digit()
                    .then(|| sum * 10 + i64::from(digit - b'0'))
            })
        };
        let mark = |at: usize, allowed: &[u8]| bytes.get(at).is_some_and(|b| allowed.contains(b));
        let marks = mark(4, b"-") && mark(7, b"-") && mark(10, b"Tt ") && mark(13, b":");
        if !marks || !mark(16, b":") {
            return None;
        }
        let (year, month, day) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
        let (hour, minute, second) = (number(11, 2)?, number(14, 2)?, number(17, 2)?);
        let length = month_length(year, month)?;
        if !(1..=length).contains(&day) || hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let (millis, rest) = fraction(&bytes[19..])?;
        let offset = offset_minutes(rest)?;
        let minutes = hour * 60 + minute - offset;
        let time = (minutes * 60 + second) * 1_000 + millis;
        Some(Self(days(year, month, day) * DAY + time))
    }
}

/// Reads an optional fraction of a second; returns milliseconds and what follows.
fn fraction(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let Some(digits) = bytes.strip_prefix(b".") else {
        return Some((0, bytes));
    };
    let count = digits.iter().take_while(|b| b.is_ascii_digit()).count();
    if count == 0 {
        return None;
    }
    let padded = digits[..count]
        .iter()
        .copied()
        .chain(std::iter::repeat(b'0'));
    let millis = padded
        .take(3)
        .fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
    Some((millis, &digits[count..]))
}

fn offset_minutes(bytes: &[u8]) -> Option<i64> {
    let (sign, rest) = match bytes {
        b"Z" | b"z" => return Some(0),
        [b'+', rest @ ..] => (1, rest),
        [b'-', rest @ ..] => (-1, rest),
        _ => return None,
    };
    let two = |tens: u8, ones: u8| {
        let digits = tens.is_ascii_digit() && ones.is_ascii_digit();
        digits.then(|| i64::from(tens - b'0') * 10 + i64::from(ones - b'0'))
    };
    match *rest {
        [a, b, b':', c, d] => {
            let (hours, minutes) = (two(a, b)?, two(c, d)?);
            (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes))
        }
        _ => None,
    }
}

fn month_length(year: i64, month: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => Some(if leap { 29 } else { 28 }),
        4 | 6 | 9 | 11 => Some(30),
        1..=12 => Some(31),
        _ => None,
    }
}

/// Counts in years that begin in March, so that the leap day is the last of its year.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (y, m) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leaps = y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400);
    y * 365 + leaps + (m * 153 + 2) / 5 + day - 1 - EPOCH
}

/// The inverse of [`days`]: year, month, day.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + EPOCH;
    let era = days.div_euclid(146_097);
    let in_era = days.rem_euclid(146_097);
    let year_of_era = (in_era - in_era / 1_460 + in_era / 36_524 - in_era / 146_096) / 365;
    let in_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let m = (5 * in_year + 2) / 153;
    let day = in_year - (153 * m + 2) / 5 + 1;
    let month = if m < 10 { m + 3 } else { m - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

impl fmt::Display for Timestamp {
    /// Writes RFC 3339 in UTC with milliseconds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date(self.0.div_euclid(DAY));
        let time = self.0.rem_euclid(DAY);
        let (seconds, millis) = (time / 1_000, time % 1_000);
        let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z"
        )
    }
}
