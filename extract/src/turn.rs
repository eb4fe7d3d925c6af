//! The conversation at the end of a turn.

use agent_model::Request;
use agent_transcript::{Cursor, Entry, FileRole, Transcript};

use crate::cursor;
use crate::own_write::is_own_write;
use crate::trigger::Since;

/// The conversation as it stands when a turn ends: borrowed, for nothing of it is kept but what is new.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    entries: &'a [Entry],
    live_from: usize,
    request: Option<&'a Request>,
    is_sub_agent: bool,
    end: &'a Cursor,
}

impl<'a> Turn<'a> {
    /// The main thread of a transcript, and [`Transcript::cursor`] of it.
    ///
    /// A file of a sub-agent or of a compaction is marked as such and leads to no run.
    pub fn of_transcript(transcript: &'a Transcript, end: &'a Cursor) -> Self {
        let boundary = transcript.boundaries().last();
        Self {
            entries: transcript.entries(),
            live_from: boundary.map_or(0, |boundary| boundary.at),
            request: None,
            is_sub_agent: transcript.session().role != FileRole::Session,
            end,
        }
    }

    /// The conversation that a host holds in memory, as the model sees it, and a cursor with the identity
    /// of its last message.
    pub fn of_entries(entries: &'a [Entry], end: &'a Cursor) -> Self {
        Self {
            entries,
            live_from: 0,
            request: None,
            is_sub_agent: false,
            end,
        }
    }

    /// Adds the request as the main conversation last sent it, with the reply behind it. A model that
    /// goes on from there shares its prompt cache.
    #[must_use]
    pub fn with_request(mut self, request: &'a Request) -> Self {
        self.request = Some(request);
        self
    }

    /// Says from which entry on the model still sees the conversation: behind its last compaction.
    #[must_use]
    pub fn with_live_from(mut self, index: usize) -> Self {
        self.live_from = index;
        self
    }

    /// Whether the file is no conversation with a person.
    pub fn is_sub_agent(&self) -> bool {
        self.is_sub_agent
    }

    pub(crate) fn end(&self) -> &'a Cursor {
        self.end
    }

    /// Returns what is new since a cursor.
    pub fn since(&self, cursor: Option<&Cursor>) -> &'a [Entry] {
        cursor::since(self.entries, self.live_from, self.end, cursor)
    }

    /// Takes along what a run needs.
    pub(crate) fn job(&self, cursor: Option<&Cursor>, number: u64) -> Job {
        Job {
            entries: self.since(cursor).to_vec(),
            end: self.end.clone(),
            request: self.request.cloned(),
            turn: number,
        }
    }
}

/// What a run is about: new messages, and where they end.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) entries: Vec<Entry>,
    pub(crate) end: Cursor,
    pub(crate) request: Option<Request>,
    /// The number of the turn in this process, for the log.
    pub(crate) turn: u64,
}

impl Job {
    /// Drops what a run before this one, or another process, has looked at.
    pub(crate) fn trim(&mut self, cursor: Option<&Cursor>) {
        let left = cursor::since(&self.entries, 0, &self.end, cursor).len();
        self.entries.drain(..self.entries.len() - left);
    }
}

/// What has happened in new messages, for the trigger.
pub(crate) fn facts(entries: &[Entry], memory_dir: &std::path::Path) -> Since {
    Since {
        messages: entries.iter().filter(|entry| entry.model_visible).count(),
        own_write: is_own_write(entries, memory_dir),
    }
}
