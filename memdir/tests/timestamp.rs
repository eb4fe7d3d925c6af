//! Times and dates.

use memdir::{Date, Timestamp, Weekday};
use proptest::prelude::*;

#[test]
fn times_are_read_as_tools_write_them() {
    for (text, printed) in [
        ("2026-03-05T14:02:11Z", "2026-03-05T14:02:11Z"),
        ("2026-07-30T00:09:16.281Z", "2026-07-30T00:09:16.281Z"),
        ("2026-03-05T16:02:11+02:00", "2026-03-05T14:02:11Z"),
        ("2026-03-05 14:02:11Z", "2026-03-05T14:02:11Z"),
        ("2026-03-05T14:02:11", "2026-03-05T14:02:11Z"),
        ("2026-03-05 14:02", "2026-03-05T14:02:00Z"),
        ("2026-03-05", "2026-03-05T00:00:00Z"),
        (" 2026-03-05 ", "2026-03-05T00:00:00Z"),
    ] {
        assert_eq!(
            Timestamp::parse_lenient(text)
                .map(|time| time.to_string())
                .as_deref(),
            Some(printed),
            "{text:?}"
        );
    }
    for text in ["", "soon", "2026", "2026-13-01", "14:02", "05/03/2026"] {
        assert_eq!(Timestamp::parse_lenient(text), None, "{text:?}");
    }
    assert!("2026-03-05".parse::<Timestamp>().is_err());
}

#[test]
fn days_depend_on_the_zone_of_the_reader() {
    let time: Timestamp = "2026-03-05T23:30:00Z".parse().unwrap();
    assert_eq!(time.date(0).to_string(), "2026-03-05");
    assert_eq!(time.date(8 * 3_600).to_string(), "2026-03-06");
    assert_eq!(time.date(-8 * 3_600).to_string(), "2026-03-05");
    assert_eq!(time.time_of_day(3_600), (0, 30, 0));
    assert_eq!(time.date(i32::MAX).to_string(), "2026-03-05");
}

#[test]
fn times_out_of_range_are_the_nearest_in_range() {
    assert_eq!(Timestamp::from_seconds(i64::MAX).date(0).year(), 9999);
    assert_eq!(Timestamp::from_seconds(i64::MIN).date(0).year(), -9999);
    assert_eq!(
        Timestamp::from_nanoseconds(-1).to_whole_second().seconds(),
        -1
    );
    assert_eq!(
        Timestamp::UNIX_EPOCH.plus_seconds(i64::MAX),
        Timestamp::from_seconds(i64::MAX)
    );
}

#[test]
fn dates_count_as_the_calendar_does() {
    let date: Date = "2024-01-31".parse().unwrap();
    assert_eq!(date.plus_months(1).to_string(), "2024-02-29");
    assert_eq!(date.plus_days(-31).to_string(), "2023-12-31");
    assert_eq!(date.last_of_month(), date);
    assert_eq!(date.first_of_month().to_string(), "2024-01-01");
    assert_eq!(date.weekday(), Weekday::Wednesday);
    assert_eq!(date.monday().to_string(), "2024-01-29");
    assert_eq!(date.days_until(date.plus_days(366)), 366);
    assert_eq!(date.midnight_utc().to_string(), "2024-01-31T00:00:00Z");
    assert_eq!(Date::new(2026, 2, 29), None);
    for text in [
        "2024-1-31",
        "2024-01-31T00:00:00",
        "20240131",
        "+2024-01-31",
        "2024-02-30",
        "",
    ] {
        assert!(text.parse::<Date>().is_err(), "{text:?}");
    }
}

proptest! {
    #[test]
    fn a_printed_time_reads_back(nanoseconds in any::<i64>()) {
        let time = Timestamp::from_nanoseconds(i128::from(nanoseconds));
        prop_assert_eq!(time.to_string().parse::<Timestamp>(), Ok(time));
        prop_assert_eq!(Timestamp::parse_lenient(&time.to_string()), Some(time));
        prop_assert_eq!(time.date(0).midnight_utc().date(0), time.date(0));
    }

    #[test]
    fn dates_stay_in_range(days in any::<i32>(), months in any::<i32>()) {
        let date = Date::EPOCH.plus_days(days).plus_months(months);
        prop_assert!((-9999..=9999).contains(&date.year()));
        prop_assert_eq!(date.to_string().parse::<Date>().is_ok(), date.year() >= 0);
    }
}
