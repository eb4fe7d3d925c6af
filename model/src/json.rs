//! The JSON form of messages and blocks: the one that the Messages API documents.
//!
//! Claude Code writes the same form into its transcripts, so one reader serves the back end, the
//! transcript reader and whoever stores a conversation. Written keys have a fixed order: providers key
//! their prompt cache on the bytes before a mark.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Map, Value};

use crate::message::{Block, Image, Message, ResultPart, Role, ToolResult, ToolUse};

impl Block {
    /// Reads a block. Nothing fails: what has an unknown type, or a known type without the keys it
    /// needs, comes back whole as [`Block::Other`].
    ///
    /// Keys that a known type does not need (cache marks, citations, the caller of a tool) are dropped.
    pub fn from_json(value: Value) -> Self {
        match known_block(&value) {
            Some(block) => block,
            None => Self::Other(value),
        }
    }

    /// Returns the block in its JSON form.
    pub fn to_json(&self) -> Value {
        to_value(&BlockForm::<()>(self, None))
    }
}

impl Message {
    /// Reads a message: `role` and `content` (a string or a list of blocks), optionally `id` and
    /// `parent`. Returns `None` when the role is missing or unknown, or the content is neither.
    pub fn from_json(mut value: Value) -> Option<Self> {
        let object = value.as_object_mut()?;
        let role = match object.get("role")?.as_str()? {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "system" | "developer" => Role::System,
            _ => return None,
        };
        let content = match object.remove("content")? {
            Value::String(text) => vec![Block::Text(text)],
            Value::Array(blocks) => blocks.into_iter().map(Block::from_json).collect(),
            _ => return None,
        };
        let mut text = |key| match object.remove(key) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        Some(Self {
            role,
            content,
            id: text("id"),
            parent: text("parent"),
        })
    }

    /// Returns the message in its JSON form, with `id` and `parent` when it has them.
    pub fn to_json(&self) -> Value {
        let mut object = Map::new();
        if let Some(id) = &self.id {
            object.insert("id".into(), id.as_str().into());
        }
        if let Some(parent) = &self.parent {
            object.insert("parent".into(), parent.as_str().into());
        }
        object.insert("role".into(), self.role.as_str().into());
        let content = self.content.iter().map(Block::to_json).collect();
        object.insert("content".into(), Value::Array(content));
        Value::Object(object)
    }
}

fn to_value(form: &impl Serialize) -> Value {
    serde_json::to_value(form).expect("string keys always serialise, because no writer is involved")
}

fn known_block(value: &Value) -> Option<Block> {
    let text = |key: &str| Some(value.get(key)?.as_str()?.to_owned());
    Some(match value.get("type")?.as_str()? {
        "text" => Block::Text(text("text")?),
        "thinking" => Block::Thinking {
            text: text("thinking")?,
            signature: text("signature"),
        },
        "redacted_thinking" => Block::RedactedThinking {
            data: text("data")?,
        },
        "tool_use" => Block::ToolUse(ToolUse {
            id: text("id")?,
            name: text("name")?,
            input: value.get("input").cloned().unwrap_or(Value::Null),
        }),
        "tool_result" => Block::ToolResult(ToolResult {
            tool_use_id: text("tool_use_id")?,
            content: result_parts(value.get("content"))?,
            is_error: value.get("is_error").and_then(Value::as_bool) == Some(true),
        }),
        "image" => Block::Image(image(value)?),
        _ => return None,
    })
}

fn result_parts(content: Option<&Value>) -> Option<Vec<ResultPart>> {
    match content {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::String(text)) => Some(vec![ResultPart::Text(text.clone())]),
        Some(Value::Array(parts)) => Some(parts.iter().map(result_part).collect()),
        Some(_) => None,
    }
}

fn result_part(value: &Value) -> ResultPart {
    let known = match value.get("type").and_then(Value::as_str) {
        Some("text") => value
            .get("text")
            .and_then(Value::as_str)
            .map(|text| ResultPart::Text(text.to_owned())),
        Some("image") => image(value).map(ResultPart::Image),
        _ => None,
    };
    known.unwrap_or_else(|| ResultPart::Other(value.clone()))
}

fn image(value: &Value) -> Option<Image> {
    let source = value.get("source")?;
    let text = |key: &str| Some(source.get(key)?.as_str()?.to_owned());
    match source.get("type")?.as_str()? {
        "base64" => Some(Image::Base64 {
            media_type: text("media_type")?,
            data: text("data")?,
        }),
        "url" => Some(Image::Url(text("url")?)),
        _ => None,
    }
}

/// A block as it is written, with what stands in `cache_control` when this block carries a mark.
pub(crate) struct BlockForm<'a, M>(pub(crate) &'a Block, pub(crate) Option<&'a M>);

impl<M: Serialize> Serialize for BlockForm<'_, M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let (Block::Other(value), None) = (self.0, self.1) {
            return value.serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        match self.0 {
            Block::Text(text) => {
                map.serialize_entry("type", "text")?;
                map.serialize_entry("text", text)?;
            }
            Block::Thinking { text, signature } => {
                map.serialize_entry("type", "thinking")?;
                map.serialize_entry("thinking", text)?;
                if let Some(signature) = signature {
                    map.serialize_entry("signature", signature)?;
                }
            }
            Block::RedactedThinking { data } => {
                map.serialize_entry("type", "redacted_thinking")?;
                map.serialize_entry("data", data)?;
            }
            Block::ToolUse(tool_use) => {
                map.serialize_entry("type", "tool_use")?;
                map.serialize_entry("id", &tool_use.id)?;
                map.serialize_entry("name", &tool_use.name)?;
                map.serialize_entry("input", &tool_use.input)?;
            }
            Block::ToolResult(result) => {
                map.serialize_entry("type", "tool_result")?;
                map.serialize_entry("tool_use_id", &result.tool_use_id)?;
                map.serialize_entry("content", &ResultForm(&result.content))?;
                if result.is_error {
                    map.serialize_entry("is_error", &true)?;
                }
            }
            Block::Image(image) => image_entries(&mut map, image)?,
            Block::Other(value) => {
                for (key, value) in value.as_object().into_iter().flatten() {
                    if key != "cache_control" {
                        map.serialize_entry(key, value)?;
                    }
                }
            }
        }
        if let Some(mark) = self.1 {
            map.serialize_entry("cache_control", mark)?;
        }
        map.end()
    }
}

/// The content of a tool result: one text is written as a string, everything else as a list.
struct ResultForm<'a>(&'a [ResultPart]);

impl Serialize for ResultForm<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            [ResultPart::Text(text)] => serializer.serialize_str(text),
            parts => serializer.collect_seq(parts.iter().map(PartForm)),
        }
    }
}

struct PartForm<'a>(&'a ResultPart);

impl Serialize for PartForm<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = match self.0 {
            ResultPart::Other(value) => return value.serialize(serializer),
            _ => serializer.serialize_map(None)?,
        };
        match self.0 {
            ResultPart::Text(text) => {
                map.serialize_entry("type", "text")?;
                map.serialize_entry("text", text)?;
            }
            ResultPart::Image(image) => image_entries(&mut map, image)?,
            ResultPart::Other(_) => {}
        }
        map.end()
    }
}

fn image_entries<M: SerializeMap>(map: &mut M, image: &Image) -> Result<(), M::Error> {
    #[derive(Serialize)]
    #[serde(tag = "type", rename_all = "lowercase")]
    enum Source<'a> {
        Base64 { media_type: &'a str, data: &'a str },
        Url { url: &'a str },
    }
    let source = match image {
        Image::Base64 { media_type, data } => Source::Base64 { media_type, data },
        Image::Url(url) => Source::Url { url },
    };
    map.serialize_entry("type", "image")?;
    map.serialize_entry("source", &source)
}
