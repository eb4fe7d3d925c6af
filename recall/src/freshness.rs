//! How old a memory is, in words that a model reasons well about.

use std::fmt;

use memdir::Timestamp;

const DAY_S: i64 = 24 * 60 * 60;

/// From so many whole days on a memory carries a note.
const NOTE_FROM_DAYS: u64 = 2;

/// The age of a memory in whole days of 24 hours.
///
/// A distance is easier to reason about for a model than a date. Times in the future, which a wrong
/// clock or a teammate's time zone can produce, count as today.
///
/// ```
/// use memdir::Timestamp;
/// use memdir_recall::Age;
///
/// let now: Timestamp = "2026-03-12T08:00:00Z".parse()?;
/// let age = Age::between("2026-03-05T14:02:11Z".parse()?, now);
/// assert_eq!(age.days(), 6);
/// assert_eq!(age.to_string(), "6 days ago");
/// assert!(age.note().is_some_and(|note| note.contains("6 days")));
/// assert_eq!(Age::between(now, now).to_string(), "today");
/// assert_eq!(Age::between(now, now).note(), None);
/// # Ok::<(), memdir::InvalidTime>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Age {
    days: u64,
}

impl Age {
    /// Returns the age at `now` of something that was last changed at `time`.
    pub fn between(time: Timestamp, now: Timestamp) -> Self {
        let seconds = now.seconds().saturating_sub(time.seconds());
        Self {
            days: u64::try_from(seconds / DAY_S).unwrap_or(0),
        }
    }

    /// Returns the number of whole days.
    pub fn days(self) -> u64 {
        self.days
    }

    /// Returns what a reader must know about a memory of this age; nothing for today and yesterday.
    pub fn note(self) -> Option<String> {
        (self.days >= NOTE_FROM_DAYS).then(|| {
            format!(
                "Written {} days ago. A memory is an observation of its time, not live state: claims \
                 about code and file:line citations may be outdated. Verify against the current code \
                 before asserting them.",
                self.days
            )
        })
    }
}

impl fmt::Display for Age {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.days {
            0 => f.write_str("today"),
            1 => f.write_str("yesterday"),
            days => write!(f, "{days} days ago"),
        }
    }
}
