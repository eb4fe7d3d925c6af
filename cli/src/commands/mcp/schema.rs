//! Checks the arguments of a call against the schema that was promised for them.
//!
//! The words name the parameter and what it should be, and never the value: it may be a credential.

use serde_json::{Map, Value};

/// Says what is wrong with the arguments.
pub(super) fn check(schema: &Value, arguments: &Map<String, Value>) -> Result<(), String> {
    let known = &schema["properties"];
    for required in schema["required"].as_array().into_iter().flatten() {
        let name = required.as_str().unwrap_or_default();
        if !arguments.contains_key(name) {
            return Err(format!("`{name}` is missing."));
        }
    }
    for (name, value) in arguments {
        let Some(part) = known.get(name) else {
            let names: Vec<&str> = known
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, _)| name.as_str())
                .collect();
            let name: String = name.chars().take(40).collect();
            return Err(match names.as_slice() {
                [] => format!("`{name}` is no parameter: this tool takes none."),
                names => format!("`{name}` is no parameter; there are {}.", names.join(", ")),
            });
        };
        fits(part, value).map_err(|wanted| format!("`{name}` must be {wanted}."))?;
    }
    Ok(())
}

/// Whether a value fits; else what is wanted.
fn fits(part: &Value, value: &Value) -> Result<(), String> {
    if let Some(choices) = part["enum"].as_array() {
        if choices.contains(value) {
            return Ok(());
        }
        let choices: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
        return Err(format!("one of {}", choices.join(", ")));
    }
    match part["type"].as_str() {
        Some("string") => {
            let (least, most) = (
                bound(part, "minLength", 0),
                bound(part, "maxLength", u64::MAX),
            );
            let length = value.as_str().map(|text| text.chars().count() as u64);
            match length {
                Some(length) if (least..=most).contains(&length) => Ok(()),
                _ => Err(format!("a string of {least} to {most} characters")),
            }
        }
        Some("integer") => {
            let (least, most) = (bound(part, "minimum", 0), bound(part, "maximum", u64::MAX));
            match value.as_u64() {
                Some(number) if (least..=most).contains(&number) => Ok(()),
                _ => Err(format!("a whole number from {least} to {most}")),
            }
        }
        Some("boolean") if value.is_boolean() => Ok(()),
        Some("boolean") => Err("true or false".to_owned()),
        Some("array") => {
            let most = bound(part, "maxItems", u64::MAX);
            match value.as_array() {
                Some(items) if items.len() as u64 <= most => items
                    .iter()
                    .try_for_each(|item| fits(&part["items"], item))
                    .map_err(|wanted| format!("a list; each part {wanted}")),
                _ => Err(format!("a list of at most {most}")),
            }
        }
        _ => Err("of a type that this server knows".to_owned()),
    }
}

fn bound(part: &Value, name: &str, default: u64) -> u64 {
    part[name].as_u64().unwrap_or(default)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::check;
    use crate::commands::mcp::tools::Tool;

    #[test]
    fn arguments_that_do_not_fit_are_named_and_not_repeated() {
        let table = [
            (Tool::Recall, json!({}), "`query` is missing."),
            (Tool::Recall, json!({"query": 7}), "a string of 1 to 8000"),
            (Tool::Recall, json!({"query": ""}), "a string of 1 to 8000"),
            (
                Tool::Recall,
                json!({"query": "a", "limit": 6}),
                "from 1 to 5",
            ),
            (
                Tool::Recall,
                json!({"query": "a", "limit": 1.5}),
                "from 1 to 5",
            ),
            (
                Tool::Recall,
                json!({"query": "a", "surfaced": [1]}),
                "each part a string",
            ),
            (
                Tool::Recall,
                json!({"query": "a", "shell": "x"}),
                "`shell` is no parameter; there are",
            ),
            (
                Tool::List,
                json!({"type": "secret-value"}),
                "one of user, feedback",
            ),
            (Tool::TeamStatus, json!({"x": 1}), "takes none"),
        ];
        for (tool, arguments, part) in table {
            let arguments = arguments.as_object().expect("an object").clone();
            let said = check(&tool.input(), &arguments).unwrap_err();
            assert!(
                said.contains(part) && !said.contains("secret-value"),
                "{said}"
            );
        }
        let fine = json!({"query": "how do we deploy", "limit": 5, "surfaced": ["a.md"]});
        assert!(check(&Tool::Recall.input(), fine.as_object().expect("an object")).is_ok());
    }
}
