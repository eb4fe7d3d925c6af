//! Waiting, as something a test can replace.

use std::pin::Pin;
use std::time::Duration;

/// Waits between two attempts.
pub trait Pause: Send + Sync {
    /// Returns a future that is done after this time.
    fn pause(&self, wait: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

/// Waits on the timer of the tokio runtime that runs the call.
#[derive(Debug, Clone, Copy, Default)]
pub struct TokioPause;

impl Pause for TokioPause {
    fn pause(&self, wait: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(wait))
    }
}
