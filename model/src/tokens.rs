//! How many tokens a message or a request takes up, by any counter of `token-count`.

use token_count::{MAX_IMAGE_TOKENS, MESSAGE_TOKENS, TOOL_TOKENS, TokenCounter};

use crate::message::{Block, Message, ResultPart};
use crate::request::Request;

impl Message {
    /// Returns how many tokens the message takes up in a request, its frame included. Pictures count as
    /// the largest, since their size is not looked at.
    ///
    /// ```
    /// use agent_model::Message;
    /// use token_count::Estimator;
    ///
    /// let message = Message::user("The tests pass on every platform.");
    /// assert_eq!(message.tokens(&Estimator::new()), 11);
    /// ```
    pub fn tokens(&self, counter: &dyn TokenCounter) -> u64 {
        let frame = MESSAGE_TOKENS as u64;
        sum(self.content.iter().map(|block| block.tokens(counter))).saturating_add(frame)
    }
}

impl Block {
    /// Returns how many tokens the block takes up in a request.
    pub fn tokens(&self, counter: &dyn TokenCounter) -> u64 {
        let count = |text: &str| counter.count(text) as u64;
        match self {
            Self::Text(text) | Self::Thinking { text, .. } => count(text),
            Self::RedactedThinking { data } => count(data),
            Self::ToolUse(call) => {
                tool() + count(&call.name).saturating_add(count(&call.input.to_string()))
            }
            Self::ToolResult(result) => {
                let parts = result.content.iter().map(|part| match part {
                    ResultPart::Text(text) => count(text),
                    ResultPart::Image(_) => picture(),
                    ResultPart::Other(value) => count(&value.to_string()),
                });
                sum(parts).saturating_add(tool())
            }
            Self::Image(_) => picture(),
            Self::Other(value) => count(&value.to_string()),
        }
    }
}

impl Request {
    /// Returns how many tokens the request takes up as input: system, tools, answer schema and messages.
    pub fn tokens(&self, counter: &dyn TokenCounter) -> u64 {
        let count = |text: &str| counter.count(text) as u64;
        let system = self.system.iter().map(|text| count(text));
        let tools = self.tools.iter().map(|offered| {
            let schema = offered.input_schema.to_string();
            tool() + sum([&offered.name, &offered.description, &schema].map(|text| count(text)))
        });
        let answer = self
            .answer
            .iter()
            .map(|answer| count(&answer.schema.to_string()));
        let messages = self.messages.iter().map(|message| message.tokens(counter));
        sum(system.chain(tools).chain(answer).chain(messages))
    }
}

fn sum(tokens: impl IntoIterator<Item = u64>) -> u64 {
    tokens.into_iter().fold(0, u64::saturating_add)
}

fn tool() -> u64 {
    TOOL_TOKENS as u64
}

fn picture() -> u64 {
    MAX_IMAGE_TOKENS as u64
}
