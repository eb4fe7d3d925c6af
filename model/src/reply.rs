//! One reply: what the model said, why it stopped, and what it cost.

use std::ops::AddAssign;

use serde_json::Value;

use crate::answer::find_answer;
use crate::error::Error;
use crate::message::{Block, Message, Role, ToolUse};
use crate::request::AnswerSchema;

/// What a model answered.
///
/// `Debug` shows kinds and sizes of the blocks, never contents.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Reply {
    /// The blocks in order.
    pub content: Vec<Block>,
    /// Why the model stopped.
    pub stop: StopReason,
    /// What it cost.
    pub usage: Usage,
    /// The provider's identity of this reply.
    pub id: Option<String>,
    /// The model that answered, as the provider names it; it may be more exact than what was asked for.
    pub model: Option<String>,
}

impl Reply {
    /// Returns a reply with these blocks, stopped because the turn ended, without usage.
    pub fn new(content: Vec<Block>) -> Self {
        let calls = content.iter().any(|b| matches!(b, Block::ToolUse(_)));
        Self {
            content,
            stop: if calls {
                StopReason::ToolUse
            } else {
                StopReason::EndTurn
            },
            usage: Usage::default(),
            id: None,
            model: None,
        }
    }

    /// Returns a reply of one text.
    pub fn text_only(text: impl Into<String>) -> Self {
        Self::new(vec![Block::Text(text.into())])
    }

    /// Returns the reply with this usage.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// Returns the reply with this stop reason.
    #[must_use]
    pub fn with_stop(mut self, stop: StopReason) -> Self {
        self.stop = stop;
        self
    }

    /// Returns the text blocks joined by line breaks.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.content.iter().filter_map(Block::as_text).collect();
        texts.join("\n")
    }

    /// Returns the calls the model asks for.
    pub fn tool_uses(&self) -> impl Iterator<Item = &ToolUse> {
        self.content.iter().filter_map(|block| match block {
            Block::ToolUse(tool_use) => Some(tool_use),
            _ => None,
        })
    }

    /// Returns the reply as the assistant message that continues the conversation.
    pub fn into_message(self) -> Message {
        Message::new(Role::Assistant, self.content)
    }

    /// Returns the answer that matches a schema: the first JSON object in the text that does.
    ///
    /// It works whether or not the provider enforced the schema, so a model that wraps its answer in
    /// prose or a code fence is understood too. At most 64 places are tried.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::BadAnswer`](crate::ErrorKind::BadAnswer) when there is no such object; the message
    /// names the place in the schema that failed, never what the model wrote. A reply that was cut or
    /// refused says so.
    ///
    /// ```
    /// use agent_model::{AnswerSchema, Reply};
    /// use serde_json::json;
    ///
    /// let schema = AnswerSchema::new("pick", json!({
    ///     "type": "object",
    ///     "properties": { "names": { "type": "array", "items": { "type": "string" } } },
    ///     "required": ["names"],
    ///     "additionalProperties": false,
    /// }));
    /// let reply = Reply::text_only("Sure:\n```json\n{\"names\": [\"build\"]}\n```");
    /// assert_eq!(reply.answer(&schema)?["names"][0], "build");
    /// # Ok::<(), agent_model::Error>(())
    /// ```
    pub fn answer(&self, schema: &AnswerSchema) -> Result<Value, Error> {
        find_answer(&self.text(), &schema.schema).map_err(|why| {
            // An unknown reason is the server's own words.
            let stop = match &self.stop {
                StopReason::Other(_) => "unknown",
                known => known.as_str(),
            };
            Error::bad_answer(format!("{why} (stop reason {stop})"))
        })
    }
}

#[cfg(any(feature = "_http", feature = "command"))]
impl Reply {
    /// Reports the reply in numbers.
    pub(crate) fn trace(&self, model: &str) {
        tracing::debug!(
            model,
            stop = self.stop.as_str(),
            blocks = self.content.len(),
            input = self.usage.input,
            output = self.usage.output,
            cache_read = self.usage.cache_read,
            cache_write = self.usage.cache_write,
            "model.reply"
        );
    }
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// It was done.
    EndTurn,
    /// The output limit was reached; the last block may be cut.
    MaxTokens,
    /// A stop sequence came up.
    StopSequence,
    /// It waits for tool results.
    ToolUse,
    /// The provider paused a long turn; sending the reply back continues it.
    PauseTurn,
    /// It or a filter of the provider refused.
    Refusal,
    /// The conversation does not fit.
    ContextWindowExceeded,
    /// A reason this crate does not know.
    Other(String),
}

impl StopReason {
    /// Returns the Messages API's word for it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::EndTurn => "end_turn",
            Self::MaxTokens => "max_tokens",
            Self::StopSequence => "stop_sequence",
            Self::ToolUse => "tool_use",
            Self::PauseTurn => "pause_turn",
            Self::Refusal => "refusal",
            Self::ContextWindowExceeded => "model_context_window_exceeded",
            Self::Other(word) => word,
        }
    }
}

/// Tokens of one call, or of many added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Usage {
    /// Input that was neither read from nor written to the cache.
    pub input: u64,
    /// Output, thinking included.
    pub output: u64,
    /// Input read from the cache.
    pub cache_read: u64,
    /// Input written to the cache.
    pub cache_write: u64,
}

impl Usage {
    /// Returns usage without any cache.
    pub fn new(input: u64, output: u64) -> Self {
        Self {
            input,
            output,
            ..Self::default()
        }
    }

    /// Returns usage with these cache reads and writes.
    #[must_use]
    pub fn with_cache(mut self, read: u64, write: u64) -> Self {
        self.cache_read = read;
        self.cache_write = write;
        self
    }

    /// Returns all tokens together.
    pub fn total(&self) -> u64 {
        [self.output, self.cache_read, self.cache_write]
            .iter()
            .fold(self.input, |sum, part| sum.saturating_add(*part))
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
    }
}
