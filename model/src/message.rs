//! What a conversation is made of: messages, and the blocks inside them.

use std::fmt;

use serde_json::Value;

/// Who speaks in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Role {
    /// The person, and whatever speaks in their turn: tool results, injected context.
    User,
    /// The model.
    Assistant,
    /// The host inside the conversation: a system or developer message between turns. Standing
    /// instructions belong into [`Request::system`](crate::Request::system).
    System,
}

impl Role {
    /// Returns the name that both wire forms use: `user`, `assistant` or `system`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
        }
    }
}

/// One message: a role, its blocks in order, and where it hangs in the conversation.
///
/// `Debug` shows kinds and sizes, never contents: a conversation holds files and whatever was pasted
/// into it. [`Message::to_json`] shows everything.
///
/// ```
/// use agent_model::{Block, Message, Role};
///
/// let message = Message::user("use pnpm here").with_id("m1");
/// assert_eq!(message.role, Role::User);
/// assert_eq!(message.text(), "use pnpm here");
/// assert!(!format!("{message:?}").contains("pnpm"));
/// # assert_eq!(message.content, [Block::Text("use pnpm here".into())]);
/// ```
#[derive(Clone, PartialEq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The blocks in the order in which the model sees them.
    pub content: Vec<Block>,
    /// The identity in the host's records, never sent to a provider.
    pub id: Option<String>,
    /// The identity of the message before this one, never sent to a provider.
    pub parent: Option<String>,
}

impl Message {
    /// Returns a message with these blocks and no identity.
    pub fn new(role: Role, content: Vec<Block>) -> Self {
        Self {
            role,
            content,
            id: None,
            parent: None,
        }
    }

    /// Returns a user message of one text block.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, vec![Block::Text(text.into())])
    }

    /// Returns an assistant message of one text block.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, vec![Block::Text(text.into())])
    }

    /// Returns the message with this identity.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Returns the message with this parent.
    #[must_use]
    pub fn with_parent(mut self, parent: impl Into<String>) -> Self {
        self.parent = Some(parent.into());
        self
    }

    /// Returns the text blocks joined by line breaks; other blocks are left out.
    pub fn text(&self) -> String {
        let mut all = String::new();
        for text in self.content.iter().filter_map(Block::as_text) {
            if !all.is_empty() {
                all.push('\n');
            }
            all.push_str(text);
        }
        all
    }

    /// Returns the tool calls in this message.
    pub fn tool_uses(&self) -> impl Iterator<Item = &ToolUse> {
        self.content.iter().filter_map(|block| match block {
            Block::ToolUse(tool_use) => Some(tool_use),
            _ => None,
        })
    }

    /// Returns the tool results in this message.
    pub fn tool_results(&self) -> impl Iterator<Item = &ToolResult> {
        self.content.iter().filter_map(|block| match block {
            Block::ToolResult(result) => Some(result),
            _ => None,
        })
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("role", &self.role)
            .field("id", &self.id)
            .field("parent", &self.parent)
            .field("content", &self.content)
            .finish()
    }
}

/// One piece of a message.
///
/// `Debug` shows kinds and sizes, never contents.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum Block {
    /// Plain text.
    Text(String),
    /// What the model thought before it answered. The signature proves to the provider that the text
    /// is unchanged; without it the block cannot be sent back.
    Thinking {
        /// The thoughts; some providers leave it empty and send the signature alone.
        text: String,
        /// The provider's proof of origin.
        signature: Option<String>,
    },
    /// Thoughts that the provider hides; opaque, sent back as they are.
    RedactedThinking {
        /// The provider's bytes.
        data: String,
    },
    /// A call that the model asks for.
    ToolUse(ToolUse),
    /// What a call returned.
    ToolResult(ToolResult),
    /// A picture.
    Image(Image),
    /// A block of a type this crate does not know, kept whole.
    Other(Value),
}

impl Block {
    /// Returns the text of a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "Text({} bytes)", text.len()),
            Self::Thinking { text, signature } => write!(
                f,
                "Thinking({} bytes, {})",
                text.len(),
                if signature.is_some() {
                    "signed"
                } else {
                    "unsigned"
                }
            ),
            Self::RedactedThinking { data } => {
                write!(f, "RedactedThinking({} bytes)", data.len())
            }
            Self::ToolUse(tool_use) => tool_use.fmt(f),
            Self::ToolResult(result) => result.fmt(f),
            Self::Image(image) => image.fmt(f),
            Self::Other(_) => f.write_str("Other"),
        }
    }
}

/// A call that the model asks for.
#[derive(Clone, PartialEq)]
pub struct ToolUse {
    /// Links the call to its result.
    pub id: String,
    /// The tool's name as the request declared it.
    pub name: String,
    /// The arguments. An object when the model followed the schema; a string when what it wrote was
    /// no JSON, so that the host can say so instead of guessing.
    pub input: Value,
}

impl ToolUse {
    /// Returns a call.
    pub fn new(id: impl Into<String>, name: impl Into<String>, input: Value) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            input,
        }
    }
}

impl fmt::Debug for ToolUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolUse")
            .field("id", &self.id)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// What a call returned.
#[derive(Clone, PartialEq)]
pub struct ToolResult {
    /// The [`ToolUse::id`] that this answers.
    pub tool_use_id: String,
    /// Text and pictures in order; empty when the tool returned nothing.
    pub content: Vec<ResultPart>,
    /// Whether the call failed; the content then says why.
    pub is_error: bool,
}

impl ToolResult {
    /// Returns a result of one text.
    pub fn text(tool_use_id: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            tool_use_id: tool_use_id.into(),
            content: vec![ResultPart::Text(text.into())],
            is_error: false,
        }
    }

    /// Returns a failed result whose text says why.
    pub fn error(tool_use_id: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            is_error: true,
            ..Self::text(tool_use_id, reason)
        }
    }

    /// Returns the text parts joined by line breaks.
    pub fn joined_text(&self) -> String {
        let mut all = String::new();
        for part in &self.content {
            if let ResultPart::Text(text) = part {
                if !all.is_empty() {
                    all.push('\n');
                }
                all.push_str(text);
            }
        }
        all
    }
}

impl fmt::Debug for ToolResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolResult")
            .field("tool_use_id", &self.tool_use_id)
            .field("content", &self.content)
            .field("is_error", &self.is_error)
            .finish()
    }
}

/// One piece of a tool result.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum ResultPart {
    /// Plain text.
    Text(String),
    /// A picture.
    Image(Image),
    /// A part of a type this crate does not know, kept whole.
    Other(Value),
}

impl fmt::Debug for ResultPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "Text({} bytes)", text.len()),
            Self::Image(image) => image.fmt(f),
            Self::Other(_) => f.write_str("Other"),
        }
    }
}

/// A picture, inline or by address.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Image {
    /// The bytes, base64-coded.
    Base64 {
        /// For example `image/png`.
        media_type: String,
        /// The coded bytes, as they came; they are not decoded here.
        data: String,
    },
    /// An address that the provider fetches.
    Url(String),
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Base64 { media_type, data } => {
                write!(f, "Image({media_type}, {} bytes coded)", data.len())
            }
            Self::Url(_) => f.write_str("Image(by address)"),
        }
    }
}
