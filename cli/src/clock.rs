//! The system clock, the only one in the program.

pub(crate) use memstrata::SystemClock;
