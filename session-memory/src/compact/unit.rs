//! Groups messages into units that may only be kept or dropped whole.
//!
//! A call without its result, or a result without its call, makes the API refuse the whole request. So a
//! model reply, all its calls and all their results are one unit, however the host recorded them: in parts
//! that share an id, with the results in between, in parallel, twice, or torn by a boundary.

use std::collections::{HashMap, HashSet};

use agent_model::{Block, Message, ResultPart, Role, ToolResult, ToolUse};

use super::history::Entry;

/// What stands in for the result of a call that never got one. Byte-stable, so that prompt caches hold.
pub(crate) const NO_RESULT: &str = "No result was recorded for this call: it was interrupted.";

/// Messages that belong together, in the form the API accepts.
#[derive(Debug)]
pub(crate) struct Unit {
    /// One or two messages: a reply and what answers its calls, or a user message alone.
    pub(crate) messages: Vec<Message>,
    /// The index of the first entry that went into it.
    pub(crate) first_entry: usize,
    /// The index of the last entry that went into it.
    pub(crate) last_entry: usize,
    /// How many of its messages hold text for a reader.
    pub(crate) texts: usize,
    /// Whether it holds a message of the person.
    pub(crate) instruction: bool,
}

/// Groups the entries and mends what the API would refuse. Thinking is removed: behind a summary its
/// signature no longer fits what is before it.
pub(crate) fn group(entries: &[Entry]) -> Vec<Unit> {
    let mut grouping = Grouping::default();
    for (index, entry) in entries.iter().enumerate() {
        match entry {
            Entry::Boundary(_) | Entry::Summary(_) => {}
            Entry::Message(message) => grouping.take(index, message, false),
            Entry::Instruction(message) => grouping.take(index, message, true),
        }
    }
    grouping.close();
    grouping.units
}

#[derive(Default)]
struct Grouping<'a> {
    units: Vec<Unit>,
    open: Option<Round<'a>>,
    /// All calls so far. Ids must be unique in a request; an answer that was recorded twice is not.
    calls: HashSet<&'a str>,
}

/// A reply under construction: its blocks, and the results as they come in.
struct Round<'a> {
    id: Option<&'a str>,
    /// The id of the last message that went into the user's turn.
    answer_id: Option<&'a str>,
    blocks: Vec<&'a Block>,
    calls: Vec<&'a ToolUse>,
    results: HashMap<&'a str, &'a ToolResult>,
    /// What the user's turn holds besides results.
    trailing: Vec<&'a Block>,
    instruction: bool,
    first_entry: usize,
    last_entry: usize,
}

impl<'a> Grouping<'a> {
    fn take(&mut self, index: usize, message: &'a Message, instruction: bool) {
        match message.role {
            Role::Assistant => self.take_reply(index, message),
            Role::User => self.take_user(index, message, instruction),
            // Standing instructions are put back by the host, not carried along.
            _ => {}
        }
    }

    fn take_reply(&mut self, index: usize, message: &'a Message) {
        let id = message.id.as_deref();
        let same_reply = |round: &Round<'_>| id.is_some() && round.id == id;
        let continues = self.open.as_ref().is_some_and(same_reply);
        if !continues {
            self.close();
        }
        let round = self.open.get_or_insert_with(|| Round::new(id, index));
        round.last_entry = index;
        for block in &message.content {
            match block {
                Block::Thinking { .. } | Block::RedactedThinking { .. } => {}
                Block::ToolUse(call) => {
                    if self.calls.insert(&call.id) {
                        round.calls.push(call);
                        round.blocks.push(block);
                    }
                }
                // A result in a reply is nonsense; it may still answer a call.
                Block::ToolResult(result) => {
                    round.answer(result);
                }
                // A part that was recorded twice is the same text again.
                _ if continues && is_repeated(&round.blocks, block) => {}
                _ if is_blank(block) => {}
                _ => round.blocks.push(block),
            }
        }
    }

    fn take_user(&mut self, index: usize, message: &'a Message, instruction: bool) {
        let mut answers = false;
        let mut kept = Vec::new();
        for block in &message.content {
            match block {
                Block::ToolResult(result) => {
                    answers |= self.open.as_mut().is_some_and(|round| round.answer(result));
                }
                Block::ToolUse(_) | Block::Thinking { .. } | Block::RedactedThinking { .. } => {}
                _ if is_blank(block) => {}
                _ => kept.push(block),
            }
        }
        let said = !kept.is_empty();
        // Text beside a result stays beside it; text between two results waits until both are there,
        // because the API wants all results of a round first.
        let belongs = |round: &Round<'_>| answers || !round.is_answered();
        if !self.open.as_ref().is_some_and(belongs) {
            if kept.is_empty() {
                return;
            }
            self.close();
        }
        let round = self.open.get_or_insert_with(|| Round::new(None, index));
        round.trailing.extend(kept);
        round.answer_id = message.id.as_deref().or(round.answer_id);
        round.instruction |= instruction && said;
        round.last_entry = index;
    }

    fn close(&mut self) {
        if let Some(round) = self.open.take() {
            self.units.extend(round.finish());
        }
    }
}

impl<'a> Round<'a> {
    fn new(id: Option<&'a str>, entry: usize) -> Self {
        Round {
            id,
            answer_id: None,
            blocks: Vec::new(),
            calls: Vec::new(),
            results: HashMap::new(),
            trailing: Vec::new(),
            instruction: false,
            first_entry: entry,
            last_entry: entry,
        }
    }

    /// Takes a result for one of this round's calls. The first one counts; a result for another call is
    /// alone and goes.
    fn answer(&mut self, result: &'a ToolResult) -> bool {
        let wanted = self.calls.iter().any(|call| call.id == result.tool_use_id);
        if wanted {
            self.results.entry(&result.tool_use_id).or_insert(result);
        }
        wanted
    }

    fn is_answered(&self) -> bool {
        self.results.len() == self.calls.len()
    }

    fn finish(self) -> Option<Unit> {
        let results = self
            .calls
            .iter()
            .map(|call| match self.results.get(call.id.as_str()) {
                Some(result) => Block::ToolResult(mend_result(result)),
                None => Block::ToolResult(ToolResult::error(&call.id, NO_RESULT)),
            });
        let answer: Vec<Block> = results.chain(self.trailing.into_iter().cloned()).collect();
        let reply: Vec<Block> = self.blocks.into_iter().cloned().collect();
        let mut messages = Vec::with_capacity(2);
        let turns = [
            (Role::Assistant, reply, self.id),
            (Role::User, answer, self.answer_id),
        ];
        for (role, content, id) in turns {
            if !content.is_empty() {
                messages.push(Message {
                    id: id.map(str::to_owned),
                    ..Message::new(role, content)
                });
            }
        }
        let has_text = |message: &&Message| {
            message
                .content
                .iter()
                .any(|block| block.as_text().is_some())
        };
        (!messages.is_empty()).then(|| Unit {
            texts: messages.iter().filter(has_text).count(),
            messages,
            first_entry: self.first_entry,
            last_entry: self.last_entry,
            instruction: self.instruction,
        })
    }
}

/// A part that is recorded twice is recorded twice soon; looking further back would make an endless reply
/// cost the square of its length.
const LOOK_BACK: usize = 64;

fn is_repeated(blocks: &[&Block], block: &Block) -> bool {
    blocks.iter().rev().take(LOOK_BACK).any(|own| *own == block)
}

/// The API refuses blank text blocks, also inside a result.
fn mend_result(result: &ToolResult) -> ToolResult {
    let mut mended = result.clone();
    mended
        .content
        .retain(|part| !matches!(part, ResultPart::Text(text) if text.trim().is_empty()));
    mended
}

fn is_blank(block: &Block) -> bool {
    block.as_text().is_some_and(|text| text.trim().is_empty())
}
