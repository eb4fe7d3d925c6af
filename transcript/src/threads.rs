//! What every format's reader puts together: the main thread, those of sub-agents, and what is known of
//! the session.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use agent_model::{Block, Message, Provider, Role, Usage};

use crate::entry::{Entry, Place};
use crate::origin::Origin;
use crate::reader::At;
use crate::report::Report;
use crate::time::Timestamp;

/// A session taken apart.
#[derive(Debug, Default)]
pub(crate) struct Threads {
    pub(crate) main: Vec<Entry>,
    pub(crate) sub_agents: Vec<SubAgent>,
    pub(crate) boundaries: Vec<Boundary>,
    pub(crate) facts: Facts,
}

/// What lines other than messages say of the session.
#[derive(Debug, Default, Clone)]
pub(crate) struct Facts {
    pub(crate) id: Option<String>,
    pub(crate) provider: Option<Provider>,
    pub(crate) title: Option<String>,
    pub(crate) first_cwd: Option<String>,
    pub(crate) last_place: Arc<Place>,
    pub(crate) is_sub_agent: bool,
}

impl Facts {
    /// Returns the place, shared with the line before when it is the same.
    pub(crate) fn place(
        &mut self,
        cwd: Option<&str>,
        branch: Option<&str>,
        version: Option<&str>,
    ) -> Arc<Place> {
        let last = &self.last_place;
        // A line that says nothing stands where the one before stood.
        let cwd = cwd.or(last.cwd.as_deref());
        let branch = branch.or(last.branch.as_deref());
        let version = version.or(last.version.as_deref());
        let same = last.cwd.as_deref() == cwd
            && last.branch.as_deref() == branch
            && last.version.as_deref() == version;
        if !same {
            let place = Arc::new(Place {
                cwd: cwd.map(str::to_owned),
                branch: branch.map(str::to_owned),
                version: version.map(str::to_owned),
            });
            self.last_place = place;
        }
        if self.first_cwd.is_none() {
            self.first_cwd.clone_from(&self.last_place.cwd);
        }
        self.last_place.clone()
    }
}

/// The conversation of a sub-agent that was recorded in this file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SubAgent {
    /// The agent's id, where the file names it.
    pub id: Option<String>,
    /// Its messages, oldest first. Nobody in it is a person: what stands in the user's turn comes from the
    /// agent that started it.
    pub entries: Vec<Entry>,
}

/// A point where the conversation was compacted: the model sees a summary instead of what came before.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Boundary {
    /// How many entries of the main thread lie before it.
    pub at: usize,
    /// What set it off, such as `auto` or `manual`.
    pub trigger: Option<String>,
    /// How many tokens the context held before.
    pub tokens_before: Option<u64>,
    /// When.
    pub time: Option<Timestamp>,
    /// The line's number, from 1.
    pub line: u64,
}

/// One line's worth of a message.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) role: Role,
    pub(crate) content: Vec<Block>,
    pub(crate) origin: Origin,
    pub(crate) model_visible: bool,
    pub(crate) time: Option<Timestamp>,
    pub(crate) model: Option<String>,
    pub(crate) answer_id: Option<String>,
    pub(crate) usage: Option<Usage>,
    pub(crate) place: Arc<Place>,
    pub(crate) at: At,
    pub(crate) cut: bool,
    pub(crate) id: String,
    /// The length of its line, for the limit on what is kept.
    pub(crate) bytes: usize,
}

/// Builds a thread out of pieces.
#[derive(Debug, Default)]
pub(crate) struct ThreadBuilder {
    pub(crate) entries: Vec<Entry>,
}

impl ThreadBuilder {
    /// Adds an entry of these pieces, which belong to one answer or are one line.
    pub(crate) fn push(&mut self, pieces: Vec<Piece>, report: &mut Report) {
        let mut pieces = pieces.into_iter();
        let Some(first) = pieces.next() else {
            return;
        };
        let mut message = Message::new(first.role, first.content);
        message.id = Some(first.id.clone());
        message.parent = self
            .entries
            .last()
            .and_then(|entry| entry.message.id.clone());
        let mut entry = Entry {
            message,
            origin: first.origin,
            model_visible: first.model_visible,
            time: first.time,
            model: first.model,
            answer_id: first.answer_id,
            usage: first.usage,
            place: first.place,
            line: first.at.line,
            offset: first.at.offset,
            cut: first.cut,
            ids: vec![first.id],
        };
        let mut calls: HashSet<String> = entry
            .message
            .tool_uses()
            .map(|call| call.id.clone())
            .collect();
        for piece in pieces {
            entry.ids.push(piece.id);
            entry.usage = piece.usage.or(entry.usage);
            entry.cut |= piece.cut;
            for block in piece.content {
                let repeated = match &block {
                    Block::ToolUse(call) => !calls.insert(call.id.clone()),
                    other => is_repeated(&entry.message.content, other),
                };
                if repeated {
                    report.duplicates += 1;
                } else {
                    entry.message.content.push(block);
                }
            }
        }
        self.entries.push(entry);
    }
}

/// An answer that is written twice is written twice soon; looking further back would make an endless answer
/// cost the square of its length.
const LOOK_BACK: usize = 64;

/// Tells whether an answer holds a block already, because it was written twice.
fn is_repeated(content: &[Block], block: &Block) -> bool {
    content.iter().rev().take(LOOK_BACK).any(|own| own == block)
}

/// Keeps pieces within the limits of the options, by dropping the oldest.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    kept: Vec<Option<Piece>>,
    oldest: usize,
    count: usize,
    bytes: usize,
}

impl Pieces {
    pub(crate) fn push(&mut self, piece: Piece, most: usize, most_bytes: usize) -> (usize, u64) {
        self.count += 1;
        self.bytes += piece.bytes;
        self.kept.push(Some(piece));
        let mut dropped = 0;
        while (self.count > most || self.bytes > most_bytes) && self.oldest + 1 < self.kept.len() {
            if let Some(piece) = self.kept[self.oldest].take() {
                self.count -= 1;
                self.bytes -= piece.bytes;
                dropped += 1;
            }
            self.oldest += 1;
        }
        (self.kept.len() - 1, dropped)
    }

    pub(crate) fn get(&self, index: usize) -> Option<&Piece> {
        self.kept.get(index)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut Piece> {
        self.kept.get_mut(index)?.as_mut()
    }

    pub(crate) fn take(&mut self, index: usize) -> Option<Piece> {
        self.kept.get_mut(index)?.take()
    }

    /// Walks over those that are left, oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &Piece)> {
        let all = self.kept.iter().enumerate().skip(self.oldest);
        all.filter_map(|(index, piece)| Some((index, piece.as_ref()?)))
    }
}

/// Where to find the results of calls.
pub(crate) type Results = HashMap<String, Vec<usize>>;
