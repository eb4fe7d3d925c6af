//! Template variables: one pass, unknown names stay, values are never looked at again.

use proptest::prelude::*;
use session_memory::fill_template;

#[track_caller]
fn check(template: &str, expected: &str) {
    let values = [
        ("currentNotes", "has {{notesPath}} and $1 and \\n"),
        ("notesPath", "/a/b.md"),
        ("today", "2026-03-05"),
    ];
    assert_eq!(fill_template(template, &values), expected);
}

#[test]
fn known_names_are_filled_once() {
    check("{{today}}", "2026-03-05");
    check("{{ today }} {{\ttoday\t}}", "2026-03-05 2026-03-05");
    check("{{currentNotes}}", "has {{notesPath}} and $1 and \\n");
    check("{{{today}}}", "{2026-03-05}");
}

#[test]
fn what_is_no_known_name_stays() {
    for text in [
        "",
        "{",
        "{{",
        "{{}}",
        "{{today",
        "{{unknown}}",
        "{{to day}}",
        "}}{{",
        "{{today}",
        "{ {today}}",
        "{{\ntoday}}",
        "$today ${today}",
        "{{TODAY}}",
        "中文{{未知}}",
    ] {
        check(text, text);
    }
}

proptest! {
    #[test]
    fn a_text_without_double_braces_is_never_changed(text in "[^{]*") {
        prop_assert_eq!(fill_template(&text, &[("today", "x")]), text);
    }

    #[test]
    fn a_value_arrives_whole_whatever_it_holds(value in any::<String>()) {
        prop_assert_eq!(fill_template("a{{v}}b", &[("v", &value)]), format!("a{value}b"));
    }
}
