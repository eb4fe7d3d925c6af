//! Reads the arguments of a call, which a model wrote.

use serde_json::{Map, Value};

/// The arguments of a call. What is not asked for is ignored, so that a host's own additions do no harm.
pub(super) struct Arguments<'a>(&'a Map<String, Value>);

impl<'a> Arguments<'a> {
    pub(super) fn new(input: &'a Value) -> Result<Self, String> {
        match input {
            Value::Object(map) => Ok(Self(map)),
            _ => Err("the arguments are no JSON object".to_owned()),
        }
    }

    pub(super) fn text(&self, name: &str) -> Result<&'a str, String> {
        self.optional_text(name)?
            .ok_or_else(|| format!("the argument `{name}` is missing"))
    }

    pub(super) fn optional_text(&self, name: &str) -> Result<Option<&'a str>, String> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(format!("the argument `{name}` should be a string")),
        }
    }

    /// Models write numbers as text now and then; that is no reason to pay for another turn.
    pub(super) fn count(&self, name: &str) -> Result<Option<usize>, String> {
        let number = match self.0.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Number(number)) => number.as_u64(),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(_) => None,
        };
        match number.and_then(|number| usize::try_from(number).ok()) {
            Some(number) => Ok(Some(number)),
            None => Err(format!(
                "the argument `{name}` should be a number from 0 up"
            )),
        }
    }

    pub(super) fn flag(&self, name: &str) -> Result<bool, String> {
        Ok(self.optional_flag(name)?.unwrap_or(false))
    }

    pub(super) fn optional_flag(&self, name: &str) -> Result<Option<bool>, String> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(Value::String(text)) if text == "true" => Ok(Some(true)),
            Some(Value::String(text)) if text == "false" => Ok(Some(false)),
            Some(_) => Err(format!("the argument `{name}` should be true or false")),
        }
    }
}
