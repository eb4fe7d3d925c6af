//! Two clocks: the system's, and one that a caller moves.

use std::sync::{Mutex, PoisonError};

use memdir::{Clock, Timestamp};

/// Tells the system's time and the offset of its time zone.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_nanoseconds(jiff::Timestamp::now().as_nanosecond())
    }

    fn offset_seconds(&self) -> i32 {
        jiff::ZonedDateTime::now().offset().seconds()
    }
}

/// A clock that says what it was told last: a replay sets it to the time of each message.
///
/// ```
/// use std::sync::Arc;
///
/// use memstrata::ManualClock;
/// use memstrata::memdir::Clock;
///
/// let clock = Arc::new(ManualClock::new("2026-03-05T09:00:00Z".parse()?, 3_600));
/// let handed_on: Arc<dyn Clock> = clock.clone();
/// clock.set("2026-03-05T09:02:30Z".parse()?);
/// assert_eq!(handed_on.now().to_string(), "2026-03-05T09:02:30Z");
/// # Ok::<(), memstrata::memdir::InvalidTime>(())
/// ```
#[derive(Debug)]
pub struct ManualClock {
    now: Mutex<Timestamp>,
    offset_seconds: i32,
}

impl ManualClock {
    /// A clock that says `now` until it is set.
    pub fn new(now: Timestamp, offset_seconds: i32) -> Self {
        Self {
            now: Mutex::new(now),
            offset_seconds,
        }
    }

    /// Sets the time. It may go backwards: sessions overlap.
    pub fn set(&self, now: Timestamp) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn offset_seconds(&self) -> i32 {
        self.offset_seconds
    }
}
