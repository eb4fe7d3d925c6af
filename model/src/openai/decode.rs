//! A reply as a chat completion.

use serde::Deserialize;
use serde_json::Value;

use crate::error::Error;
use crate::message::{Block, ToolUse};
use crate::reply::{Reply, StopReason, Usage};

#[derive(Deserialize)]
struct Form {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    model: Option<String>,
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<UsageForm>,
}

#[derive(Deserialize)]
struct Choice {
    message: MessageForm,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct MessageForm {
    #[serde(default)]
    content: Option<Value>,
    #[serde(default)]
    refusal: Option<String>,
    /// DeepSeek, vLLM and llama.cpp write the first name, Ollama and others the second.
    #[serde(default, alias = "reasoning")]
    reasoning_content: Option<Value>,
    #[serde(default)]
    tool_calls: Option<Vec<CallForm>>,
}

#[derive(Deserialize)]
struct CallForm {
    #[serde(default)]
    id: Option<String>,
    function: FunctionForm,
}

#[derive(Deserialize)]
struct FunctionForm {
    name: String,
    /// A string with JSON in it; some servers write the object itself.
    #[serde(default)]
    arguments: Value,
}

#[derive(Deserialize, Default)]
struct UsageForm {
    #[serde(default)]
    prompt_tokens: Option<u64>,
    #[serde(default)]
    completion_tokens: Option<u64>,
    #[serde(default)]
    prompt_tokens_details: Option<PromptDetails>,
}

#[derive(Deserialize, Default)]
struct PromptDetails {
    #[serde(default)]
    cached_tokens: Option<u64>,
}

/// Reads a reply.
pub(crate) fn reply(body: &[u8]) -> Result<Reply, Error> {
    let form: Form = serde_json::from_slice(body).map_err(|error| Error::not_a_reply(&error))?;
    let Some(choice) = form.choices.into_iter().next() else {
        return Err(Error::bad_answer("it has no choices"));
    };
    let refused = choice.message.refusal.is_some();
    let mut reply = Reply::new(blocks(choice.message));
    let calls = reply.stop == StopReason::ToolUse;
    if let Some(word) = choice.finish_reason {
        reply.stop = stop_reason(&word, calls);
    }
    if refused {
        reply.stop = StopReason::Refusal;
    }
    let usage = form.usage.unwrap_or_default();
    let details = usage.prompt_tokens_details.unwrap_or_default();
    let cached = details.cached_tokens.unwrap_or(0);
    // `prompt_tokens` counts the cached ones too.
    let input = usage.prompt_tokens.unwrap_or(0).saturating_sub(cached);
    let output = usage.completion_tokens.unwrap_or(0);
    reply.usage = Usage::new(input, output).with_cache(cached, 0);
    reply.id = form.id;
    reply.model = form.model;
    Ok(reply)
}

fn blocks(message: MessageForm) -> Vec<Block> {
    let mut blocks = Vec::new();
    let thinking = |text: &str| Block::Thinking {
        text: text.to_owned(),
        signature: None,
    };
    if let Some(Value::String(text)) = &message.reasoning_content
        && !text.is_empty()
    {
        blocks.push(thinking(text));
    }
    let text = content_text(message.content);
    let (thought, said) = split_thoughts(&text);
    if let Some(thought) = thought {
        blocks.push(thinking(thought));
    }
    if !said.trim().is_empty() {
        blocks.push(Block::Text(said.to_owned()));
    }
    if let Some(refusal) = message.refusal.filter(|text| !text.is_empty()) {
        blocks.push(Block::Text(refusal));
    }
    let calls = message.tool_calls.into_iter().flatten().enumerate();
    blocks.extend(calls.map(|(index, call)| {
        // Ollama once left the id out.
        let id = call.id.filter(|id| !id.is_empty());
        let id = id.unwrap_or_else(|| format!("call_{index}"));
        Block::ToolUse(ToolUse::new(
            id,
            call.function.name,
            arguments(call.function.arguments),
        ))
    }));
    blocks
}

fn content_text(content: Option<Value>) -> String {
    match content {
        Some(Value::String(text)) => text,
        Some(Value::Array(parts)) => {
            let texts: Vec<&str> = parts
                .iter()
                .filter_map(|part| part["text"].as_str())
                .collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

/// Local servers without a reasoning parser leave the thoughts in the text, between these tags.
fn split_thoughts(text: &str) -> (Option<&str>, &str) {
    let Some(rest) = text.trim_start().strip_prefix("<think>") else {
        return (None, text);
    };
    match rest.split_once("</think>") {
        Some((thought, said)) => (Some(thought.trim()), said.trim_start()),
        // The output limit came first: all of it is thought.
        None => (Some(rest.trim()), ""),
    }
}

fn arguments(value: Value) -> Value {
    match value {
        Value::String(text) if text.trim().is_empty() => Value::Object(serde_json::Map::new()),
        Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        Value::Null => Value::Object(serde_json::Map::new()),
        other => other,
    }
}

fn stop_reason(word: &str, calls: bool) -> StopReason {
    match word {
        // Some servers say `stop` although they call.
        "stop" if calls => StopReason::ToolUse,
        "stop" => StopReason::EndTurn,
        "length" => StopReason::MaxTokens,
        "tool_calls" | "function_call" => StopReason::ToolUse,
        "content_filter" => StopReason::Refusal,
        _ => StopReason::Other(word.chars().take(64).collect()),
    }
}
