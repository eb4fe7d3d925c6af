//! A small check of JSON values against JSON Schema, and the forms that providers accept.

use std::fmt;

use serde_json::Value;

/// How deep a schema is followed; deeper levels are taken as fulfilled.
pub const MAX_SCHEMA_DEPTH: usize = 32;

/// Where a value breaks its schema. Names keys and types, never the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaMismatch {
    /// Where, as a JSON pointer; empty for the top. Keys that the schema does not name are shown as `?`.
    pub path: String,
    /// What the schema asks for there.
    pub expected: String,
}

impl fmt::Display for SchemaMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.path.is_empty() {
            "the top level"
        } else {
            &self.path
        };
        write!(f, "{place}: expected {}", self.expected)
    }
}

/// Checks a value against a schema.
///
/// Checked are `type`, `enum`, `const`, `properties`, `required`, `additionalProperties`, `items`,
/// `minItems`, `maxItems`, `minLength`, `maxLength`, `minimum`, `maximum`, `anyOf` and `oneOf` (the
/// latter as `anyOf`). Every other keyword counts as fulfilled: a host that needs more checks more.
///
/// # Errors
///
/// The first place that does not fit.
///
/// ```
/// use agent_model::check_schema;
/// use serde_json::json;
///
/// let schema = json!({ "type": "object", "required": ["name"] });
/// assert!(check_schema(&schema, &json!({ "name": "x" })).is_ok());
/// let mismatch = check_schema(&schema, &json!({})).unwrap_err();
/// assert_eq!(mismatch.to_string(), "the top level: expected the key `name`");
/// ```
pub fn check_schema(schema: &Value, value: &Value) -> Result<(), SchemaMismatch> {
    check(schema, value, &mut Vec::new())
}

fn check(schema: &Value, value: &Value, path: &mut Vec<String>) -> Result<(), SchemaMismatch> {
    let (Some(rules), true) = (schema.as_object(), path.len() < MAX_SCHEMA_DEPTH) else {
        // `false` is the schema that nothing fulfils.
        return match schema {
            Value::Bool(false) => Err(mismatch(path, "nothing")),
            _ => Ok(()),
        };
    };
    for (keyword, rule) in rules {
        match keyword.as_str() {
            "type" => check_type(rule, value, path)?,
            "enum" => {
                let allowed = rule.as_array().is_none_or(|all| all.contains(value));
                require(allowed, path, "one of the listed values")?;
            }
            "const" => require(rule == value, path, "the fixed value")?,
            "anyOf" | "oneOf" => {
                let alternatives = rule.as_array().map_or(&[][..], Vec::as_slice);
                let fits = |one: &Value| check(one, value, &mut path.clone()).is_ok();
                let any = alternatives.is_empty() || alternatives.iter().any(fits);
                require(any, path, "one of the alternatives")?;
            }
            "required" => {
                let Some(object) = value.as_object() else {
                    continue;
                };
                let names = rule.as_array().into_iter().flatten();
                for name in names.filter_map(Value::as_str) {
                    let expected = format!("the key `{name}`");
                    require(object.contains_key(name), path, &expected)?;
                }
            }
            "properties" => {
                for (name, rule) in rule.as_object().into_iter().flatten() {
                    if let Some(inner) = value.get(name) {
                        nested(rule, inner, name, path)?;
                    }
                }
            }
            "additionalProperties" => check_additional(rules, rule, value, path)?,
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    nested(rule, item, &index.to_string(), path)?;
                }
            }
            _ => check_size(keyword, rule, value, path)?,
        }
    }
    Ok(())
}

fn nested(
    rule: &Value,
    value: &Value,
    name: &str,
    path: &mut Vec<String>,
) -> Result<(), SchemaMismatch> {
    path.push(name.to_owned());
    check(rule, value, path)?;
    path.pop();
    Ok(())
}

fn check_type(rule: &Value, value: &Value, path: &[String]) -> Result<(), SchemaMismatch> {
    let fits = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(is_whole),
        _ => true,
    };
    match rule {
        Value::String(name) => require(fits(name), path, name),
        Value::Array(names) => {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            require(
                names.iter().any(|name| fits(name)),
                path,
                &names.join(" or "),
            )
        }
        _ => Ok(()),
    }
}

fn is_whole(number: f64) -> bool {
    number.is_finite() && number.fract() == 0.0
}

fn check_additional(
    rules: &serde_json::Map<String, Value>,
    rule: &Value,
    value: &Value,
    path: &mut Vec<String>,
) -> Result<(), SchemaMismatch> {
    let known = rules.get("properties").and_then(Value::as_object);
    for (name, inner) in value.as_object().into_iter().flatten() {
        if known.is_some_and(|known| known.contains_key(name)) {
            continue;
        }
        require(
            rule != &Value::Bool(false),
            path,
            "no other keys than those listed",
        )?;
        // The model chose this key, so it is content and is not shown.
        nested(rule, inner, "?", path)?;
    }
    Ok(())
}

fn check_size(
    keyword: &str,
    rule: &Value,
    value: &Value,
    path: &[String],
) -> Result<(), SchemaMismatch> {
    let Some(limit) = rule.as_f64() else {
        return Ok(());
    };
    let items = value.as_array().map(|items| items.len() as f64);
    let length = value.as_str().map(|text| text.chars().count() as f64);
    let number = value.as_f64();
    let holds = match keyword {
        "minItems" => items.is_none_or(|n| n >= limit),
        "maxItems" => items.is_none_or(|n| n <= limit),
        "minLength" => length.is_none_or(|n| n >= limit),
        "maxLength" => length.is_none_or(|n| n <= limit),
        "minimum" => number.is_none_or(|n| n >= limit),
        "maximum" => number.is_none_or(|n| n <= limit),
        _ => true,
    };
    require(holds, path, &format!("{keyword} {limit}"))
}

fn require(holds: bool, path: &[String], expected: &str) -> Result<(), SchemaMismatch> {
    if holds {
        Ok(())
    } else {
        Err(mismatch(path, expected))
    }
}

fn mismatch(path: &[String], expected: &str) -> SchemaMismatch {
    SchemaMismatch {
        path: path.iter().flat_map(|name| ["/", name]).collect(),
        expected: expected.to_owned(),
    }
}

/// Keywords that the structured output of the Messages API refuses.
const REFUSED_BY_ANTHROPIC: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
];

/// Returns the schema as the Messages API takes it: closed objects, and none of the keywords that it
/// refuses. The reply is checked against the full schema afterwards.
#[cfg_attr(
    not(feature = "anthropic"),
    allow(dead_code, reason = "one back end uses it")
)]
pub(crate) fn for_anthropic(schema: &Value) -> Value {
    close(schema, 0)
}

fn close(schema: &Value, depth: usize) -> Value {
    match schema {
        Value::Object(rules) if depth < MAX_SCHEMA_DEPTH => {
            let mut kept = serde_json::Map::new();
            for (keyword, rule) in rules {
                let keep = match keyword.as_str() {
                    "minItems" => rule.as_u64().is_some_and(|n| n <= 1),
                    word => !REFUSED_BY_ANTHROPIC.contains(&word),
                };
                if !keep {
                    continue;
                }
                let rule = match keyword.as_str() {
                    "properties" | "$defs" | "definitions" => close_each(rule, depth),
                    "items" | "anyOf" | "oneOf" | "allOf" => close(rule, depth + 1),
                    _ => rule.clone(),
                };
                kept.insert(keyword.clone(), rule);
            }
            if is_object_schema(rules) {
                kept.insert("additionalProperties".into(), false.into());
            }
            Value::Object(kept)
        }
        Value::Array(list) => list.iter().map(|one| close(one, depth + 1)).collect(),
        other => other.clone(),
    }
}

/// In `properties` the keys are names of the caller's, not keywords.
fn close_each(rule: &Value, depth: usize) -> Value {
    let each = rule.as_object().into_iter().flatten();
    let closed = each.map(|(name, rule)| (name.clone(), close(rule, depth + 1)));
    Value::Object(closed.collect())
}

fn is_object_schema(rules: &serde_json::Map<String, Value>) -> bool {
    rules.get("type").and_then(Value::as_str) == Some("object") || rules.contains_key("properties")
}

/// Tells whether OpenAI's strict mode takes the schema: every object is closed and requires all it names.
#[cfg_attr(
    not(feature = "openai"),
    allow(dead_code, reason = "one back end uses it")
)]
pub(crate) fn is_strict(schema: &Value) -> bool {
    strict(schema, 0)
}

fn strict(schema: &Value, depth: usize) -> bool {
    let Some(rules) = schema.as_object().filter(|_| depth < MAX_SCHEMA_DEPTH) else {
        return true;
    };
    if is_object_schema(rules) {
        let properties = rules.get("properties").and_then(Value::as_object);
        let required = rules.get("required").and_then(Value::as_array);
        let all_required = properties.into_iter().flatten().all(|(name, _)| {
            required.is_some_and(|all| all.iter().any(|one| one.as_str() == Some(name)))
        });
        if rules.get("additionalProperties") != Some(&Value::Bool(false)) || !all_required {
            return false;
        }
    }
    let properties = rules.get("properties").and_then(Value::as_object);
    let named = properties.into_iter().flatten().map(|(_, rule)| rule);
    let lists = ["anyOf", "oneOf", "allOf"]
        .iter()
        .filter_map(|word| rules.get(*word));
    let listed = lists.filter_map(Value::as_array).flatten();
    named
        .chain(rules.get("items"))
        .chain(listed)
        .all(|inner| strict(inner, depth + 1))
}
