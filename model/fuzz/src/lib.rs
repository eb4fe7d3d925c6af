//! What the targets do with their input; the stable replay test includes this file.

use agent_model::{
    AnswerSchema, AnthropicModel, Block, CommandModel, CommandOutput, Message, OpenAiModel, Reply,
    Request, Tool, check_schema,
};
use serde_json::{Value, json};

/// Reads bytes as the answer of every back end; whatever is read can be written and read again.
///
/// # Panics
///
/// When it cannot.
pub fn replies(data: &[u8]) {
    if let Ok(reply) = AnthropicModel::parse_reply(data) {
        round_trip(reply);
    }
    if let Ok(reply) = OpenAiModel::parse_reply(data) {
        round_trip(reply);
    }
    let schema = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
    let plain = Request::new(vec![Message::user("x")]);
    let tools = plain
        .clone()
        .with_tools(vec![Tool::new("FileWrite", "", schema)]);
    for request in [plain, tools] {
        for output in [CommandOutput::Text, CommandOutput::ClaudeJson] {
            if let Ok(reply) = CommandModel::parse_output(output, data, &request) {
                round_trip(reply);
            }
        }
    }
}

fn round_trip(reply: Reply) {
    let message = reply.into_message();
    let back = Message::from_json(message.to_json());
    assert!(
        back.as_ref() == Some(&message),
        "a message reads back as itself"
    );
    for block in &message.content {
        assert!(Block::from_json(block.to_json()) == *block);
    }
}

/// Looks for an answer in text, and checks that what is found fulfils the schema. The input is a schema
/// and a text, parted by the first line break.
///
/// # Panics
///
/// When it does not.
pub fn answers(data: &[u8]) {
    let Ok(input) = std::str::from_utf8(data) else {
        return;
    };
    let (schema, text) = input.split_once('\n').unwrap_or(("{}", input));
    let Ok(schema) = serde_json::from_str::<Value>(schema) else {
        return;
    };
    let answer = Reply::text_only(text).answer(&AnswerSchema::new("a", schema.clone()));
    if let Ok(value) = answer {
        assert!(value.is_object());
        assert!(check_schema(&schema, &value).is_ok());
    }
}
