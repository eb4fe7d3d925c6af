//! Extraction at the end of turns.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use memdir_extract::{
    Backend, Conditions, Decision, Drained, Extractor, ExtractorOptions, SkipReason, Turn,
};

use super::conversation::Conversation;
use super::event::{Happened, Part};
use super::notice::Notice;
use super::{Session, lock};
use crate::error::chain;
use crate::instructions::instruction_files;

/// What the end of a turn led to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndOfTurn {
    /// A run over everything new has begun.
    Started,
    /// A run is going on; one more follows it.
    Remembered,
    /// There is no run.
    Skipped(SkipReason),
    /// Extraction does not work in this session; the event says why.
    Unavailable,
}

/// The extractor, made at the end of the first turn.
pub(super) struct Learner {
    backend: Arc<dyn Backend>,
    extractor: OnceLock<Option<Extractor>>,
}

impl Learner {
    pub(super) fn new(backend: Arc<dyn Backend>) -> Self {
        Self {
            backend,
            extractor: OnceLock::new(),
        }
    }

    fn made(&self) -> Option<&Extractor> {
        self.extractor.get()?.as_ref()
    }
}

impl Session {
    /// The model answered without calling a tool: extraction looks at what is new, in the background.
    ///
    /// Returns at once; [`Session::notices`] says later what was saved. The memory index is made true where
    /// the agent wrote memories itself and left lines out.
    pub fn end_of_turn<'a>(&self, conversation: impl Into<Conversation<'a>>) -> EndOfTurn {
        let conversation = conversation.into();
        self.note_boundaries(&conversation);
        self.mend_index();
        let Some(extractor) = self.extractor() else {
            return EndOfTurn::Unavailable;
        };
        let end = conversation.end();
        let live_from = conversation.entries().len() - conversation.live().len();
        let mut turn = Turn::of_entries(conversation.entries(), end).with_live_from(live_from);
        if let Some(request) = conversation.request() {
            turn = turn.with_request(request);
        }
        let conditions = Conditions::new(self.modes().persistent)
            .with_bare(self.options.is_bare)
            .with_sub_agent(conversation.is_sub_agent());
        let decision = extractor.on_turn_end(&turn, conditions);
        if self.options.waits {
            self.settle_learning(Duration::MAX);
        }
        self.collect();
        match decision {
            Decision::Start => EndOfTurn::Started,
            Decision::Remembered => EndOfTurn::Remembered,
            Decision::Skip(reason) => EndOfTurn::Skipped(reason),
        }
    }

    fn extractor(&self) -> Option<&Extractor> {
        let make = || {
            let options = ExtractorOptions::new(&self.id)
                .with_owner(format!("{}, process {}", self.host, std::process::id()))
                .with_trigger(self.options.trigger)
                .with_instructions(instruction_files(self.location.root()));
            let backend = Arc::clone(&self.learner.backend);
            match Extractor::new(Arc::clone(&self.store), backend, options) {
                Ok(extractor) => Some(extractor),
                Err(error) => {
                    self.failed(Part::Extraction, chain(&error));
                    None
                }
            }
        };
        self.learner.extractor.get_or_init(make).as_ref()
    }

    pub(super) fn settle_learning(&self, limit: Duration) -> bool {
        self.learner
            .made()
            .is_none_or(|extractor| extractor.settle(limit))
    }

    pub(super) fn drain_learning(&self, limit: Duration) -> Drained {
        let drained = self.learner.made().map(|extractor| extractor.drain(limit));
        drained.unwrap_or(Drained::Finished)
    }

    /// Takes over decisions and notices of runs.
    pub(super) fn collect_learning(&self) {
        let Some(extractor) = self.learner.made() else {
            return;
        };
        for decided in extractor.decisions() {
            if let Some(path) = decided
                .path
                .as_deref()
                .filter(|_| decided.action.is_write())
            {
                self.learned_here(path);
            }
            self.happened(Happened::Memory(decided));
        }
        for notice in extractor.notices() {
            self.notice(Notice::Extraction(notice));
        }
    }

    /// What was said in this conversation is not recalled for it: only once it is compacted.
    pub(super) fn learned_here(&self, path: &str) {
        let mut memo = lock(&self.memo);
        memo.note_learned(path);
        memo.keep_in(&self.store, &self.id);
    }

    /// A conversation that was compacted since: the model has forgotten what it was shown.
    pub(super) fn note_boundaries(&self, conversation: &Conversation<'_>) {
        let count = conversation.boundaries().len();
        let mut memo = lock(&self.memo);
        if count > memo.boundaries {
            memo.boundaries = count;
            memo.forget_surfaced();
            memo.keep_in(&self.store, &self.id);
        }
    }
}
