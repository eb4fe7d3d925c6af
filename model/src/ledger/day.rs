//! A calendar day, given by the caller.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;

/// A calendar day. Which day it is, and in which time zone, the caller says: no clock is read here.
///
/// ```
/// use agent_model::Day;
///
/// let day: Day = "2026-11-30".parse()?;
/// assert_eq!(day.to_string(), "2026-11-30");
/// assert!("2026-02-30".parse::<Day>().is_err());
/// # Ok::<(), agent_model::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Day {
    year: u16,
    month: u8,
    of_month: u8,
}

impl Day {
    /// Returns a day, or `None` for one that the calendar does not have. Years are 1 to 9999.
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let leap =
            year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let length = match month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return None,
        };
        let exists = (1..=9999).contains(&year) && (1..=length).contains(&day);
        exists.then_some(Self {
            year,
            month,
            of_month: day,
        })
    }
}

impl FromStr for Day {
    type Err = Error;

    /// Reads `2026-11-30`, with leading zeros.
    fn from_str(text: &str) -> Result<Self, Error> {
        let digits = |range: std::ops::Range<usize>| {
            let part = text.get(range)?;
            part.bytes()
                .all(|b| b.is_ascii_digit())
                .then(|| part.parse::<u16>().ok())?
        };
        let dashes =
            text.len() == 10 && &text.as_bytes()[4..5] == b"-" && &text.as_bytes()[7..8] == b"-";
        let read = || {
            let (month, day) = (digits(5..7)?, digits(8..10)?);
            Self::new(
                digits(0..4)?,
                u8::try_from(month).ok()?,
                u8::try_from(day).ok()?,
            )
        };
        let day = if dashes { read() } else { None };
        day.ok_or_else(|| Error::invalid("a day is written like 2026-11-30"))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.of_month)
    }
}
