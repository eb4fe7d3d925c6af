//! What a program printed, as a reply.

use serde::Deserialize;
use serde_json::Value;

use super::prompt::Expected;
use super::spec::CommandOutput;
use crate::error::{Error, ErrorKind};
use crate::message::{Block, ToolUse};
use crate::reply::{Reply, Usage};
use crate::usage_form::UsageForm;

/// More operations than this in one answer are refused.
pub const MAX_OPERATIONS: usize = 64;

/// Reads what a program printed.
pub(super) fn reply(
    output: CommandOutput,
    printed: &[u8],
    expected: &Expected,
) -> Result<Reply, Error> {
    let printed = std::str::from_utf8(printed).map_err(|_| Error::bad_answer("it is not UTF-8"))?;
    let (text, usage) = match output {
        CommandOutput::Text => (printed.trim().to_owned(), Usage::default()),
        CommandOutput::ClaudeJson => claude(printed)?,
    };
    let plain = Reply::text_only(text).with_usage(usage);
    let Expected::Operations(schema) = expected else {
        return Ok(plain);
    };
    let answer = plain.answer(schema)?;
    let listed = answer["operations"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    if listed.len() > MAX_OPERATIONS {
        let detail = format!("{} operations, at most {MAX_OPERATIONS}", listed.len());
        return Err(Error::bad_answer(detail));
    }
    let mut content = Vec::new();
    let said = answer["text"].as_str().unwrap_or_default();
    if !said.trim().is_empty() {
        content.push(Block::Text(said.to_owned()));
    }
    let calls = listed.iter().enumerate().map(|(index, operation)| {
        let name = operation["tool"].as_str().unwrap_or_default();
        let id = format!("op_{}", index + 1);
        Block::ToolUse(ToolUse::new(id, name, operation["input"].clone()))
    });
    content.extend(calls);
    Ok(Reply::new(content).with_usage(usage))
}

#[derive(Deserialize)]
struct ResultForm {
    #[serde(default)]
    is_error: Option<bool>,
    #[serde(default)]
    subtype: Option<String>,
    #[serde(default)]
    result: Option<String>,
    #[serde(default)]
    structured_output: Option<Value>,
    #[serde(default)]
    usage: Option<UsageForm>,
}

fn claude(printed: &str) -> Result<(String, Usage), Error> {
    let value: Value = serde_json::from_str(printed).map_err(|error| Error::not_a_reply(&error))?;
    let value = match value {
        Value::Array(list) => list
            .into_iter()
            .rfind(|one| one["type"] == "result")
            .unwrap_or(Value::Null),
        other => other,
    };
    if value["type"] != "result" {
        return Err(Error::bad_answer("it holds no result"));
    }
    let form = ResultForm::deserialize(value).map_err(|error| Error::not_a_reply(&error))?;
    if form.is_error == Some(true) {
        // The text may quote the prompt; the subtype is a word.
        let error = Error::new(ErrorKind::Command, "it reports an error");
        return Err(error.with_code(form.subtype.as_deref()));
    }
    let usage = form.usage.unwrap_or_default().into();
    let text = match (form.structured_output, form.result) {
        (Some(Value::Null) | None, result) => result,
        (Some(value), _) => Some(value.to_string()),
    };
    let text = text.ok_or_else(|| Error::bad_answer("it holds no result"))?;
    Ok((text, usage))
}
