//! Checks real output against the schemas in `docs/schemas`.

use serde_json::Value;

use crate::harness::Run;

/// Asserts that every line of standard output has the shape of the schema, and that there is one.
#[track_caller]
pub(crate) fn check(schema: &str, run: &Run) {
    let schema: Value = serde_json::from_str(schema).expect("a JSON schema");
    let lines = run.json();
    assert!(!lines.is_empty(), "nothing was printed: {}", run.err);
    for line in &lines {
        if let Err(problem) = fits(&schema, line, "line") {
            panic!("{problem}\nin {line}");
        }
    }
}

/// Asserts that a value has the shape of a schema.
#[track_caller]
pub(crate) fn check_value(schema: &Value, value: &Value) {
    if let Err(problem) = fits(schema, value, "value") {
        panic!("{problem}\nin {value}");
    }
}

/// Knows the keywords that our schemas use; another one is an error, so that nothing in a schema goes
/// unchecked.
fn fits(schema: &Value, value: &Value, place: &str) -> Result<(), String> {
    for (keyword, wanted) in schema.as_object().ok_or("a schema is an object")? {
        let is_met = match keyword.as_str() {
            "$schema" | "title" | "description" => true,
            "type" => match wanted {
                Value::Array(types) => types.iter().any(|one| is_of_type(value, one)),
                one => is_of_type(value, one),
            },
            "enum" => wanted.as_array().is_some_and(|all| all.contains(value)),
            "minimum" => value.as_f64() >= wanted.as_f64(),
            // What holds for the parts of an object says nothing about null.
            "required" | "properties" | "additionalProperties" | "items" if value.is_null() => true,
            "required" => {
                let mut names = wanted.as_array().into_iter().flatten();
                names.all(|name| value.get(name.as_str().unwrap_or_default()).is_some())
            }
            "additionalProperties" => {
                let known = &schema["properties"];
                let mut keys = value.as_object().into_iter().flatten();
                keys.all(|(key, _)| known.get(key).is_some())
            }
            "properties" => {
                for (key, inner) in wanted.as_object().into_iter().flatten() {
                    if let Some(part) = value.get(key) {
                        fits(inner, part, &format!("{place}.{key}"))?;
                    }
                }
                true
            }
            "items" => {
                for (number, part) in value.as_array().into_iter().flatten().enumerate() {
                    fits(wanted, part, &format!("{place}[{number}]"))?;
                }
                true
            }
            other => return Err(format!("the keyword {other} is not known here")),
        };
        if !is_met {
            return Err(format!("{place} breaks {keyword}: {wanted}"));
        }
    }
    Ok(())
}

fn is_of_type(value: &Value, name: &Value) -> bool {
    match name.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        _ => false,
    }
}
