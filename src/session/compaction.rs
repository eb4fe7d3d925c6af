//! Compaction: the session file, or notes made for this once, in place of most of the conversation.

use memdir::Mode;
use session_memory::{Compacted, Notes, WhyNot, entries_from};

use super::conversation::Conversation;
use super::event::{Happened, Kept, Part, SummarySource};
use super::growth::counter;
use super::{Session, lock};
use crate::error::{Error, ErrorKind, chain};

/// What to send instead of the conversation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Compaction {
    /// The list of messages, and what goes with it.
    pub compacted: Compacted,
    /// Where the summary comes from.
    pub summary: SummarySource,
    /// Why the session file did not serve; `None` where it did.
    pub fell_back: Option<WhyNot>,
}

impl Session {
    /// The context is full: returns the list of messages to go on with.
    ///
    /// The session file takes the place of what it covers, and the newest messages stay. Where it does not
    /// serve (switched off, missing, too far behind), a summary is made for this once. Memories that were
    /// shown may be recalled again, for the model has forgotten them.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Compaction`] with the reason when the conversation stays as it is: nothing would be
    /// gained, or nothing is there. The source is a [`WhyNot`].
    pub fn compact<'a>(
        &self,
        conversation: impl Into<Conversation<'a>>,
    ) -> Result<Compaction, Error> {
        let conversation = conversation.into();
        let compaction = self.compaction(&conversation);
        self.collect();
        match &compaction {
            Ok(compaction) => {
                let compacted = &compaction.compacted;
                self.happened(Happened::Compacted(Kept {
                    tokens_before: compacted.tokens_before,
                    tokens_after: compacted.tokens_after,
                    messages: compacted.messages.len().saturating_sub(1),
                    instructions: compacted.instructions.len(),
                    summary: compaction.summary,
                }));
                self.forget_surfaced();
            }
            Err(error) => self.happened(Happened::Skipped {
                part: Part::Compaction,
                reason: chain(error),
            }),
        }
        compaction
    }

    fn compaction(&self, conversation: &Conversation<'_>) -> Result<Compaction, Error> {
        if self.modes().session == Mode::Auto {
            if let Some(compaction) = self.compacted_by_model(conversation) {
                return Ok(compaction);
            }
            // What the rules keep costs nothing, so the file is brought up to date first.
            self.update_by_rules(conversation);
        }
        let counter = counter(conversation);
        // What lies before the last compaction is in the ledger; it need not be copied.
        let entries = entries_from(conversation.live(), &[]);
        let before = entries_before(conversation);
        let mut state = lock(&self.keeper.state);
        state.ledger.follow(conversation.entries());
        let attempt = |notes: &Notes, covered| {
            let session = session_memory::Session {
                entries: &entries,
                notes: Some(notes),
                covered,
                transcript_path: conversation.transcript_path(),
            };
            let compacted = state
                .ledger
                .compact(&session, &self.options.limits, &counter);
            compacted.map(|mut compacted| {
                compacted.first_kept_entry += before;
                compacted
            })
        };
        // A session file that cannot be read is no reason not to compact.
        let committed = self.session_file().unwrap_or_else(|error| {
            self.failed(Part::SessionFile, error.chain());
            None
        });
        let why = match &committed {
            None => WhyNot::NoNotes,
            Some(committed) => {
                let cursor = committed.cursor.as_ref();
                let covered = cursor.and_then(|cursor| cursor.find(&entries));
                match attempt(&committed.notes, covered) {
                    Ok(compacted) => {
                        return Ok(Compaction {
                            compacted,
                            summary: SummarySource::SessionFile,
                            fell_back: None,
                        });
                    }
                    Err(why @ (WhyNot::NoNotes | WhyNot::TooMuchUnsummarised { .. })) => why,
                    Err(why) => return Err(refused(why)),
                }
            }
        };
        let notes = state.ledger.to_notes(&self.keeper.config().structure);
        match attempt(&notes, entries.len().checked_sub(1)) {
            Ok(compacted) => Ok(Compaction {
                compacted,
                summary: SummarySource::Ledger,
                fell_back: Some(why),
            }),
            Err(why) => Err(refused(why)),
        }
    }
}

/// How many entries of the whole conversation lie before its live part, boundaries among them.
fn entries_before(conversation: &Conversation<'_>) -> usize {
    let live_from = conversation.entries().len() - conversation.live().len();
    let before = conversation.entries()[..live_from].iter();
    before.filter(|entry| entry.model_visible).count() + conversation.boundaries().len()
}

fn refused(why: WhyNot) -> Error {
    Error::new(ErrorKind::Compaction, "the conversation stays as it is").with_source(why)
}
