//! When to ask again, as a pure decision.

use std::time::Duration;

/// How often and how fast a failed call is repeated.
///
/// The defaults are those of the published SDKs: two retries, half a second doubling to eight seconds,
/// up to a quarter taken off by jitter, and the server's own wish obeyed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// Retries after the first attempt.
    pub max_retries: u32,
    /// The wait before the first retry; it doubles each time.
    pub first_wait: Duration,
    /// The longest wait that we choose.
    pub longest_wait: Duration,
    /// The longest wait that a server may choose. A server that asks for more gets no retry: the caller
    /// is told at once, with [`Error::retry_after`](crate::Error::retry_after).
    pub longest_server_wait: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_retries: 2,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(8),
            longest_server_wait: Duration::from_secs(60),
        }
    }
}

impl RetryPolicy {
    /// Returns the policy that asks once.
    pub fn never() -> Self {
        Self {
            max_retries: 0,
            ..Self::default()
        }
    }

    /// Returns the policy with this many retries.
    #[must_use]
    pub fn with_max_retries(mut self, retries: u32) -> Self {
        self.max_retries = retries;
        self
    }
}

/// What is known about a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Failure {
    /// Absent when no answer came at all.
    pub(crate) status: Option<u16>,
    /// What `x-should-retry` says.
    pub(crate) should_retry: Option<bool>,
    /// What `retry-after-ms` or `retry-after` says.
    pub(crate) retry_after: Option<Duration>,
}

impl RetryPolicy {
    /// Returns how long to wait before the next attempt, or `None` to give up.
    ///
    /// `attempts` counts those made; `jitter` lies in `0.0..1.0`.
    pub(crate) fn next_wait(
        &self,
        failure: Failure,
        attempts: u32,
        jitter: f64,
    ) -> Option<Duration> {
        if attempts > self.max_retries || !worth_repeating(failure) {
            return None;
        }
        if let Some(wait) = failure.retry_after {
            return (wait <= self.longest_server_wait).then_some(wait);
        }
        let doublings = attempts.saturating_sub(1).min(16);
        let wait = self.first_wait.saturating_mul(1 << doublings);
        let wait = wait.min(self.longest_wait);
        Some(wait.mul_f64(1.0 - 0.25 * jitter.clamp(0.0, 1.0)))
    }
}

fn worth_repeating(failure: Failure) -> bool {
    if let Some(said) = failure.should_retry {
        return said;
    }
    match failure.status {
        None | Some(408 | 409 | 429) => true,
        Some(status) => (500..600).contains(&status),
    }
}

/// Reads the three headers. `date` is the server's own clock: an absolute time is compared with it, so
/// that no clock of ours is needed and none can be wrong.
pub(crate) fn read_headers<'a>(header: impl Fn(&str) -> Option<&'a str>) -> Failure {
    let should_retry = match header("x-should-retry") {
        Some("true") => Some(true),
        Some("false") => Some(false),
        _ => None,
    };
    let exact = header("retry-after-ms").and_then(|text| number(text, 1_000.0));
    let rough = || {
        let text = header("retry-after")?.trim();
        number(text, 1.0).or_else(|| {
            let until = http_date(text)?;
            let now = http_date(header("date")?)?;
            Some(Duration::from_secs(until.checked_sub(now)?))
        })
    };
    Failure {
        status: None,
        should_retry,
        retry_after: exact.or_else(rough),
    }
}

fn number(text: &str, per_second: f64) -> Option<Duration> {
    let value: f64 = text.trim().parse().ok()?;
    Duration::try_from_secs_f64(value / per_second).ok()
}

/// Reads the date form that HTTP prefers (RFC 9110, section 5.6.7), as seconds since 1970.
fn http_date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let mut words = text.split_ascii_whitespace().skip(1);
    let day: u64 = words.next()?.parse().ok()?;
    let month_name = words.next()?;
    let month = MONTHS.iter().position(|name| *name == month_name)? as u64 + 1;
    let year: u64 = words.next()?.parse().ok()?;
    let mut clock = words
        .next()?
        .split(':')
        .map(|part| part.parse::<u64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let plausible = (1970..=9999).contains(&year)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second < 61;
    if !plausible {
        return None;
    }
    // Days since 1970 by counting in years that begin in March, so that the leap day is the last.
    let (y, m) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days = y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1;
    let days = days.checked_sub(719_468)?;
    Some(days * 86_400 + hour * 3_600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(failure: Failure, attempts: u32, jitter: f64) -> Option<u128> {
        let wait = RetryPolicy::default().next_wait(failure, attempts, jitter);
        wait.map(|wait| wait.as_millis())
    }

    fn status(status: u16) -> Failure {
        Failure {
            status: Some(status),
            ..Failure::default()
        }
    }

    fn headers(list: &[(&str, &str)]) -> Failure {
        read_headers(|name| list.iter().find(|(key, _)| *key == name).map(|(_, v)| *v))
    }

    #[test]
    fn the_statuses_that_the_sdks_repeat_are_repeated_and_no_others() {
        for repeated in [408, 409, 429, 500, 502, 503, 504, 529] {
            assert!(wait(status(repeated), 1, 0.0).is_some(), "{repeated}");
        }
        for given_up in [200, 301, 400, 401, 402, 403, 404, 413, 422, 600] {
            assert!(wait(status(given_up), 1, 0.0).is_none(), "{given_up}");
        }
    }

    #[test]
    fn waits_double_up_to_the_limit_and_jitter_only_shortens_them() {
        let policy = RetryPolicy::default().with_max_retries(9);
        let waits: Vec<u128> = (1..8)
            .filter_map(|n| policy.next_wait(status(529), n, 0.0))
            .map(|wait| wait.as_millis())
            .collect();
        assert_eq!(waits, [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
        assert_eq!(wait(status(529), 1, 1.0), Some(375));
    }

    #[test]
    fn the_third_failure_is_final() {
        assert_eq!(wait(status(429), 2, 0.0), Some(1_000));
        assert_eq!(wait(status(429), 3, 0.0), None);
    }

    #[test]
    fn a_server_is_obeyed_within_reason() {
        let asks = |seconds| Failure {
            retry_after: Some(Duration::from_secs(seconds)),
            ..status(429)
        };
        assert_eq!(
            wait(asks(7), 1, 1.0),
            Some(7_000),
            "no jitter on a server's wish"
        );
        assert_eq!(wait(asks(0), 1, 0.0), Some(0));
        assert_eq!(wait(asks(61), 1, 0.0), None);
    }

    #[test]
    fn x_should_retry_overrules_the_status() {
        let said = |word| Failure {
            should_retry: headers(&[("x-should-retry", word)]).should_retry,
            ..status(400)
        };
        assert!(wait(said("true"), 1, 0.0).is_some());
        assert!(wait(said("perhaps"), 1, 0.0).is_none());
        let no = Failure {
            should_retry: Some(false),
            ..status(529)
        };
        assert!(wait(no, 1, 0.0).is_none());
    }

    #[test]
    fn retry_after_is_read_in_all_its_forms() {
        type Headers = &'static [(&'static str, &'static str)];
        const DATE: (&str, &str) = ("date", "Mon, 30 Nov 2026 23:59:30 GMT");
        let cases: &[(Headers, Option<u64>)] = &[
            (&[("retry-after", "12")], Some(12_000)),
            (&[("retry-after", "1.5")], Some(1_500)),
            (
                &[("retry-after-ms", "250"), ("retry-after", "9")],
                Some(250),
            ),
            (
                &[("retry-after-ms", "soon"), ("retry-after", "9")],
                Some(9_000),
            ),
            (
                &[("retry-after", "Tue, 01 Dec 2026 00:00:10 GMT"), DATE],
                Some(40_000),
            ),
            (
                &[("retry-after", "Mon, 30 Nov 2026 23:59:00 GMT"), DATE],
                None,
            ),
            (&[("retry-after", "Tue, 01 Dec 2026 00:00:10 GMT")], None),
            (&[("retry-after", "-3")], None),
            (&[("retry-after", "NaN")], None),
            (&[("retry-after", "1e300")], None),
            (
                &[("retry-after", "Tue, 99 Dec 2026 00:00:10 GMT"), DATE],
                None,
            ),
            (&[("retry-after", "Tue")], None),
            (&[], None),
        ];
        for (list, expected) in cases {
            let millis = headers(list)
                .retry_after
                .map(|wait| wait.as_millis() as u64);
            assert_eq!(millis, *expected, "{list:?}");
        }
    }

    #[test]
    fn http_dates_count_from_1970() {
        let cases = [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800),
        ];
        for (text, seconds) in cases {
            assert_eq!(http_date(text), Some(seconds), "{text}");
        }
    }
}
