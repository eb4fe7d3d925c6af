//! What is written into a session file holds no credential, whoever said or printed it.

use std::borrow::Cow;

use agent_model::{Block, Message, ResultPart};
use serde_json::Value;
use session_memory::Entry;

/// Takes credentials out of entries. Entries without one stay as they are.
pub(super) fn redact(entries: &mut [Entry]) {
    for entry in entries {
        match entry {
            Entry::Instruction(message) | Entry::Message(message) | Entry::Summary(message) => {
                in_message(message);
            }
            _ => {}
        }
    }
}

fn in_message(message: &mut Message) {
    for block in &mut message.content {
        match block {
            Block::Text(text) => replace(text),
            Block::ToolUse(call) => in_value(&mut call.input),
            Block::ToolResult(result) => {
                for part in &mut result.content {
                    if let ResultPart::Text(text) = part {
                        replace(text);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The strings in a JSON value. Its depth is that of a parsed line, which `serde_json` bounds.
fn in_value(value: &mut Value) {
    match value {
        Value::String(text) => replace(text),
        Value::Array(values) => values.iter_mut().for_each(in_value),
        Value::Object(fields) => fields.values_mut().for_each(in_value),
        _ => {}
    }
}

fn replace(text: &mut String) {
    if let Cow::Owned(redacted) = secret_scan::redact(text) {
        *text = redacted;
    }
}
