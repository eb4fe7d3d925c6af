//! A request as a chat completion.

use serde::Serialize;
use serde_json::Value;

use super::Dialect;
use crate::error::Error;
use crate::http::{Body, json_bytes};
use crate::message::{Block, Image, Message, ResultPart, ToolResult, ToolUse};
use crate::request::{Effort, Request, Tool, ToolChoice};
use crate::schema::is_strict;

/// What stands before the text of a failed call: the wire form has no flag for it.
const FAILED: &str = "[failed] ";

/// Writes a request. `structured` says whether the server enforces the answer schema.
pub(crate) fn body(
    model: &str,
    dialect: Dialect,
    request: &Request,
    structured: bool,
) -> Result<Body, Error> {
    let head = Head {
        model,
        reasoning_effort: request.effort.map(|effort| effort_word(dialect, effort)),
        response_format: response_format(request, structured),
        tool_choice: tool_choice(request),
        tools: request.tools.iter().map(tool).collect(),
    };
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        let text = request.system.join("\n\n");
        messages.push(WireMessage::new("system", Content::Text(text)));
    }
    for message in &request.messages {
        push_message(&mut messages, message);
    }
    let mut bytes = json_bytes(&head)?;
    bytes.pop();
    bytes.extend_from_slice(br#","messages":["#);
    for (index, message) in messages.iter().enumerate() {
        if index > 0 {
            bytes.push(b',');
        }
        bytes.extend(json_bytes(message)?);
    }
    let prefix = bytes.len();
    let key = match dialect {
        Dialect::OpenAi => "max_completion_tokens",
        Dialect::Compatible => "max_tokens",
    };
    let limit = request.limits.max_output_tokens;
    bytes.extend_from_slice(format!(r#"],"{key}":{limit}}}"#).as_bytes());
    Ok(Body { bytes, prefix })
}

// Structs rather than `json!`: the order of keys is part of what we promise.

#[derive(Serialize)]
struct Head<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<ToolForm<'a>>,
}

#[derive(Serialize)]
struct ResponseFormat<'a> {
    r#type: &'static str,
    json_schema: SchemaForm<'a>,
}

#[derive(Serialize)]
struct SchemaForm<'a> {
    name: &'a str,
    strict: bool,
    schema: &'a Value,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Choice<'a> {
    Word(&'static str),
    Function {
        r#type: &'static str,
        function: Named<'a>,
    },
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
}

#[derive(Serialize)]
struct ToolForm<'a> {
    r#type: &'static str,
    function: FunctionForm<'a>,
}

#[derive(Serialize)]
struct FunctionForm<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
}

#[derive(Serialize)]
struct WireMessage {
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<String>,
    content: Content,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<CallForm>,
}

impl WireMessage {
    fn new(role: &'static str, content: Content) -> Self {
        Self {
            role,
            tool_call_id: None,
            content,
            tool_calls: Vec::new(),
        }
    }
}

/// Text alone is written as a string, which every server understands; parts only where pictures are.
#[derive(Serialize)]
#[serde(untagged)]
enum Content {
    Nothing,
    Text(String),
    Parts(Vec<Part>),
}

impl Content {
    fn of(parts: Vec<Part>) -> Self {
        if parts.is_empty() {
            return Self::Nothing;
        }
        let texts: Option<Vec<&str>> = parts.iter().map(Part::as_text).collect();
        match texts {
            Some(texts) => Self::Text(texts.join("\n")),
            None => Self::Parts(parts),
        }
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part {
    Text { text: String },
    ImageUrl { image_url: Url },
}

impl Part {
    fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            Self::ImageUrl { .. } => None,
        }
    }
}

#[derive(Serialize)]
struct Url {
    url: String,
}

#[derive(Serialize)]
struct CallForm {
    id: String,
    r#type: &'static str,
    function: CalledForm,
}

#[derive(Serialize)]
struct CalledForm {
    name: String,
    arguments: String,
}

fn effort_word(dialect: Dialect, effort: Effort) -> &'static str {
    match (dialect, effort) {
        (_, Effort::Low) => "low",
        (_, Effort::Medium) => "medium",
        (Dialect::Compatible, _) | (_, Effort::High) => "high",
        (Dialect::OpenAi, Effort::XHigh | Effort::Max) => "xhigh",
    }
}

fn response_format(request: &Request, structured: bool) -> Option<ResponseFormat<'_>> {
    let answer = request.answer.as_ref().filter(|_| structured)?;
    Some(ResponseFormat {
        r#type: "json_schema",
        json_schema: SchemaForm {
            name: &answer.name,
            strict: is_strict(&answer.schema),
            schema: &answer.schema,
        },
    })
}

fn tool_choice(request: &Request) -> Option<Choice<'_>> {
    if request.tools.is_empty() {
        return None;
    }
    match &request.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::Any => Some(Choice::Word("required")),
        ToolChoice::None => Some(Choice::Word("none")),
        ToolChoice::Tool(name) => Some(Choice::Function {
            r#type: "function",
            function: Named { name },
        }),
    }
}

fn tool(tool: &Tool) -> ToolForm<'_> {
    ToolForm {
        r#type: "function",
        function: FunctionForm {
            name: &tool.name,
            description: &tool.description,
            parameters: &tool.input_schema,
        },
    }
}

/// Appends what one message becomes: tool results are messages of their own here, and stand first, right
/// behind the call. Thoughts and unknown blocks have no place in this form and are left out.
fn push_message(messages: &mut Vec<WireMessage>, message: &Message) {
    for result in message.tool_results() {
        let mut wire = WireMessage::new("tool", Content::Text(result_text(result)));
        wire.tool_call_id = Some(result.tool_use_id.clone());
        messages.push(wire);
    }
    let mut parts = Vec::new();
    for block in &message.content {
        match block {
            Block::Text(text) if !text.trim().is_empty() => {
                parts.push(Part::Text { text: text.clone() });
            }
            Block::Image(image) => parts.push(image_part(image)),
            // A tool message takes text only, so pictures follow as the user's.
            Block::ToolResult(result) => parts.extend(result.content.iter().filter_map(picture)),
            _ => {}
        }
    }
    let tool_calls: Vec<CallForm> = message.tool_uses().map(tool_call).collect();
    if parts.is_empty() && tool_calls.is_empty() {
        return;
    }
    messages.push(WireMessage {
        tool_calls,
        ..WireMessage::new(message.role.as_str(), Content::of(parts))
    });
}

fn image_part(image: &Image) -> Part {
    let url = match image {
        Image::Base64 { media_type, data } => format!("data:{media_type};base64,{data}"),
        Image::Url(url) => url.clone(),
    };
    Part::ImageUrl {
        image_url: Url { url },
    }
}

fn picture(part: &ResultPart) -> Option<Part> {
    match part {
        ResultPart::Image(image) => Some(image_part(image)),
        _ => None,
    }
}

fn result_text(result: &ToolResult) -> String {
    let text = result.joined_text();
    if result.is_error {
        format!("{FAILED}{text}")
    } else {
        text
    }
}

fn tool_call(tool_use: &ToolUse) -> CallForm {
    // Arguments that were no JSON go back as the model wrote them.
    let arguments = match &tool_use.input {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    CallForm {
        id: tool_use.id.clone(),
        r#type: "function",
        function: CalledForm {
            name: tool_use.name.clone(),
            arguments,
        },
    }
}
