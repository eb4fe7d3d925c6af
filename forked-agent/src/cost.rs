//! What a reply cost, also where the provider does not say.

use agent_model::{Block, Message, Reply, Request, ResultPart};
use token_count::{Estimator, Factor, MAX_IMAGE_TOKENS, MESSAGE_TOKENS, TOOL_TOKENS, TokenCounter};

/// Returns the tokens of a request and its reply: the provider's count, or an estimate where it gives
/// none, as local servers and programs do. A budget that counted nothing would bound nothing.
pub(crate) fn cost(request: &Request, reply: &Reply, model: &str) -> u64 {
    let usage = reply.usage.total();
    if usage > 0 {
        return usage;
    }
    let counter = Estimator::with_factor(Factor::of_model(model));
    let tools = request.tools.iter().map(|tool| {
        let schema = tool.input_schema.to_string();
        TOOL_TOKENS + counter.count(&tool.description) + counter.count(&schema)
    });
    let system = request.system.iter().map(|text| counter.count(text));
    let messages = request
        .messages
        .iter()
        .map(|message| of_message(message, counter));
    let said = reply.content.iter().map(|block| of_block(block, counter));
    tools
        .chain(system)
        .chain(messages)
        .chain(said)
        .fold(0, |sum, tokens| sum.saturating_add(tokens as u64))
}

fn of_message(message: &Message, counter: Estimator) -> usize {
    let blocks = message.content.iter().map(|block| of_block(block, counter));
    MESSAGE_TOKENS + blocks.sum::<usize>()
}

fn of_block(block: &Block, counter: Estimator) -> usize {
    match block {
        Block::Text(text) | Block::Thinking { text, .. } => counter.count(text),
        Block::RedactedThinking { data } => counter.count(data),
        Block::ToolUse(call) => TOOL_TOKENS + counter.count(&call.input.to_string()),
        Block::ToolResult(result) => {
            let parts = result.content.iter().map(|part| match part {
                ResultPart::Text(text) => counter.count(text),
                _ => MAX_IMAGE_TOKENS,
            });
            TOOL_TOKENS + parts.sum::<usize>()
        }
        // A picture, or something unknown that is at most one.
        _ => MAX_IMAGE_TOKENS,
    }
}
