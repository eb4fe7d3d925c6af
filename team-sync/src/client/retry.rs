//! When a request is sent again, and how long that waits.

use std::time::{Duration, UNIX_EPOCH};

use backon::ExponentialBuilder;

/// How often one request is tried.
pub(super) const TRIES: usize = 4;

/// The longest a server's wish is believed, in seconds or as a date.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);

/// The first wait of our own; it doubles from try to try.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// Where a date cannot be counted from anything.
const UNKNOWN_WAIT: Duration = Duration::from_secs(30);

/// A try without an answer that counts.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) why: String,
    /// What the server asks for.
    pub(super) wait: Option<Duration>,
    /// Whether the same request may have another outcome.
    pub(super) again: bool,
}

/// Whether the same request, under the same name, may have another outcome.
pub(super) fn worth_repeating(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500..=599)
}

/// Our own waits: from half a second, doubling, each with up to as much again at random, so that many clients
/// do not come back in step.
pub(super) fn backoff(tries: usize, seed: u64) -> ExponentialBuilder {
    ExponentialBuilder::new()
        .with_min_delay(FIRST_WAIT)
        .with_factor(2.0)
        .with_max_times(tries.saturating_sub(1))
        .with_jitter()
        .with_jitter_seed(seed)
}

/// The wait before the next try: ours, or the server's wish with our randomness on top; `None` when it asks for
/// more than `patience`, and for a wait of ours that is not to come at all.
pub(super) fn pause(
    own: Option<Duration>,
    asked: Option<Duration>,
    patience: Duration,
) -> Option<Duration> {
    let own = own?;
    match asked {
        None => Some(own),
        Some(asked) if asked > patience => None,
        Some(asked) => Some(asked + own / 2),
    }
}

/// Reads `Retry-After`: seconds, or a date of HTTP (RFC 9110, 10.2.3).
///
/// A date is counted from the `Date` of the same answer, so that neither clock has to be right; without one
/// it means half a minute. At most 15 minutes. `None` for anything else.
pub(super) fn retry_after(text: &str, date: Option<&str>) -> Option<Duration> {
    let text = text.trim();
    let wait = if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than a number has room for are a long time.
        Duration::from_secs(text.parse().unwrap_or(u64::MAX))
    } else {
        let until = httpdate::parse_http_date(text).ok()?;
        let now = date.and_then(|date| httpdate::parse_http_date(date.trim()).ok());
        match now.filter(|now| *now > UNIX_EPOCH) {
            Some(now) => until.duration_since(now).unwrap_or_default(),
            None => UNKNOWN_WAIT,
        }
    };
    Some(wait.min(LONGEST_WAIT))
}

#[cfg(test)]
mod tests {
    use backon::BackoffBuilder;

    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date_and_bounded() {
        let date = "Mon, 30 Nov 2026 10:00:00 GMT";
        for (text, date, expected) in [
            ("0", None, Some(0)),
            (" 120 ", None, Some(120)),
            ("901", None, Some(900)),
            ("99999999999999999999999", None, Some(900)),
            ("Mon, 30 Nov 2026 10:00:07 GMT", Some(date), Some(7)),
            ("Monday, 30-Nov-26 10:01:00 GMT", Some(date), Some(60)),
            ("Mon Nov 30 10:00:09 2026", Some(date), Some(9)),
            // In the past, and a year ahead.
            ("Mon, 30 Nov 2026 09:00:00 GMT", Some(date), Some(0)),
            ("Tue, 30 Nov 2027 10:00:00 GMT", Some(date), Some(900)),
            // Nothing to count from.
            ("Mon, 30 Nov 2026 10:00:07 GMT", None, Some(30)),
            ("Mon, 30 Nov 2026 10:00:07 GMT", Some("yesterday"), Some(30)),
            ("", None, None),
            ("-5", None, None),
            ("1.5", None, None),
            ("soon", Some(date), None),
        ] {
            let found = retry_after(text, date).map(|wait| wait.as_secs());
            assert_eq!(found, expected, "{text:?} {date:?}");
        }
    }

    #[test]
    fn waits_grow_are_bounded_and_come_from_the_seed() {
        let waits = |seed| backoff(TRIES, seed).build().collect::<Vec<_>>();
        assert_eq!(waits(7).len(), TRIES - 1);
        assert_eq!(waits(7), waits(7));
        assert_ne!(waits(7), waits(8));
        for (at, wait) in waits(7).into_iter().enumerate() {
            let least = FIRST_WAIT * 2u32.pow(u32::try_from(at).expect("a small number"));
            assert!(wait >= least && wait <= least * 2, "{at}: {wait:?}");
        }
    }

    #[test]
    fn a_wish_is_met_within_patience() {
        let second = Duration::from_secs;
        for (own, asked, expected) in [
            (Some(second(2)), None, Some(second(2))),
            (Some(second(2)), Some(second(10)), Some(second(11))),
            (Some(second(2)), Some(second(61)), None),
            (None, Some(second(1)), None),
        ] {
            assert_eq!(pause(own, asked, second(60)), expected);
        }
    }
}
