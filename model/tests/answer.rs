//! Answers of a shape, found in what a model wrote.

use agent_model::{AnswerSchema, Block, ErrorKind, Reply, StopReason};
use proptest::prelude::*;
use serde_json::json;

fn schema() -> AnswerSchema {
    AnswerSchema::new(
        "pick",
        json!({
            "type": "object",
            "properties": { "n": { "type": "integer" } },
            "required": ["n"],
            "additionalProperties": false,
        }),
    )
}

#[test]
fn the_object_is_found_wherever_a_model_puts_it() {
    let cases = [
        (r#"{"n":1}"#, 1),
        ("\n  {\"n\": 2}\n", 2),
        (
            "Sure! Here you are:\n```json\n{\"n\": 3}\n```\nAnything else?",
            3,
        ),
        (r#"The set {a, b} is small. {"n": 4}"#, 4),
        (r#"{"wrong": 1} then {"n": 5}"#, 5),
        (r#"{"n": 6} {"n": 7}"#, 6),
        ("{{{\"n\": 8}", 8),
        (r#"[{"n": 9}]"#, 9),
        (r#"{"n": "text"} {"n": 10}"#, 10),
        ("日本語 {\"n\": 11} 。", 11),
    ];
    for (text, n) in cases {
        let answer = Reply::text_only(text).answer(&schema()).unwrap();
        assert_eq!(answer["n"], n, "{text}");
    }
}

#[test]
fn an_object_inside_another_is_not_taken_for_the_answer() {
    let error = Reply::text_only(r#"{"outer": {"n": 1}}"#)
        .answer(&schema())
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadAnswer);
}

#[test]
fn without_an_answer_the_error_says_why_and_quotes_nothing() {
    let cases = [
        ("private prose", "there is no JSON object in it"),
        (
            r#"{"n": "private"}"#,
            "does not match its schema at /n: expected integer",
        ),
        (r#"{"n": 1"#, "there is no JSON object in it"),
        ("", "there is no JSON object in it"),
    ];
    for (text, reason) in cases {
        let error = Reply::text_only(text).answer(&schema()).unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(shown.contains(reason), "{shown}");
        assert!(!shown.contains("private"), "{shown}");
    }
    let cut = Reply::text_only("{").with_stop(StopReason::MaxTokens);
    assert!(
        cut.answer(&schema())
            .unwrap_err()
            .to_string()
            .contains("stop reason max_tokens")
    );
    let odd = Reply::text_only("{").with_stop(StopReason::Other("server prose".into()));
    assert!(
        !odd.answer(&schema())
            .unwrap_err()
            .to_string()
            .contains("prose")
    );
}

#[test]
fn only_text_blocks_are_searched() {
    let reply = Reply::new(vec![
        Block::Thinking {
            text: r#"{"n": 1}"#.into(),
            signature: None,
        },
        Block::Text(r#"{"n": 2}"#.into()),
    ]);
    assert_eq!(reply.answer(&schema()).unwrap()["n"], 2);
}

#[test]
fn hostile_text_ends_soon() {
    let unclosed = r#"{"a":""#.repeat(200_000);
    let nested = r#"{"a":"#.repeat(200_000);
    let many = "{".repeat(5_000_000);
    for text in [unclosed, nested, many] {
        assert!(Reply::text_only(text).answer(&schema()).is_err());
    }
}

proptest! {
    #[test]
    fn an_answer_survives_any_wrapping(before in "[^{]{0,40}", after in ".{0,40}", n: i32) {
        let text = format!("{before}{{\"n\":{n}}}{after}");
        prop_assert_eq!(&Reply::text_only(text).answer(&schema()).unwrap()["n"], n);
    }

    #[test]
    fn no_text_makes_the_search_panic(text in ".{0,300}") {
        let _ = Reply::text_only(text).answer(&schema());
    }
}
