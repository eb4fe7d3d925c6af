//! Ages in words, and when a note is due.

use memdir::Timestamp;
use memdir_recall::{Age, Query};

use crate::support::{open, write};

#[test]
fn ages_are_whole_days_of_24_hours() {
    let now: Timestamp = "2026-03-12T08:00:00Z".parse().unwrap();
    for (time, text, note) in [
        ("2026-03-12T08:00:00Z", "today", false),
        ("2026-03-11T08:00:01Z", "today", false),
        ("2026-03-11T08:00:00Z", "yesterday", false),
        ("2026-03-10T08:00:01Z", "yesterday", false),
        ("2026-03-10T08:00:00Z", "2 days ago", true),
        ("2025-03-12T08:00:00Z", "365 days ago", true),
        ("2026-03-13T08:00:00Z", "today", false),
        ("2036-03-13T08:00:00Z", "today", false),
    ] {
        let age = Age::between(time.parse().unwrap(), now);
        assert_eq!(age.to_string(), text, "{time}");
        assert_eq!(age.note().is_some(), note, "{time}");
    }
    let note = Age::between("2026-03-01T00:00:00Z".parse().unwrap(), now)
        .note()
        .unwrap();
    for part in ["11 days", "not live state", "file:line", "Verify"] {
        assert!(note.contains(part), "{note}");
    }
}

#[test]
fn the_front_matter_counts_before_the_file_time() {
    let scratch = tempfile::tempdir().unwrap();
    write(
        scratch.path(),
        "a.md",
        "---\nname: zebra\nmodified: 2026-03-05T14:02:11Z\n---\n",
    );
    let now = "2026-03-15T14:02:11Z".parse().unwrap();
    let answer = open(scratch.path(), None)
        .query(&Query::new("zebra", now))
        .unwrap();
    assert_eq!(answer.memories[0].age.days(), 10);
}
