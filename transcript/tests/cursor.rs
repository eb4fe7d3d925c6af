//! Reading on from where one left off.

use agent_transcript::{Cursor, Error, ErrorKind, Found, Options, Transcript};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{assistant, call, file, part, read_with, result, user};

fn read(lines: &[Value]) -> Transcript {
    read_with(file(lines), &Options::default().with_name("s.jsonl"))
}

fn new(lines: &[Value], cursor: &Cursor) -> (Found, Vec<String>) {
    let transcript = read(lines);
    let since = transcript.since(cursor);
    let ids = since
        .entries
        .iter()
        .filter_map(|entry| entry.message.id.clone());
    (since.found, ids.collect())
}

fn ids(list: &[&str]) -> Vec<String> {
    list.iter().map(|id| (*id).to_owned()).collect()
}

fn base() -> Vec<Value> {
    vec![
        user("a", None, "1"),
        assistant("b", Some("a"), "2"),
        user("c", Some("b"), "3"),
    ]
}

#[test]
fn what_was_appended_is_new() {
    let cursor = read(&base()).cursor();
    assert_eq!(new(&base(), &cursor), (Found::Message, vec![]));
    let mut more = base();
    more.push(assistant("d", Some("c"), "4"));
    assert_eq!(new(&more, &cursor), (Found::Message, ids(&["d"])));
}

#[test]
fn an_answer_that_grew_is_new_as_a_whole() {
    let mut lines = base();
    lines.push(part("d", Some("c"), "msg", call("t1")));
    let cursor = read(&lines).cursor();
    lines.push(part("e", Some("d"), "msg", call("t2")));
    lines.push(result("r", Some("d"), "t1"));
    lines.push(result("s", Some("e"), "t2"));
    assert_eq!(
        new(&lines, &cursor),
        (Found::Message, ids(&["d", "r", "s"]))
    );
}

#[test]
fn after_a_rewind_only_the_other_way_is_new() {
    let cursor = read(&base()).cursor();
    let mut lines = base();
    lines.push(user("x", Some("b"), "instead of c"));
    assert_eq!(new(&lines, &cursor), (Found::Offset, ids(&["x"])));
}

#[test]
fn after_a_compaction_the_message_is_still_found() {
    let cursor = read(&base()).cursor();
    let mut lines = base();
    lines.push(
        json!({ "type": "system", "subtype": "compact_boundary", "uuid": "k", "parentUuid": null }),
    );
    lines.push(user("s", Some("k"), "summary"));
    lines.push(user("d", Some("s"), "4"));
    assert_eq!(new(&lines, &cursor), (Found::Message, ids(&["s", "d"])));
}

#[test]
fn in_another_file_everything_live_is_new() {
    let cursor = Cursor::new("other.jsonl", 10, Some("nowhere".into()));
    assert_eq!(new(&base(), &cursor), (Found::Live, ids(&["a", "b", "c"])));
    // A resumed session repeats its history in a new file: the message is found there too.
    let resumed = Cursor::new("other.jsonl", 10_000, Some("b".into()));
    assert_eq!(new(&base(), &resumed), (Found::Message, ids(&["c"])));
}

#[test]
fn a_file_that_shrank_counts_as_another() {
    let cursor = Cursor::new("s.jsonl", 1 << 40, Some("nowhere".into()));
    assert_eq!(new(&base(), &cursor), (Found::Live, ids(&["a", "b", "c"])));
}

#[test]
fn a_line_that_is_still_being_written_is_read_next_time() {
    let whole = file(&base());
    let next = assistant("d", Some("c"), "4").to_string();
    let options = Options::default().with_name("s.jsonl");
    for cut in 1..next.len() {
        let torn = format!("{whole}{}", &next[..cut]);
        let transcript = read_with(&torn, &options);
        assert!(transcript.report().unfinished, "cut at {cut}");
        assert_eq!(transcript.cursor().offset(), whole.len() as u64);
        assert_eq!(transcript.cursor().last_id(), Some("c"));
    }
    let unended = read_with(format!("{whole}{next}"), &options);
    assert!(
        !unended.report().unfinished,
        "a whole line counts without its end"
    );
    assert_eq!(unended.entries().len(), 4);
}

#[test]
fn the_stored_form_stays_what_it_is() {
    let cursor = Cursor::new("s \"x\".jsonl", 7, Some("é".into()));
    let frozen = r#"{"v":1,"file":"s \"x\".jsonl","offset":7,"last_id":"é"}"#;
    assert_eq!(String::from_utf8(cursor.to_bytes()).unwrap(), frozen);
    let without = Cursor::new("s", 0, None);
    assert_eq!(
        String::from_utf8(without.to_bytes()).unwrap(),
        r#"{"v":1,"file":"s","offset":0}"#
    );
    for bad in [
        "",
        "{}",
        "[]",
        r#"{"v":2,"file":"s","offset":0}"#,
        r#"{"v":1,"file":"s","offset":-1}"#,
    ] {
        let error: Error = Cursor::from_bytes(bad.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadCursor, "{bad}");
    }
}

proptest! {
    #[test]
    fn a_cursor_survives_storage(file in ".{0,20}", offset: u64, id in proptest::option::of(".{0,20}")) {
        let cursor = Cursor::new(file, offset, id);
        prop_assert_eq!(Cursor::from_bytes(&cursor.to_bytes()).unwrap(), cursor);
    }

    #[test]
    fn reading_in_two_steps_sees_every_message_once(count in 1_usize..20, first in 0_usize..20) {
        let mut lines = vec![user("0", None, "x")];
        for n in 1..count {
            lines.push(assistant(&n.to_string(), Some(&(n - 1).to_string()), "y"));
        }
        let first = first.min(count);
        let before = read(&lines[..first]);
        let after = read(&lines);
        let since = after.since(&before.cursor());
        prop_assert_eq!(before.entries().len() + since.entries.len(), count);
    }
}
