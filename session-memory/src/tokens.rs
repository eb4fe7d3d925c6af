//! Tokens of conversation messages.

use agent_model::{Block, Message, ResultPart};
use token_count::{MAX_IMAGE_TOKENS, MESSAGE_TOKENS, TOOL_TOKENS, TokenCounter};

/// Returns the tokens of a message as the model sees it.
pub(crate) fn of_message(message: &Message, counter: &dyn TokenCounter) -> usize {
    let blocks = message.content.iter().map(|block| of_block(block, counter));
    MESSAGE_TOKENS + blocks.sum::<usize>()
}

fn of_block(block: &Block, counter: &dyn TokenCounter) -> usize {
    match block {
        Block::Text(text) | Block::Thinking { text, .. } => counter.count(text),
        Block::ToolUse(call) => {
            TOOL_TOKENS + counter.count(&call.name) + counter.count(&call.input.to_string())
        }
        Block::ToolResult(result) => {
            let parts = result.content.iter().map(|part| match part {
                ResultPart::Text(text) => counter.count(text),
                ResultPart::Image(_) => MAX_IMAGE_TOKENS,
                ResultPart::Other(value) => counter.count(&value.to_string()),
                _ => 0,
            });
            TOOL_TOKENS + parts.sum::<usize>()
        }
        Block::Image(_) => MAX_IMAGE_TOKENS,
        Block::Other(value) => counter.count(&value.to_string()),
        _ => 0,
    }
}
