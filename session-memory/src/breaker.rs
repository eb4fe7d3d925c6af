//! Stops trying after failures in a row: a job that cannot succeed would otherwise cost money each time.

/// Counts failures in a row and remembers the reason of the last one.
///
/// ```
/// use session_memory::Breaker;
///
/// let mut breaker = Breaker::new(2);
/// breaker.failed("no connection");
/// assert_eq!(breaker.tripped(), None);
/// breaker.failed("no connection");
/// assert_eq!(breaker.tripped(), Some("2 failures in a row, the last: no connection".to_owned()));
/// breaker.succeeded();
/// assert_eq!(breaker.tripped(), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breaker {
    most: u32,
    failures: u32,
    last: String,
}

/// Three failures in a row, as the specification says.
impl Default for Breaker {
    fn default() -> Self {
        Breaker::new(3)
    }
}

impl Breaker {
    /// Makes a breaker that trips at so many failures in a row, at least one.
    pub fn new(most: u32) -> Self {
        Breaker {
            most: most.max(1),
            failures: 0,
            last: String::new(),
        }
    }

    /// Counts a failure.
    pub fn failed(&mut self, reason: impl Into<String>) {
        self.failures = self.failures.saturating_add(1);
        self.last = reason.into();
    }

    /// Forgets the failures.
    pub fn succeeded(&mut self) {
        self.failures = 0;
        self.last.clear();
    }

    /// Returns the reason of the last failure, when the last try failed.
    pub fn last_failure(&self) -> Option<&str> {
        (self.failures > 0).then_some(self.last.as_str())
    }

    /// Returns why nothing should be tried any more; `None` where it should.
    pub fn tripped(&self) -> Option<String> {
        (self.failures >= self.most).then(|| {
            format!(
                "{} failures in a row, the last: {}",
                self.failures, self.last
            )
        })
    }
}
