//! A recorded session as the entries that a compaction works on.

use agent_transcript::{Origin, Transcript};
use token_count::TokenCounter;

use crate::compact::{Boundary, Entry};
use crate::ledger::slash_command;

/// Returns the main thread of a recorded session: what the model saw, with boundaries in their places.
///
/// Messages that a person typed are [`Entry::Instruction`]s, and so are slash commands with words behind
/// them that the agent passed on to the model. Commands that it answered itself, tool results and injected
/// context are plain messages. What an agent showed to the person in the model's place is left out.
pub fn entries_of(transcript: &Transcript) -> Vec<Entry> {
    entries_from(transcript.entries(), transcript.boundaries())
}

/// As [`entries_of`], of messages that are no whole transcript: the beginning of one, or what a host holds
/// in memory. A boundary behind the last message is one that has just been drawn.
pub fn entries_from(
    recorded: &[agent_transcript::Entry],
    boundaries: &[agent_transcript::Boundary],
) -> Vec<Entry> {
    let all = recorded;
    let mut boundaries = boundaries.iter().peekable();
    let mut entries = Vec::with_capacity(all.len());
    for (index, recorded) in all.iter().enumerate() {
        while let Some(boundary) = boundaries.next_if(|boundary| boundary.at <= index) {
            entries.push(Entry::Boundary(Boundary {
                tokens_before: boundary.tokens_before,
                tokens_after: None,
            }));
        }
        let message = || recorded.message.clone();
        entries.extend(kind_of(all, index).map(|kind| match kind {
            Kind::Instruction => Entry::Instruction(message()),
            Kind::Summary => Entry::Summary(message()),
            Kind::Message => Entry::Message(message()),
        }));
    }
    for boundary in boundaries {
        entries.push(Entry::Boundary(Boundary {
            tokens_before: boundary.tokens_before,
            tokens_after: None,
        }));
    }
    entries
}

/// What a recorded message counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Instruction,
    Summary,
    Message,
}

/// Tells what a message counts as; nothing where the model does not see it. For a slash command the message
/// behind it matters.
pub(crate) fn kind_of(recorded: &[agent_transcript::Entry], index: usize) -> Option<Kind> {
    let entry = recorded.get(index).filter(|entry| entry.model_visible)?;
    Some(match entry.origin {
        Origin::Person => Kind::Instruction,
        Origin::Command if is_passed_on(recorded, index) => Kind::Instruction,
        Origin::CompactSummary => Kind::Summary,
        _ => Kind::Message,
    })
}

/// Tells whether a slash command has words for the model: one that the agent carried out itself, such as
/// a change of the model, is followed by what it printed.
fn is_passed_on(entries: &[agent_transcript::Entry], index: usize) -> bool {
    let has_words = slash_command(&entries[index].message.text()).is_some();
    let next = entries.get(index + 1).map(|next| next.origin);
    has_words && next != Some(Origin::CommandOutput)
}

/// Returns the size of the context at the end of a recorded session, in tokens: the last figure that the
/// provider gave in its live part, and an estimate of what came after it.
pub fn context_tokens(transcript: &Transcript, counter: &dyn TokenCounter) -> u64 {
    let live = transcript.live();
    let usage = |entry: &agent_transcript::Entry| {
        let tokens = entry.usage.as_ref().map_or(0, agent_model::Usage::total);
        (tokens > 0).then_some(tokens)
    };
    let anchor = live
        .iter()
        .enumerate()
        .rev()
        .find_map(|(index, entry)| Some((index + 1, usage(entry)?)));
    let (from, known) = anchor.unwrap_or((0, 0));
    live[from..]
        .iter()
        .filter(|entry| entry.model_visible)
        .map(|entry| entry.message.tokens(counter))
        .fold(known, u64::saturating_add)
}
