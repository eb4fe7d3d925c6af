//! Says whether the API would accept a list of messages, and if not, why.

use std::collections::HashSet;

use agent_model::{Block, Image, Message, ResultPart, Role};

/// The request body that the Messages API takes at most: 32 MB (vendor documentation, "Request size limits").
pub const MOST_REQUEST_BYTES: usize = 32_000_000;

/// Up to so many images may be large; with more of them none may exceed 2,000 pixels a side, so we never
/// keep more (vendor documentation, "Vision").
pub const MOST_IMAGES: usize = 20;

/// Why a list would be refused, with the index of the first message at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The index in the list; 0 for faults of the list as a whole.
    pub message: usize,
    /// What is wrong.
    pub kind: FaultKind,
}

/// What the API refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// The list is empty.
    EmptyList,
    /// The first message is not the user's.
    StartsWithoutUser,
    /// A message of another role than user and assistant.
    ForeignRole,
    /// A message without blocks.
    EmptyMessage,
    /// A text block, or a text in a result, that is empty or blank.
    BlankText,
    /// Thinking or redacted thinking behind a summary: its signature is bound to what was before.
    Thinking,
    /// A call in a user message, or a result in an assistant message.
    WrongSide,
    /// Two calls with the same id.
    RepeatedCall,
    /// A call whose result is not in the very next message.
    LoneCall,
    /// A result without a call in the message before.
    LoneResult,
    /// Two results for one call.
    RepeatedResult,
    /// A result behind another block of its message.
    ResultNotFirst,
    /// More images than [`MOST_IMAGES`].
    TooManyImages,
    /// More bytes than [`MOST_REQUEST_BYTES`].
    TooManyBytes,
}

/// Checks a list of messages that starts with a summary made by the client.
///
/// # Errors
/// The first [`Fault`] in reading order.
///
/// ```
/// use agent_model::Message;
/// use session_memory::{FaultKind, check_messages};
///
/// assert!(check_messages(&[Message::user("summary"), Message::assistant("ok")]).is_ok());
/// let fault = check_messages(&[Message::assistant("ok")]).unwrap_err();
/// assert_eq!(fault.kind, FaultKind::StartsWithoutUser);
/// ```
pub fn check_messages(messages: &[Message]) -> Result<(), Fault> {
    let fault = |message, kind| Err(Fault { message, kind });
    match messages.first() {
        None => return fault(0, FaultKind::EmptyList),
        Some(first) if first.role != Role::User => return fault(0, FaultKind::StartsWithoutUser),
        Some(_) => {}
    }
    let mut all_calls = HashSet::new();
    let mut open: HashSet<&str> = HashSet::new();
    let mut images = 0;
    for (index, message) in messages.iter().enumerate() {
        if let Err(kind) = check_blocks(message) {
            return fault(index, kind);
        }
        if let Err(kind) = close_calls(message, &mut open) {
            // The call stands in the message before; the one that fails to answer is named.
            return fault(index, kind);
        }
        for call in message.tool_uses() {
            if !all_calls.insert(call.id.as_str()) {
                return fault(index, FaultKind::RepeatedCall);
            }
            open.insert(&call.id);
        }
        images += message.content.iter().map(images_in).sum::<usize>();
        if images > MOST_IMAGES {
            return fault(index, FaultKind::TooManyImages);
        }
    }
    if !open.is_empty() {
        return fault(messages.len() - 1, FaultKind::LoneCall);
    }
    if messages.iter().map(message_bytes).sum::<usize>() > MOST_REQUEST_BYTES {
        return fault(0, FaultKind::TooManyBytes);
    }
    Ok(())
}

fn check_blocks(message: &Message) -> Result<(), FaultKind> {
    let user = match message.role {
        Role::User => true,
        Role::Assistant => false,
        _ => return Err(FaultKind::ForeignRole),
    };
    if message.content.is_empty() {
        return Err(FaultKind::EmptyMessage);
    }
    let mut only_results = true;
    for block in &message.content {
        match block {
            Block::Text(text) if text.trim().is_empty() => return Err(FaultKind::BlankText),
            Block::Thinking { .. } | Block::RedactedThinking { .. } => {
                return Err(FaultKind::Thinking);
            }
            Block::ToolUse(_) if user => return Err(FaultKind::WrongSide),
            Block::ToolResult(_) if !user => return Err(FaultKind::WrongSide),
            Block::ToolResult(_) if !only_results => return Err(FaultKind::ResultNotFirst),
            Block::ToolResult(result) => {
                let blank = |part: &ResultPart| matches!(part, ResultPart::Text(text) if text.trim().is_empty());
                if result.content.iter().any(blank) {
                    return Err(FaultKind::BlankText);
                }
            }
            _ => only_results = false,
        }
    }
    Ok(())
}

/// Takes the results of a message off the calls of the message before; all must be answered.
fn close_calls<'a>(message: &'a Message, open: &mut HashSet<&'a str>) -> Result<(), FaultKind> {
    let mut seen = HashSet::new();
    for result in message.tool_results() {
        let id = result.tool_use_id.as_str();
        if !seen.insert(id) {
            return Err(FaultKind::RepeatedResult);
        }
        if !open.remove(id) {
            return Err(FaultKind::LoneResult);
        }
    }
    if open.is_empty() {
        Ok(())
    } else {
        Err(FaultKind::LoneCall)
    }
}

/// Returns how many images a block holds, also inside a result.
pub(crate) fn images_in(block: &Block) -> usize {
    match block {
        Block::Image(_) => 1,
        Block::ToolResult(result) => result
            .content
            .iter()
            .filter(|part| matches!(part, ResultPart::Image(_)))
            .count(),
        _ => 0,
    }
}

/// Returns about how many bytes a message takes in a request. Counts contents and names; the braces and
/// keys around them are a few dozen bytes a block, which the allowance below covers.
pub(crate) fn message_bytes(message: &Message) -> usize {
    const AROUND_BYTES: usize = 96;
    message
        .content
        .iter()
        .map(|block| block_bytes(block) + AROUND_BYTES)
        .sum()
}

fn block_bytes(block: &Block) -> usize {
    match block {
        Block::Text(text) | Block::Thinking { text, .. } => escaped_bytes(text),
        Block::RedactedThinking { data } => data.len(),
        Block::ToolUse(call) => call.input.to_string().len() + call.name.len() + call.id.len(),
        Block::Image(image) => image_bytes(image),
        Block::ToolResult(result) => result
            .content
            .iter()
            .map(|part| match part {
                ResultPart::Text(text) => escaped_bytes(text),
                ResultPart::Image(image) => image_bytes(image),
                ResultPart::Other(value) => value.to_string().len(),
                _ => 0,
            })
            .sum(),
        Block::Other(value) => value.to_string().len(),
        _ => 0,
    }
}

fn image_bytes(image: &Image) -> usize {
    match image {
        Image::Base64 { data, .. } => data.len(),
        Image::Url(url) => url.len(),
        _ => 0,
    }
}

/// Quotes, backslashes and line feeds take two bytes in JSON, other control characters six.
fn escaped_bytes(text: &str) -> usize {
    let more = text.bytes().map(|byte| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' => 1,
        0..=0x1f => 5,
        _ => 0,
    });
    text.len() + more.sum::<usize>()
}
