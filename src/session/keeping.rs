//! The session file: when it is due, and its update.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use memdir::Mode;
use session_memory::{
    Committed, Config, Cursor, Due, LedgerReader, SessionFile, due, update_offline_by,
};
use token_count::{Estimator, TokenCounter};

use super::conversation::Conversation;
use super::event::{Happened, Part, SessionFileUpdated};
use super::growth::{Meter, Tally};
use super::recalling::MAX_RECENT_TOOLS;
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
    is_volatile: bool,
    file: OnceLock<SessionFile>,
    pub(super) state: Mutex<State>,
}

/// What is known of the session file and of the conversation. All of it grows with the conversation: what was
/// looked at once is not looked at again.
#[derive(Debug)]
pub(super) struct State {
    /// The committed notes as they were last seen.
    pub(super) committed: Option<Committed>,
    is_loaded: bool,
    pub(super) meter: Meter,
    tally: Tally,
    pub(super) ledger: LedgerReader,
}

impl Default for State {
    fn default() -> Self {
        Self {
            committed: None,
            is_loaded: false,
            meter: Meter::default(),
            tally: Tally::default(),
            // What is written into a session file holds no credential, whoever said or printed it.
            ledger: LedgerReader::new().with_clean(secret_scan::redact),
        }
    }
}

impl Keeper {
    pub(super) fn new(folder: PathBuf, home: &Path, is_volatile: bool) -> Self {
        Self {
            folder,
            config: Config::load(home),
            is_volatile,
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
        let structure = self.config.structure.clone();
        let file = if self.is_volatile {
            SessionFile::create_volatile(&self.folder, structure)?
        } else {
            SessionFile::create(&self.folder, structure)?
        };
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
        let State {
            tally, committed, ..
        } = &mut *state;
        let cursor = committed.as_ref().and_then(|kept| kept.cursor.as_ref());
        let activity = tally.activity(conversation, cursor, tokens);
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
        if let Some(reply) = self.updated_by_model(state, conversation, tokens) {
            return reply;
        }
        self.updated_by_rules(state, conversation, tokens)
    }

    fn updated_by_rules(
        &self,
        state: &mut State,
        conversation: &Conversation<'_>,
        tokens: u64,
    ) -> AfterReply {
        state.ledger.follow(conversation.entries());
        let seen = conversation.entries().iter().rev();
        let cursor = seen
            .filter(|entry| entry.model_visible)
            .find_map(|entry| Cursor::at(&entry.message, tokens));
        let updated = self
            .keeper
            .create()
            .and_then(|file| update_offline_by(file, &state.ledger, cursor));
        match updated {
            Ok(committed) => AfterReply::Updated(self.note_committed(state, committed)),
            Err(error) => {
                self.failed(Part::SessionFile, chain(&error));
                AfterReply::Failed
            }
        }
    }

    /// Brings the session file up to date before a compaction.
    pub(super) fn update_by_rules(&self, conversation: &Conversation<'_>) {
        if conversation.is_sub_agent() {
            return;
        }
        let mut state = lock(&self.keeper.state);
        // What cannot be read cannot be written either, and the compaction says so.
        if self.load(&mut state).is_ok() {
            let tokens = state.meter.context_tokens(conversation);
            self.updated_by_rules(&mut state, conversation, tokens);
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
