//! Puts the session file in the place of most of the conversation.
//!
//! A pure function: it decides what stays, mends what the API would refuse, and checks its own result.
//! Where it cannot keep its promises it says why, and the caller takes the fall-back.

use agent_model::{Block, Message, ResultPart, Role};
use token_count::TokenCounter;

use self::check::{images_in, message_bytes};
use self::history::live;
use self::unit::Unit;
use crate::ledger::{Ledger, Listed};
use crate::notes::Notes;

pub use check::{Fault, FaultKind, MOST_IMAGES, MOST_REQUEST_BYTES, check_messages};
pub use history::{Boundary, Entry};
pub use put_back::PutBack;

#[cfg(feature = "updater")]
pub(crate) use summary::of_summary as summary_text;

mod check;
mod history;
mod put_back;
mod summary;
mod unit;

/// At most so many paths of changed files are listed; the newest are kept.
const MOST_FILES: usize = 100;

/// How much may stay. Tokens are model tokens, as the counter sees them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompactLimits {
    /// The kept tail is walked back to at least this many tokens. Default 10,000.
    pub tail_least_tokens: usize,
    /// The kept tail is walked back to at least this many messages with text. Default 5.
    pub tail_least_texts: usize,
    /// The kept tail holds at most this many tokens. Default 40,000.
    pub tail_most_tokens: usize,
    /// The context size at which the host compacts. The result fills at most half of it. Default 167,000.
    pub trigger_tokens: usize,
    /// A section of the notes that is longer is cut at a line. Default 2,000.
    pub section_tokens: usize,
}

impl Default for CompactLimits {
    fn default() -> Self {
        CompactLimits {
            tail_least_tokens: 10_000,
            tail_least_texts: 5,
            tail_most_tokens: 40_000,
            trigger_tokens: 167_000,
            section_tokens: 2_000,
        }
    }
}

/// What a compaction works on.
#[derive(Clone, Copy, Debug)]
pub struct Session<'a> {
    /// The entries of the session in order.
    pub entries: &'a [Entry],
    /// The committed notes.
    pub notes: Option<&'a Notes>,
    /// The index of the last entry that the notes cover. `None` where the message of the cursor is not in
    /// this conversation (rewound, another branch, an older file): an unknown cursor is no cursor.
    pub covered: Option<usize>,
    /// Where the whole conversation can be read later, as shown to the model.
    pub transcript_path: Option<&'a str>,
}

/// A list that can be sent instead of the conversation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Compacted {
    /// The summary, then the kept tail. [`check_messages`] accepts it.
    pub messages: Vec<Message>,
    /// The indices in `messages` of what the person said.
    pub instructions: Vec<usize>,
    /// Tokens of the live conversation before.
    pub tokens_before: usize,
    /// Tokens of the list.
    pub tokens_after: usize,
    /// The index of the first entry that was kept.
    pub first_kept_entry: usize,
    /// What the host puts back by code; a summary must not be trusted with it.
    pub put_back: Vec<PutBack>,
}

impl Compacted {
    /// Returns what a host appends to its record of the session: a boundary with the sizes before and
    /// after, the summary, and the kept messages. Nothing that stands there already is changed.
    pub fn into_entries(self) -> Vec<Entry> {
        let sizes = Boundary::new(self.tokens_before as u64, self.tokens_after as u64);
        let kept = self
            .messages
            .into_iter()
            .enumerate()
            .map(|(index, message)| match index {
                0 => Entry::Summary(message),
                _ if self.instructions.contains(&index) => Entry::Instruction(message),
                _ => Entry::Message(message),
            });
        std::iter::once(Entry::Boundary(sizes))
            .chain(kept)
            .collect()
    }
}

/// Why the notes cannot stand in for the conversation. The caller takes the fall-back.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhyNot {
    /// There is no session file yet, or nothing was written into it.
    NoNotes,
    /// There is nothing to compact.
    NothingLive,
    /// More was said since the last update than may be kept; dropping it would leave a gap.
    TooMuchUnsummarised {
        /// Tokens since the last update.
        tokens: usize,
    },
    /// The result would not be smaller than what is there.
    NotSmaller,
    /// The result would leave too little room until the next compaction.
    TooLittleRoom {
        /// Tokens of the result.
        tokens: usize,
    },
    /// The API would refuse the result.
    Refused(Fault),
}

impl std::error::Error for WhyNot {}

impl std::fmt::Display for WhyNot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            WhyNot::NoNotes => {
                f.write_str("the session file is missing or still the empty template")
            }
            WhyNot::NothingLive => f.write_str("there is nothing after the last boundary"),
            WhyNot::TooMuchUnsummarised { tokens } => {
                write!(
                    f,
                    "{tokens} tokens were said since the last update, update the session file first"
                )
            }
            WhyNot::NotSmaller => f.write_str("the result would not be smaller"),
            WhyNot::TooLittleRoom { tokens } => {
                write!(f, "the result of {tokens} tokens leaves too little room")
            }
            WhyNot::Refused(fault) => {
                write!(
                    f,
                    "message {} would be refused: {:?}",
                    fault.message, fault.kind
                )
            }
        }
    }
}

/// Replaces the conversation by the notes and the newest messages.
///
/// # Errors
/// A [`WhyNot`] where that would lose something, gain nothing, or be refused by the API.
pub fn compact(
    session: &Session<'_>,
    limits: &CompactLimits,
    counter: &dyn TokenCounter,
) -> Result<Compacted, WhyNot> {
    let notes = usable(session)?;
    put_together(session, limits, counter, |live, is_whole| {
        // The summary names what was done in the whole session, the host puts back what is live.
        let whole = Ledger::from_entries(session.entries);
        let changed = changed_files(&whole);
        let text = summary::of_notes(notes, session, &changed, limits, counter);
        (text, put_back_list(live, is_whole.then_some(&whole)))
    })
}

/// As [`compact`], for entries that may begin at the last boundary: `changed` gives the newest of the files that
/// were changed in the whole session, at most so many.
pub(crate) fn compact_behind(
    session: &Session<'_>,
    limits: &CompactLimits,
    counter: &dyn TokenCounter,
    changed: impl FnOnce(usize) -> Listed<String>,
) -> Result<Compacted, WhyNot> {
    let notes = usable(session)?;
    put_together(session, limits, counter, |live, _| {
        let changed = changed(MOST_FILES);
        let text = summary::of_notes(notes, session, &changed, limits, counter);
        (text, put_back_list(live, None))
    })
}

/// Puts a summary in the place of everything but the tail.
#[cfg(feature = "updater")]
pub(crate) fn replace(
    session: &Session<'_>,
    limits: &CompactLimits,
    counter: &dyn TokenCounter,
    summary: impl FnOnce(&Ledger) -> String,
) -> Result<Compacted, WhyNot> {
    put_together(session, limits, counter, |live, is_whole| {
        let whole = Ledger::from_entries(session.entries);
        let text = summary(&whole);
        (text, put_back_list(live, is_whole.then_some(&whole)))
    })
}

fn usable<'a>(session: &Session<'a>) -> Result<&'a Notes, WhyNot> {
    let notes = session.notes.filter(|notes| !notes.is_untouched());
    notes.ok_or(WhyNot::NoNotes)
}

pub(crate) fn changed_files(ledger: &Ledger) -> Listed<String> {
    Listed::of_end(&ledger.changed, MOST_FILES, str::to_owned)
}

fn put_back_list(live: &[Entry], ledger: Option<&Ledger>) -> Vec<PutBack> {
    match ledger {
        Some(ledger) => put_back::collect(live, ledger),
        None => put_back::collect(live, &Ledger::from_entries(live)),
    }
}

/// Puts the list together. `make` gives the summary and what is put back, from the live entries; it is told
/// whether these are the whole session.
fn put_together(
    session: &Session<'_>,
    limits: &CompactLimits,
    counter: &dyn TokenCounter,
    make: impl FnOnce(&[Entry], bool) -> (String, Vec<PutBack>),
) -> Result<Compacted, WhyNot> {
    let live = live(session.entries);
    let offset = session.entries.len() - live.len();
    let units = unit::group(live);
    if units.is_empty() {
        return Err(WhyNot::NothingLive);
    }
    let sizes: Vec<usize> = units
        .iter()
        .map(|unit| tokens_of(&unit.messages, counter))
        .collect();
    // What lies before the boundary is covered by the summary there.
    let covered = session
        .covered
        .and_then(|covered| covered.checked_sub(offset));
    let start = tail_start(&units, &sizes, covered, limits)?;

    let (summary, put_back) = make(live, offset == 0);
    let mut messages = vec![Message::user(summary)];
    let mut instructions = Vec::new();
    if let Some(older) = older_instruction(live, &units, start) {
        instructions.push(messages.len());
        messages.push(older);
    }
    for unit in &units[start..] {
        messages.extend(unit.messages.iter().cloned());
        let ends_with_user = messages.last().is_some_and(|last| last.role == Role::User);
        if unit.instruction && ends_with_user {
            // What the person said stands in the user's turn, which is the last of a unit.
            instructions.push(messages.len() - 1);
        }
    }
    keep_within_budgets(&mut messages);

    let tokens_before = live
        .iter()
        .filter_map(Entry::message)
        .map(|message| tokens_of(std::slice::from_ref(message), counter))
        .sum();
    let tokens_after = tokens_of(&messages, counter);
    if tokens_after >= tokens_before {
        return Err(WhyNot::NotSmaller);
    }
    if tokens_after > limits.trigger_tokens / 2 {
        return Err(WhyNot::TooLittleRoom {
            tokens: tokens_after,
        });
    }
    check_messages(&messages).map_err(WhyNot::Refused)?;
    Ok(Compacted {
        messages,
        instructions,
        tokens_before,
        tokens_after,
        first_kept_entry: offset + units.get(start).map_or(live.len(), |unit| unit.first_entry),
        put_back,
    })
}

/// Returns the live part of a session as the API accepts it, with nothing summarised: what
/// [`check_messages`] would refuse is mended as in a compaction. Empty where nothing is live.
///
/// For a conversation that is too short to gain by a compaction.
pub fn mend(entries: &[Entry]) -> Vec<Message> {
    let live = live(entries);
    // The summary of an earlier compaction is all that is left of what was before it.
    let mut messages: Vec<Message> = live
        .iter()
        .filter_map(|entry| match entry {
            Entry::Summary(message) if !message.text().trim().is_empty() => {
                Some(Message::user(message.text()))
            }
            _ => None,
        })
        .collect();
    messages.extend(unit::group(live).into_iter().flat_map(|unit| unit.messages));
    if messages
        .first()
        .is_some_and(|first| first.role != Role::User)
    {
        messages.insert(0, Message::user(NO_BEGINNING));
    }
    keep_within_budgets(&mut messages);
    messages
}

/// What stands in front of a conversation whose first message is the model's: the API wants the user's.
const NO_BEGINNING: &str = "[The beginning of this conversation was not recorded.]";

/// Returns the first unit of the tail: behind the last summarised message, walked back while that is cheap.
fn tail_start(
    units: &[Unit],
    sizes: &[usize],
    covered: Option<usize>,
    limits: &CompactLimits,
) -> Result<usize, WhyNot> {
    // A unit that the cursor cuts through is not summarised whole: it stays.
    let behind = covered.map_or(0, |covered| {
        units
            .iter()
            .position(|unit| unit.last_entry > covered)
            .unwrap_or(units.len())
    });
    let unsummarised: usize = sizes[behind..].iter().sum();
    if unsummarised > limits.tail_most_tokens {
        return Err(WhyNot::TooMuchUnsummarised {
            tokens: unsummarised,
        });
    }
    let mut start = behind;
    let mut kept = unsummarised;
    let mut texts: usize = units[behind..].iter().map(|unit| unit.texts).sum();
    while start > 0 && (kept < limits.tail_least_tokens || texts < limits.tail_least_texts) {
        if kept + sizes[start - 1] > limits.tail_most_tokens {
            break;
        }
        start -= 1;
        kept += sizes[start];
        texts += units[start].texts;
    }
    // Where even the newest unit is too large for the tail, nothing would be left: it was summarised, and
    // the newest instruction is put in front on its own.
    Ok(start)
}

/// Returns the newest message of the person on its own, where the tail begins behind it.
fn older_instruction(live: &[Entry], units: &[Unit], start: usize) -> Option<Message> {
    let in_tail = units[start..].iter().any(|unit| unit.instruction);
    if in_tail {
        return None;
    }
    let stays = |block: &&Block| match block {
        Block::Text(text) => !text.trim().is_empty(),
        Block::Image(_) | Block::Other(_) => true,
        _ => false,
    };
    live.iter().rev().find_map(|entry| {
        let Entry::Instruction(message) = entry else {
            return None;
        };
        let content: Vec<Block> = message.content.iter().filter(stays).cloned().collect();
        (!content.is_empty()).then(|| Message {
            id: message.id.clone(),
            ..Message::new(Role::User, content)
        })
    })
}

fn tokens_of(messages: &[Message], counter: &dyn TokenCounter) -> usize {
    let tokens: u64 = messages
        .iter()
        .map(|message| message.tokens(counter))
        .fold(0, u64::saturating_add);
    usize::try_from(tokens).unwrap_or(usize::MAX)
}

/// Takes out the oldest images, then the oldest bulk of tool results, until the request budgets hold.
///
/// What is taken out leaves a sentence behind, so that the model knows that there was something.
fn keep_within_budgets(messages: &mut [Message]) {
    const IMAGE_GONE: &str = "[an image was here; it is in the transcript]";
    let mut images: usize = messages
        .iter()
        .flat_map(|message| &message.content)
        .map(images_in)
        .sum();
    let mut bytes: usize = messages.iter().map(message_bytes).sum();
    for message in messages.iter_mut() {
        if images <= MOST_IMAGES && bytes <= MOST_REQUEST_BYTES {
            return;
        }
        let bytes_before = message_bytes(message);
        let images_before: usize = message.content.iter().map(images_in).sum();
        for block in &mut message.content {
            match block {
                Block::Image(_) => *block = Block::Text(IMAGE_GONE.to_owned()),
                Block::ToolResult(result) => {
                    for part in &mut result.content {
                        if matches!(part, ResultPart::Image(_)) {
                            *part = ResultPart::Text(IMAGE_GONE.to_owned());
                        }
                    }
                }
                _ => {}
            }
        }
        images -= images_before;
        bytes = bytes - bytes_before + message_bytes(message);
    }
}
