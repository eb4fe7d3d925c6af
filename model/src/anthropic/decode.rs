//! A reply in the form of the Messages API.

use serde::Deserialize;
use serde_json::Value;

use crate::error::Error;
use crate::message::Block;
use crate::reply::{Reply, StopReason};
use crate::usage_form::UsageForm;

#[derive(Deserialize)]
struct Form {
    #[serde(default)]
    id: Option<String>,
    r#type: String,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    content: Vec<Value>,
    #[serde(default)]
    stop_reason: Option<String>,
    #[serde(default)]
    usage: Option<UsageForm>,
}

/// Reads a reply.
pub(crate) fn reply(body: &[u8]) -> Result<Reply, Error> {
    let form: Form = serde_json::from_slice(body).map_err(|error| Error::not_a_reply(&error))?;
    if form.r#type != "message" {
        return Err(Error::bad_answer("it is no message"));
    }
    let content = form.content.into_iter().map(Block::from_json).collect();
    let mut reply = Reply::new(content).with_usage(form.usage.unwrap_or_default().into());
    if let Some(word) = form.stop_reason {
        reply.stop = stop_reason(&word);
    }
    reply.id = form.id;
    reply.model = form.model;
    Ok(reply)
}

fn stop_reason(word: &str) -> StopReason {
    match word {
        "end_turn" => StopReason::EndTurn,
        "max_tokens" => StopReason::MaxTokens,
        "stop_sequence" => StopReason::StopSequence,
        "tool_use" => StopReason::ToolUse,
        "pause_turn" => StopReason::PauseTurn,
        "refusal" => StopReason::Refusal,
        "model_context_window_exceeded" => StopReason::ContextWindowExceeded,
        _ => StopReason::Other(word.chars().take(64).collect()),
    }
}
