//! Tags survive what proxies do to them.

use proptest::prelude::*;
use team_sync::Tag;

#[test]
fn what_intermediaries_add_is_taken_off() {
    let tag = Tag::new(42, "9f3a1c");
    for header in [
        "\"v42-9f3a1c\"",
        "W/\"v42-9f3a1c\"",
        "w/\"v42-9f3a1c\"",
        " \"v42-9f3a1c\" ",
        "v42-9f3a1c",
        "\"v42-9f3a1c-gzip\"",
        "\"v42-9f3a1c--gzip\"",
        "\"v42-9f3a1c;gzip\"",
        "\"v42-9f3a1c-br\"",
        "W/\"v42-9f3a1c-zstd\"",
    ] {
        assert_eq!(Tag::parse(header).as_ref(), Some(&tag), "{header}");
    }
    assert_eq!(tag.to_header(), "\"v42-9f3a1c\"");
}

#[test]
fn tags_of_other_servers_are_kept_and_name_no_version() {
    for header in [
        "\"abc\"",
        "W/\"5f-17\"",
        "\"v-1\"",
        "\"v1\"",
        "\"v12x-ab\"",
        "\"v1-\"",
    ] {
        let tag = Tag::parse(header).expect(header);
        assert_eq!((tag.version(), tag.epoch()), (None, None), "{header}");
    }
}

#[test]
fn what_no_header_may_repeat_is_no_tag() {
    let long = "x".repeat(300);
    for header in [
        "", "\"\"", "W/\"\"", "\"a\nb\"", "\"a b\"", "\"é\"", "\"a\"b\"", &long,
    ] {
        assert_eq!(Tag::parse(header), None, "{header:?}");
    }
}

proptest! {
    #[test]
    fn a_tag_of_ours_survives_the_way_there_and_back(version: u64, epoch in "[0-9a-f]{6}") {
        let tag = Tag::new(version, &epoch);
        prop_assert_eq!(tag.version(), Some(version));
        prop_assert_eq!(tag.epoch(), Some(&*epoch));
        prop_assert_eq!(Tag::parse(&tag.to_header()), Some(tag));
    }

    #[test]
    fn any_header_is_a_tag_or_none(header in "\\PC{0,60}") {
        if let Some(tag) = Tag::parse(&header) {
            prop_assert_eq!(Tag::parse(&tag.to_header()), Some(tag));
        }
    }
}

#[test]
fn a_stored_tag_reads_back_as_what_it_was() {
    for header in [
        "W/w/\"",
        "W/w/\"x\"",
        "\"x-gzip-gzip\"",
        "\"\"x\"\"",
        "W/\"x--br;gzip\"",
    ] {
        if let Some(tag) = Tag::parse(header) {
            assert_eq!(Tag::parse(tag.as_str()), Some(tag), "{header}");
        }
    }
    assert_eq!(Tag::parse("\"x-gzip-gzip\""), Tag::parse("x"));
}
