//! Two texts become one, or both stay.

use proptest::prelude::*;
use team_sync::merge;

/// `None` expects a conflict.
fn check(base: Option<&str>, local: &str, remote: &str, expected: Option<&str>) {
    let merged = merge(base, local, remote, false);
    if let Some(text) = expected {
        assert_eq!(merged.text, text, "{base:?} {local:?} {remote:?}");
        assert_eq!(merged.conflict, None);
    } else {
        assert_eq!(merged.text, local, "the text here keeps the name");
        assert_eq!(merged.conflict.as_deref(), Some(remote));
    }
}

#[test]
fn changes_in_different_places_merge() {
    let base = Some("1\n2\n3\n4\n5\n");
    for (local, remote, expected) in [
        (
            "1\n2\n3\n4\n5\n",
            "1\n2\nX\n4\n5\n",
            Some("1\n2\nX\n4\n5\n"),
        ),
        (
            "1\n2\nX\n4\n5\n",
            "1\n2\n3\n4\n5\n",
            Some("1\n2\nX\n4\n5\n"),
        ),
        (
            "0\n1\n2\n3\n4\n5\n",
            "1\n2\n3\n4\n5\n6\n",
            Some("0\n1\n2\n3\n4\n5\n6\n"),
        ),
        (
            "X\n2\n3\n4\n5\n",
            "1\n2\n3\n4\nY\n",
            Some("X\n2\n3\n4\nY\n"),
        ),
        ("1\n3\n4\n5\n", "1\n2\n3\n4\nY\n", Some("1\n3\n4\nY\n")),
        (
            "1\n2\nX\n4\n5\n",
            "1\n2\nX\n4\n5\n",
            Some("1\n2\nX\n4\n5\n"),
        ),
        // Both rewrote one line; one rewrote what the other deleted.
        ("1\n2\nX\n4\n5\n", "1\n2\nY\n4\n5\n", None),
        ("1\n2\n4\n5\n", "1\n2\nY\n4\n5\n", None),
    ] {
        check(base, local, remote, expected);
    }
}

#[test]
fn what_both_inserted_at_one_place_is_kept_the_servers_first() {
    for (base, local, remote, expected) in [
        ("a\n", "a\nhere\n", "a\nthere\n", "a\nthere\nhere\n"),
        ("a\n", "here\na\n", "there\na\n", "there\nhere\na\n"),
        (
            "a\nb\n",
            "a\nhere\nb\n",
            "a\nthere\nb\n",
            "a\nthere\nhere\nb\n",
        ),
        (
            "a\n",
            "a\nsame\nhere\n",
            "a\nsame\nthere\n",
            "a\nsame\nthere\nhere\n",
        ),
        ("a\n", "a\nsame\n", "a\nsame\nthere\n", "a\nsame\nthere\n"),
        ("", "here\n", "there\n", "there\nhere\n"),
        // No line end at the end of one, of all.
        ("a", "a\nhere", "a\nthere\n", "a\nthere\nhere\n"),
        ("a", "a\nhere", "a\nthere", "a\nthere\nhere"),
        (
            "a\r\n",
            "a\r\nhere\r\n",
            "a\r\nthere\r\n",
            "a\r\nthere\r\nhere\r\n",
        ),
        // Lines that look like the markers of a merge.
        (
            "<<<<<<< a\n=======\n",
            "<<<<<<< a\n=======\nhere\n",
            "<<<<<<< a\n=======\n>>>>>>> b\n",
            "<<<<<<< a\n=======\n>>>>>>> b\nhere\n",
        ),
        (
            "a\n",
            "a\n|||||||||||||||||||||||\n",
            "a\n<<<<<<<<<<<<<<<<<<<<<<<<\n",
            "a\n<<<<<<<<<<<<<<<<<<<<<<<<\n|||||||||||||||||||||||\n",
        ),
    ] {
        check(Some(base), local, remote, Some(expected));
    }
}

#[test]
fn without_a_common_text_only_a_continuation_merges() {
    for (local, remote, expected) in [
        ("a\n", "a\n", Some("a\n")),
        ("a\n", "a\nb\n", Some("a\nb\n")),
        ("a\nb\n", "a\n", Some("a\nb\n")),
        ("", "a\n", Some("a\n")),
        ("a\n", "b\n", None),
    ] {
        check(None, local, remote, expected);
    }
}

fn memory(fields: &str, body: &str) -> String {
    format!("---\n{fields}---\n{body}")
}

#[test]
fn comments_above_the_first_field_merge_as_fields_do() {
    let text = |comment: &str, body: &str| format!("---\n{comment}name: A\n---\n{body}\n");
    let base = text("", "one");
    let (local, remote) = (text("# here\n", "one"), text("", "two"));
    check(Some(&base), &local, &remote, Some(&text("# here\n", "two")));
    check(Some(&base), &remote, &local, Some(&text("# here\n", "two")));
    check(Some(&base), &local, &text("# there\n", "two"), None);
}

#[test]
fn front_matter_merges_key_by_key() {
    let base = memory(
        "name: a\ndescription: one\nmodified: 2026-01-01T00:00:00Z\n",
        "text\n",
    );
    for (local, remote, expected) in [
        // The time of the last change differs on both sides every time.
        (
            memory(
                "name: a\ndescription: two\nmodified: 2026-01-02T00:00:00Z\n",
                "text\n",
            ),
            memory(
                "name: a\ndescription: one\nmodified: 2026-01-03T00:00:00Z\n",
                "text\nmore\n",
            ),
            Some(memory(
                "name: a\ndescription: two\nmodified: 2026-01-03T00:00:00Z\n",
                "text\nmore\n",
            )),
        ),
        // Neighbouring fields, which diff3 would call a conflict.
        (
            memory(
                "name: b\ndescription: one\nmodified: 2026-01-01T00:00:00Z\n",
                "text\n",
            ),
            memory(
                "name: a\ndescription: two\nmodified: 2026-01-01T00:00:00Z\n",
                "text\n",
            ),
            Some(memory(
                "name: b\ndescription: two\nmodified: 2026-01-01T00:00:00Z\n",
                "text\n",
            )),
        ),
        // Fields that were added and taken out, nested ones too.
        (
            memory(
                "name: a\ndescription: one\nmetadata:\n  k: v\nmodified: 2026-01-01T00:00:00Z\n",
                "text\n",
            ),
            memory(
                "name: a\nmodified: 2026-01-01T00:00:00Z\ntype: user\n",
                "text\n",
            ),
            Some(memory(
                "name: a\nmodified: 2026-01-01T00:00:00Z\ntype: user\nmetadata:\n  k: v\n",
                "text\n",
            )),
        ),
        // One field, two values.
        (
            memory(
                "name: a\ndescription: two\nmodified: 2026-01-01T00:00:00Z\n",
                "text\n",
            ),
            memory(
                "name: a\ndescription: three\nmodified: 2026-01-01T00:00:00Z\n",
                "text\n",
            ),
            None,
        ),
    ] {
        check(Some(&base), &local, &remote, expected.as_deref());
    }
}

#[test]
fn an_index_merges_line_by_line_and_never_conflicts() {
    for (base, local, remote, expected) in [
        (
            "- a\n- b\n",
            "- a\n- b\n- c\n",
            "- a\n- b\n- d\n",
            "- a\n- b\n- c\n- d\n",
        ),
        ("- a\n- b\n", "- b\n", "- a\n", ""),
        (
            "- a\n- b\n",
            "- b\n- c\n",
            "- a\n- b\n- d\n",
            "- b\n- c\n- d\n",
        ),
        ("- a\n", "- a2\n", "- a3\n", "- a2\n- a3\n"),
        ("", "- a\n", "- b\n", "- a\n- b\n"),
        (
            "# Index\n\n- a\n",
            "# Index\n\n- a\n- b\n",
            "# Index\n\n## Old\n\n- a\n",
            "# Index\n\n## Old\n\n- a\n- b\n",
        ),
    ] {
        let merged = merge(Some(base), local, remote, true);
        assert_eq!(merged.text, expected, "{base:?} {local:?} {remote:?}");
        assert_eq!(merged.conflict, None);
    }
}

#[test]
fn texts_with_too_many_changed_lines_are_a_conflict_at_once() {
    let lines = |salt: usize| {
        let line = |at: usize| (at * 7 + salt).to_string();
        (0..60_000).map(line).collect::<Vec<String>>().join("\n")
    };
    let (base, local, remote) = (lines(0), lines(1), lines(2));
    assert_eq!(
        merge(Some(&base), &local, &remote, false).conflict,
        Some(remote)
    );
}

fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        6 => "[a-e]{1,2}\n",
        1 => Just("---\n".to_owned()),
        1 => "[a-c]: [x-z]\n",
        1 => Just("\n".to_owned()),
        1 => "[<>=|]{5,12}\n",
    ];
    (proptest::collection::vec(line, 0..12), any::<bool>()).prop_map(|(lines, end)| {
        let text = lines.concat();
        if end {
            text
        } else {
            text.trim_end_matches('\n').to_owned()
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_line_that_somebody_wrote_is_lost(base in text(), local in text(), remote in text(), index: bool) {
        let merged = merge(Some(&base), &local, &remote, index);
        let kept: Vec<&str> = merged.text.lines()
            .chain(merged.conflict.as_deref().unwrap_or_default().lines())
            .collect();
        let known: Vec<&str> = base.lines().collect();
        for line in local.lines().chain(remote.lines()) {
            // Where blank lines go in an index is nobody's work.
            let nothing = index && line.is_empty();
            prop_assert!(nothing || known.contains(&line) || kept.contains(&line), "{line:?} lost in {merged:?}");
        }
    }

    #[test]
    fn one_sided_changes_are_taken_as_they_are(base in text(), other in text(), index: bool) {
        prop_assert_eq!(merge(Some(&base), &base, &other, index).text, other.clone());
        prop_assert_eq!(merge(Some(&base), &other, &base, index).text, other.clone());
        prop_assert_eq!(merge(Some(&base), &other, &other, index).text, other);
    }

    #[test]
    fn merging_again_changes_nothing(base in text(), local in text(), remote in text(), index: bool) {
        let merged = merge(Some(&base), &local, &remote, index);
        if merged.conflict.is_some() {
            return Ok(());
        }
        let again = merge(Some(&remote), &merged.text, &remote, index);
        prop_assert_eq!(again.text, merged.text);
    }
}
