//! The system clock, the only one in the program.

use memstrata::memdir::{Clock, Timestamp};

/// Tells the system's time and the offset of its time zone.
#[derive(Debug)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_nanoseconds(jiff::Timestamp::now().as_nanosecond())
    }

    fn offset_seconds(&self) -> i32 {
        jiff::ZonedDateTime::now().offset().seconds()
    }
}
