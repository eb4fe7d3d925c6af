//! Points in time, with another library as second opinion.

use agent_transcript::Timestamp;
use proptest::prelude::*;

#[test]
fn what_is_no_time_is_none() {
    for bad in [
        "",
        "2026",
        "2026-11-20",
        "2026-11-20T09:00",
        "2026-11-20T09:00:00",
        "2026-13-20T09:00:00Z",
        "2026-02-29T09:00:00Z",
        "2026-11-20T24:00:00Z",
        "2026-11-20T09:60:00Z",
        "2026-11-20T09:00:61Z",
        "2026-11-20T09:00:00.Z",
        "2026-11-20T09:00:00+1:00",
        "2026-11-20T09:00:00+24:00",
        "2026-11-20T09:00:00+01:60",
        "2026-11-20T09:00:00Zx",
        "２026-11-20T09:00:00Z",
        "2026-11-20T09:00:00é",
    ] {
        assert_eq!(Timestamp::parse(bad), None, "{bad}");
    }
}

#[test]
fn every_written_form_is_read() {
    let time = Timestamp::from_millis(1_795_165_201_500);
    for good in [
        "2026-11-20T09:00:01.5Z",
        "2026-11-20t09:00:01.500z",
        "2026-11-20 09:00:01.500999Z",
        "2026-11-20T10:00:01.5+01:00",
        "2026-11-19T23:30:01.5-09:30",
    ] {
        assert_eq!(Timestamp::parse(good), Some(time), "{good}");
    }
}

proptest! {
    #[test]
    fn another_library_agrees(millis in -62_135_596_800_000_i64..253_402_300_799_999) {
        let own = Timestamp::from_millis(millis);
        let other = jiff::Timestamp::from_millisecond(millis).unwrap();
        let text = own.to_string();
        prop_assert_eq!(text.parse::<jiff::Timestamp>().unwrap(), other);
        prop_assert_eq!(Timestamp::parse(&text), Some(own));
        prop_assert_eq!(Timestamp::parse(&other.to_string()), Some(own));
    }

    #[test]
    fn no_text_makes_it_panic(text in ".{0,40}") {
        let _ = Timestamp::parse(&text);
    }

    #[test]
    fn near_misses_agree_too(text in "20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-6][0-9](\\.[0-9]{0,4})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])") {
        let own = Timestamp::parse(&text);
        // A leap second is the one case where the other library rounds down instead.
        if let (Ok(other), false) = (text.parse::<jiff::Timestamp>(), text.contains(":60")) {
            let millis = other.as_nanosecond().div_euclid(1_000_000);
            prop_assert_eq!(own.map(|own| i128::from(own.as_millis())), Some(millis), "{}", text);
        }
    }
}
