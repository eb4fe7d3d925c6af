//! Turns within a conversation.

use agent_transcript::{Entry, Origin};

/// Cuts a conversation into turns: one begins with a message of the person's after the model has
/// answered without calling a tool.
pub(crate) fn turns(entries: &[Entry]) -> Vec<&[Entry]> {
    let mut turns = Vec::new();
    let mut start = 0;
    let mut is_answered = false;
    for (at, entry) in entries.iter().enumerate() {
        match entry.origin {
            Origin::Person if is_answered => {
                turns.push(&entries[start..at]);
                start = at;
                is_answered = false;
            }
            Origin::Assistant => is_answered = entry.message.tool_uses().next().is_none(),
            _ => {}
        }
    }
    if start < entries.len() {
        turns.push(&entries[start..]);
    }
    turns
}
