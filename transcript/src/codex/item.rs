//! A response item as blocks.

use agent_model::{Block, Image, ResultPart, Role, ToolResult, ToolUse};
use serde_json::Value;

use super::line::{OutputForm, PartForm, PayloadForm};
use crate::blocks::Reading;
use crate::origin::{Origin, spoken};
use crate::reader::At;
use crate::scan::{self, Content};

/// What a response item is.
pub(super) enum Item {
    /// A message, a call, a result or a thought.
    Said(Role, Vec<Block>, Origin),
    /// One of these, without what it needs.
    Empty,
    /// A type that is not known.
    Unknown,
}

/// Reads an item.
pub(super) fn read(reading: &mut Reading<'_>, payload: &mut PayloadForm<'_>, at: At) -> Item {
    let item = match payload.kind.as_str() {
        Some("message") => message(reading, payload),
        Some("reasoning") => reasoning(reading, payload).map(by_model),
        Some("function_call" | "custom_tool_call") => call(payload).map(by_model),
        Some("local_shell_call" | "web_search_call") => action(reading, payload, at).map(by_model),
        Some("function_call_output" | "custom_tool_call_output" | "local_shell_call_output") => {
            output(reading, payload)
                .map(|result| Item::Said(Role::User, vec![Block::ToolResult(result)], Origin::Tool))
        }
        _ => return Item::Unknown,
    };
    item.unwrap_or(Item::Empty)
}

fn by_model(block: Block) -> Item {
    Item::Said(Role::Assistant, vec![block], Origin::Assistant)
}

fn message(reading: &mut Reading<'_>, payload: &mut PayloadForm<'_>) -> Option<Item> {
    let content = parts(reading, std::mem::take(&mut payload.content))?;
    Some(match payload.role.as_str()? {
        "user" => {
            let origin = spoken(&content);
            Item::Said(Role::User, content, origin)
        }
        "assistant" => Item::Said(Role::Assistant, content, Origin::Assistant),
        "developer" | "system" => Item::Said(Role::System, content, Origin::System),
        _ => return None,
    })
}

fn reasoning(reading: &mut Reading<'_>, payload: &mut PayloadForm<'_>) -> Option<Block> {
    let summary = parts(reading, std::mem::take(&mut payload.summary));
    let text = joined(&summary.unwrap_or_default());
    if text.is_empty() {
        let data = payload.encrypted_content.to_owned()?;
        return Some(Block::RedactedThinking { data });
    }
    Some(Block::Thinking {
        text,
        signature: None,
    })
}

/// Arguments are JSON inside a string; the input of a custom tool, such as a patch, is plain text.
fn call(payload: &mut PayloadForm<'_>) -> Option<Block> {
    let input = match (payload.arguments.as_str(), payload.input.as_str()) {
        (Some(json), _) => serde_json::from_str(json).unwrap_or_else(|_| Value::from(json)),
        (None, Some(text)) => Value::from(text),
        (None, None) => return None,
    };
    let (id, name) = (payload.call_id.to_owned()?, payload.name.to_owned()?);
    Some(Block::ToolUse(ToolUse::new(id, name, input)))
}

/// Calls that the provider or the program carries out have an action instead of arguments.
fn action(reading: &mut Reading<'_>, payload: &mut PayloadForm<'_>, at: At) -> Option<Block> {
    let name = payload.kind.as_str()?.trim_end_matches("_call");
    let id = payload.call_id.as_str().or(payload.id.as_str());
    let id = id.map_or_else(|| format!("line-{}", at.line), str::to_owned);
    let input = payload
        .action
        .0
        .map_or(Value::Null, |raw| reading.value(raw));
    Some(Block::ToolUse(ToolUse::new(id, name, input)))
}

/// Reads a string, an object with `content` and `success`, or a list of parts.
fn output(reading: &mut Reading<'_>, payload: &mut PayloadForm<'_>) -> Option<ToolResult> {
    let tool_use_id = payload.call_id.to_owned()?;
    let mut is_error = false;
    let content = match std::mem::take(&mut payload.output) {
        Content::Text(text) => vec![ResultPart::Text(reading.result_text(text))],
        Content::List(items) => {
            let mut content = Vec::with_capacity(items.len());
            for item in items {
                content.push(match part(reading, item) {
                    Block::Text(text) => ResultPart::Text(reading.result_text(text.into())),
                    Block::Image(image) => ResultPart::Image(image),
                    other => ResultPart::Other(other.to_json()),
                });
            }
            content
        }
        Content::Odd(json) if json.starts_with('{') => {
            let form: OutputForm<'_> = scan::read(json).ok()?;
            is_error = form.success.0 == Some("false");
            let text = form.content.0.unwrap_or(json.into());
            vec![ResultPart::Text(reading.result_text(text))]
        }
        Content::Odd(_) | Content::Nothing => return None,
    };
    Some(ToolResult {
        tool_use_id,
        content,
        is_error,
    })
}

/// Reads a string, or a list of parts with text and pictures.
fn parts(reading: &mut Reading<'_>, content: Content<'_, PartForm<'_>>) -> Option<Vec<Block>> {
    match content {
        Content::Text(text) => Some(vec![Block::Text(text.into_owned())]),
        Content::List(items) => Some(items.into_iter().map(|item| part(reading, item)).collect()),
        Content::Nothing | Content::Odd(_) => None,
    }
}

fn part(reading: &mut Reading<'_>, item: scan::Item<'_, PartForm<'_>>) -> Block {
    let form = item.form;
    let known = match form.kind.as_str() {
        Some("input_text" | "output_text" | "text" | "summary_text") => {
            form.text.into_owned().map(Block::Text)
        }
        Some("input_image") => {
            let picture = form.image_url.as_str().map(picture);
            picture.and_then(|image| match reading.kept_picture(image) {
                ResultPart::Image(image) => Some(Block::Image(image)),
                ResultPart::Text(text) => Some(Block::Text(text)),
                _ => None,
            })
        }
        _ => None,
    };
    known.unwrap_or_else(|| Block::Other(reading.value(item.raw)))
}

/// Reads `data:image/png;base64,…`; anything else is an address.
fn picture(url: &str) -> Image {
    let rest = url.strip_prefix("data:");
    match rest.and_then(|rest| rest.split_once(";base64,")) {
        Some((media_type, data)) => Image::Base64 {
            media_type: media_type.to_owned(),
            data: data.to_owned(),
        },
        None => Image::Url(url.to_owned()),
    }
}

/// Returns the texts joined by line breaks.
pub(super) fn joined(blocks: &[Block]) -> String {
    let texts: Vec<&str> = blocks.iter().filter_map(Block::as_text).collect();
    texts.join("\n")
}
