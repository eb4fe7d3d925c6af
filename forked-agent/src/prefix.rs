//! Continues a parent's conversation without touching a byte of it.

use std::collections::HashSet;

use agent_model::{Block, Message, Request, Role, ToolResult};

/// What an open call of the parent is answered with. Always the same bytes: they are part of what a
/// provider's cache is keyed on.
pub(crate) const OPEN_CALL: &str = "Not run: a side agent has taken over from here.";

/// Adds the task behind the parent's messages.
///
/// A provider refuses a call without a result, so calls that the parent's last message leaves open are
/// answered first, in the same message as the task.
pub(crate) fn continued(mut parent: Request, task: Vec<Block>) -> Request {
    let mut content: Vec<Block> = open_calls(&parent.messages)
        .into_iter()
        .map(|id| Block::ToolResult(ToolResult::error(id, OPEN_CALL)))
        .collect();
    content.extend(task);
    parent.messages.push(Message::new(Role::User, content));
    parent
}

/// Returns the ids of the calls that nobody has answered, in order.
fn open_calls(messages: &[Message]) -> Vec<String> {
    // Only the last reply can be open; a gap further up is not ours to mend, for its bytes are shared.
    let Some(last) = messages
        .iter()
        .rposition(|message| message.role == Role::Assistant)
    else {
        return Vec::new();
    };
    let answered: HashSet<&str> = messages[last..]
        .iter()
        .flat_map(Message::tool_results)
        .map(|result| result.tool_use_id.as_str())
        .collect();
    let calls = messages[last..].iter().flat_map(Message::tool_uses);
    calls
        .filter(|call| !answered.contains(call.id.as_str()))
        .map(|call| call.id.clone())
        .collect()
}

/// Moves the cache mark along with the conversation, when the parent marks messages one by one and there
/// is a mark left: then a later turn of this run reads what an earlier one wrote.
pub(crate) fn mark_last(request: &mut Request, parents: usize) {
    /// The most marks that Anthropic's API takes.
    const MAX_MARKS: usize = 4;
    let cache = &mut request.cache;
    if cache.automatic
        || !(cache.after_system || cache.after_messages.iter().any(|at| *at < parents))
    {
        return;
    }
    cache.after_messages.retain(|at| *at < parents);
    if cache.after_messages.len() + usize::from(cache.after_system) < MAX_MARKS {
        cache.after_messages.push(request.messages.len() - 1);
    }
}
