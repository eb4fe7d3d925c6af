//! The clock as an argument.

use crate::Timestamp;

/// Tells the time and the user's offset from UTC. Nothing in this crate reads a clock by itself.
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// The time now.
    fn now(&self) -> Timestamp;

    /// Seconds that the user's clock is ahead of UTC now, negative when it is behind.
    ///
    /// It decides which day's log an entry goes to.
    fn offset_seconds(&self) -> i32;
}

/// A clock that stands still: for tests, examples and replays.
///
/// # Example
///
/// ```
/// use memdir::{Clock, FixedClock};
///
/// let clock = FixedClock::new("2026-03-05T23:30:00Z".parse()?, 3_600);
/// assert_eq!(clock.now().to_string(), "2026-03-05T23:30:00Z");
/// assert_eq!(clock.offset_seconds(), 3_600);
/// # Ok::<(), memdir::InvalidTime>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FixedClock {
    now: Timestamp,
    offset_seconds: i32,
}

impl FixedClock {
    /// A clock that always says `now`.
    pub fn new(now: Timestamp, offset_seconds: i32) -> Self {
        Self {
            now,
            offset_seconds,
        }
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.now
    }

    fn offset_seconds(&self) -> i32 {
        self.offset_seconds
    }
}
