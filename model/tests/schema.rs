//! The check of values against schemas.

use agent_model::check_schema;
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn each_checked_keyword_accepts_and_refuses() {
    let cases: &[(Value, Value, Value, &str)] = &[
        (
            json!({ "type": "object" }),
            json!({}),
            json!([]),
            "expected object",
        ),
        (
            json!({ "type": "integer" }),
            json!(3.0),
            json!(3.5),
            "expected integer",
        ),
        (
            json!({ "type": ["string", "null"] }),
            json!(null),
            json!(1),
            "expected string or null",
        ),
        (
            json!({ "enum": ["a", 1] }),
            json!(1),
            json!("b"),
            "one of the listed values",
        ),
        (
            json!({ "const": "a" }),
            json!("a"),
            json!("b"),
            "the fixed value",
        ),
        (
            json!({ "required": ["k"] }),
            json!({ "k": 1 }),
            json!({}),
            "the key `k`",
        ),
        (
            json!({ "minItems": 1 }),
            json!([1]),
            json!([]),
            "minItems 1",
        ),
        (
            json!({ "maxItems": 1 }),
            json!([1]),
            json!([1, 2]),
            "maxItems 1",
        ),
        (
            json!({ "minLength": 2 }),
            json!("äö"),
            json!("ä"),
            "minLength 2",
        ),
        (
            json!({ "maxLength": 2 }),
            json!("äö"),
            json!("äöü"),
            "maxLength 2",
        ),
        (json!({ "minimum": 2 }), json!(2), json!(1.9), "minimum 2"),
        (json!({ "maximum": 2 }), json!(2), json!(3), "maximum 2"),
        (
            json!({ "anyOf": [{ "type": "null" }, { "type": "string" }] }),
            json!("x"),
            json!(1),
            "one of the alternatives",
        ),
        (
            json!({ "oneOf": [{ "const": 1 }] }),
            json!(1),
            json!(2),
            "one of the alternatives",
        ),
        (
            json!({ "items": { "type": "string" } }),
            json!(["a"]),
            json!(["a", 1]),
            "/1: expected string",
        ),
        (
            json!({ "properties": { "a": { "items": { "const": 1 } } } }),
            json!({ "a": [1] }),
            json!({ "a": [1, 2] }),
            "/a/1: expected the fixed value",
        ),
        (
            json!({ "properties": { "a": {} }, "additionalProperties": false }),
            json!({ "a": 1 }),
            json!({ "a": 1, "b": 2 }),
            "no other keys",
        ),
        (
            json!({ "additionalProperties": { "type": "string" } }),
            json!({ "b": "x" }),
            json!({ "b": 1 }),
            "/?: expected string",
        ),
        (json!(true), json!(1), json!(1), ""),
        (json!(false), json!(1), json!(1), "expected nothing"),
    ];
    for (schema, good, bad, reason) in cases {
        if *schema != json!(false) {
            assert!(check_schema(schema, good).is_ok(), "{schema} takes {good}");
        }
        if !reason.is_empty() {
            let mismatch = check_schema(schema, bad).unwrap_err().to_string();
            assert!(mismatch.contains(reason), "{schema}: {mismatch}");
        }
    }
}

#[test]
fn keywords_that_are_not_known_hold() {
    let schema = json!({ "$ref": "#/x", "pattern": "^a", "format": "date", "minItems": "many" });
    assert!(check_schema(&schema, &json!("anything")).is_ok());
}

#[test]
fn what_a_model_wrote_is_not_shown() {
    let schema = json!({ "additionalProperties": { "properties": { "k": { "type": "null" } } } });
    let value = json!({ "private-key-name": { "k": "private value" } });
    let shown = check_schema(&schema, &value).unwrap_err().to_string();
    assert_eq!(shown, "/?/k: expected null");
}

proptest! {
    #[test]
    fn deep_values_and_schemas_end(depth in 0_usize..200) {
        let mut schema = json!({ "type": "string" });
        let mut value = json!(5);
        for _ in 0..depth {
            schema = json!({ "items": schema });
            value = json!([value]);
        }
        let checked = check_schema(&schema, &value);
        prop_assert_eq!(checked.is_err(), depth < agent_model::MAX_SCHEMA_DEPTH);
    }
}
