//! Time, as an argument.

use std::fmt;
use std::pin::Pin;
use std::time::Duration;

/// The future that a [`Clock`] returns.
pub type Sleep<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Where a run takes its time from.
pub trait Clock: Send + Sync + fmt::Debug {
    /// Returns the time since some fixed moment; it never goes back.
    fn now(&self) -> Duration;

    /// Waits.
    fn sleep(&self, duration: Duration) -> Sleep<'_>;
}

/// The clock of the tokio runtime.
#[derive(Clone, Copy, Debug)]
pub struct TokioClock {
    begin: tokio::time::Instant,
}

impl TokioClock {
    /// Starts a clock at zero.
    pub fn start() -> Self {
        Self {
            begin: tokio::time::Instant::now(),
        }
    }
}

impl Clock for TokioClock {
    fn now(&self) -> Duration {
        self.begin.elapsed()
    }

    fn sleep(&self, duration: Duration) -> Sleep<'_> {
        Box::pin(tokio::time::sleep(duration))
    }
}
