//! What both HTTP back ends share: addresses, keys, and one POST with retries.

mod address;
mod backend;
mod client;
mod key;
mod pause;

pub use self::key::ApiKey;
pub use self::pause::{Pause, TokioPause};

pub(crate) use self::address::Address;
pub(crate) use self::backend::{Backend, Body, Wire, json_bytes};
pub(crate) use self::client::{Client, Deadline, KeyHeader};

use std::fmt;
use std::sync::Arc;

use crate::retry::RetryPolicy;

/// An answer that is longer than this is refused.
pub const MAX_ANSWER_BYTES: usize = 32 * 1024 * 1024;

/// A request that is longer than this is not sent; it is the limit of the Messages API.
pub const MAX_REQUEST_BYTES: usize = 32 * 1024 * 1024;

/// How an HTTP back end connects and repeats.
///
/// Nothing is read from the environment: neither proxies nor keys.
#[derive(Clone)]
#[non_exhaustive]
pub struct HttpOptions {
    /// When to ask again.
    pub retry: RetryPolicy,
    /// Where the jitter of waits comes from: give each process another number, or many clients that
    /// failed together come back together.
    pub jitter_seed: u64,
    /// Waits between attempts.
    pub pause: Arc<dyn Pause>,
    /// The address of an HTTP proxy, such as `http://proxy.example:3128`.
    pub proxy: Option<String>,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            retry: RetryPolicy::default(),
            jitter_seed: 0,
            pause: Arc::new(TokioPause),
            proxy: None,
        }
    }
}

impl HttpOptions {
    /// Returns the options with this retry policy.
    #[must_use]
    pub fn with_retry(mut self, retry: RetryPolicy) -> Self {
        self.retry = retry;
        self
    }

    /// Returns the options with this seed.
    #[must_use]
    pub fn with_jitter_seed(mut self, seed: u64) -> Self {
        self.jitter_seed = seed;
        self
    }

    /// Returns the options with this way to wait.
    #[must_use]
    pub fn with_pause(mut self, pause: Arc<dyn Pause>) -> Self {
        self.pause = pause;
        self
    }

    /// Returns the options with this proxy.
    #[must_use]
    pub fn with_proxy(mut self, proxy: impl Into<String>) -> Self {
        self.proxy = Some(proxy.into());
        self
    }
}

impl fmt::Debug for HttpOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The proxy address may hold a password.
        f.debug_struct("HttpOptions")
            .field("retry", &self.retry)
            .field("proxy", &self.proxy.is_some())
            .finish_non_exhaustive()
    }
}
