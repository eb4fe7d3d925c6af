//! A request in the form of the Messages API.
//!
//! The fields stand in an order of our choice: what a provider's prompt cache is keyed on comes first,
//! then the messages, then what changes from call to call. So the bytes up to the last shared message
//! are the same for every request that shares them.

use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde_json::{Value, json};

use crate::error::Error;
use crate::http::{Body, json_bytes};
use crate::json::BlockForm;
use crate::message::{Block, Message, Role};
use crate::request::{CacheLifetime, Effort, Request, Thinking, Tool, ToolChoice};
use crate::schema::for_anthropic;

/// The provider's limit.
const MAX_CACHE_MARKS: usize = 4;

/// Writes a request. `structured` says whether the provider enforces the answer schema.
pub(crate) fn body(model: &str, request: &Request, structured: bool) -> Result<Body, Error> {
    check(request)?;
    let mark = mark(request.cache.lifetime);
    let head = Head {
        model,
        thinking: thinking(request.thinking),
        output_config: output_config(request, structured),
        tool_choice: tool_choice(request),
        tools: ToolsForm {
            tools: &request.tools,
            mark: (request.cache.after_system && request.system.is_empty()).then_some(&mark),
        },
        system: SystemForm {
            blocks: &request.system,
            mark: request.cache.after_system.then_some(&mark),
        },
    };
    let mut bytes = json_bytes(&head)?;
    bytes.pop();
    bytes.extend_from_slice(br#","messages":["#);
    let mut first = true;
    for (index, message) in request.messages.iter().enumerate() {
        let marked = request.cache.after_messages.contains(&index);
        let form = MessageForm {
            message,
            mark: marked.then_some(&mark),
        };
        if form.blocks().next().is_none() {
            continue;
        }
        if !std::mem::take(&mut first) {
            bytes.push(b',');
        }
        bytes.extend(json_bytes(&form)?);
    }
    let prefix = bytes.len();
    bytes.push(b']');
    if request.cache.automatic {
        bytes.extend_from_slice(br#","cache_control":"#);
        bytes.extend(json_bytes(&mark)?);
    }
    let limit = request.limits.max_output_tokens;
    bytes.extend_from_slice(format!(r#","max_tokens":{limit}}}"#).as_bytes());
    Ok(Body { bytes, prefix })
}

fn check(request: &Request) -> Result<(), Error> {
    let cache = &request.cache;
    let marks =
        usize::from(cache.automatic) + usize::from(cache.after_system) + cache.after_messages.len();
    if marks > MAX_CACHE_MARKS {
        let detail = format!("{marks} cache marks, at most {MAX_CACHE_MARKS}");
        return Err(Error::invalid(detail));
    }
    let count = request.messages.len();
    if let Some(index) = cache.after_messages.iter().find(|index| **index >= count) {
        return Err(Error::invalid(format!(
            "a cache mark after message {index} of {count}"
        )));
    }
    let system = |message: &Message| message.role == Role::System;
    if let Some(index) = request.messages.iter().position(system) {
        return Err(Error::invalid(format!(
            "message {index} has the role system, which belongs into the system blocks"
        )));
    }
    Ok(())
}

fn mark(lifetime: CacheLifetime) -> CacheMark {
    CacheMark {
        r#type: "ephemeral",
        ttl: match lifetime {
            CacheLifetime::FiveMinutes => None,
            CacheLifetime::OneHour => Some("1h"),
        },
    }
}

fn thinking(thinking: Thinking) -> Option<ThinkingForm> {
    let form = |r#type, budget_tokens| {
        Some(ThinkingForm {
            r#type,
            budget_tokens,
        })
    };
    match thinking {
        Thinking::ProviderDefault => None,
        Thinking::Off => form("disabled", None),
        Thinking::Adaptive => form("adaptive", None),
        Thinking::Tokens(tokens) => form("enabled", Some(tokens)),
    }
}

fn output_config(request: &Request, structured: bool) -> Option<OutputConfig> {
    let answer = request.answer.as_ref().filter(|_| structured);
    let config = OutputConfig {
        effort: request.effort.map(Effort::as_str),
        format: answer.map(|answer| Format {
            r#type: "json_schema",
            schema: for_anthropic(&answer.schema),
        }),
    };
    (config.effort.is_some() || config.format.is_some()).then_some(config)
}

fn tool_choice(request: &Request) -> Option<Choice<'_>> {
    if request.tools.is_empty() {
        return None;
    }
    let form = |r#type, name| Some(Choice { r#type, name });
    match &request.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::Any => form("any", None),
        ToolChoice::Tool(name) => form("tool", Some(name.as_str())),
        ToolChoice::None => form("none", None),
    }
}

// Structs rather than `json!`: the order of keys is part of what we promise.

#[derive(Serialize)]
pub(crate) struct CacheMark {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl: Option<&'static str>,
}

#[derive(Serialize)]
struct ThinkingForm {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget_tokens: Option<u32>,
}

#[derive(Serialize)]
struct OutputConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Format>,
}

#[derive(Serialize)]
struct Format {
    r#type: &'static str,
    schema: Value,
}

#[derive(Serialize)]
struct Choice<'a> {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
}

#[derive(Serialize)]
struct Head<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<ThinkingForm>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice<'a>>,
    #[serde(skip_serializing_if = "ToolsForm::is_empty")]
    tools: ToolsForm<'a>,
    #[serde(skip_serializing_if = "SystemForm::is_empty")]
    system: SystemForm<'a>,
}

struct ToolsForm<'a> {
    tools: &'a [Tool],
    mark: Option<&'a CacheMark>,
}

impl ToolsForm<'_> {
    fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }
}

impl Serialize for ToolsForm<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Form<'a> {
            name: &'a str,
            description: &'a str,
            input_schema: &'a Value,
            #[serde(skip_serializing_if = "Option::is_none")]
            cache_control: Option<&'a CacheMark>,
        }
        let last = self.tools.len().saturating_sub(1);
        serializer.collect_seq(self.tools.iter().enumerate().map(|(index, tool)| Form {
            name: &tool.name,
            description: &tool.description,
            input_schema: &tool.input_schema,
            cache_control: self.mark.filter(|_| index == last),
        }))
    }
}

struct SystemForm<'a> {
    blocks: &'a [String],
    mark: Option<&'a CacheMark>,
}

impl SystemForm<'_> {
    fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }
}

impl Serialize for SystemForm<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Form<'a> {
            r#type: &'static str,
            text: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            cache_control: Option<&'a CacheMark>,
        }
        let last = self.blocks.len().saturating_sub(1);
        serializer.collect_seq(self.blocks.iter().enumerate().map(|(index, text)| Form {
            r#type: "text",
            text,
            cache_control: self.mark.filter(|_| index == last),
        }))
    }
}

struct MessageForm<'a> {
    message: &'a Message,
    mark: Option<&'a CacheMark>,
}

impl<'a> MessageForm<'a> {
    /// The blocks that the provider takes: text that is only white space, thoughts without a proof and
    /// unknown blocks without a type are refused by it and left out.
    fn blocks(&self) -> impl Iterator<Item = &'a Block> + use<'a> {
        self.message.content.iter().filter(|block| match block {
            Block::Text(text) => !text.trim().is_empty(),
            Block::Thinking { signature, .. } => signature.is_some(),
            Block::Other(value) => value.get("type").is_some(),
            _ => true,
        })
    }
}

impl Serialize for MessageForm<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("role", self.message.role.as_str())?;
        map.serialize_entry("content", &ContentForm(self))?;
        map.end()
    }
}

struct ContentForm<'a>(&'a MessageForm<'a>);

impl Serialize for ContentForm<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Thoughts cannot carry a mark, so it goes to the last block that can.
        let carries = |block: &Block| {
            !matches!(
                block,
                Block::Thinking { .. } | Block::RedactedThinking { .. }
            )
        };
        let last = self
            .0
            .blocks()
            .enumerate()
            .filter(|(_, block)| carries(block))
            .last();
        let last = last.map(|(index, _)| index);
        let mut written = serializer.serialize_seq(None)?;
        for (index, block) in self.0.blocks().enumerate() {
            let mark = self.0.mark.filter(|_| Some(index) == last);
            match block {
                // Arguments must be an object; text that was no JSON is handed over inside one.
                Block::ToolUse(tool_use) if !tool_use.input.is_object() => {
                    let mut wrapped = tool_use.clone();
                    wrapped.input = json!({ "input": tool_use.input });
                    written.serialize_element(&BlockForm(&Block::ToolUse(wrapped), mark))?;
                }
                block => written.serialize_element(&BlockForm(block, mark))?,
            }
        }
        written.end()
    }
}
