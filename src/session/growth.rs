//! Numbers of a conversation that grows, without looking at all of it again after each reply.

use agent_model::{Role, Usage};
use agent_transcript::Entry;
use session_memory::{Activity, Cursor};
use token_count::{Estimator, Factor};

use super::conversation::Conversation;

/// The estimate of the model that wrote the last reply.
pub(super) fn counter(conversation: &Conversation<'_>) -> Estimator {
    estimator(conversation.model())
}

fn estimator(model: Option<&str>) -> Estimator {
    Estimator::with_factor(Factor::of_model(model.unwrap_or_default()))
}

/// How far a conversation was looked at.
#[derive(Debug, Default)]
struct Progress {
    to: usize,
    /// The identity of the last entry that was looked at.
    last: Option<String>,
}

impl Progress {
    /// Returns what is new. `None` where the conversation is not the one that was looked at, or took another
    /// turn since: then all of it is. Entries without an identity cannot tell.
    fn new_in<'a>(&self, entries: &'a [Entry]) -> Option<&'a [Entry]> {
        let known = entries.get(self.to.checked_sub(1)?)?.last_id()?;
        (self.last.as_deref() == Some(known)).then(|| &entries[self.to..])
    }

    fn came_to_the_end(&mut self, entries: &[Entry]) {
        self.to = entries.len();
        self.last = entries.last().and_then(Entry::last_id).map(str::to_owned);
    }
}

/// The size of the context.
#[derive(Debug, Default)]
pub(super) struct Meter {
    progress: Progress,
    /// Where the live part began.
    live_from: usize,
    model: Option<String>,
    /// The last figure of the provider's, and what was estimated since.
    figure: u64,
    estimated: u64,
}

impl Meter {
    /// The size of the context: what the host knows, else the last figure of the provider and an estimate of
    /// what came after it, else an estimate.
    pub(super) fn context_tokens(&mut self, conversation: &Conversation<'_>) -> u64 {
        if let Some(tokens) = conversation.known_context_tokens() {
            return tokens;
        }
        let entries = conversation.entries();
        let live_from = entries.len() - conversation.live().len();
        let known = self.progress.new_in(entries);
        let new = if let Some(new) = known.filter(|_| self.live_from == live_from) {
            if let Some(model) = last_model(new) {
                self.model = Some(model.to_owned());
            }
            new
        } else {
            *self = Self {
                live_from,
                model: conversation.model().map(str::to_owned),
                ..Self::default()
            };
            conversation.live()
        };
        let counter = estimator(self.model.as_deref());
        for entry in new {
            match entry.usage.as_ref().map_or(0, Usage::total) {
                0 if entry.model_visible => {
                    let tokens = entry.message.tokens(&counter);
                    self.estimated = self.estimated.saturating_add(tokens);
                }
                0 => {}
                figure => (self.figure, self.estimated) = (figure, 0),
            }
        }
        self.progress.came_to_the_end(entries);
        self.figure.saturating_add(self.estimated)
    }
}

fn last_model(entries: &[Entry]) -> Option<&str> {
    let mut newest = entries.iter().rev();
    newest.find_map(|entry| entry.model.as_deref())
}

/// What has happened since the message of a cursor.
#[derive(Debug, Default)]
pub(super) struct Tally {
    progress: Progress,
    /// The message of the cursor, and where it stands.
    message: Option<String>,
    covered: Option<usize>,
    calls: usize,
}

impl Tally {
    /// The numbers behind the decision whether an update is due.
    pub(super) fn activity(
        &mut self,
        conversation: &Conversation<'_>,
        cursor: Option<&Cursor>,
        context_tokens: u64,
    ) -> Activity {
        let entries = conversation.entries();
        let message = cursor.map(Cursor::message_id);
        let new = match self.progress.new_in(entries) {
            Some(new) if self.message.as_deref() == message => new,
            _ => {
                *self = Self {
                    message: message.map(str::to_owned),
                    ..Self::default()
                };
                entries
            }
        };
        let is_named = |entry: &Entry| message.is_some() && entry.message.id.as_deref() == message;
        let after = match new.iter().rposition(is_named) {
            Some(at) => {
                self.covered = Some(entries.len() - new.len() + at);
                self.calls = 0;
                &new[at + 1..]
            }
            None => new,
        };
        let calls = after.iter().map(|entry| entry.message.tool_uses().count());
        self.calls += calls.sum::<usize>();
        self.progress.came_to_the_end(entries);
        let is_compacted = self.covered.is_some_and(|covered| {
            let last = conversation.boundaries().last();
            last.is_some_and(|boundary| boundary.at > covered)
        });
        let mut newest = entries.iter().rev();
        let last_reply = newest.find(|entry| entry.message.role == Role::Assistant);
        Activity {
            context_tokens,
            tokens_at_update: match (self.covered, cursor) {
                (Some(_), Some(cursor)) if !is_compacted => cursor.context_tokens(),
                _ => 0,
            },
            tool_calls: u32::try_from(self.calls).unwrap_or(u32::MAX),
            last_turn_has_call: last_reply
                .is_some_and(|entry| entry.message.tool_uses().next().is_some()),
        }
    }
}
