//! The session file: when it is due, and its update.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use agent_model::{Role, Usage};
use agent_transcript::Entry;
use memdir::Mode;
use session_memory::{
    Activity, Committed, Config, Due, Entry as Kept, SessionFile, due, update_offline_with,
};
use token_count::{Estimator, Factor, TokenCounter};

use super::conversation::Conversation;
use super::event::{Happened, Part, SessionFileUpdated};
use super::recalling::MAX_RECENT_TOOLS;
use super::redaction;
use super::{Session, lock};
use crate::error::{Error, chain};

/// How far back tools in use are looked for.
const MAX_LOOK_BACK: usize = 400;

/// What a reply led to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AfterReply {
    /// The session file was brought up to date.
    Updated(SessionFileUpdated),
    /// An update by a model has begun in the background.
    Started,
    /// An update is going on already.
    Running,
    /// None is due; what is missing.
    Waits(Due),
    /// The mode, or the kind of conversation, forbids it.
    Skipped,
    /// It failed; the event says why.
    Failed,
}

/// The session file, opened when it is first needed.
#[derive(Debug)]
pub(super) struct Keeper {
    folder: PathBuf,
    config: Config,
    file: OnceLock<SessionFile>,
    pub(super) state: Mutex<State>,
}

#[derive(Debug, Default)]
pub(super) struct State {
    /// The committed notes as they were last seen.
    pub(super) committed: Option<Committed>,
    is_loaded: bool,
    pub(super) meter: Meter,
}

impl Keeper {
    pub(super) fn new(folder: PathBuf, home: &Path) -> Self {
        Self {
            folder,
            config: Config::load(home),
            file: OnceLock::new(),
            state: Mutex::default(),
        }
    }

    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    /// The file for writing; its folder is made.
    pub(super) fn create(&self) -> Result<&SessionFile, session_memory::Error> {
        if let Some(file) = self.file.get() {
            return Ok(file);
        }
        let file = SessionFile::create(&self.folder, self.config.structure.clone())?;
        Ok(self.file.get_or_init(|| file))
    }

    /// The committed notes, where there are any. Makes no folder.
    pub(super) fn read(&self) -> Result<Option<Committed>, session_memory::Error> {
        if let Some(file) = self.file.get() {
            return file.read();
        }
        match SessionFile::open(&self.folder, self.config.structure.clone()) {
            Ok(file) => self.file.get_or_init(|| file).read(),
            Err(error) if error.kind() == session_memory::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Session {
    /// The model replied: the session file is brought up to date when it is due.
    ///
    /// Due means: the context holds 10,000 tokens, has grown by 5,000 since the last update, and three tools
    /// were called since, or the reply calls none ([`Thresholds`](session_memory::Thresholds)).
    pub fn after_reply<'a>(&self, conversation: impl Into<Conversation<'a>>) -> AfterReply {
        let conversation = conversation.into();
        self.note_boundaries(&conversation);
        self.note_tools(&conversation);
        match self.modes().session {
            Mode::Auto if !conversation.is_sub_agent() && !self.options.is_bare => {}
            Mode::Auto => return AfterReply::Skipped,
            mode => {
                self.skipped(
                    Part::SessionFile,
                    format!("the session file is in mode {mode}"),
                );
                return AfterReply::Skipped;
            }
        }
        self.collect();
        let reply = self.kept(&conversation, false);
        self.collect();
        reply
    }

    /// Updates the file when it is due, or in any case.
    fn kept(&self, conversation: &Conversation<'_>, is_asked: bool) -> AfterReply {
        let mut state = lock(&self.keeper.state);
        if let Err(error) = self.load(&mut state) {
            self.failed(Part::SessionFile, chain(&error));
            return AfterReply::Failed;
        }
        let tokens = state.meter.context_tokens(conversation);
        let activity = activity(conversation, state.committed.as_ref(), tokens);
        match due(&activity, &self.options.thresholds) {
            due if due != Due::Now && !is_asked => AfterReply::Waits(due),
            _ => self.update(&mut state, conversation, tokens),
        }
    }

    /// Brings the session file up to date now, whether or not it is due: before a compaction, or because a
    /// person asked. In the modes `off` and `read` it does nothing.
    pub fn update_session_file<'a>(&self, conversation: impl Into<Conversation<'a>>) -> AfterReply {
        let conversation = conversation.into();
        if self.modes().session < Mode::Ask || conversation.is_sub_agent() {
            return AfterReply::Skipped;
        }
        let reply = self.kept(&conversation, true);
        self.collect();
        reply
    }

    /// The committed session file, where there is one and the mode lets it be read.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::SessionFile`](crate::ErrorKind::SessionFile) when it cannot be read.
    pub fn session_file(&self) -> Result<Option<Committed>, Error> {
        if self.modes().session == Mode::Off {
            return Ok(None);
        }
        Ok(self.keeper.read()?)
    }

    fn load(&self, state: &mut State) -> Result<(), session_memory::Error> {
        if !state.is_loaded {
            state.committed = self.keeper.read()?;
            state.is_loaded = true;
        }
        Ok(())
    }

    fn update(
        &self,
        state: &mut State,
        conversation: &Conversation<'_>,
        tokens: u64,
    ) -> AfterReply {
        let entries = conversation.notes_entries();
        if let Some(reply) = self.updated_by_model(state, conversation, &entries, tokens) {
            return reply;
        }
        self.updated_by_rules(state, &entries, tokens)
    }

    fn updated_by_rules(&self, state: &mut State, entries: &[Kept], tokens: u64) -> AfterReply {
        let updated = self
            .keeper
            .create()
            .and_then(|file| update_offline_with(file, entries, tokens, &redaction::redact));
        match updated {
            Ok(committed) => AfterReply::Updated(self.note_committed(state, committed)),
            Err(error) => {
                self.failed(Part::SessionFile, chain(&error));
                AfterReply::Failed
            }
        }
    }

    /// Brings the session file up to date before a compaction.
    pub(super) fn update_by_rules(&self, conversation: &Conversation<'_>, entries: &[Kept]) {
        if conversation.is_sub_agent() {
            return;
        }
        let mut state = lock(&self.keeper.state);
        // What cannot be read cannot be written either, and the compaction says so.
        if self.load(&mut state).is_ok() {
            let tokens = state.meter.context_tokens(conversation);
            self.updated_by_rules(&mut state, entries, tokens);
        }
    }

    pub(super) fn note_committed(
        &self,
        state: &mut State,
        committed: Committed,
    ) -> SessionFileUpdated {
        let report = report(state.committed.as_ref(), &committed);
        state.committed = Some(committed);
        self.happened(Happened::SessionFile(report.clone()));
        report
    }

    /// Remembers which tools were called lately: recall leaves out notes on how to use them.
    fn note_tools(&self, conversation: &Conversation<'_>) {
        let mut names: Vec<String> = Vec::new();
        let latest = conversation.live().iter().rev().take(MAX_LOOK_BACK);
        'found: for entry in latest {
            for call in entry.message.tool_uses() {
                if !names.contains(&call.name) {
                    names.push(call.name.clone());
                }
                if names.len() == MAX_RECENT_TOOLS {
                    break 'found;
                }
            }
        }
        names.reverse();
        *lock(&self.recaller.recent_tools) = names;
    }
}

fn report(before: Option<&Committed>, after: &Committed) -> SessionFileUpdated {
    let known = |heading: &str| {
        before
            .and_then(|before| before.notes.body(heading))
            .unwrap_or_default()
    };
    let changed = after
        .notes
        .sections()
        .filter(|section| section.body != known(section.heading))
        .map(|section| (section.heading.to_owned(), section.body.to_owned()));
    SessionFileUpdated {
        revision: after.revision,
        author: after.author.as_str(),
        changed: changed.collect(),
        tokens: Estimator::new().count(&after.notes.print()),
        context_tokens: after
            .cursor
            .as_ref()
            .map_or(0, session_memory::Cursor::context_tokens),
    }
}

/// The numbers behind the decision, read off the entries as they are: a copy of a long conversation after
/// every reply would cost more than the decision.
fn activity(
    conversation: &Conversation<'_>,
    committed: Option<&Committed>,
    context_tokens: u64,
) -> Activity {
    let entries = conversation.entries();
    let cursor = committed.and_then(|committed| committed.cursor.as_ref());
    let covered = cursor.and_then(|cursor| {
        let is_there = |entry: &Entry| entry.message.id.as_deref() == Some(cursor.message_id());
        entries.iter().rposition(is_there)
    });
    let after = &entries[covered.map_or(0, |covered| covered + 1)..];
    let calls: usize = after
        .iter()
        .map(|entry| entry.message.tool_uses().count())
        .sum();
    let is_compacted = covered.is_some_and(|covered| {
        let last = conversation.boundaries().last();
        last.is_some_and(|boundary| boundary.at > covered)
    });
    let last_reply = entries
        .iter()
        .rev()
        .find(|entry| entry.message.role == Role::Assistant);
    Activity {
        context_tokens,
        tokens_at_update: match (covered, cursor) {
            (Some(_), Some(cursor)) if !is_compacted => cursor.context_tokens(),
            _ => 0,
        },
        tool_calls: u32::try_from(calls).unwrap_or(u32::MAX),
        last_turn_has_call: last_reply
            .is_some_and(|entry| entry.message.tool_uses().next().is_some()),
    }
}

/// The estimate of the model that wrote the last reply.
pub(super) fn counter(conversation: &Conversation<'_>) -> Estimator {
    Estimator::with_factor(Factor::of_model(conversation.model().unwrap_or_default()))
}

/// Counts a growing conversation without counting all of it again.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// Where counting began, and up to where it came.
    from: usize,
    to: usize,
    /// The identity of the last entry that was counted.
    last: Option<String>,
    tokens: u64,
}

impl Meter {
    /// The size of the context: what the host knows, else the last figure of the provider and an estimate of
    /// what came after it, else an estimate.
    pub(super) fn context_tokens(&mut self, conversation: &Conversation<'_>) -> u64 {
        if let Some(tokens) = conversation.known_context_tokens() {
            return tokens;
        }
        let counter = counter(conversation);
        let live = conversation.live();
        let figure = |entry: &Entry| {
            let tokens = entry.usage.as_ref().map_or(0, Usage::total);
            (tokens > 0).then_some(tokens)
        };
        let mut backwards = live.iter().enumerate().rev();
        let anchor = backwards.find_map(|(index, entry)| Some((index + 1, figure(entry)?)));
        if let Some((from, tokens)) = anchor {
            return tokens.saturating_add(estimate(&live[from..], &counter));
        }
        let (entries, from) = (
            conversation.entries(),
            conversation.entries().len() - live.len(),
        );
        let is_continued = self.from == from
            && self.to > from
            && self.to <= entries.len()
            && entries[self.to - 1].last_id() == self.last.as_deref();
        if !is_continued {
            *self = Self {
                from,
                to: from,
                ..Self::default()
            };
        }
        self.tokens = self
            .tokens
            .saturating_add(estimate(&entries[self.to..], &counter));
        self.to = entries.len();
        self.last = entries.last().and_then(Entry::last_id).map(str::to_owned);
        self.tokens
    }
}

fn estimate(entries: &[Entry], counter: &dyn TokenCounter) -> u64 {
    entries
        .iter()
        .filter(|entry| entry.model_visible)
        .map(|entry| entry.message.tokens(counter))
        .fold(0, u64::saturating_add)
}
